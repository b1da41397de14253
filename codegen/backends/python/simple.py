"""Which types are simple: their items can be read out of bytes at hand, without asking the stream for each field."""

from __future__ import annotations

from ...expression.nodes import Attribute as Member
from ...expression.nodes import (
    Binary,
    BooleanLiteral,
    Comparison,
    Conditional,
    EnumMember,
    IntegerLiteral,
    ListLiteral,
    Logical,
    Name,
    Node,
    StringLiteral,
    Unary,
)
from ...expression.walk import children
from ...model.model import Attribute, ExpressionSize, OwnSize, Struct, TerminatedSize
from ...model.types import BytesType, ListType, Path, StringType, UserType
from .absence import may_be_absent
from .api import Api
from .layout import attributes_of, fixed_size, literal_size, minimum_size, nodes, structs
from .module import Module

SAFE = ("+", "-", "*", "&", "|", "^")
"""Operators that have a result for all integers."""


def uses_series(module: Module, path: Path) -> bool:
    """Whether items of a type are read by its ``_series`` anywhere in the spec."""
    return any(
        each.type == UserType(path) and has_series(module, each)
        for holder in structs(module.spec.root)
        for each in attributes_of(holder)
    )


def has_series(module: Module, attribute: Attribute) -> bool:
    """Whether the items of a repeated attribute are of a simple type of the spec: its ``_series`` reads them."""
    kind = attribute.type
    if attribute.repeat is None or attribute.switch or attribute.arguments or attribute.framing or attribute.process:
        return False
    if not isinstance(kind, UserType) or kind.opaque or not isinstance(attribute.size, OwnSize) or attribute.valid:
        return False
    return kind.path[0] == module.spec.root.path[0] and is_simple(module, module.spec.struct(kind.path))


def is_simple(module: Module, struct: Struct) -> bool:
    """Whether a type has fields of fixed sizes, sized and terminated bytes and texts, and nothing else.

    What their sizes and checks ask for can always be computed, and does not depend on where the stream stands.
    """
    if module.api is Api.KAITAI_READ_WRITE or module.debug or struct.message is not None or struct.endian is not None:
        return False
    if struct.parameters or not struct.attributes:
        return False
    least = sum(minimum_size(module.spec, each) for each in struct.attributes)
    return least > 0 and all(_is_simple_attribute(module, struct, each) for each in struct.attributes)


def _is_simple_attribute(module: Module, struct: Struct, attribute: Attribute) -> bool:
    if attribute.condition or attribute.repeat or attribute.switch or attribute.process or attribute.arguments:
        return False
    if not all(_is_sure(module, struct, each) for each in nodes(attribute)):
        return False
    if isinstance(attribute.type, UserType):
        return False
    if isinstance(attribute.size, ExpressionSize) and isinstance(attribute.size.expression, IntegerLiteral):
        return literal_size(attribute.size) == attribute.size.expression.value
    if fixed_size(attribute) is not None:
        return True
    if not isinstance(attribute.type, BytesType | StringType):
        return False
    if isinstance(attribute.size, TerminatedSize):
        return attribute.terminator is not None and len(attribute.terminator.value) == 1
    return isinstance(attribute.size, ExpressionSize)


def _is_sure(module: Module, struct: Struct, node: Node) -> bool:
    """Whether an expression has a value whatever the fields hold, and the same wherever the stream stands."""
    match node:
        case Name("_"):
            return True
        case Name(id):
            attribute, instance = struct.attribute(id), struct.instance(id)
            if instance is not None and instance.value is not None and instance.condition is None:
                others = [each for each in struct.instances if each is not instance]
                return not _names(instance.value, {each.id for each in others}) and _is_sure(
                    module, struct, instance.value
                )
            return attribute is not None
        case Member(value, "length" | "size") if isinstance(value.type, BytesType | StringType | ListType):
            return _is_sure(module, struct, value)
        case Member():
            return _is_field_above(module, struct, node)
        case Binary(operator):
            sure = operator in SAFE
        case IntegerLiteral() | BooleanLiteral() | StringLiteral() | EnumMember() | ListLiteral():
            sure = True
        case Unary() | Comparison() | Logical() | Conditional():
            sure = True
        case _:
            sure = False
    return sure and all(_is_sure(module, struct, each) for each in children(node))


def _names(node: Node, names: set[str]) -> bool:
    if isinstance(node, Name) and node.id in names:
        return True
    return any(_names(each, names) for each in children(node))


def _is_field_above(module: Module, struct: Struct, node: Node) -> bool:
    """Whether an expression is a field, read before, of what the item belongs to: ``_parent.version``."""
    if isinstance(node, Name):
        return node.id in ("_parent", "_root")
    if not isinstance(node, Member) or not isinstance(node.value.type, UserType) or node.value.type.opaque:
        return False
    holder = module.spec.struct(node.value.type.path)
    if holder.attribute(node.name) is None or may_be_absent(module, struct, node):
        return False
    return _is_field_above(module, struct, node.value)
