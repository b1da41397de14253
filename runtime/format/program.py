"""Column programs: the table of steps that the engine runs once per row.

A generated package holds one ``ColumnProgram`` as plain data. ``pack()`` turns it into the two byte strings that
``wireloom.engine`` loads; the engine checks every operand again, so a program is no more trusted than its input.

A program is run over one *unit* after another. Without ``ROW`` a unit is a row; with it, it has any number of them, in
loops and sub-streams. A unit is read with one cursor. Steps are run in order from the first to ``END``; jumps go
forward only, but for ``AGAIN`` at the end of a loop. ``base`` is where the last ``NEED`` began. Registers hold signed
128-bit integers, spans a position and a length in the input, marks a position.

Three kinds of outcome exist besides success: *truncated* (the input ends inside the row), *refused* (a checksum, or a
``valid`` of a field that does not lay out later bytes: the row is damaged and its end is known) and *lost* (a field
that lays out later bytes is refused: where the next row begins is unknown). Inside of a unit, what is refused in a row
costs that row and what is refused outside of them all rows of the unit; what is lost costs the rest of the innermost
sub-stream that contains damage.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from ..base.cached import cached_property
from ..checksums import algorithm
from .expression_code import Code as Code
from .known_bytes import KnownBytes as KnownBytes
from .known_bytes import filled_in

PROGRAM_VERSION = 4
"""Version of the step table. The engine refuses any other."""


class Op(IntEnum):
    """The steps; operands in brackets are the fields of ``Step``."""

    END = 0
    """The row is complete."""
    NEED = 1
    """[a] bytes must follow the cursor; ``base`` = cursor; the cursor moves after them. One check for a whole run."""
    COLUMN_FIXED = 2
    """column[a] ← integer or float of kind [b] at base + [c]."""
    REGISTER_FIXED = 3
    """register[a] ← integer of kind [b] at base + [c]."""
    BYTES_REGISTER = 4
    """span[a] ← register[b] + [c] bytes from the cursor. Negative: lost, ``length``."""
    BYTES_FIXED = 5
    """span[a] ← [c] bytes from the cursor."""
    BYTES_REST = 6
    """span[a] ← all bytes up to the end of the frame or sub-stream. Refused by the engine where there is none."""
    BYTES_TERMINATED = 7
    """span[a] ← bytes up to the terminator byte [b]. [c] bit 0: include it, bit 1: consume it, bit 2: it is required
    (else the end of the frame or sub-stream will do)."""
    COLUMN_BYTES = 8
    """column[a] ← span[b]."""
    COLUMN_REGISTER = 9
    """column[a] ← register[b], stored as kind [c]."""
    COLUMN_TIMESTAMP = 10
    """column[a] (int64) ← register[b]; null where it is below [c] or above [d]."""
    CHECK_RANGE = 11
    """register[a] must lie in [c]…[d]. [b]: outcome, ``refused`` or ``lost`` (see ``Outcome``), or-ed with reason << 8.
    [d] is read as unsigned where bit 7 of [b] is set."""
    CHECK_TRUE = 12
    """register[a] must not be zero; [b] as above."""
    CHECK_CONSTANT = 13
    """[d] bytes at base + [c] must equal the constants from [a]; [b] as above."""
    CHECKSUM = 14
    """The checksum number [a] of the program over mark[c] … mark[d] must be in register[b] or span[b], as its ``Place``
    says; refused, ``checksum`` or, of digests, ``digest``."""
    MARK = 15
    """mark[a] ← base + [c] where [b] is 0, the cursor where [b] is 1, the end of the sub-stream where [b] is 2."""
    EXPRESSION = 16
    """register[a] ← the expression whose code is constants[c : c + d]."""
    SKIP_IF_ZERO = 17
    """Where register[a] is 0, go to step [c] (further on)."""
    JUMP = 18
    """Go to step [c] (further on)."""
    COLUMN_NULL = 19
    """column[a] ← null."""
    LIMIT_REGISTER = 20
    """Enter a sub-stream of register[a] + [c] bytes. [b]: 1 where it contains damage, which only sub-streams around
    rows may do."""
    LIMIT_END = 21
    """Leave the sub-stream: the cursor moves to its end."""
    SKIP_REGISTER = 22
    """The cursor moves over register[a] + [c] bytes."""
    CHECK_UTF8 = 23
    """span[a] must be UTF-8 ([c] = 0) or ASCII ([c] = 1); refused, ``encoding``."""
    LIMIT_FIXED = 24
    """Enter a sub-stream of [c] bytes, or of all that are left where [a] is 1; [b] as above."""
    TRIM_RIGHT = 25
    """span[a] loses its trailing bytes equal to [c] (``pad-right``)."""
    CUT_TERMINATOR = 26
    """span[a] ends before (or with, where bit 0 of [b]) the first byte equal to [c] in it, if there is one."""
    LOOP = 27
    """Begin loop [a] of kind [b] (see ``Loop``): register[d] is the count; where there is no turn, go to step [c],
    right after the loop's ``AGAIN``."""
    AGAIN = 28
    """The end of a turn of loop [a] of kind [b]: where there is another turn, go back to step [c], the first after the
    ``LOOP``. Until: there is none where register[d] is not zero. Turns without bytes
    are counted: too many are lost, ``length`` or ``limit``."""
    INDEX = 29
    """register[a] ← number of the turn of loop [b], from 0."""
    ROW = 30
    """A row begins."""
    ROW_END = 31
    """The row is complete."""
    LIST = 32
    """The list of column [a] begins, whose items are of level [b]."""
    LIST_END = 33
    """The list of column [a], whose items are of level [b], is complete."""
    ITEM = 34
    """An item of level [b] begins: columns of that level are written for it."""
    ITEM_END = 35
    """The item of level [b] is complete."""
    COLUMN_STRUCT = 36
    """column[a] is there: its fields are columns of their own."""
    VARINT = 37
    """register[a] ← integer of bytes of seven bits, whose highest bit says that another follows; the cursor moves after
    them. [c]: how many of the lowest groups count | bytes at most << 8 (0: any number) | the largest value of the last
    of those << 16 | 1 << 24 where the first byte is the highest | 1 << 25 for zigzag. More bytes: [b], ``lost`` with a
    reason; a larger value: [d]; as for ``CHECK_RANGE``."""
    EXPAND = 38
    """The rest of the innermost sub-stream is a compressed block: what follows, up to the sub-stream's end, reads its
    content. [a]: the number of the ``Expansion``; register[c]: the number of the codec among the expansion's;
    register[d]: the size of the content, -1 where it is not given. A block without a content is lost if the sub-stream
    contains damage, or if [b] is 1; otherwise it is refused, and reading continues after it."""
    UNIT = 39
    """A unit begins inside of the outermost one, around rows: what is refused in it and in none of its rows costs the
    rows of this unit."""
    UNIT_END = 40
    """The unit is complete."""
    SEEK = 41
    """Enter what is at position register[a] of stream [c], up to the end of that, as a sub-stream: ``LIMIT_END`` goes
    back to where the cursor was. Stream 0 is the unit, any other one that of the sub-stream that was entered at that
    depth. A position after the end is the end; a negative one is lost, ``length``. Only around rows, of inputs that are
    read as a whole. What is read there counts with the unit's items, since positions may lead to the same bytes again
    and again."""
    STREAM = 42
    """register[a] ← of stream [c], where the cursor stands ([b] = 0, of the innermost one only), or its size
    ([b] = 1)."""
    WHERE = 43
    """Where register[a] is zero, the row holds and has no place in the table, unless something in it is refused."""
    ABSENT = 44
    """register[a] has no value: what needs it cannot be computed."""
    CHAIN_BEGIN = 45
    """The items of chain [a] begin: none is before the next one."""
    CHAIN = 46
    """register[a] ← what the item before holds of the checksum that is chain [b]; [d], unsigned, where there is no item
    before. register[c] ← whether it is known."""
    CHAIN_NOTE = 47
    """The item holds register[b] of chain [a]."""
    SERIES = 48
    """Series [a] has no items."""
    SERIES_ADD = 49
    """register[b] is the next item of series [a]."""


class Kind(IntEnum):
    """How an integer or float is on the wire, and so the width of a column it is stored in."""

    U1 = 0
    U2LE = 1
    U2BE = 2
    U4LE = 3
    U4BE = 4
    U8LE = 5
    U8BE = 6
    S1 = 7
    S2LE = 8
    S2BE = 9
    S4LE = 10
    S4BE = 11
    S8LE = 12
    S8BE = 13
    F4LE = 14
    F4BE = 15
    F8LE = 16
    F8BE = 17


class Loop(IntEnum):
    """When a loop ends."""

    COUNT = 0
    """After as many turns as a register says."""
    END = 1
    """Where the stream ends."""
    UNTIL = 2
    """After the turn at whose end a register is not zero."""


class Outcome(IntEnum):
    """The consequence of a failed check."""

    REFUSED = 0
    LOST = 1


class Reason(IntEnum):
    """Why a row is damaged; ``wireloom.base.report.REASONS`` has the words."""

    NONE = 0
    LENGTH = 1
    CHECKSUM = 2
    VALUE = 3
    STUFFING = 4
    LIMIT = 5
    TRUNCATED = 6
    ENCODING = 7
    DIGEST = 8
    CODEC = 9
    ITEMS = 10
    """The word is ``limit``: more items than a record may have."""


class Storage(IntEnum):
    """How the engine stores a column: Arrow's layouts."""

    FIXED8 = 1
    FIXED16 = 2
    FIXED32 = 4
    FIXED64 = 8
    VARIABLE = 16
    """int32 offsets and data bytes (binary, utf8)."""
    STRUCT = 32
    """Validity alone: the fields follow as columns of the same level."""
    LIST = 33
    """int32 offsets: the item follows as a column of a level of its own."""


class Place(IntEnum):
    """Where the field of a checksum is."""

    REGISTER = 0
    SPAN_LE = 1
    """Its bytes are those of the number, the lowest first, or the first ones of the digest."""
    SPAN_BE = 2
    """The same, the highest byte first."""


class Stuffing(IntEnum):
    """How a record's bytes are kept free of the delimiter."""

    NONE = 0
    WORD = 1
    COBS = 2


@dataclass(frozen=True, slots=True)
class Step:
    """One step; what the operands mean is said at the ``Op``."""

    op: Op
    a: int = 0
    b: int = 0
    c: int = 0
    d: int = 0


@dataclass(frozen=True, slots=True)
class ChecksumRule:
    """Parameters of a ``CHECKSUM`` step. ``replace`` is the byte value that the checksum's own bytes count as, where
    they lie inside the range (``own`` is the mark where they begin, ``own_size`` their number); -1: as they stand.
    ``continues``: the register that holds the checksum of what comes before; -1: there is none. ``stored`` and
    ``stored_size``: where among the constants the expression is that gives what is stored, of the checksum in register
    ``sum``; without one it is the checksum itself."""

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

    def pack(self) -> bytes:
        """The rule as the engine loads it. Raises ``UnknownNameError``."""
        return algorithm(self.algorithm, self.initial, self.final_xor).packed() + struct.pack(
            "<iIIiIIII",
            self.replace,
            self.own,
            self.own_size,
            self.continues,
            self.sum,
            self.stored,
            self.stored_size,
            self.place,
        )


@dataclass(frozen=True, slots=True)
class Expansion:
    """The ``codecs`` of the blocks that an ``EXPAND`` step decompresses, by the names that they have in
    ``wireloom.codecs.BLOCK_CODECS``, and the ``most`` bytes that the content of one may have."""

    codecs: tuple[str, ...]
    most: int


@dataclass(frozen=True)
class ColumnProgram:
    """A row type, lowered.

    ``columns`` gives each column's storage, in the order of the format's columns (default and selectable ones alike),
    what is inside of a struct or list right after it. ``levels``: for each of them 0, or the level of the list whose
    items it has a value for; empty where all are 0. ``loops``: how many there are. ``expansions`` are not part of the
    packed program: the reader decompresses blocks for the engine. ``preset`` names the fields of the root whose values
    the reader puts into registers 0, 1, … before the first row, ``known`` those that it puts into the constants.
    ``whole``: the unit is all of an input.
    ``chains``: how many checksums continue those of the items before them. ``series``: how many there are of what the
    items of lists held.
    """

    steps: tuple[Step, ...]
    columns: tuple[Storage, ...]
    registers: int
    spans: int = 0
    marks: int = 0
    constants: bytes = b""
    checksums: tuple[ChecksumRule, ...] = ()
    preset: tuple[str, ...] = ()
    delimiter: bytes = b""
    stuffing: Stuffing = Stuffing.NONE
    levels: tuple[int, ...] = ()
    loops: int = 0
    whole: bool = False
    chains: int = 0
    series: int = 0
    expansions: tuple[Expansion, ...] = ()
    known: tuple[KnownBytes, ...] = ()
    version: int = field(default=PROGRAM_VERSION)

    @cached_property
    def column_levels(self) -> tuple[int, ...]:
        """``levels``, where it is empty too."""
        return self.levels or (0,) * len(self.columns)

    @property
    def has_rows(self) -> bool:
        """Return whether a unit has any number of rows."""
        return any(each.op is Op.ROW for each in self.steps)

    def knowing(self, values: Sequence[bytes]) -> ColumnProgram:
        """Return the program with the values of ``known``, in their order, among its constants."""
        return replace(self, constants=filled_in(self.constants, self.known, values))

    def pack(self) -> bytes:
        """The program as the engine loads it, all little-endian:

        header  ``version u32, steps u32, columns u32, registers u32, spans u32, marks u32, constants u32 (bytes),
        checksums u32, preset u32, delimiter size u32, delimiter 4 bytes, stuffing u32, loops u32, levels of lists
        u32, whole u32, chains u32, series u32``; then the steps (``op u16, a u16, b u32, c s64, d s64``: 24 bytes
        each), the columns' storages and levels (u8 each), the checksums (``Algorithm.packed``, then ``replace s32,
        own u32, own_size u32, continues s32, sum u32, stored u32, stored_size u32, place u32``), the constants.

        Raises ``ValueError`` for an operand that its place does not hold.
        """
        if len(self.delimiter) > 4:
            raise ValueError("a delimiter has at most 4 bytes")
        header = struct.pack(
            "<10I4s6I",
            self.version,
            len(self.steps),
            len(self.columns),
            self.registers,
            self.spans,
            self.marks,
            len(self.constants),
            len(self.checksums),
            len(self.preset),
            len(self.delimiter),
            self.delimiter.ljust(4, b"\0"),
            self.stuffing,
            self.loops,
            max(self.levels, default=0),
            self.whole,
            self.chains,
            self.series,
        )
        steps = b"".join(_packed(number, step) for number, step in enumerate(self.steps))
        rules = b"".join(rule.pack() for rule in self.checksums)
        return header + steps + bytes(self.columns) + bytes(self.column_levels) + rules + self.constants


def _packed(number: int, step: Step) -> bytes:
    # An operand of CHECK_RANGE may be an unsigned 64-bit bound, one of CHAIN a sum: its bits are what is stored.
    unsigned = step.op in (Op.CHECK_RANGE, Op.CHAIN) and step.d >= 1 << 63
    try:
        return struct.pack("<HHIqq", step.op, step.a, step.b, step.c, step.d - (1 << 64) if unsigned else step.d)
    except struct.error:
        raise ValueError(f"step {number} of the program: {step} has an operand that is too large") from None
