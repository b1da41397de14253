"""The fast way to write plain rows: a run of fixed fields, then at most one byte string.

The steps that the generated class takes for one row at a time are done here for whole columns: all lengths, then all
checksums, then all heads. The layout is derived from the format's column program, inverted: if reading takes the size
of a byte string from a register, writing stores the size there. All other row types are written by their class; tests
compare the two.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import add
from typing import Any

from ..checksums import Algorithm, algorithm, function
from ..format.description import Format
from ..format.program import ChecksumRule, ColumnProgram, Kind, Op, Step

LETTERS = {
    Kind.U1: "B", Kind.U2LE: "<H", Kind.U2BE: ">H", Kind.U4LE: "<I", Kind.U4BE: ">I", Kind.U8LE: "<Q", Kind.U8BE: ">Q",
    Kind.S1: "b", Kind.S2LE: "<h", Kind.S2BE: ">h", Kind.S4LE: "<i", Kind.S4BE: ">i", Kind.S8LE: "<q", Kind.S8BE: ">q",
    Kind.F4LE: "<f", Kind.F4BE: ">f", Kind.F8LE: "<d", Kind.F8BE: ">d",
}  # fmt: skip
"""Format characters of the ``struct`` module."""
UNSIGNED = {Kind.U1: 1, Kind.U2LE: 2, Kind.U2BE: 2, Kind.U4LE: 4, Kind.U4BE: 4, Kind.U8LE: 8, Kind.U8BE: 8}
END = 1 << 62
"""Represents the end of the row at any position."""


@dataclass
class _Slot:
    """A fixed field: it contains a caller's value, a size plus ``added``, or the checksum."""

    offset: int
    kind: Kind
    field: str | None = None
    added: int | None = None
    checksum: bool = False
    minimum: int = 0


@dataclass
class _Layout:
    head: int = 0
    slots: dict[int, _Slot] = field(default_factory=dict)
    blob: str | None = None
    has_blob: bool = False
    text: bool = False
    rule: ChecksumRule | None = None
    covered: tuple[int, int] = (0, 0)
    own: int = 0


class _NotPlainError(Exception):
    """The program contains something that this module cannot invert."""


@dataclass(frozen=True)
class PlainRow:
    """The layout of a plain row, prepared for writing."""

    head: struct.Struct
    slots: tuple[_Slot, ...]
    blob: str | None
    text: bool
    """Whether the byte string is text in UTF-8."""
    rule: ChecksumRule | None
    covered: tuple[int, int]

    @property
    def fields(self) -> set[str]:
        """Return the fields of the row object whose values are required."""
        names = {each.field for each in self.slots} | {self.blob}
        return {name for name in names if name is not None}

    def encode(self, values: Mapping[str, Sequence[Any]], count: int) -> list[bytes]:
        """Return the encoded bytes of ``count`` rows.

        Raises ``struct.error``, ``TypeError``, ``AttributeError`` or ``UnicodeEncodeError`` for a value that does not
        fit.
        """
        blobs: Sequence[bytes] = values[self.blob] if self.blob is not None else [b""] * count
        if self.text:
            blobs = [text.encode() for text in values[self.blob or ""]]
        columns: list[Any] = []
        for slot in self.slots:
            if slot.field is not None:
                columns.append(values[slot.field])
            elif slot.added is not None:
                columns.append([len(blob) + slot.added for blob in blobs])
            else:
                columns.append(None)
        if self.rule is not None:
            at = columns.index(None)
            columns[at] = self._checksums([*columns[:at], repeat(self._stand_in()), *columns[at + 1 :]], blobs)
        heads = map(self.head.pack, *columns) if columns else iter([b""] * count)
        return list(map(add, heads, blobs)) if self.blob is not None else list(heads)

    def _stand_in(self) -> int:
        """Return the value of the checksum's field while the checksum is computed."""
        assert self.rule is not None
        size = next(UNSIGNED[each.kind] for each in self.slots if each.checksum)
        return int.from_bytes(bytes([max(self.rule.replace, 0)]) * size, "little")

    def _checksums(self, columns: list[Any], blobs: Sequence[bytes]) -> list[int]:
        assert self.rule is not None
        compute = function(algorithm_of(self.rule))
        start, end = self.covered
        if start >= self.head.size:
            return list(map(compute, blobs))
        heads = (head[start : min(end, self.head.size)] for head in map(self.head.pack, *columns))
        sums = map(compute, heads)
        return list(map(compute, blobs, sums) if end == END else sums)


def plain_row(format: Format) -> PlainRow | None:
    """Return the layout of the format's rows; ``None`` if they are not plain."""
    # Structs and lists are several columns of the program.
    if not format.stands_alone or format.program is None or len(format.program.columns) > len(format.engine_columns):
        return None
    try:
        layout = _inverted(format, format.program)
        return _compiled(layout)
    except _NotPlainError:
        return None


def _compiled(layout: _Layout) -> PlainRow:
    position = 0
    letters: list[str] = []
    for offset in sorted(layout.slots):
        slot = layout.slots[offset]
        if offset != position or (slot.field is None) + (slot.added is None) + (not slot.checksum) != 2:
            raise _NotPlainError
        if slot.minimum > (slot.added or 0) or (slot.checksum and not _holds(layout.rule, slot)):
            raise _NotPlainError
        letters.append(LETTERS[slot.kind])
        position += struct.calcsize(letters[-1])
    orders = {letter[0] for letter in letters if len(letter) == 2}
    if position != layout.head or len(orders) > 1:
        raise _NotPlainError
    slots = tuple(layout.slots[offset] for offset in sorted(layout.slots))
    if layout.has_blob and layout.blob is None:
        raise _NotPlainError
    start, end = layout.covered
    if layout.rule is not None:
        inside = start <= layout.own < min(end, layout.head)
        if inside and layout.rule.replace < 0:
            raise _NotPlainError
    order = orders.pop() if orders else "<"
    return PlainRow(
        struct.Struct(order + "".join(letter[-1] for letter in letters)),
        slots,
        layout.blob,
        layout.text,
        layout.rule,
        layout.covered,
    )


def algorithm_of(rule: ChecksumRule) -> Algorithm:
    """Return the algorithm of a rule, with its parameters."""
    return algorithm(rule.algorithm, rule.initial, rule.final_xor)


def _holds(rule: ChecksumRule | None, slot: _Slot) -> bool:
    """Return whether the slot contains the checksum, which is computed from the head and then the byte string."""
    if rule is None or rule.stored_size or rule.continues >= 0 or slot.kind not in UNSIGNED:
        return False
    return algorithm_of(rule).continues_anywhere


def _inverted(format: Format, program: ColumnProgram) -> _Layout:
    layout = _Layout()
    registers: dict[int, _Slot] = {}
    marks: dict[int, int] = {}
    base = 0
    if program.preset:
        raise _NotPlainError

    def slot_at(step: Step) -> _Slot:
        offset, kind = base + step.c, Kind(step.b)
        slot = layout.slots.setdefault(offset, _Slot(offset, kind))
        if slot.kind != kind:
            raise _NotPlainError
        return slot

    def name_field(slot: _Slot, index: int) -> None:
        column = format.columns[format.engine_columns[index]]
        if not column.derived:
            slot.field = column.same_as or column.attribute or column.name

    for step in program.steps:
        match step.op:
            case Op.NEED:
                if layout.has_blob and step.a:
                    raise _NotPlainError
                base = layout.head
                layout.head += step.a
            case Op.COLUMN_FIXED:
                name_field(slot_at(step), step.a)
            case Op.REGISTER_FIXED:
                registers[step.a] = slot_at(step)
            case Op.COLUMN_REGISTER | Op.COLUMN_TIMESTAMP if step.b in registers:
                name_field(registers[step.b], step.a)
            case Op.BYTES_REGISTER if not layout.has_blob and step.b in registers:
                layout.has_blob = True
                registers[step.b].added = -step.c
            case Op.BYTES_REST if not layout.has_blob:
                layout.has_blob = True
            case Op.COLUMN_BYTES:
                column = format.columns[format.engine_columns[step.a]]
                layout.blob = column.attribute or column.name
            case Op.CHECK_UTF8 if not step.c and layout.has_blob:
                layout.text = True
            case Op.CHECK_RANGE if step.a in registers:
                _check_trivial(step, registers[step.a])
            case Op.MARK:
                marks[step.a] = base + step.c if step.b == 0 else END if layout.has_blob else layout.head
            case Op.CHECKSUM if layout.rule is None and step.b in registers:
                layout.rule = program.checksums[step.a]
                layout.covered = (marks[step.c], marks[step.d])
                registers[step.b].checksum = True
                layout.own = registers[step.b].offset
            case Op.END:
                break
            case _:
                raise _NotPlainError
    return layout


def _check_trivial(step: Step, slot: _Slot) -> None:
    """Accept a range without an upper limit; others are left to the row's class.

    Every value must satisfy the lower limit: that of a size field a size of 0.
    """
    high = step.d & 0xFFFFFFFFFFFFFFFF if step.b & 0x80 else step.d
    if slot.kind not in UNSIGNED or high < 256 ** UNSIGNED[slot.kind] - 1:
        raise _NotPlainError
    slot.minimum = max(slot.minimum, step.c)
