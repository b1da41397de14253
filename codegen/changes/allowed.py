"""The values that a ``valid`` allows, as far as they are known without evaluating it."""

from __future__ import annotations

import math

from ..dataclass import dataclass
from ..expression import nodes
from ..expression.nodes import Node
from ..expression.types import BitsType, IntegerType, Type, VarintType
from ..tree import Valid
from ..wire import Enum

Value = int | float | str | bool | tuple[object, ...]


@dataclass(frozen=True)
class Range:
    """All numbers from ``low`` to ``high``, inclusive."""

    low: float | int = -math.inf
    high: float | int = math.inf


ALL = Range()
Allowed = Range | frozenset[Value] | None
"""A range, a set of values, or ``None`` if unknown."""


def allowed(valid: Valid | None, enum: Enum | None, type: Type) -> Allowed:
    """Return the allowed values. ``enum`` is the enum of the attribute, ``type`` the type of its values."""
    every = _every(type)
    if valid is None:
        return every
    if valid.equal is not None:
        value = _literal(valid.equal)
        return None if value is None else frozenset([value])
    if valid.any_of:
        values = [_literal(each) for each in valid.any_of]
        return None if None in values else frozenset(each for each in values if each is not None)
    if valid.in_enum and enum is not None:
        return frozenset(each.value for each in enum.labels)
    if valid.expression is not None or valid.in_enum:
        return None
    low = every.low if valid.minimum is None else _literal(valid.minimum)
    high = every.high if valid.maximum is None else _literal(valid.maximum)
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    return Range(max(low, every.low), min(high, every.high))


def _every(type: Type) -> Range:
    """Return all values of an integer type; ``ALL`` for other types."""
    if isinstance(type, IntegerType):
        bits = 8 * type.size
        return Range(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if type.signed else Range(0, 2**bits - 1)
    if isinstance(type, BitsType) and type.width > 1:
        return Range(0, 2**type.width - 1)
    if isinstance(type, VarintType):
        return Range(*type.limits)
    return ALL


def within(inner: Allowed, outer: Allowed) -> bool:
    """Return whether all values of ``inner`` are certainly in ``outer``.

    >>> within(frozenset([1, 2]), Range(0, 9)), within(Range(0, 9), Range(1, 9)), within(None, ALL)
    (True, False, True)
    """
    if outer == ALL:
        return True
    if inner is None or outer is None:
        return False
    if isinstance(inner, frozenset):
        if isinstance(outer, frozenset):
            return inner <= outer
        return all(isinstance(each, int | float) and outer.low <= each <= outer.high for each in inner)
    return isinstance(outer, Range) and outer.low <= inner.low and inner.high <= outer.high


def _literal(node: Node) -> Value | None:
    match node:
        case nodes.IntegerLiteral(value) | nodes.FloatLiteral(value) | nodes.BooleanLiteral(value):
            return value
        case nodes.StringLiteral(value):
            return value
        case nodes.Unary("-", operand):
            inner = _literal(operand)
            return -inner if isinstance(inner, int | float) else None
        case nodes.ListLiteral(items):
            values = tuple(_literal(each) for each in items)
            return None if None in values else values
        case nodes.EnumMember(path, label):
            return "::".join([*path, label])
    return None
