"""Which values may be absent: those of attributes with ``if``, of optional fields of messages, and of instances that
pass them on."""

from __future__ import annotations

from ...expression.nodes import Attribute as Member
from ...expression.nodes import Cast, Conditional, Name, Node
from ...expression.walk import walk
from ...model.model import Attribute, Spec, Struct
from ...model.references import Reference
from ...model.types import UserType


def may_be_unmatched(attribute: Attribute) -> bool:
    """Whether a value may be of none of the types that its switch offers."""
    return attribute.switch is not None and all(case.match is not None for case in attribute.switch.cases)


def is_optional_field(attribute: Attribute) -> bool:
    """Whether it is a field of a message whose absence shows."""
    return attribute.message is not None and attribute.message.label == "optional"


def may_be_absent(spec: Spec, struct: Struct, node: Node, inside: frozenset[Reference] = frozenset()) -> bool:
    """Whether an expression in ``struct`` may come to ``None``."""
    match node:
        case Name(id):
            return not has_default(struct, id) and member_may_be_absent(spec, struct, id, inside)
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            holder = spec.struct(value.type.path)
            return not has_default(holder, name) and member_may_be_absent(spec, holder, name, inside)
        case Conditional(_, then, otherwise):
            return any(may_be_absent(spec, struct, each, inside) for each in (then, otherwise))
        case Cast(value):
            return may_be_absent(spec, struct, value, inside)
    return False


def has_default(struct: Struct, name: str) -> bool:
    """Whether a member is a field of a message with a declared default: what expressions take where it is absent."""
    attribute = struct.attribute(name)
    return attribute is not None and attribute.message is not None and attribute.message.default is not None


def member_may_be_absent(spec: Spec, struct: Struct, name: str, inside: frozenset[Reference] = frozenset()) -> bool:
    """Whether a member of ``struct`` may be ``None``; ``inside`` are the instances that the question came through."""
    attribute, instance = struct.attribute(name), struct.instance(name)
    if attribute is not None:
        unmatched = may_be_unmatched(attribute) and attribute.repeat is None
        return attribute.condition is not None or unmatched or is_optional_field(attribute)
    if instance is None or (struct.path, name) in inside:
        return False
    if instance.condition is not None:
        return True
    if struct.message is not None and instance.value is not None:
        # In a message the absence of any field that a value is made of is the absence of the value.
        inside |= {(struct.path, name)}
        return any(may_be_absent(spec, struct, each, inside) for each in walk(instance.value))
    return instance.value is not None and may_be_absent(spec, struct, instance.value, inside | {(struct.path, name)})
