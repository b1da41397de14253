"""Which values may be ``None``: those of attributes with ``if``, of optional fields of messages, and of instances that
pass them on. With Kaitai's API an attribute that is absent is not set, so that only instances may be ``None``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...expression.nodes import Attribute as Member
from ...expression.nodes import Cast, Comparison, Conditional, Name, Node, Subscript
from ...expression.types import ListType, UserType
from ...expression.walk import walk
from ...model.model import Instance, Struct
from ...plan import presence
from ...plan.presence import may_be_unmatched
from .api import Api

if TYPE_CHECKING:
    from .module import Module


def may_be_absent(module: Module, struct: Struct, node: Node) -> bool:
    """Whether an expression in ``struct`` may come to ``None``."""
    match node:
        case Name(id):
            return not has_default(struct, id) and member_may_be_absent(module, struct, id)
        case Subscript(value) | Member(value, "first" | "last") if isinstance(value.type, ListType):
            return items_may_be_unmatched(module, struct, value)
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            holder = module.spec.struct(value.type.path)
            return not has_default(holder, name) and member_may_be_absent(module, holder, name)
        case Conditional(_, then, otherwise):
            return any(may_be_absent(module, struct, each) for each in (then, otherwise))
        case Cast(value):
            return may_be_absent(module, struct, value)
    return False


def items_may_be_unmatched(module: Module, struct: Struct, node: Node) -> bool:
    """Whether the list that an expression in ``struct`` stands for may have items of none of its switch's types."""
    match node:
        case Name(id):
            holder, name = struct, id
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            holder = module.spec.struct(value.type.path)
        case _:
            return False
    instance = holder.instance(name)
    attribute = holder.attribute(name) or (instance.attribute if instance is not None else None)
    return attribute is not None and module.api is Api.WIRELOOM and may_be_unmatched(attribute)


def has_default(struct: Struct, name: str) -> bool:
    """Whether a member is a field of a message with a declared default: what expressions take where it is absent."""
    attribute = struct.attribute(name)
    return attribute is not None and attribute.message is not None and attribute.message.default is not None


def member_may_be_absent(module: Module, struct: Struct, name: str) -> bool:
    """Whether a member of ``struct`` may be ``None``."""
    attribute, instance = struct.attribute(name), struct.instance(name)
    if attribute is not None:
        return presence.may_be_absent(attribute) and module.api is Api.WIRELOOM
    if instance is None:
        return False
    key = struct.path, name
    if key not in module.absent:
        # One that stands on itself adds nothing.
        module.absent[key] = False
        module.absent[key] = _instance_may_be_absent(module, struct, instance)
    return module.absent[key]


def _instance_may_be_absent(module: Module, struct: Struct, instance: Instance) -> bool:
    if instance.condition is not None:
        return True
    if instance.attribute is not None:
        return may_be_unmatched(instance.attribute) and instance.attribute.repeat is None
    if instance.value is None:
        return False
    return may_be_absent(module, struct, instance.value) or needs_what_may_be_absent(module, struct, instance.value)


def needs_what_may_be_absent(module: Module, struct: Struct, node: Node) -> bool:
    """Whether an expression of a value instance has no value where something in it is absent.

    Outside of messages ``==`` and ``!=`` take what is absent: it equals nothing.
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
