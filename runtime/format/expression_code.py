"""The code of expressions in column programs."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """Expression code: a stack machine over signed 128-bit integers, with a stack of at most 32. Comparisons return 0
    or 1.

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
