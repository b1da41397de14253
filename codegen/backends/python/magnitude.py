"""Maximum number of bits of the integers in an expression: where it is small, products and shifts need no check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireloom.base.limits import MAX_INTEGER_BITS

from ...expression.nodes import (
    Binary,
    BooleanLiteral,
    Conditional,
    IntegerLiteral,
    MemberAccess,
    Node,
    Subscript,
    Unary,
)
from ...expression.types import BitsType, BytesType, EnumType, IntegerType, ListType, Type, UserType, VarintType
from ...tree import Struct

if TYPE_CHECKING:
    from .module import Module

LENGTH_BITS = 63
"""Number of bits of sizes of objects in memory."""


def may_outgrow(module: Module, struct: Struct, node: Node) -> bool:
    """Return whether an integer expression in ``struct`` may have more than ``MAX_INTEGER_BITS`` bits.

    Nothing is known about value instances.
    """
    bits = _bits(module, struct, node)
    return bits is None or bits > MAX_INTEGER_BITS


def _bits(module: Module, struct: Struct, node: Node) -> int | None:
    """Return the maximum number of bits of an integer; ``None`` if it is not known."""
    match node:
        case IntegerLiteral(value):
            return value.bit_length()
        case BooleanLiteral():
            return 1
        case Unary(_, operand):
            return _sum(_bits(module, struct, operand), 1)
        case Conditional(_, then, otherwise):
            return _larger(_bits(module, struct, then), _bits(module, struct, otherwise))
        case Binary("*", left, right):
            return _sum(_bits(module, struct, left), _bits(module, struct, right))
        case Binary("<<", left, IntegerLiteral(value)):
            return _sum(_bits(module, struct, left), value)
        case Binary("/" | ">>", left, _):
            return _sum(_bits(module, struct, left), 1)
        case Binary("+" | "-" | "|" | "^" | "&" | "%", left, right):
            return _sum(_larger(_bits(module, struct, left), _bits(module, struct, right)), 1)
        case MemberAccess(value, "size" | "length") if not isinstance(value.type, UserType):
            return LENGTH_BITS
        case MemberAccess(value, "to_i") if isinstance(value.type, EnumType):
            return _bits(module, struct, value)
        case Subscript(value) if isinstance(value.type, BytesType):
            return 8
        case Subscript(value) | MemberAccess(value, "first" | "last") if isinstance(value.type, ListType):
            kind = _read(module, struct, value)
            return _bits_of(kind.item) if isinstance(kind, ListType) else None
        case _:
            return _bits_of(_read(module, struct, node))


def _read(module: Module, struct: Struct, node: Node) -> Type | None:
    """Return the type of a field that is read; ``None`` for anything else, such as instances and parameters."""
    found = module.spec.member(struct, node)
    return node.type if found is not None and found[0].attribute(found[1]) is not None else None


def _bits_of(kind: Type | None) -> int | None:
    match kind:
        case EnumType(base=base):
            return _bits_of(base)
        case IntegerType(size):
            return 8 * size
        case BitsType(width):
            return width
        case VarintType():
            return kind.limits[1].bit_length() + 1
    return None


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _larger(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else max(left, right)
