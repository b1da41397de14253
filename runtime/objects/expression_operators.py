"""Expressions of specs that need more than a Python operator: they fail with one kind of error on any input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ..base.limits import MAX_INTEGER_BITS
from .errors import AbsentError, DivisionError, ExpressionError, ItemError

Value = TypeVar("Value")
Number = TypeVar("Number", int, float)
Ordered = TypeVar("Ordered", int, float, str, bytes)

MAX_SHIFT = 4096
"""The most bits that an expression shifts by; more would make integers of any size out of a few bytes of input."""


def some(value: Value | None, name: str) -> Value:
    """An optional attribute's value, where an expression needs one."""
    if value is None:
        raise AbsentError(f"{name} is absent")
    return value


def divide(left: int, right: int) -> int:
    """Integer division, towards minus infinity."""
    if right == 0:
        raise DivisionError
    return left // right


def divide_floats(left: float, right: float) -> float:
    """Division of floats."""
    if right == 0:
        raise DivisionError
    return left / right


def modulo(left: Number, right: Number) -> Number:
    """The remainder of ``divide``: never negative for a positive divisor."""
    if right == 0:
        raise DivisionError
    return left % right


def multiply(left: int, right: int) -> int:
    """``left * right``, where that may have more than ``MAX_INTEGER_BITS`` bits: a few products of products would make
    integers of any size out of a few bytes of input."""
    _bound(left.bit_length() + right.bit_length())
    return left * right


def _bound(bits: int) -> None:
    if bits > MAX_INTEGER_BITS:
        raise ExpressionError(f"a product or a shift makes an integer of more than {MAX_INTEGER_BITS} bits")


def shift_left(value: int, bits: int) -> int:
    """``value << bits``."""
    if not 0 <= bits <= MAX_SHIFT:
        raise ExpressionError(f"shift by {bits} bits")
    _bound(value.bit_length() + bits)
    return value << bits


def shift_right(value: int, bits: int) -> int:
    """``value >> bits``."""
    if bits < 0:
        raise ExpressionError(f"shift by {bits} bits")
    return value >> bits


def item(values: Sequence[Value], index: int) -> Value:
    """``values[index]``; there is no counting from the end."""
    if not 0 <= index < len(values):
        raise ItemError(index, len(values))
    return values[index]


def last(values: Sequence[Value]) -> Value:
    """The last item."""
    return item(values, len(values) - 1)


def to_integer(text: str, radix: int = 10) -> int:
    """The number that ``text`` spells."""
    try:
        return int(text, radix)
    except ValueError as error:
        raise ExpressionError(f"not a number to base {radix}: {text[:40]!r}") from error


def truncate(value: float) -> int:
    """The integer part of a float."""
    try:
        return int(value)
    except (ValueError, OverflowError) as error:
        raise ExpressionError(f"{value} has no integer part") from error


def decode(data: bytes, encoding: str) -> str:
    """``data`` as text."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ExpressionError(f"not {encoding}: {data[:40]!r}") from error


def encode(text: str, encoding: str) -> bytes:
    """``text`` as bytes."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise ExpressionError(f"{text[:40]!r} cannot be written as {encoding}") from error


def substring(text: str, begin: int, end: int) -> str:
    """The characters from ``begin`` up to ``end``, which is not included."""
    if not 0 <= begin <= end:
        raise ExpressionError(f"no characters from {begin} to {end}")
    return text[begin:end]


def smallest(values: Sequence[Ordered]) -> Ordered:
    """The smallest item."""
    return min(values) if values else item(values, 0)


def largest(values: Sequence[Ordered]) -> Ordered:
    """The largest item."""
    return max(values) if values else item(values, 0)
