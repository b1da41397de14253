"""The operations of a column program.

Derived from ``runtime/engine/ops.def`` by ``python -m tests.engine.operations``: change them there.
"""

from __future__ import annotations

from enum import IntEnum, unique


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
    """span[a] ← all bytes up to the end of the frame or sub-stream. The engine refuses a program without one."""
    BYTES_TERMINATED = 7
    """span[a] ← bytes up to the terminator byte [b]. [c] bit 0: include it, bit 1: consume it, bit 2: it is required
    (otherwise the end of the frame or sub-stream is accepted)."""
    COLUMN_BYTES = 8
    """column[a] ← span[b]."""
    COLUMN_REGISTER = 9
    """column[a] ← register[b], stored as kind [c]; null if it has no value."""
    COLUMN_TIMESTAMP = 10
    """column[a] (int64) ← register[b]; null if it has no value, or a timestamp of the unit cannot be that count. [c]:
    the unit, numbered as in ``TIME_UNITS``, plus ``HAS_ABSENT`` if the count [d] is null too."""
    CHECK_RANGE = 11
    """register[a] must be in the range [c]…[d]. [b]: outcome, ``refused`` or ``lost`` (see ``Outcome``), or-ed with
    reason << 8. [d] is read as unsigned if bit 7 of [b] is set."""
    CHECK_TRUE = 12
    """register[a] must not be zero; [b] as above."""
    CHECK_CONSTANT = 13
    """[d] bytes at base + [c] must equal the constants from [a]; [b] as above."""
    CHECKSUM = 14
    """The checksum with the number [a] in the program over mark[c] … mark[d] must equal register[b] or span[b],
    according to its ``Place``; otherwise refused, ``checksum`` or, for digests, ``digest``."""
    MARK = 15
    """mark[a] ← base + [c] if [b] is 0, the cursor if [b] is 1, the end of the sub-stream if [b] is 2, the begin or the
    end of span[c] if [b] is 3 or 4."""
    EXPRESSION = 16
    """register[a] ← the expression with the code constants[c : c + d]. A missing value refuses the row; [b]: 1 if it
    refuses only what needs it, 2 if it may be missing because an attribute is absent."""
    SKIP_IF_ZERO = 17
    """If register[a] is 0, or [b] is 1 and it has no value, go to step [c] (forward)."""
    JUMP = 18
    """Go to step [c] (forward)."""
    COLUMN_NULL = 19
    """column[a] ← null."""
    LIMIT_REGISTER = 20
    """Enter a sub-stream of register[a] + [c] bytes. [b]: 1 if rows in it that cannot be read cost the rest of it,
    which is allowed only outside of rows; 4 if what cannot be read in it is refused, and reading continues after it."""
    LIMIT_END = 21
    """Leave the sub-stream: the cursor moves to its end."""
    SKIP_REGISTER = 22
    """Move the cursor forward by register[a] + [c] bytes."""
    CHECK_UTF8 = 23
    """span[a] must be UTF-8 ([c] = 0), ASCII (1), UTF-16, little-endian (2) or big-endian (3), or (4) bytes that are
    characters by the table at constants[d]: two bytes for each of the 256, little-endian, FFFF for none; otherwise
    refused, ``encoding``."""
    LIMIT_FIXED = 24
    """Enter a sub-stream of [c] bytes, or of all remaining bytes if [a] is 1; [b] as above."""
    TRIM_RIGHT = 25
    """Remove the trailing bytes equal to [c] from span[a] (``pad-right``)."""
    CUT_TERMINATOR = 26
    """End span[a] before (or, with bit 0 of [b], after) the first byte equal to [c] in it, if there is one."""
    LOOP = 27
    """Begin loop [a] of kind [b] (see ``Loop``): register[d] is the count; if there is no iteration, go to step [c],
    right after the loop's ``AGAIN``."""
    AGAIN = 28
    """End an iteration of loop [a] of kind [b]: if there is another one, go back to step [c], the first after the
    ``LOOP``. Until: there is none if register[d] is not zero. Iterations without bytes are counted: too many are lost,
    ``length`` or ``limit``."""
    INDEX = 29
    """register[a] ← the number of the iteration of loop [b], from 0."""
    ROW = 30
    """Begin a row: here or, if [a] is 1, at the beginning of the innermost unit."""
    ROW_END = 31
    """The row is complete."""
    LIST = 32
    """Begin the list of column [a], whose items have level [b]."""
    LIST_END = 33
    """End the list of column [a], whose items have level [b]."""
    ITEM = 34
    """Begin an item of level [b]: columns of that level are written for it."""
    ITEM_END = 35
    """End the item of level [b]."""
    COLUMN_STRUCT = 36
    """column[a] is present: its fields are separate columns."""
    VARINT = 37
    """register[a] ← integer in bytes of seven bits, whose highest bit says that another one follows; the cursor moves
    after them. [c]: the number of lowest groups that count | the maximum number of bytes << 8 (0: unlimited) | the
    largest value of the last byte << 16 | 1 << 24 if the first byte is the highest | 1 << 25 for zigzag. More bytes:
    [b], ``lost`` with a reason; a larger value: [d]; as for ``CHECK_RANGE``."""
    EXPAND = 38
    """The rest of the innermost sub-stream is a compressed block: the next steps, up to the end of the sub-stream, read
    its content. [a]: the number of the ``Expansion``; register[c]: the number of the codec among the expansion's;
    register[d]: the size of the content, -1 if it is not given. A block without a content is lost if the sub-stream
    contains damage, or if [b] is 1; otherwise it is refused, and reading continues after it."""
    UNIT = 39
    """Begin a unit inside the outermost one, around rows: a refusal in it, outside its rows, costs the rows of this
    unit."""
    UNIT_END = 40
    """End the unit."""
    SEEK = 41
    """Enter the bytes from position register[a] of stream [c] to its end as a sub-stream: ``LIMIT_END`` returns to the
    previous cursor. Stream 0 is the unit, any other one the sub-stream that was entered at that depth. A position
    beyond the end is the end; a negative one is lost, ``length``. Only around rows, for inputs that are read as a
    whole. What is read there counts as items of the unit, since positions may lead to the same bytes repeatedly."""
    STREAM = 42
    """register[a] ← the position of the cursor in stream [c] ([b] = 0, for the innermost one only), the size of that
    stream ([b] = 1), or its position after the sub-stream that is open in it ([b] = 2, not for the innermost one); or,
    outside sub-streams, whether the input ends at the cursor ([b] = 3)."""
    WHERE = 43
    """If register[a] is zero, the row is valid but not part of the table, unless something in it is refused. With the
    reason [b], ``unsupported``: if it is not zero, the row is refused for that reason."""
    ABSENT = 44
    """register[a] has no value, since its attribute is absent: it equals nothing, and what needs it has no value
    either."""
    RUNNING_CHECKSUM = 45
    """register[a] ← the checksum of the previous item, carried value [b]; [d], unsigned, if there is no previous item.
    register[c] ← whether it is known."""
    SET_RUNNING_CHECKSUM = 46
    """carried value [a] ← register[b], the checksum of the item."""
    SERIES = 47
    """Clear series [a]."""
    SERIES_ADD = 48
    """Append register[b] to series [a]."""
    BLANK = 49
    """Begin the message of table [b]: none of its fields is present."""
    FIELDS = 50
    """Read the fields of the message of table [b] from the cursor on, up to one that has steps of its own: register[a]
    ← the number of its ``arm``; or up to the end of the sub-stream: register[a] ← 0. For a field with a length the
    cursor is then after the length. Bytes that are not such a message are lost if [c] is 1, otherwise refused, for
    ``message`` or ``limit``: then the message is ``broken``, and has no more fields."""
    SKIP_UNLESS = 51
    """If register[a] is not [d], go to step [c] (forward)."""
    LIMIT_SPAN = 52
    """Enter span[a] as a sub-stream: ``LIMIT_END`` returns to the previous cursor. [b] as for ``LIMIT_REGISTER``: if it
    is 1, rows in it have the position of mark[c], or their own if [c] is -1."""
    FUNCTION = 53
    """Begin function [a], which ends with its ``RETURN``. [b]: 1 if it reads to the end of the stream in which it is
    called. Its own registers are those from the lowest 16 bits of [c] up to the next 16, its own spans those from the
    next 16 bits up to the highest; its marks and loops are in [d] likewise. They are empty when it begins, and their
    previous contents are restored for a caller that is the same function. Functions come after ``END``; numbers of
    streams in them are relative to the stream in which they are called. Rows, units, columns, positions and blocks are
    not allowed in a function."""
    CALL = 54
    """Run function [a], which may be the one that contains the step; calls are nested at most 512 deep."""
    RETURN = 55
    """End the function."""
    COLUMN_TEXT = 56
    """column[a] ← the text of span[b], which is in encoding [c], as UTF-8. [c] and [d] as for ``CHECK_UTF8``."""
    VARIABLE = 57
    """register[a] ← the variable that is carried value [b]."""
    SET = 58
    """register[a] ← register[b]; unless [c] is -1, also set the variable that is carried value [c]."""
    APPEND = 59
    """Append register[b] to store [a]; carried value [c] and register[d] ← its number of items."""
    ITEM_OF = 60
    """register[a] ← item register[c] of store [b], whose number of items is carried value [d]; no value if there is
    none."""
    SLICE = 61
    """span[a] ← the bytes of span[b] from register[c] up to register[d]; if these are not inside it, or have no value,
    the row is refused, ``value``."""
    TEXT_CONSTANT = 62
    """span[a] ← [d] constants from [c]. Spans filled by the steps of this name are only read by each other, by
    expressions and by ``COLUMN_BYTES``, for which text that is absent is null; text that cannot be computed is refused,
    ``value``, or, if it is too long, ``limit``. Text that is computed, unless it is part of the input already, takes
    memory until its row ends."""
    TEXT_SELECT = 63
    """span[a] ← span[c] or, if register[b] is zero, span[d]; -1: null. No value if register[b] has none, for the same
    reason."""
    TEXT_PART = 64
    """span[a] ← the characters of span[b] from index register[c] up to register[d]; no value if the first is negative
    or above the second."""
    TEXT_DECODE = 65
    """span[a] ← span[b], which is in encoding [c], as UTF-8; no value if it is invalid. [c] and [d] as for
    ``CHECK_UTF8``."""
    TEXT_CLEAN = 66
    """The same, with U+FFFD for invalid bytes."""
    TEXT_ITEM = 67
    """span[a] ← item register[c] of series [b], of text or bytes; no value if there is none."""
    SERIES_ADD_TEXT = 68
    """Append span[b], null if register[c] is zero, or no value if it has none, to series [a], whose items are either
    integers or these."""
    ATTEMPT = 69
    """Enter the rest of the innermost stream as a sub-stream, in which nothing is refused or lost: register[a] ← 0; if
    something would be, register[a] ← the ``Reason``, and the program continues at ``ATTEMPT_END``. In between, steps
    fill registers, spans and series, and write no columns. An attempt that no wanted column needs is skipped."""
    ATTEMPT_END = 70
    """Leave the attempt of register[a]: the cursor returns to its previous position."""
    REFUSE = 71
    """Refuse the row for the ``Reason`` in register[a], unless that is 0. [b]: 1 + the number of the column that needs
    the attempt, or 0 if the row does."""
    SUM = 72
    """register[a] ← the checksum with the number [b] in the program, a number, of [d] runs of bytes: from mark[c] to
    mark[c + 1], from mark[c + 2] to mark[c + 3], … A run that ends before it begins has no bytes."""
    DIGEST = 73
    """span[a] ← the digest with the number [b], of runs as for ``SUM``. The span is read by the same steps as computed
    text, up to the next ``DIGEST`` with this number; no two steps have the same number."""
    EVIDENCE = 74
    """In a search after damage: if register[a] is zero, the unit proves nothing, as with ``DEFAULT``."""
    DEFAULT = 75
    """The unit takes the default case of its switch: it proves nothing unless a checksum covers bytes of it."""
    INPUT = 76
    """register[a] ← the number that array [b] of the call has for the row: an integer, a boolean, the size of a list;
    or, unless [c] is 0, that of item [c], from 1, of the row's list of its values. It has no value if there is none, or
    in calls without arrays."""
    INPUT_BYTES = 77
    """span[a] ← the bytes or the text that array [b] has for the row; [c] as above."""
    INPUT_ITEMS = 78
    """series[a] ← the items of the row's list of values of array [b]."""
    CONSTANT_OF = 79
    """register[a] ← the value of the key in register[b] among the entries in the [d] constants from [c]; null if it is
    not there. Entries are pairs of a key and its value, 8 bytes each, ascending by key."""
    ENTRY_OF = 80
    """register[a] ← the value of the key in register[c] in store [b], whose number of changes is carried value [d];
    null if it is not there."""
    SET_ENTRY = 81
    """Set the value of the key in register[b] to register[d] in store [a], and count the change in carried value [c];
    nothing if one of them is absent. Numbers beyond 64 signed bits are lost, ``value``, and keys beyond the limit,
    ``limit``."""
    JSON_BEGIN = 82
    """The JSON text of a column begins."""
    JSON_PUT = 83
    """Append the [d] constants from [c] to the JSON text, [b]: 1 if after a comma, unless an opening bracket precedes
    them."""
    JSON_NUMBER = 84
    """Append register[a] to it, [b]: 0 as an integer, 1 a float, 2 a boolean, 3 a time in UTC, 4 a local time, 5 not;
    [c] and [d] as for ``COLUMN_TIMESTAMP``. Nothing if that would be null. A value that cannot be computed refuses the
    row."""
    JSON_BYTES = 85
    """Append span[a] to it, [b]: 1 as text, else as base64; nothing if it is absent."""
    JSON_MARK = 86
    """register[a] ← the number of its bytes so far."""
    JSON_NULL = 87
    """Append ``null`` to it if it still has register[a] bytes."""
    JSON_FIRST = 88
    """Remove what comes after register[b] bytes of it if that is more than register[a]."""
    JSON_NAME = 89
    """What comes after register[a] bytes of it becomes a name: in quotes, and before a colon."""
    COLUMN_JSON = 90
    """column[a] ← the JSON text; nothing if it has more than ``max_items`` bytes, or a value in it cannot be
    computed."""
    JSON_END = 91
    """Refused if a column of the row has too much JSON text, ``limit``, or a value in it cannot be computed."""


OPERANDS: dict[Op, tuple[str, ...]] = {
    Op.END: (),
    Op.NEED: ("NUMBER",),
    Op.COLUMN_FIXED: ("COLUMN", "KIND", "NUMBER"),
    Op.REGISTER_FIXED: ("RESULT", "KIND", "NUMBER"),
    Op.BYTES_REGISTER: ("SPAN_RESULT", "REGISTER", "ADDEND"),
    Op.BYTES_FIXED: ("SPAN_RESULT", "NONE", "SIZE"),
    Op.BYTES_REST: ("SPAN_RESULT",),
    Op.BYTES_TERMINATED: ("SPAN_RESULT", "BYTE", "NUMBER"),
    Op.COLUMN_BYTES: ("VARIABLE_COLUMN", "TEXT"),
    Op.COLUMN_REGISTER: ("COLUMN", "REGISTER", "KIND"),
    Op.COLUMN_TIMESTAMP: ("TIMESTAMP_COLUMN", "REGISTER", "UNIT", "NUMBER"),
    Op.CHECK_RANGE: ("REGISTER", "OUTCOME", "NUMBER", "NUMBER"),
    Op.CHECK_TRUE: ("REGISTER", "OUTCOME"),
    Op.CHECK_CONSTANT: ("NUMBER", "OUTCOME", "NUMBER", "NUMBER"),
    Op.CHECKSUM: ("CHECKSUM", "NUMBER", "MARK", "MARK"),
    Op.MARK: ("MARK_RESULT", "NUMBER", "NUMBER"),
    Op.EXPRESSION: ("RESULT", "NUMBER", "NUMBER", "NUMBER"),
    Op.SKIP_IF_ZERO: ("REGISTER", "FLAG", "STEP"),
    Op.JUMP: ("NONE", "NONE", "STEP"),
    Op.COLUMN_NULL: ("COLUMN",),
    Op.LIMIT_REGISTER: ("REGISTER", "NUMBER", "ADDEND"),
    Op.LIMIT_END: (),
    Op.SKIP_REGISTER: ("REGISTER", "NONE", "ADDEND"),
    Op.CHECK_UTF8: ("SPAN", "NONE", "ENCODING", "NUMBER"),
    Op.LIMIT_FIXED: ("FLAG", "NUMBER", "SIZE"),
    Op.TRIM_RIGHT: ("SPAN_CHANGED", "NONE", "BYTE"),
    Op.CUT_TERMINATOR: ("SPAN_CHANGED", "NUMBER", "BYTE"),
    Op.LOOP: ("NUMBER", "NUMBER", "STEP", "NUMBER"),
    Op.AGAIN: ("NUMBER", "NUMBER", "STEP", "NUMBER"),
    Op.INDEX: ("RESULT", "NUMBER"),
    Op.ROW: ("FLAG",),
    Op.ROW_END: (),
    Op.LIST: ("COLUMN", "NUMBER"),
    Op.LIST_END: ("COLUMN", "NUMBER"),
    Op.ITEM: ("NUMBER", "NUMBER"),
    Op.ITEM_END: ("NUMBER", "NUMBER"),
    Op.COLUMN_STRUCT: ("STRUCT_COLUMN",),
    Op.VARINT: ("RESULT", "OUTCOME", "NUMBER", "NUMBER"),
    Op.EXPAND: ("NUMBER", "FLAG", "REGISTER", "REGISTER_OR_NONE"),
    Op.UNIT: (),
    Op.UNIT_END: (),
    Op.SEEK: ("REGISTER", "NONE", "NUMBER"),
    Op.STREAM: ("RESULT", "NUMBER", "NUMBER"),
    Op.WHERE: ("REGISTER", "NUMBER"),
    Op.ABSENT: ("RESULT",),
    Op.RUNNING_CHECKSUM: ("RESULT", "CARRIED_VALUE", "RESULT", "NUMBER"),
    Op.SET_RUNNING_CHECKSUM: ("CARRIED_VALUE", "REGISTER"),
    Op.SERIES: ("SERIES",),
    Op.SERIES_ADD: ("SERIES", "REGISTER"),
    Op.BLANK: ("NONE", "MESSAGE"),
    Op.FIELDS: ("RESULT", "MESSAGE", "FLAG"),
    Op.SKIP_UNLESS: ("REGISTER", "NONE", "STEP", "NUMBER"),
    Op.LIMIT_SPAN: ("SPAN", "NUMBER", "NUMBER"),
    Op.FUNCTION: ("NUMBER", "NUMBER", "NUMBER", "NUMBER"),
    Op.CALL: ("FUNCTION",),
    Op.RETURN: (),
    Op.COLUMN_TEXT: ("VARIABLE_COLUMN", "SPAN", "ENCODING", "NUMBER"),
    Op.VARIABLE: ("RESULT", "CARRIED_VALUE"),
    Op.SET: ("RESULT", "REGISTER", "CARRIED_VALUE_OR_NONE"),
    Op.APPEND: ("STORE", "REGISTER", "CARRIED_VALUE", "RESULT"),
    Op.ITEM_OF: ("RESULT", "STORE", "REGISTER", "CARRIED_VALUE"),
    Op.SLICE: ("SPAN_RESULT", "SPAN", "REGISTER", "REGISTER"),
    Op.TEXT_CONSTANT: ("TEXT_RESULT", "NONE", "NUMBER", "NUMBER"),
    Op.TEXT_SELECT: ("TEXT_RESULT", "REGISTER", "TEXT_OR_NONE", "TEXT_OR_NONE"),
    Op.TEXT_PART: ("TEXT_RESULT", "TEXT", "REGISTER", "REGISTER"),
    Op.TEXT_DECODE: ("TEXT_RESULT", "TEXT", "ENCODING", "NUMBER"),
    Op.TEXT_CLEAN: ("TEXT_RESULT", "TEXT", "ENCODING", "NUMBER"),
    Op.TEXT_ITEM: ("TEXT_RESULT", "SERIES", "REGISTER"),
    Op.SERIES_ADD_TEXT: ("SERIES", "SPAN", "REGISTER_OR_NONE"),
    Op.ATTEMPT: ("RESULT",),
    Op.ATTEMPT_END: ("RESULT",),
    Op.REFUSE: ("REGISTER", "NUMBER"),
    Op.SUM: ("RESULT", "CHECKSUM", "MARK", "NUMBER"),
    Op.DIGEST: ("TEXT_RESULT", "CHECKSUM", "MARK", "NUMBER"),
    Op.EVIDENCE: ("REGISTER",),
    Op.DEFAULT: (),
    Op.INPUT: ("RESULT", "NUMBER", "NUMBER"),
    Op.INPUT_BYTES: ("TEXT_RESULT", "NUMBER", "NUMBER"),
    Op.INPUT_ITEMS: ("SERIES", "NUMBER"),
    Op.CONSTANT_OF: ("RESULT", "REGISTER", "NUMBER", "NUMBER"),
    Op.ENTRY_OF: ("RESULT", "STORE", "REGISTER", "CARRIED_VALUE"),
    Op.SET_ENTRY: ("STORE", "REGISTER", "CARRIED_VALUE", "REGISTER"),
    Op.JSON_BEGIN: (),
    Op.JSON_PUT: ("NONE", "FLAG", "NUMBER", "NUMBER"),
    Op.JSON_NUMBER: ("REGISTER", "NUMBER", "UNIT", "NUMBER"),
    Op.JSON_BYTES: ("TEXT", "FLAG"),
    Op.JSON_MARK: ("RESULT",),
    Op.JSON_NULL: ("REGISTER",),
    Op.JSON_FIRST: ("REGISTER", "REGISTER"),
    Op.JSON_NAME: ("REGISTER",),
    Op.COLUMN_JSON: ("VARIABLE_COLUMN",),
    Op.JSON_END: (),
}
"""The kinds of the operands of each step up to the last that it uses: ``WL_IS_…`` of ``operations.h``."""
