"""Expressions over unknown integers as sums: their value, whatever the unknowns are.

A ``Sum`` is exact. If the result of an operation is not a sum (``a * b``), or if a condition depends on the unknowns,
``UnknownError`` is raised.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .nodes import Binary, BooleanLiteral, Cast, Comparison, Conditional, IntegerLiteral, Logical, Node, Unary
from .typerules import is_integer

MAX_SHIFT = 1024


class UnknownError(Exception):
    """The value of an expression is not a sum of its unknowns, or is not known to be one."""


@dataclass(frozen=True, eq=False)
class Sum:
    """``constant`` plus the unknowns of ``terms``, each times its factor. ``highs``: the largest value of each unknown;
    the smallest is 0."""

    constant: int = 0
    terms: Mapping[str, int] = field(default_factory=dict)
    highs: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def unknown(cls, name: str, high: int) -> Sum:
        """Return an unknown in the range 0 to ``high``."""
        return cls(0, {name: 1}, {name: high})

    @property
    def low(self) -> int:
        """Return the smallest value."""
        return self.constant + sum(min(0, factor * self.highs[name]) for name, factor in self.terms.items())

    @property
    def high(self) -> int:
        """Return the largest value."""
        return self.constant + sum(max(0, factor * self.highs[name]) for name, factor in self.terms.items())

    @property
    def number(self) -> int:
        """Return the value of a sum without unknowns. Raises ``UnknownError`` for others."""
        if self.terms:
            raise UnknownError
        return self.constant

    def __add__(self, other: Sum) -> Sum:
        terms = {name: self.terms.get(name, 0) + other.terms.get(name, 0) for name in (*self.terms, *other.terms)}
        left = {name: factor for name, factor in terms.items() if factor}
        return Sum(self.constant + other.constant, left, {**self.highs, **other.highs})

    def __mul__(self, factor: int) -> Sum:
        terms = {name: each * factor for name, each in self.terms.items()} if factor else {}
        return Sum(self.constant * factor, terms, self.highs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sum) and self.constant == other.constant and dict(self.terms) == dict(other.terms)

    __hash__ = None  # type: ignore[assignment]  # equal sums may differ in their bounds, and dictionaries have no hash

    def divided(self, divisor: int) -> tuple[Sum, Sum]:
        """Return the quotient, rounded down, and the remainder. Raises ``UnknownError`` if they are not sums."""
        if divisor <= 0:
            raise UnknownError
        whole = {name: factor // divisor for name, factor in self.terms.items() if factor % divisor == 0}
        rest = {name: factor for name, factor in self.terms.items() if factor % divisor}
        quotient = Sum(self.constant // divisor, whole, self.highs)
        remainder = Sum(self.constant % divisor, rest, self.highs)
        if remainder.low < 0 or remainder.high >= divisor:
            raise UnknownError
        return quotient, remainder


Value = Sum | bool | object
"""A sum, a boolean, or any object that ``named`` returns."""

_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def value_of(node: Node, named: Callable[[Node], Value]) -> Value:
    """Return the value of an expression; ``named`` returns the values of names, members, items and calls."""

    def value(each: Node) -> Value:
        return value_of(each, named)

    match node:
        case IntegerLiteral(number):
            return Sum(number)
        case BooleanLiteral(truth):
            return truth
        case Cast(inner) if node.type is not None and is_integer(node.type):
            return _sum(value(inner))
        case Unary("not", operand):
            return not _truth(value(operand))
        case Unary(sign, operand):
            inside = _sum(value(operand))
            return inside if sign == "+" else inside * -1 if sign == "-" else inside * -1 + Sum(-1)
        case Binary(sign, left, right):
            return _binary(sign, _sum(value(left)), _sum(value(right)))
        case Comparison(sign, left, right):
            return _compared(sign, value(left), value(right))
        case Logical(word, left, right):
            first = _truth(value(left))
            return first if first == (word == "or") else _truth(value(right))
        case Conditional(condition, then, otherwise):
            return value(then if _truth(value(condition)) else otherwise)
    return named(node)


def _sum(value: Value) -> Sum:
    if not isinstance(value, Sum):
        raise UnknownError
    return value


def _truth(value: Value) -> bool:
    if not isinstance(value, bool):
        raise UnknownError
    return value


def _compared(sign: str, left: Value, right: Value) -> bool:
    if isinstance(left, bool) and isinstance(right, bool):
        return _COMPARED[sign](left, right)
    difference = _sum(left) + _sum(right) * -1
    found = {_COMPARED[sign](each, 0) for each in (difference.low, difference.high)}
    inside = difference.low < 0 < difference.high
    if len(found) > 1 or (inside and sign in ("==", "!=")):
        raise UnknownError
    return found.pop()


def _binary(sign: str, left: Sum, right: Sum) -> Sum:
    match sign:
        case "+":
            return left + right
        case "-":
            return left + right * -1
        case "*":
            return right * left.number if not left.terms else left * right.number
        case "/" | "%":
            return left.divided(right.number)[sign == "%"]
        case "<<" | ">>" if 0 <= right.number <= MAX_SHIFT:
            factor = 1 << right.number
            return left * factor if sign == "<<" else left.divided(factor)[0]
        case "&":
            return _masked(right, left.number) if not left.terms else _masked(left, right.number)
        case "|" | "^":
            return _joined(sign, left, right)
    raise UnknownError


def _masked(value: Sum, mask: int) -> Sum:
    """Return ``value & mask``, for masks of contiguous bits."""
    if mask == 0:
        return Sum()
    shift = (mask & -mask).bit_length() - 1
    ones = mask >> shift
    if mask < 0 or ones & (ones + 1):
        raise UnknownError
    return value.divided(1 << shift)[0].divided(ones + 1)[1] * (1 << shift)


def _joined(sign: str, left: Sum, right: Sum) -> Sum:
    """Return ``left | right`` or ``left ^ right`` if no bit is set in both, or if one of them is a constant without
    effect."""
    for one, other in ((left, right), (right, left)):
        if not one.terms and one.constant == 0:
            return other
        if not one.terms and one.constant == -1 and sign == "^":
            return other * -1 + Sum(-1)
    for one, other in ((left, right), (right, left)):
        step = 1 << max(0, other.high).bit_length()
        if other.low >= 0 and not any(each % step for each in (one.constant, *one.terms.values())):
            return one + other
    if not left.terms and not right.terms:
        return Sum(left.constant | right.constant if sign == "|" else left.constant ^ right.constant)
    raise UnknownError
