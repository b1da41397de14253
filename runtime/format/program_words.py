"""Numeric codes of operands of column programs, and their names."""

from __future__ import annotations

from enum import IntEnum


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
    """Why a row is damaged; ``wireloom.base.report.REASONS`` contains the names."""

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


class Stuffing(IntEnum):
    """How a record's bytes are kept free of the delimiter."""

    NONE = 0
    WORD = 1
    COBS = 2
