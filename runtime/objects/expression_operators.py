"""Operators and methods of the expression language that are not single Python operators. All raise ``ExpressionError``
if the operands have no result."""

from __future__ import annotations

from collections.abc import Sequence
from os import urandom
from typing import NoReturn, TypeVar

from ..base.limits import MAX_INTEGER_BITS, MAX_TRUNCATED_BITS
from .errors import AbsentError, DivisionError, ExpressionError, ItemError

Value = TypeVar("Value")
Number = TypeVar("Number", int, float)
Ordered = TypeVar("Ordered", int, float, str, bytes)


def some(value: Value | None, name: str) -> Value:
    """Return the value of an optional attribute that an expression needs."""
    if value is None:
        raise AbsentError(f"{name} is absent")
    return value


def divide(left: int, right: int) -> int:
    """Return the integer quotient, rounded towards minus infinity."""
    if right == 0:
        raise DivisionError
    return left // right


def divide_floats(left: float, right: float) -> float:
    """Return the quotient of floats."""
    if right == 0:
        raise DivisionError
    return left / right


def modulo(left: Number, right: Number) -> Number:
    """Return the remainder of ``divide``, which is not negative for a positive divisor."""
    if right == 0:
        raise DivisionError
    return left % right


def multiply(left: int, right: int) -> int:
    """Return ``left * right``, limited to ``MAX_INTEGER_BITS`` bits, since repeated multiplication could make integers
    of any size from a few bytes of input."""
    # A product has as many bits as its factors together, or one less.
    if left.bit_length() + right.bit_length() <= MAX_INTEGER_BITS + 1:
        product = left * right
        if product.bit_length() <= MAX_INTEGER_BITS:
            return product
    return _outgrown()


def shift_left(value: int, bits: int) -> int:
    """Return ``value << bits``, with the same limit."""
    if bits < 0:
        raise ExpressionError(f"shift by {bits} bits")
    if value == 0:
        return 0
    return value << bits if value.bit_length() + bits <= MAX_INTEGER_BITS else _outgrown()


def _outgrown() -> NoReturn:
    raise ExpressionError(f"a product or a shift results in an integer of more than {MAX_INTEGER_BITS} bits")


def shift_right(value: int, bits: int) -> int:
    """Return ``value >> bits``."""
    if bits < 0:
        raise ExpressionError(f"shift by {bits} bits")
    return value >> bits


def item(values: Sequence[Value], index: int) -> Value:
    """Return ``values[index]``; negative indices are errors."""
    if not 0 <= index < len(values):
        raise ItemError(index, len(values))
    return values[index]


def as_type(kind: type[Value], value: object) -> Value:
    """Return ``value``, which must be an object of that type."""
    if not isinstance(value, kind):
        raise ExpressionError(f"{type(value).__qualname__} is no {kind.__qualname__}")
    return value


def last(values: Sequence[Value]) -> Value:
    """Return the last item."""
    return item(values, len(values) - 1)


def to_integer(text: str, radix: int = 10) -> int:
    """Return the integer that ``text`` represents, in ASCII digits."""
    try:
        return int(text if text.isascii() else "", radix)
    except ValueError as error:
        raise ExpressionError(f"not a number to base {radix}: {text[:40]!r}") from error


def truncate(value: float) -> int:
    """Return the integer part of a float, limited to ``MAX_TRUNCATED_BITS`` bits."""
    if not abs(value) < 1 << MAX_TRUNCATED_BITS:
        raise ExpressionError(f"{value} has no integer part of at most {MAX_TRUNCATED_BITS} bits")
    return int(value)


def decode(data: bytes, encoding: str) -> str:
    """Return ``data`` decoded as text."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ExpressionError(f"not {encoding}: {data[:40]!r}") from error


def encode(text: str, encoding: str) -> bytes:
    """Return ``text`` encoded as bytes."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise ExpressionError(f"{text[:40]!r} cannot be encoded as {encoding}") from error


def substring(text: str, begin: int, end: int) -> str:
    """Return the characters from ``begin`` up to ``end``, which is not included."""
    if not 0 <= begin <= end:
        raise ExpressionError(f"invalid substring from {begin} to {end}")
    return text[begin:end]


def part(data: bytes, begin: int, end: int) -> bytes:
    """Return the bytes from ``begin`` up to ``end``, all of which must exist."""
    if not 0 <= begin <= end <= len(data):
        raise ExpressionError(f"no bytes from {begin} to {end} in {len(data)} bytes")
    return data[begin:end]


def with_byte(data: bytes, extra: int) -> bytes:
    """Return the bytes, followed by another one."""
    if not 0 <= extra <= 255:
        raise ExpressionError(f"{extra} is not a byte")
    return b"".join((data, bytes((extra,))))


def smallest(values: Sequence[Ordered], *otherwise: Ordered) -> Ordered:
    """Return the smallest item, or the fallback for an empty list."""
    return min(values) if values else item(otherwise or values, 0)


def largest(values: Sequence[Ordered], *otherwise: Ordered) -> Ordered:
    """Return the largest item, or the fallback for an empty list."""
    return max(values) if values else item(otherwise or values, 0)


def random_bytes(size: int) -> bytes:
    """Return random bytes."""
    return urandom(size)
