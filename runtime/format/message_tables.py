"""Tables of the fields of messages in column programs."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from .message_rules import FieldKind

NOWHERE = 0xFFFF
"""In place of a register or span: there is none."""


@dataclass(frozen=True, slots=True)
class MessageField:
    """A field of a message that ``FIELDS`` reads. ``several``: it is repeated,
    packed or not; ``text``: it must be UTF-8; ``closed``: the numbers of a closed enum, others are unknown fields.
    ``arm``: what ``FIELDS`` gives where it has read the field; 0: it reads on.

    ``value``: the span of bytes and text, the register of other values, of floats their bits, of messages their size.
    ``present``: the register that is not 0 if the field is there; of messages it is 2 when they begin anew. Of those
    with the same ``group``, a oneof, only the last one is there."""

    number: int
    kind: FieldKind
    arm: int = 0
    value: int = NOWHERE
    present: int = NOWHERE
    group: int = 0
    several: bool = False
    text: bool = False
    closed: tuple[int, ...] | None = None

    def pack(self, closed: int) -> bytes:
        """Return the field as the engine loads it. ``closed``: where the numbers are among the constants."""
        flags = self.several | self.text << 1 | (self.closed is not None) << 2
        places = (self.arm, self.value, self.present, self.group)
        return struct.pack("<I6H2I4x", self.number, self.kind, flags, *places, closed, len(self.closed or ()))


@dataclass(frozen=True, slots=True)
class MessageTable:
    """The fields of a message type at one place, in the order of their numbers. ``strict``: as in ``MessageRule``;
    ``depth``: how deep groups may be in it. ``left`` and ``broken``: registers with what is left of a packed field, and
    whether the message does not hold."""

    fields: tuple[MessageField, ...]
    left: int
    broken: int
    strict: bool = False
    depth: int = 100


def packed_messages(tables: Iterable[MessageTable], closed: int) -> bytes:
    """Tables as the engine loads them, and after them all of their fields. ``closed``: where among the constants the
    numbers of closed enums begin."""
    heads = b""
    fields: list[bytes] = []
    for table in tables:
        registers = (table.left, table.broken)
        heads += struct.pack("<6I", len(fields), len(table.fields), table.strict, table.depth, *registers)
        for each in table.fields:
            fields.append(each.pack(closed))
            closed += 4 * len(each.closed or ())
    return heads + b"".join(fields)
