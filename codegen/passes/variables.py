"""Variables, and the instances whose values depend on them."""

from __future__ import annotations

from ..expression.nodes import MemberAccess, Name, Node
from ..expression.types import UserType
from ..expression.walk import walk
from ..tree import Instance, Spec, Struct


def variables_of(struct: Struct) -> tuple[Instance, ...]:
    """Return the variables of a type."""
    return tuple(each for each in struct.instances if each.variable)


def follows_variables(spec: Spec, struct: Struct, instance: Instance) -> bool:
    """Return whether the value of an instance depends on variables, directly or through other instances."""
    if not spec.has_variables:
        return False
    waiting, known = [(struct, instance)], set()
    while waiting:
        holder, current = waiting.pop()
        for node in (current.value, current.condition):
            for owner, each in _instances(spec, holder, node):
                if each.variable:
                    return True
                if (owner.path, each.id) not in known:
                    known.add((owner.path, each.id))
                    waiting.append((owner, each))
    return False


def _instances(spec: Spec, struct: Struct, node: Node | None) -> list[tuple[Struct, Instance]]:
    """Return the instances that an expression of a type names, each with its type."""
    found: list[tuple[Struct, Instance | None]] = []
    for each in () if node is None else walk(node):
        if isinstance(each, Name):
            found.append((struct, struct.instance(each.id)))
        elif isinstance(each, MemberAccess) and isinstance(each.value.type, UserType) and not each.value.type.opaque:
            owner = spec.struct(each.value.type.path)
            found.append((owner, owner.instance(each.name)))
    return [(owner, each) for owner, each in found if each is not None]
