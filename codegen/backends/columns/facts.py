"""Path conditions: conditions that hold on the path through the steps on which code runs."""

from __future__ import annotations

from dataclasses import replace

from ...expression.nodes import Comparison, Logical, Name, Node, Unary
from .symbols import Fact, ObjectScope


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


def facts_of(scope: ObjectScope, condition: Node) -> tuple[Fact, ...]:
    """Return the facts that hold if ``condition``, written in ``scope``, is true, including those of the value
    instances that it names."""
    found: list[Fact] = []
    waiting = list(conjuncts(condition))
    while waiting:
        fact = Fact(scope, waiting.pop(0))
        if fact in found:
            continue
        found.append(fact)
        named = scope.struct.instance(fact.condition.id) if isinstance(fact.condition, Name) else None
        if named is not None and named.value is not None and named.condition is None and not named.variable:
            waiting += conjuncts(named.value)
    return tuple(found)


def with_remaining(facts: set[Fact]) -> set[Fact]:
    """Return the facts, extended by the remaining operands of each ``a or b`` that has an operand known not to hold."""
    either = [each for each in facts if isinstance(each.condition, Logical) and each.condition.operator == "or"]
    for each in either:
        assert isinstance(each.condition, Logical)
        sides = each.condition.left, each.condition.right
        for one, other in (sides, sides[::-1]):
            if _is_denied(each.scope, one, facts):
                facts = facts | {Fact(each.scope, part) for part in conjuncts(other)}
    return facts


def _is_denied(scope: ObjectScope, node: Node, facts: set[Fact]) -> bool:
    """Return whether a condition is known not to hold."""
    if isinstance(node, Logical) and node.operator == "or":
        return _is_denied(scope, node.left, facts) and _is_denied(scope, node.right, facts)
    found = {Fact(scope, each) for each in denied(node)}
    return bool(found) and found <= facts
