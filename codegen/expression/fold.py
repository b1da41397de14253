"""Evaluates constant expressions: those without names."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.base.dataclass import replace

from .nodes import (
    Binary,
    BooleanLiteral,
    Comparison,
    Conditional,
    FloatLiteral,
    IntegerLiteral,
    Logical,
    MemberAccess,
    Node,
    StringLiteral,
    Unary,
)
from .types import BitsType, IntegerType, Type
from .walk import mapped

Constant = int | float | bool | str

MAX_BITS = 4096
"""Maximum number of bits of a folded integer. Larger results stay unevaluated: ``1 << 1000000000`` must not be
computed."""

MAX_TEXT = 100_000

_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
}


def fold(node: Node) -> Node:
    """Return a copy in which every constant part is a literal; types are kept."""
    folded = mapped(node, fold)
    value = _value(folded)
    if value is None or isinstance(folded, IntegerLiteral | FloatLiteral | BooleanLiteral | StringLiteral):
        return folded
    literal: Node
    if isinstance(value, bool):
        literal = BooleanLiteral(value)
    elif isinstance(value, int):
        literal = IntegerLiteral(value)
    elif isinstance(value, float):
        literal = FloatLiteral(value)
    else:
        literal = StringLiteral(value)
    return replace(literal, start=node.start, end=node.end, type=node.type)


def constant(node: Node) -> Constant | None:
    """Return the value of a constant expression; ``None`` for other expressions."""
    return _literal(fold(node))


def constant_integer(node: Node) -> int | None:
    """Return the value of a constant integer expression; ``None`` for other expressions."""
    value = constant(node)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def misfit(node: Node, kind: Type) -> str | None:
    """Return a clause that says that a constant is outside the range of an integer type; ``None`` otherwise."""
    value = constant_integer(node)
    match kind:
        case IntegerType(size=size, signed=signed):
            bits, low = 8 * size - signed, -(1 << 8 * size - 1) if signed else 0
        case BitsType(width=width) if width > 1:
            bits, low = width, 0
        case _:
            return None
    high = (1 << bits) - 1
    return None if value is None or low <= value <= high else f"{value} is not between {low} and {high}"


def _literal(node: Node) -> Constant | None:
    match node:
        case IntegerLiteral(value=value) | FloatLiteral(value=value) | BooleanLiteral(value=value):
            return value
        case StringLiteral(value=text):
            return text
    return None


def _value(node: Node) -> Constant | None:
    """Return the value of a node whose children have been folded."""
    match node:
        case Unary(operator=operator, operand=operand):
            return _unary(operator, _literal(operand))
        case Binary(operator=operator, left=left, right=right):
            return _binary(operator, _literal(left), _literal(right))
        case Comparison(operator=operator, left=left, right=right):
            return _comparison(operator, _literal(left), _literal(right))
        case Logical(operator=operator, left=left, right=right):
            return _logical(operator, _literal(left), _literal(right))
        case Conditional(condition=BooleanLiteral(value=chosen), then=then, otherwise=otherwise):
            return _literal(then if chosen else otherwise)
        case MemberAccess(value=StringLiteral(value=text), name="length"):
            return len(text)
    return _literal(node)


def _unary(operator: str, value: Constant | None) -> Constant | None:
    if isinstance(value, bool):
        return not value if operator == "not" else None
    if isinstance(value, (int, float)) and operator in "+-":
        return -value if operator == "-" else value
    return ~value if isinstance(value, int) and operator == "~" else None


def _binary(operator: str, left: Constant | None, right: Constant | None) -> Constant | None:
    if isinstance(left, str) and isinstance(right, str):
        return left + right if operator == "+" and len(left) + len(right) <= MAX_TEXT else None
    if not (_is_integer(left) and _is_integer(right)):
        return None  # floats are left to the generated code, whose rounding may differ
    assert isinstance(left, int)
    assert isinstance(right, int)
    if operator in ("/", "%") and right == 0:
        return None
    if operator in ("<<", ">>") and not 0 <= right <= MAX_BITS:
        return None
    result = _INTEGERS[operator](left, right)
    return result if result.bit_length() <= MAX_BITS else None


def _comparison(operator: str, left: Constant | None, right: Constant | None) -> bool | None:
    if left is None or right is None or type(left) is not type(right):
        return None
    if operator == "==":
        return left == right
    if operator == "!=":
        return left != right
    if isinstance(left, str) and isinstance(right, str):
        return _ordered(operator, left < right, left == right)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return _ordered(operator, left < right, left == right)
    return None


def _ordered(operator: str, less: bool, equal: bool) -> bool:
    return {"<": less, "<=": less or equal, ">": not (less or equal), ">=": not less}[operator]


def _logical(operator: str, left: Constant | None, right: Constant | None) -> bool | None:
    if isinstance(left, bool) and isinstance(right, bool):
        return (left and right) if operator == "and" else (left or right)
    return None


def _is_integer(value: Constant | None) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
