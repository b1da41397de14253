"""Column programs: the table of steps that the engine runs once per row.

A generated package holds one ``ColumnProgram`` as plain data. ``pack()`` turns it into two byte strings, of which the
engine checks every operand: a program is no more trusted than its input. It runs over one *unit* after another. Without
``ROW`` a unit is a row; with it, it has any number of them, in loops and sub-streams. Steps run in order up to ``END``;
only ``AGAIN`` jumps back. ``base`` is where the last ``NEED`` began. Registers hold signed 128-bit integers, spans a
position and a length in the input, marks a position.

A row may be *truncated* (the input ends inside it), *refused* (its end is known) or *lost* (its end is unknown). Inside
of a unit, what is refused in a row costs that row, outside of rows all; what is lost, the rest of its sub-stream.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, unique

from ..base.cached import cached_property
from .expression_code import Code as Code
from .known_bytes import KnownBytes as KnownBytes
from .known_bytes import filled_in
from .message_rules import FieldKind as FieldKind
from .message_tables import NOWHERE as NOWHERE
from .message_tables import MessageField as MessageField
from .message_tables import MessageTable as MessageTable
from .message_tables import packed_messages
from .program_words import Kind as Kind
from .program_words import Loop as Loop
from .program_words import Outcome as Outcome
from .program_words import Place as Place
from .program_words import Reason as Reason
from .program_words import Storage as Storage
from .program_words import Stuffing as Stuffing
from .step_parameters import ChecksumRule as ChecksumRule
from .step_parameters import Expansion as Expansion

PROGRAM_VERSION = 5
"""Version of the step table. The engine refuses any other."""


@unique
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
    """mark[a] ← base + [c] where [b] is 0, the cursor where [b] is 1, the end of the sub-stream where [b] is 2,
    the begin or the end of span[c] where [b] is 3 or 4."""
    EXPRESSION = 16
    """register[a] ← the expression whose code is constants[c : c + d]. [b]: 1 where only what needs the value is
    refused if there is none."""
    SKIP_IF_ZERO = 17
    """Where register[a] is 0, or [b] is 1 and it has no value, go to step [c] (further on)."""
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
    """span[a] must be UTF-8 ([c] = 0), ASCII (1), UTF-16, little-endian (2) or big-endian (3), or (4) bytes that are
    characters by the table at constants[d]: two bytes for each of the 256, little-endian, FFFF for none; refused,
    ``encoding``."""
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
    """A row begins: here, or where [a] is 1 where the innermost unit does."""
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
    BLANK = 50
    """The message of table [b] begins: none of its fields is there."""
    FIELDS = 51
    """The fields from the cursor on, of the message of table [b], up to one that has steps of its own: register[a] ←
    the number of its ``arm``; or up to the end of the sub-stream: register[a] ← 0. Of a field with a length the cursor
    is after that. What is no such message is lost where [c] is 1, otherwise refused, for ``message`` or ``limit``:
    then the message is ``broken``, and has no more fields."""
    SKIP_UNLESS = 52
    """Where register[a] is not [d], go to step [c] (further on)."""
    LIMIT_SPAN = 53
    """Enter span[a] as a sub-stream: ``LIMIT_END`` goes back to where the cursor was. [b] as for
    ``LIMIT_REGISTER``: where it is 1, rows in it have the place of mark[c]."""
    FUNCTION = 54
    """Function [a] begins, which ends with its ``RETURN``. [b]: 1 where it reads to the end of the stream in which it
    is called. Its own are the registers from the lowest 16 bits of [c] up to the next 16, the spans from the next ones
    up to the highest; the marks and the loops in [d] likewise. They are empty when it begins, and a function that goes
    on gets back what was in them. Functions stand after ``END``; streams have numbers that begin with that in which it
    is called. In a function there are no rows, units, columns, positions and blocks."""
    CALL = 55
    """Run function [a], which may be the one in which the step is, 512 calls deep at most."""
    RETURN = 56
    """The function is complete."""
    COLUMN_TEXT = 57
    """column[a] ← the text of span[b], which is in encoding [c], as UTF-8. [c] and [d] as for ``CHECK_UTF8``."""
    VARIABLE = 58
    """register[a] ← the variable in chain [b]."""
    SET = 59
    """register[a] ← register[b], and so, unless [c] is -1, the variable in chain [c]."""
    APPEND = 60
    """Store [a], of as many items as the variable in chain [c] and then register[d] say, gets the item register[b]."""
    ITEM_OF = 61
    """register[a] ← item register[c] of store [b], of as many items as chain [d] says; no value where there is none."""
    SLICE = 62
    """span[a] ← the bytes of span[b] from register[c] up to register[d]; where these are not inside of it, or have no
    value, the row is refused, ``value``."""
    TEXT_CONSTANT = 63
    """span[a] ← [d] constants from [c]. What the steps of this name put into spans is only read by each other, by
    expressions and by ``COLUMN_BYTES``, which refuses text without a value, ``value``, or, where it is too long,
    ``limit``. Text that is made, where it does not stand in the input already, takes memory until its row ends."""
    TEXT_SELECT = 64
    """span[a] ← span[c], or, where register[b] is zero, span[d]; -1: no value."""
    TEXT_PART = 65
    """span[a] ← the characters of span[b] from number register[c] up to register[d]; no value where the first is
    negative or above the second."""
    TEXT_JOIN = 66
    """span[a] ← span[b] and span[c] in one. The characters count as items do, those of span[b] unless [d] is 1."""
    TEXT_DIGITS = 67
    """span[a] ← register[b] as a decimal number."""
    TEXT_DECODE = 68
    """span[a] ← span[b], which is in encoding [c], as UTF-8; no value where it is not. [c] and [d] as for
    ``CHECK_UTF8``."""
    TEXT_CLEAN = 69
    """The same, with U+FFFD for what is not in the encoding."""
    TEXT_REVERSE = 70
    """span[a] ← the characters of span[b] from the last to the first."""
    TEXT_ITEM = 71
    """span[a] ← item register[c] of series [b], as it was found; no value where there is none."""
    SERIES_ADD_TEXT = 72
    """span[b], or no value where register [c] is zero, is the next item of series [a], which has integers or these."""
    NULL_UNLESS = 73
    """column[a] ← null where register[b] is 0."""
    REST = 74
    """span[a] ← all bytes up to the end of the sub-stream; the cursor stays where it is."""
    ATTEMPT = 75
    """Enter the rest of the innermost stream as a sub-stream, in which nothing is refused or lost: register[a] ← 0, and
    where something would be, the ``Reason``, and reading goes on at ``ATTEMPT_END``. In between, steps find registers,
    spans and series, and write no columns. What no column that is wanted needs is not attempted."""
    ATTEMPT_END = 76
    """Leave the attempt of register[a]: the cursor goes back to where it was."""
    REFUSE = 77
    """The row is refused for the ``Reason`` in register[a], unless that is 0. [b]: 1 + the number of the column that
    needs what was attempted, or 0 where the row does."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step; what the operands mean is said at the ``Op``."""

    op: Op
    a: int = 0
    b: int = 0
    c: int = 0
    d: int = 0


@dataclass(frozen=True)
class ColumnProgram:
    """A row type, lowered.

    ``columns`` gives each column's storage, in the order of the format's columns (default and selectable ones alike),
    what is inside of a struct or list right after it. ``levels``: for each of them 0, or the level of the list whose
    items it has a value for; empty if all are 0. ``loops``: how many there are. ``expansions`` are not part of the
    packed program: the reader decompresses blocks for the engine. ``preset`` names the fields of the root whose values
    the reader puts into registers 0, 1, … before the first row, ``known`` those that it puts into the constants.
    ``whole``: the unit is all of an input.
    ``chains``: how many checksums continue those of the items before them. ``variables`` have the chains after these:
    each with what it begins with, a list with its items. ``series``: how many there are of what the
    items of lists held. ``messages``: the tables of ``FIELDS``.
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
    variables: tuple[int | tuple[int, ...], ...] = ()
    expansions: tuple[Expansion, ...] = ()
    known: tuple[KnownBytes, ...] = ()
    messages: tuple[MessageTable, ...] = ()
    version: int = field(default=PROGRAM_VERSION)

    @cached_property
    def column_levels(self) -> tuple[int, ...]:
        """``levels``, where it is empty too."""
        return self.levels or (0,) * len(self.columns)

    @property
    def stores(self) -> tuple[tuple[int, ...], ...]:
        """Return the items that variables which are lists begin with."""
        return tuple(each for each in self.variables if isinstance(each, tuple))

    @property
    def has_rows(self) -> bool:
        """Return whether a unit has any number of rows."""
        return any(each.op is Op.ROW for each in self.steps)

    def knowing(self, values: Sequence[bytes]) -> ColumnProgram:
        """Return the program with the values of ``known``, in their order, among its constants."""
        return replace(self, constants=filled_in(self.constants, self.known, values))

    def pack(self) -> bytes:
        """Return the program as the engine loads it, all little-endian:

        header  ``version u32, steps u32, columns u32, registers u32, spans u32, marks u32, constants u32 (bytes),
        checksums u32, preset u32, delimiter size u32, delimiter 4 bytes, stuffing u32, loops u32, levels of lists
        u32, whole u32, chains u16, stores u16, series u32, messages u32, fields of messages u32``; then the steps
        (``op u16, a u16, b u32, c s64, d s64``: 24 bytes each), the columns' storages and levels (u8
        each), the checksums (``Algorithm.packed``, then ``replace s32, own u32, own_size u32, continues s32, sum u32,
        stored u32, stored_size u32, place u32``), the constants, to which the numbers of closed enums are added, the
        messages (``first field u32, fields u32, strict u32, depth u32, left u32, broken u32``) and their fields
        (``MessageField.pack``).

        Raises ``ValueError`` for an operand that its place does not hold.
        """
        if len(self.delimiter) > 4:
            raise ValueError("a delimiter has at most 4 bytes")
        numbers = [each.closed or () for table in self.messages for each in table.fields]
        constants = self.constants + b"".join(struct.pack(f"<{len(each)}i", *each) for each in numbers)
        header = struct.pack(
            "<10I4s4I2H3I",
            self.version,
            len(self.steps),
            len(self.columns),
            self.registers,
            self.spans,
            self.marks,
            len(constants),
            len(self.checksums),
            len(self.preset),
            len(self.delimiter),
            self.delimiter.ljust(4, b"\0"),
            self.stuffing,
            self.loops,
            max(self.levels, default=0),
            self.whole,
            self.chains + len(self.variables),
            len(self.stores),
            self.series,
            len(self.messages),
            len(numbers),
        )
        steps = b"".join(_packed(number, step) for number, step in enumerate(self.steps))
        rules = b"".join(rule.pack() for rule in self.checksums)
        columns = bytes(self.columns) + bytes(self.column_levels)
        return header + steps + columns + rules + constants + packed_messages(self.messages, len(self.constants))


def _packed(number: int, step: Step) -> bytes:  # Of unsigned operands the bits are stored.
    unsigned = step.op in (Op.CHECK_RANGE, Op.CHAIN) and step.d >= 1 << 63
    try:
        return struct.pack("<HHIqq", step.op, step.a, step.b, step.c, step.d - (1 << 64) if unsigned else step.d)
    except struct.error:
        raise ValueError(f"step {number} of the program: {step} has an operand that is too large") from None
