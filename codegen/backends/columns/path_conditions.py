"""Path conditions: conditions that hold on the path through the steps on which code runs."""

from __future__ import annotations

from dataclasses import replace

from ...expression.nodes import Comparison, Logical, Name, Node, Unary
from .symbols import ObjectScope, PathCondition


def conjuncts(node: Node) -> tuple[Node, ...]:
    """Return the conditions that all hold if ``node`` does: both ``a`` and ``b`` for ``a and b``."""
    if isinstance(node, Logical) and node.operator == "and":
        return (*conjuncts(node.left), *conjuncts(node.right))
    return (node,)


def denied(node: Node) -> tuple[Node, ...]:
    """Return the conditions known to hold if ``node`` does not: ``a == 1`` for ``a != 1``."""
    match node:
        case Logical("or", left, right):
            return (*denied(left), *denied(right))
        case Unary("not", operand):
            return conjuncts(operand)
        case Comparison("==" | "!=" as operator):
            return (replace(node, operator="!=" if operator == "==" else "=="),)
    return ()


def path_conditions_of(scope: ObjectScope, condition: Node) -> tuple[PathCondition, ...]:
    """Return the path conditions that hold if ``condition``, written in ``scope``, is true, including those of the
    value instances that it names."""
    found: list[PathCondition] = []
    waiting = list(conjuncts(condition))
    while waiting:
        path_condition = PathCondition(scope, waiting.pop(0))
        if path_condition in found:
            continue
        found.append(path_condition)
        named = (
            scope.struct.instance(path_condition.condition.id) if isinstance(path_condition.condition, Name) else None
        )
        if named is not None and named.value is not None and named.condition is None and not named.variable:
            waiting += conjuncts(named.value)
    return tuple(found)


def with_remaining(path_conditions: set[PathCondition]) -> set[PathCondition]:
    """Return the path conditions, extended by the remaining operands of each ``a or b`` that has an operand known not
    to hold."""
    either = [
        each for each in path_conditions if isinstance(each.condition, Logical) and each.condition.operator == "or"
    ]
    for each in either:
        assert isinstance(each.condition, Logical)
        sides = each.condition.left, each.condition.right
        for one, other in (sides, sides[::-1]):
            if _is_denied(each.scope, one, path_conditions):
                path_conditions = path_conditions | {PathCondition(each.scope, part) for part in conjuncts(other)}
    return path_conditions


def _is_denied(scope: ObjectScope, node: Node, path_conditions: set[PathCondition]) -> bool:
    """Return whether a condition is known not to hold."""
    if isinstance(node, Logical) and node.operator == "or":
        return _is_denied(scope, node.left, path_conditions) and _is_denied(scope, node.right, path_conditions)
    found = {PathCondition(scope, each) for each in denied(node)}
    return bool(found) and found <= path_conditions
