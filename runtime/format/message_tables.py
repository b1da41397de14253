"""Tables of the fields of messages in column programs."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from ..base.dataclass import dataclass
from .message_rules import FieldKind

NOWHERE = 0xFFFF
"""Used in place of a register or span if there is none."""


@dataclass(frozen=True, slots=True)
class MessageField:
    """A field of a message that ``FIELDS`` reads.

    - ``several``: it is repeated, packed or not; ``text``: it must be UTF-8; ``closed``: the numbers of a closed enum,
      other numbers make it an unknown field.
    - ``arm``: the result of ``FIELDS`` after it has read the field; 0: it continues reading.
    - ``value``: the span of bytes and text, the register of other values: of floats their bits, of messages their size.
    - ``present``: the register that is not 0 if the field is present; for messages it is 2 when they have just begun.
    - ``group``: of the fields in the same group, a oneof, only the last one read is present.
    """

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
        """Return the field in the form that the engine loads. ``closed``: the position of the numbers in the
        constants."""
        flags = self.several | self.text << 1 | (self.closed is not None) << 2
        places = (self.arm, self.value, self.present, self.group)
        return struct.pack("<I6H2I4x", self.number, self.kind, flags, *places, closed, len(self.closed or ()))


@dataclass(frozen=True, slots=True)
class MessageTable:
    """The fields of a message type at one position, in the order of their numbers. ``strict``: as in ``MessageRule``;
    ``depth``: the maximum nesting depth of groups in it. ``left`` and ``broken``: the registers with the rest of a
    packed field, and whether the message is invalid."""

    fields: tuple[MessageField, ...]
    left: int
    broken: int
    strict: bool = False
    depth: int = 100


def packed_messages(tables: Iterable[MessageTable], closed: int) -> bytes:
    """Return the tables in the form that the engine loads, followed by all of their fields. ``closed``: the positions
    in the constants of the numbers of closed enums."""
    heads = b""
    fields: list[bytes] = []
    for table in tables:
        registers = (table.left, table.broken)
        heads += struct.pack("<6I", len(fields), len(table.fields), table.strict, table.depth, *registers)
        for each in table.fields:
            fields.append(each.pack(closed))
            closed += 4 * len(each.closed or ())
    return heads + b"".join(fields)
