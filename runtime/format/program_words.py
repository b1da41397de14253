"""The words of column programs: numeric codes of operands and of expressions, and limits equal to those of the
engine's loader."""

from __future__ import annotations

import re
from enum import IntEnum
from pkgutil import get_data


class Kind(IntEnum):
    """The representation of an integer or float on the wire, and thereby the width of a column in which it is
    stored."""

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


TIME_UNITS = ("s", "ms", "us", "ns")
"""The units of timestamps, in the order of their numbers."""
HAS_ABSENT = len(TIME_UNITS)
"""Added to a unit's number if a count of it means that there is no time."""


class Loop(IntEnum):
    """When a loop ends."""

    COUNT = 0
    """After the number of iterations in a register."""
    END = 1
    """At the end of the stream."""
    UNTIL = 2
    """After the iteration at whose end a register is not zero."""


class Outcome(IntEnum):
    """The consequence of a failed check."""

    REFUSED = 0
    LOST = 1


class Reason(IntEnum):
    """Why the engine finds a row damaged, numbered as in ``engine.h``."""

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
    UNSUPPORTED = 10
    ITEMS = 11
    """Reported as ``limit``: more items than a record may have."""
    MESSAGE = 12
    NESTED = 13
    """Reported as ``limit``: objects that are nested too deeply."""

    @property
    def word(self) -> str:
        """Return the reason in reports and errors, one of ``wireloom.base.report.REASONS``."""
        return "limit" if self in (Reason.ITEMS, Reason.NESTED) else self.name.lower()


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
    """int32 offsets: the item follows as a column of another level."""


class Place(IntEnum):
    """The location of the stored value of a checksum."""

    REGISTER = 0
    SPAN_LE = 1
    """In a span: the bytes of the number, lowest first, or the first bytes of the digest."""
    SPAN_BE = 2
    """The same, the highest byte first."""


class Code(IntEnum):
    """Expression code: a stack machine over signed 128-bit integers and floats, with a stack of at most 32. Comparisons
    return 0 or 1.

    Values may be missing. A value that cannot be computed is *failed*; an attribute that is absent is *null*, and an
    expression that uses one is *absent*. A code has no value for the same reason as its first operand without one, but
    ``BOOLEAN_AND``, ``BOOLEAN_OR`` and ``SELECT`` only need the operands that decide, and ``EQUAL`` and ``NOT_EQUAL``
    compare null, which equals nothing but null."""

    CONSTANT = 0
    """Followed by 8 bytes, little-endian, signed."""
    REGISTER = 1
    """Followed by 2 bytes, little-endian."""
    SPAN_SIZE = 2
    """Followed by 2 bytes, little-endian: the length of that span."""
    ADD = 3
    SUBTRACT = 4
    MULTIPLY = 5
    FLOOR_DIVIDE = 6
    """Division by zero: refused, ``value``."""
    MODULO = 7
    AND = 8
    OR = 9
    XOR = 10
    SHIFT_LEFT = 11
    SHIFT_RIGHT = 12
    NEGATE = 13
    INVERT = 14
    EQUAL = 15
    NOT_EQUAL = 16
    LESS = 17
    LESS_EQUAL = 18
    GREATER = 19
    GREATER_EQUAL = 20
    BOOLEAN_NOT = 21
    BOOLEAN_AND = 22
    BOOLEAN_OR = 23
    SELECT = 24
    """condition, then, otherwise → one of the two, which may be null."""
    CONSTANT_UNSIGNED = 25
    """Followed by 8 bytes, little-endian, unsigned."""
    SPAN_ORDER = 26
    """Followed by 2 bytes, a span, and 1 byte, the number of bytes after it: -1, 0 or 1 if the bytes of the span are
    less than, equal to or greater than those, compared byte by byte; a prefix is less than a longer value."""
    CAST = 27
    """Followed by 1 byte, a kind of integer: the value unchanged. Refused, ``value``, if that kind cannot represent
    it."""
    SERIES_ITEM = 28
    """Followed by 2 bytes, a series: replaces an index by the item at that index, counted from 0. Refused, ``value``,
    if there is no such item, or if it could not be computed; the same applies to the codes below."""
    SERIES_SIZE = 29
    """Followed by 2 bytes: the number of items of the series."""
    SERIES_LEAST = 30
    SERIES_GREATEST = 31
    SPAN_BYTE = 32
    """Followed by 2 bytes, a span: replaces an index by the byte at that index."""
    SPAN_NUMBER = 33
    """Followed by 2 bytes, a span, and 1 byte, a radix: the integer that the text represents, as Python parses it."""
    SPAN_COMPARE = 34
    """Followed by 2 bytes and 2 bytes, two spans: compares them as ``SPAN_ORDER`` does."""
    SPAN_LENGTH = 35
    """Followed by 2 bytes, a span: the number of its UTF-8 characters."""
    NULL = 36
    """No value: an attribute that is absent."""
    OPTIONAL = 37
    """The value unchanged; null if it is absent: that of an attribute whose expression uses an absent one."""
    FLOAT_ADD = 38
    """This and the codes below take floats: the bits of a double, as a signed integer of 64 bits. Results are those of
    IEEE 754, rounded to the nearest, ties to even."""
    FLOAT_SUBTRACT = 39
    FLOAT_MULTIPLY = 40
    FLOAT_DIVIDE = 41
    """Division by zero: refused, ``value``."""
    FLOAT_MODULO = 42
    """The remainder with the sign of the divisor."""
    FLOAT_EQUAL = 43
    FLOAT_NOT_EQUAL = 44
    FLOAT_LESS = 45
    FLOAT_LESS_EQUAL = 46
    FLOAT_GREATER = 47
    FLOAT_GREATER_EQUAL = 48
    FLOAT_ORDER = 49
    """float, integer → the sign of their difference as a float, not a number if the float is none: what compares
    integers that floats do not represent. Two values that are null are equal; the order of one to a value is null."""
    INTEGER_ORDER = 50
    """integer, float → the same."""
    FLOAT_NEGATE = 51
    FLOAT_OF_INTEGER = 52
    FLOAT_OF_SINGLE = 53
    """The bits of a float of 4 bytes → the float."""
    FLOAT_TO_SINGLE = 54
    FLOAT_TO_INTEGER = 55
    """The integer part. Refused, ``value``, if it has more than 100 bits, or if there is none."""


_DEFINED = {
    name: int(number)
    for name, number in re.findall(
        r"^#define WL_(\w+) (\d+)$",
        # Not by "importlib.resources", which imports 30 modules.
        (get_data("wireloom", "engine/program_limits.h") or b"").decode(),
        re.MULTILINE,
    )
}

PACKED_VERSION = _DEFINED["PACKED_VERSION"]
"""Version of the packed form of programs, of rows and of messages. The engine refuses any other."""
MOST_STEPS = _DEFINED["MOST_STEPS"]
MOST_COLUMNS = _DEFINED["MOST_COLUMNS"]
MOST_REGISTERS = _DEFINED["MOST_REGISTERS"]
MOST_SPANS = _DEFINED["MOST_SPANS"]
MOST_MARKS = _DEFINED["MOST_MARKS"]
MOST_CONSTANTS = _DEFINED["MOST_CONSTANTS"]
"""Maximum size in bytes of all constants and expressions of a program."""
MOST_CHECKSUMS = _DEFINED["MOST_CHECKSUMS"]
MOST_DELIMITER_BYTES = _DEFINED["MOST_DELIMITER_BYTES"]
MOST_CARRIED_VALUES = _DEFINED["MOST_CARRIED_VALUES"]
"""Maximum number of checksums that continue those of previous items, and of variables."""
MOST_STORES = _DEFINED["MOST_STORES"]
"""Maximum number of variables that are lists or tables."""
MOST_ITEMS = _DEFINED["MOST_ITEMS"]
KEPT_ITEMS = _DEFINED["KEPT_ITEMS"]
MOST_KEYS = _DEFINED["MOST_KEYS"]
KEPT_CHANGES = _DEFINED["KEPT_CHANGES"]
"""Maximum number of items of such a list that are kept."""
MOST_SERIES = _DEFINED["MOST_SERIES"]
"""Maximum number of series of values of list items."""
MOST_FUNCTIONS = _DEFINED["MOST_FUNCTIONS"]
"""Maximum number of types that contain themselves."""
MOST_OWN_BYTES = _DEFINED["MOST_OWN_BYTES"]
"""Maximum size in bytes of a checksum's own field if its bytes count as another value."""
DEEPEST_LIMIT = _DEFINED["DEEPEST_LIMIT"]
"""Maximum number of open sub-streams."""
DEEPEST_UNIT = _DEFINED["DEEPEST_UNIT"]
"""Maximum number of open units inside the outermost one."""
DEEPEST_STACK = _DEFINED["DEEPEST_STACK"]
"""Maximum number of values on the stack of an expression."""
MOST_IDLE = _DEFINED["MOST_IDLE"]
"""Maximum number of consecutive items of a repetition that take no bytes."""
MOST_LOOPS = _DEFINED["MOST_LOOPS"]
"""Maximum number of loops of a program."""
MOST_MESSAGES = _DEFINED["MOST_MESSAGES"]
MOST_MESSAGE_FIELDS = _DEFINED["MOST_MESSAGE_FIELDS"]
"""Maximum number of fields of all messages of a program."""
MOST_BYTES = _DEFINED["MOST_BYTES"]
"""Maximum of a constant size in bytes, and of the addend of a computed one."""
