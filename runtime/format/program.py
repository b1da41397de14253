"""Column programs: the table of steps that the engine runs once per row.

A generated package contains a ``ColumnProgram`` for each table as plain data. ``pack()`` converts it to two byte
strings, of which the engine checks every operand: a program is trusted as little as its input. It runs over one
*unit* after another. Without ``ROW`` a unit is a row; with it, a unit has any number of rows, in loops and
sub-streams. Steps run in order up to ``END``; only ``AGAIN`` jumps back. ``base`` is the beginning of the last
``NEED``. Registers contain signed 128-bit integers, spans a position and a length in the input, marks a position.

A row may be *truncated* (the input ends inside it), *refused* (its end is known) or *lost* (its end is unknown). Inside
a unit, a refusal in a row costs that row, a refusal outside rows all rows; what is lost costs the rest of its
sub-stream.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate

from ..base.cached import cached_property
from ..base.dataclass import dataclass, field, replace
from ..checksums import algorithm
from .message_rules import NOWHERE as NOWHERE
from .message_rules import FieldKind as FieldKind
from .message_rules import MessageField as MessageField
from .message_rules import MessageTable as MessageTable
from .message_rules import packed_messages
from .operations import OPERANDS as OPERANDS
from .operations import Op as Op
from .program_words import HAS_ABSENT as HAS_ABSENT
from .program_words import PACKED_VERSION as PACKED_VERSION
from .program_words import TIME_UNITS as TIME_UNITS
from .program_words import Code as Code
from .program_words import Kind as Kind
from .program_words import Loop as Loop
from .program_words import Outcome as Outcome
from .program_words import Place as Place
from .program_words import Reason as Reason
from .program_words import Storage as Storage
from .stuffings import Stuffing as Stuffing


@dataclass(frozen=True, slots=True)
class ChecksumRule:
    """Parameters of a ``CHECKSUM`` step.

    - ``replace``: the byte value that the checksum's own bytes count as if they are inside the range; -1: unchanged.
      ``own``: the mark at which they begin; ``own_size``: their number.
    - ``continues``: the register with the checksum of what comes before; -1: there is none.
    - ``stored`` and ``stored_size``: the location in the constants of the expression of the stored value, which depends
      on the checksum in register ``sum``; without one the checksum itself is stored.
    - ``extra``: the register with a byte that follows the covered ones; -1: there is none.
    """

    algorithm: str
    initial: int = 0
    final_xor: int = 0
    replace: int = -1
    own: int = 0
    own_size: int = 0
    place: Place = Place.REGISTER
    continues: int = -1
    sum: int = 0
    stored: int = 0
    stored_size: int = 0
    extra: int = -1

    def pack(self) -> bytes:
        """Return the rule in the form that the engine loads. Raises ``UnknownNameError``."""
        return algorithm(self.algorithm, self.initial, self.final_xor).packed() + struct.pack(
            "<iIIiIIIIi",
            self.replace,
            self.own,
            self.own_size,
            self.continues,
            self.sum,
            self.stored,
            self.stored_size,
            self.place,
            self.extra,
        )


@dataclass(frozen=True, slots=True)
class Expansion:
    """An expansion of blocks by an ``EXPAND`` step. ``codecs``: their names in ``wireloom.codecs.BLOCK_CODECS``;
    ``most``: the maximum size of the content of a block in bytes. ``is_process``: the only name is that of a
    ``process``, and the number of the codec is its key."""

    codecs: tuple[str, ...]
    most: int
    is_process: bool = False


@dataclass(frozen=True, slots=True)
class KnownBytes:
    """Constants that the reader fills in before the program is loaded: the ``size`` bytes from ``start`` on are those
    of the field ``name`` of the root, which has been read before the first row. ``size``: -1 for text and bytes of any
    size, which come after the constants; a ``TEXT_CONSTANT`` whose operand b is 1 + its number takes them."""

    name: str
    start: int
    size: int


PRESENCE = "?"
"""Precedes the name of a field of the root in that of an input register: whether the field is present."""

PROGRAM_VERSION = 7
"""Version of the step table. Reading refuses any other."""


LEADING = frozenset(op for op, kinds in OPERANDS.items() if "STEP" in kinds)
"""The steps that may lead to another one than the next: that with the number ``c``."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step; the meaning of its operands is described at the ``Op``."""

    op: Op
    a: int = 0
    b: int = 0
    c: int = 0
    d: int = 0


def steps_of(table: str, steps: Sequence[tuple[tuple[str, ...], Step]]) -> tuple[Step, ...]:
    """Return the steps of the program of one table.

    The programs of the tables of a format have most steps in common, so a generated module lists all of them once, each
    with the tables that have it. A step that leads to another one (an operand ``STEP``) has the number of that one in
    the whole list.
    """
    kept = [table in tables for tables, _ in steps]
    numbers = [*accumulate(kept, initial=0)]
    return tuple(
        replace(step, c=numbers[step.c]) if step.op in LEADING else step for tables, step in steps if table in tables
    )


@dataclass(frozen=True)
class ColumnProgram:
    """A row type as a program.

    - ``columns``: the storage of each column, in the order of the format's columns (both default and selectable ones);
      the contents of a struct or list follow it directly. ``levels``: for each of them 0, or the level of the list for
      whose items it has values; empty if all are 0.
    - ``loops``: the number of loops.
    - ``expansions``: not part of the packed program, since the reader decompresses blocks for the engine.
    - ``input_registers``: the fields of the root whose values the reader puts into registers 0, 1, … before the first
      row, 0 for one that is absent, or after ``PRESENCE`` whether it is present; ``known``: those that it puts into the
      constants, without bytes for one that is absent.
    - ``whole``: the unit is the whole input.
    - ``running_checksums``: the number of checksums that continue those of previous items. The engine carries their
      values from unit to unit.
    - ``variables``: these are the carried values after them; each with its initial value, a list with its items, a
      table, which is empty, as ``None``.
    - ``series``: the number of series of values of list items.
    - ``messages``: the tables of ``FIELDS``.
    """

    steps: tuple[Step, ...]
    columns: tuple[Storage, ...]
    registers: int
    spans: int = 0
    marks: int = 0
    constants: bytes = b""
    checksums: tuple[ChecksumRule, ...] = ()
    input_registers: tuple[str, ...] = ()
    delimiter: bytes = b""
    stuffing: Stuffing = Stuffing.NONE
    levels: tuple[int, ...] = ()
    loops: int = 0
    whole: bool = False
    running_checksums: int = 0
    series: int = 0
    variables: tuple[int | float | tuple[int | float, ...] | None, ...] = ()
    expansions: tuple[Expansion, ...] = ()
    known: tuple[KnownBytes, ...] = ()
    messages: tuple[MessageTable, ...] = ()
    version: int = field(default=PROGRAM_VERSION)

    @cached_property
    def column_levels(self) -> tuple[int, ...]:
        """Return ``levels``, with zeros if it is empty."""
        return self.levels or (0,) * len(self.columns)

    @property
    def stores(self) -> int:
        """Return the number of variables that are lists or tables."""
        return sum(not isinstance(each, int | float) for each in self.variables)

    @property
    def has_rows(self) -> bool:
        """Return whether a unit has any number of rows."""
        return any(each.op is Op.ROW for each in self.steps)

    def knowing(self, values: Sequence[bytes]) -> ColumnProgram:
        """Return the program with the values of ``known``, in that order, in its constants. Raises ``ValueError`` for a
        value of another size."""
        constants, places = bytearray(self.constants), [(0, 0)]
        for each, value in zip(self.known, values, strict=True):
            if each.size not in (-1, len(value)):
                raise ValueError(f"{each.name} has {len(value)} bytes, and the program has {each.size}")
            start = len(constants) if each.size < 0 else each.start
            constants[start : start + len(value)] = value
            places.append((start, len(value)))
        steps = tuple(
            Step(each.op, each.a, 0, *places[each.b]) if each.op is Op.TEXT_CONSTANT and each.b else each
            for each in self.steps
        )
        return replace(self, constants=bytes(constants), steps=steps)

    def pack(self) -> bytes:
        """Return the program in the form that the engine loads, all little-endian:

        header  ``PACKED_VERSION u32, steps u32, columns u32, checksums u32, constants u32 (bytes), messages u32, fields
        of messages u32, parameters of stuffing u32 (bytes), registers u32, spans u32, marks u32, input registers u32,
        delimiter size u32, delimiter 4 bytes, stuffing u32, loops u32, levels of lists u32, whole u32, carried values
        u32, stores u32, series u32``; then the sections that the first seven count: the steps (``op u16, a u16, b u32,
        c s64, d s64``: 24 bytes each), the columns' storages and levels (u8 each), the checksums
        (``Algorithm.packed``, then ``replace s32, own u32, own_size u32, continues s32, sum u32, stored u32,
        stored_size u32, place u32, extra s32``), the constants, to which the numbers of closed enums are added in
        ascending order, the messages (``first field u32, fields u32, strict u32, depth u32, left u32, broken u32``),
        their fields (``MessageField.pack``), and all of ``Stuffing.packed`` but its number.

        Raises ``ValueError`` for an operand beyond the range of its field, and for another version.
        """
        if self.version != PROGRAM_VERSION:
            raise ValueError(f"the program has version {self.version}, this engine runs version {PROGRAM_VERSION}")
        if len(self.delimiter) > 4:
            raise ValueError("a delimiter has at most 4 bytes")
        numbers = [sorted(each.closed or ()) for table in self.messages for each in table.fields]
        constants = self.constants + b"".join(struct.pack(f"<{len(each)}i", *each) for each in numbers)
        parameters = self.stuffing.packed[1:]
        header = struct.pack(
            "<13I4s7I",
            PACKED_VERSION,
            len(self.steps),
            len(self.columns),
            len(self.checksums),
            len(constants),
            len(self.messages),
            len(numbers),
            len(parameters),
            self.registers,
            self.spans,
            self.marks,
            len(self.input_registers),
            len(self.delimiter),
            self.delimiter.ljust(4, b"\0"),
            self.stuffing.kind,
            self.loops,
            max(self.levels, default=0),
            self.whole,
            self.running_checksums + len(self.variables),
            self.stores,
            self.series,
        )
        steps = b"".join(_packed(number, step) for number, step in enumerate(self.steps))
        rules = b"".join(rule.pack() for rule in self.checksums)
        columns = bytes(self.columns) + bytes(self.column_levels)
        messages = packed_messages(self.messages, len(self.constants))
        return header + steps + columns + rules + constants + messages + parameters


def _packed(number: int, step: Step) -> bytes:  # For unsigned operands the bits are stored.
    unsigned = step.op in (Op.CHECK_RANGE, Op.RUNNING_CHECKSUM) and step.d >= 1 << 63
    try:
        return struct.pack("<HHIqq", step.op, step.a, step.b, step.c, step.d - (1 << 64) if unsigned else step.d)
    except struct.error:
        raise ValueError(f"step {number} of the program: {step} has an operand that is too large") from None
