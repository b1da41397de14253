"""Path conditions: the conditions of all branches that were taken to reach a step, which therefore hold there."""

from __future__ import annotations

from dataclasses import replace

from ...expression.nodes import Comparison, Logical, Name, Node, Unary
from .symbols import ObjectScope, PathCondition


def conjuncts(node: Node) -> tuple[Node, ...]:
    """Return the conditions that all hold if ``node`` does: both ``a`` and ``b`` for ``a and b``."""
    if isinstance(node, Logical) and node.operator == "and":
        return (*conjuncts(node.left), *conjuncts(node.right))
    return (node,)


def conjuncts_of_negation(node: Node) -> tuple[Node, ...]:
    """Return the conditions known to hold if ``node`` does not: ``a == 1`` for ``a != 1``."""
    match node:
        case Logical("or", left, right):
            return (*conjuncts_of_negation(left), *conjuncts_of_negation(right))
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
