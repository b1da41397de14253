"""Which values may be ``None``: those of fields with ``if``, of optional fields of messages, and of instances that
refer to them. With Kaitai's API an absent field is not set, so only instances may be ``None``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...expression.nodes import (
    Binary,
    BooleanLiteral,
    Cast,
    Comparison,
    Conditional,
    EnumMember,
    FloatLiteral,
    IntegerLiteral,
    ListLiteral,
    Logical,
    MemberAccess,
    Name,
    Node,
    StringLiteral,
    Subscript,
    Unary,
)
from ...expression.types import ListType, TableType
from ...expression.walk import walk
from ...tree import Instance, Struct
from .names import Api

if TYPE_CHECKING:
    from .module import Module

CERTAIN = (
    BooleanLiteral, Comparison, EnumMember, FloatLiteral, IntegerLiteral, ListLiteral, Logical, StringLiteral, Unary
)  # fmt: skip
"""Expressions that always have a value if their operands have one, in addition to ``_``."""


def may_be_absent(module: Module, struct: Struct, node: Node) -> bool:
    """Return whether the value of an expression in ``struct`` may be ``None``."""
    match node:
        case Subscript(value) | MemberAccess(value, "first" | "last") if isinstance(value.type, ListType):
            return items_may_be_unmatched(module, struct, value)
        case Subscript(Node(type=TableType())):
            return True
        case Conditional(_, then, otherwise):
            return any(may_be_absent(module, struct, each) for each in (then, otherwise))
        case Cast(value):
            return may_be_absent(module, struct, value)
    found = module.spec.member(struct, node)
    return found is not None and not has_default(*found) and member_may_be_absent(module, *found)


def items_may_be_unmatched(module: Module, struct: Struct, node: Node) -> bool:
    """Return whether the list to which an expression in ``struct`` refers may have items that match no case of its
    switch.
    """
    found = module.spec.member(struct, node)
    if found is None:
        return False
    holder, name = found
    instance = holder.instance(name)
    field = holder.attribute(name) or (instance.attribute if instance is not None else None)
    return field is not None and module.api is Api.WIRELOOM and field.unmatched


def has_default(struct: Struct, name: str) -> bool:
    """Return whether a member is a field of a message with a declared default, which expressions use if the field is
    absent.
    """
    field = struct.attribute(name)
    return field is not None and field.message is not None and field.message.default is not None


def member_may_be_absent(module: Module, struct: Struct, name: str) -> bool:
    """Return whether a member of ``struct`` may be ``None``."""
    field, instance = struct.attribute(name), struct.instance(name)
    if field is not None:
        return field.optional and module.api is Api.WIRELOOM
    if instance is None:
        return False
    key = struct.path, name
    if key not in module.absent:
        # An instance that depends on itself contributes nothing.
        module.absent[key] = False
        module.absent[key] = _instance_may_be_absent(module, struct, instance)
    return module.absent[key]


def _instance_may_be_absent(module: Module, struct: Struct, instance: Instance) -> bool:
    if instance.condition is not None:
        return True
    if instance.attribute is not None:
        return instance.attribute.unmatched and instance.attribute.repeat is None
    if instance.value is None:
        return False
    return may_be_absent(module, struct, instance.value) or needs_what_may_be_absent(module, struct, instance.value)


def needs_what_may_be_absent(module: Module, struct: Struct, node: Node) -> bool:
    """Return whether an expression of a value instance has no value if one of its operands is absent.

    Outside messages ``==`` and ``!=`` accept absent operands: an absent value equals nothing.
    """
    if struct.message is None and module.api is not Api.WIRELOOM:
        return False
    parts = list(walk(node))
    compared = {
        id(side)
        for each in parts
        if struct.message is None and isinstance(each, Comparison) and each.operator in ("==", "!=")
        for side in (each.left, each.right)
    }
    return any(may_be_absent(module, struct, each) for each in parts if id(each) not in compared)


def may_fail(type: Struct, node: Node) -> bool:
    """Return whether an expression about a field of a type may have no value: it divides, shifts, takes an item, or
    uses a value that may be absent.
    """
    return any(not isinstance(each, CERTAIN) and not _is_certain(type, each) for each in walk(node))


def _is_certain(type: Struct, node: Node) -> bool:
    if isinstance(node, Name):
        field = type.attribute(node.id)
        return node.id == "_" or (field is not None and not field.optional)
    return isinstance(node, Binary) and node.operator in "+-&|^"
