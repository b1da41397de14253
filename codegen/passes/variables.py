"""Variables, and the instances whose values depend on them."""

from __future__ import annotations

from ..expression.walk import walk
from ..tree import Instance, Spec, Struct


def variables_of(struct: Struct) -> tuple[Instance, ...]:
    """Return the variables of a type."""
    return tuple(each for each in struct.instances if each.variable)


def follows_variables(spec: Spec, struct: Struct, instance: Instance) -> bool:
    """Return whether the value of an instance depends on variables, directly or through other instances.

    Args:
        spec: The spec.
        struct: The type with the instance.
        instance: The instance. Its condition counts like its value.
    """
    if not spec.has_variables:
        return False
    waiting, known = [(struct, instance)], set()
    while waiting:
        holder, current = waiting.pop()
        for node in (current.value, current.condition):
            found = (spec.instance(holder, each) for each in walk(node)) if node is not None else ()
            for owner, each in filter(None, found):
                if each.variable:
                    return True
                if (owner.path, each.id) not in known:
                    known.add((owner.path, each.id))
                    waiting.append((owner, each))
    return False
