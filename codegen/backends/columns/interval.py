"""Intervals of integers: the possible values of expressions, so that none exceeds the engine's 128-bit registers.
Floats have one interval, that of their bits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from wireloom.base.dataclass import dataclass, field
from wireloom.base.limits import MAX_INTEGER_BITS, MAX_TRUNCATED_BITS

from .refusal import NotForEngineError

LARGEST = (1 << 127) - 1
"""Bound of every intermediate value: -LARGEST … LARGEST."""


@dataclass(frozen=True)
class Interval:
    """All integers from ``low`` to ``high``, inclusive. ``is_float``: they are the bits of floats."""

    low: int
    high: int
    is_float: bool = field(default=False, kw_only=True)

    @property
    def constant(self) -> bool:
        """Return whether it contains a single value."""
        return self.low == self.high

    def within(self, low: int, high: int) -> bool:
        """Return whether the interval lies within ``low`` … ``high``."""
        return low <= self.low and self.high <= high

    def union(self, other: Interval) -> Interval:
        """Return the smallest interval that contains both."""
        is_float = self.is_float or other.is_float
        return Interval(min(self.low, other.low), max(self.high, other.high), is_float=is_float)

    def intersection(self, low: int | None, high: int | None) -> Interval:
        """Return the part between the two bounds (``None``: unbounded); the interval itself if that is empty."""
        bounded = Interval(
            self.low if low is None else max(self.low, low), self.high if high is None else min(self.high, high)
        )
        return bounded if bounded.low <= bounded.high else self


BOOLEAN = Interval(0, 1)
INT64 = Interval(-(1 << 63), (1 << 63) - 1)
FLOAT = Interval(INT64.low, INT64.high, is_float=True)
"""All floats."""
EXACT = Interval(-(1 << 53), 1 << 53)
"""Integers that floats represent exactly."""
TRUNCATED = Interval(-(1 << MAX_TRUNCATED_BITS), 1 << MAX_TRUNCATED_BITS)
"""The integer parts of floats."""


def of_bytes(size: int, signed: bool) -> Interval:
    """Return the range of an integer of ``size`` bytes.

    >>> of_bytes(1, signed=True)
    Interval(low=-128, high=127)
    """
    bits = 8 * size
    return Interval(-(1 << bits - 1), (1 << bits - 1) - 1) if signed else Interval(0, (1 << bits) - 1)


def checked(interval: Interval) -> Interval:
    """Return the interval unchanged. Raises ``NotForEngineError`` if it exceeds the engine's registers."""
    if not interval.within(-LARGEST, LARGEST):
        raise NotForEngineError("an expression may exceed 127 bits")
    return interval


def _corners(operation: Callable[[int, int], int], left: Interval, right: Interval) -> Interval:
    values = [operation(a, b) for a, b in product((left.low, left.high), (right.low, right.high))]
    return Interval(min(values), max(values))


def _ones(interval: Interval) -> int:
    """Return the smallest 2**n - 1 such that the interval lies within -2**n … 2**n - 1."""
    widest = max(interval.high, ~interval.low, 0)
    return (1 << widest.bit_length()) - 1


def _divide(left: Interval, right: Interval) -> Interval:
    return _over_divisors(right, lambda divisor: _corners(lambda a, b: a // b, left, divisor))


def _modulo(left: Interval, right: Interval) -> Interval:
    def remainders(divisor: Interval) -> Interval:
        return Interval(0, divisor.high - 1) if divisor.low > 0 else Interval(divisor.low + 1, 0)

    return _over_divisors(right, remainders)


def _over_divisors(right: Interval, result: Callable[[Interval], Interval]) -> Interval:
    """Return the union of ``result`` for negative and positive divisors. For a row with the divisor zero there is no
    value."""
    if right.low == right.high == 0:
        raise NotForEngineError("an expression divides by zero")
    parts = [Interval(right.low, min(right.high, -1)), Interval(max(right.low, 1), right.high)]
    found = [result(each) for each in parts if each.low <= each.high]
    return found[0].union(found[-1])


def _and(left: Interval, right: Interval) -> Interval:
    if left.constant and right.constant:
        return Interval(left.low & right.low, left.low & right.low)
    positive = [each.high for each in (left, right) if each.low >= 0]
    if positive:
        return Interval(0, min(positive))
    ones = max(_ones(left), _ones(right))
    return Interval(-ones - 1, ones)


def _or(left: Interval, right: Interval) -> Interval:
    ones = max(_ones(left), _ones(right))
    return Interval(0 if min(left.low, right.low) >= 0 else -ones - 1, ones)


def _shift(operation: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval]:
    def shifted(left: Interval, count: Interval) -> Interval:
        if count.constant and not count.within(0, MAX_INTEGER_BITS):
            raise NotForEngineError(f"an expression shifts by {count.low} bits, not 0 to {MAX_INTEGER_BITS}")
        counts = Interval(*(min(max(each, 0), MAX_INTEGER_BITS) for each in (count.low, count.high)))
        return _limited(_corners(operation, left, counts))

    return shifted


def _limited(interval: Interval) -> Interval:
    """Return the interval of a product or a shift, clipped to the limit: values beyond it do not exist."""
    if interval.low > LARGEST or interval.high < -LARGEST:
        return checked(interval)
    return Interval(*(min(max(each, -LARGEST), LARGEST) for each in (interval.low, interval.high)))


BINARY: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": lambda left, right: Interval(left.low + right.low, left.high + right.high),
    "-": lambda left, right: Interval(left.low - right.high, left.high - right.low),
    "*": lambda left, right: _limited(_corners(lambda a, b: a * b, left, right)),
    "/": _divide,
    "%": _modulo,
    "&": _and,
    "|": _or,
    "^": _or,
    "<<": _shift(lambda a, b: a << b),
    ">>": _shift(lambda a, b: a >> b),
}
"""For each operator on integers, the function that computes the interval of ``left operator right``."""
