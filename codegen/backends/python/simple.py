"""Which types are simple: their items can be read out of bytes at hand, without asking the stream for each field."""

from __future__ import annotations

from functools import lru_cache

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
from ...expression.types import BytesType, ListType, Path, StringType, UserType
from ...expression.walk import children
from ...model.encodings import python_codec
from ...model.model import Attribute, ExpressionSize, OwnSize, Struct, TerminatedSize
from .absence import may_be_absent
from .layout import attributes_of, fixed_size, literal_size, nodes, structs
from .module import Module

SAFE = ("+", "-", "*", "&", "|", "^")
"""Operators that have a result for all integers."""


@lru_cache(maxsize=4)
def series_types(module: Module) -> frozenset[Path]:
    """The types whose items are read by their ``_series`` anywhere in the spec."""
    return frozenset(
        each.type.path
        for holder in structs(module.spec.root)
        for each in attributes_of(holder)
        if has_series(module, each) and isinstance(each.type, UserType)
    )


@lru_cache(maxsize=4)
def part_types(module: Module) -> frozenset[Path]:
    """The types of the objects inside such items, at any depth."""
    found: set[Path] = set()
    waiting = list(series_types(module))
    while waiting:
        for each in module.spec.struct(waiting.pop()).attributes:
            if isinstance(each.type, UserType) and each.type.path not in found:
                found.add(each.type.path)
                waiting.append(each.type.path)
    return frozenset(found)


def has_series(module: Module, attribute: Attribute) -> bool:
    """Whether the items of a repeated attribute are of a simple type of the spec: its ``_series`` reads them."""
    kind = attribute.type
    if attribute.repeat is None or attribute.switch or attribute.arguments or attribute.framing or attribute.process:
        return False
    if not isinstance(kind, UserType) or not isinstance(attribute.size, OwnSize) or attribute.valid:
        return False
    return _is_own(module, kind) and is_simple(module, _struct(module, kind))


def is_simple(module: Module, struct: Struct) -> bool:
    """Whether a type has fields of fixed sizes, sized and terminated bytes and texts, objects of such, and no others.

    What their sizes and checks ask for can always be computed, and does not depend on where the stream stands.
    """
    if struct.path not in module.simple:
        # A type that holds itself is none.
        module.simple[struct.path] = False
        module.simple[struct.path] = _has_simple_fields(module, struct)
    return module.simple[struct.path]


def _has_simple_fields(module: Module, struct: Struct) -> bool:
    if module.debug or struct.message is not None or struct.endian is not None:
        return False
    if struct.parameters or not struct.attributes:
        return False
    least = sum(map(module.minimums.of, struct.attributes))
    return least > 0 and all(_is_simple_attribute(module, struct, each) for each in struct.attributes)


def _is_simple_attribute(module: Module, struct: Struct, attribute: Attribute) -> bool:
    if attribute.condition or attribute.repeat or attribute.switch or attribute.process or attribute.arguments:
        return False
    if not all(_is_sure(module, struct, each) for each in nodes(attribute)):
        return False
    if isinstance(attribute.type, UserType):
        plain = isinstance(attribute.size, OwnSize) and not attribute.valid and attribute.parent is None
        return plain and _is_own(module, attribute.type) and is_simple(module, _struct(module, attribute.type))
    if isinstance(attribute.size, ExpressionSize) and isinstance(attribute.size.expression, IntegerLiteral):
        return literal_size(attribute.size) == attribute.size.expression.value
    if isinstance(attribute.type, StringType) and python_codec(attribute.type.encoding or "UTF-8") is None:
        return False
    if fixed_size(attribute) is not None:
        return True
    if not isinstance(attribute.type, BytesType | StringType):
        return False
    if isinstance(attribute.size, TerminatedSize):
        return attribute.terminator is not None and len(attribute.terminator.value) == 1
    return isinstance(attribute.size, ExpressionSize)


def _is_own(module: Module, kind: UserType) -> bool:
    """Whether a type is of this spec, and so has the same root."""
    return not kind.opaque and kind.path[0] == module.spec.root.path[0]


def _struct(module: Module, kind: UserType) -> Struct:
    return module.spec.struct(kind.path)


def _is_sure(module: Module, struct: Struct, node: Node) -> bool:
    """Whether an expression has a value whatever the fields hold, and the same wherever the stream stands."""
    match node:
        case Name("_"):
            return True
        case Name(id):
            attribute, instance = struct.attribute(id), struct.instance(id)
            if instance is not None and instance.value is not None and instance.condition is None:
                if _names(instance.value, {each.id for each in struct.instances}):
                    return False
                return _is_sure(module, struct, instance.value)
            return attribute is not None
        case Member(value, "length" | "size") if isinstance(value.type, BytesType | StringType | ListType):
            return _is_sure(module, struct, value)
        case Member():
            return _is_field(module, struct, node)
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


def _is_field(module: Module, struct: Struct, node: Node) -> bool:
    """Whether an expression is a field of what the item belongs to, or of an object in it: ``_parent.version``."""
    if isinstance(node, Name):
        attribute = struct.attribute(node.id)
        return node.id in ("_parent", "_root") or (attribute is not None and isinstance(attribute.type, UserType))
    if not isinstance(node, Member) or not isinstance(node.value.type, UserType) or node.value.type.opaque:
        return False
    holder = module.spec.struct(node.value.type.path)
    if holder.attribute(node.name) is None or may_be_absent(module, struct, node):
        return False
    return _is_field(module, struct, node.value)
