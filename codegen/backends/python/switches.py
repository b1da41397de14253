"""Switches as branches: one per group of cases that come to the same, and one for everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...expression.nodes import BooleanLiteral, Node
from ...model.model import Attribute, Switch
from ...plan import Field
from ...plan.build import case_attribute
from .expressions import BIT_OR, OR
from .names import field_name
from .scope import ClassScope
from .view import Lines

Branches = Sequence[tuple[tuple[Node, ...], Lines]]
"""By matches: the statements of a branch."""


def switch_branches(
    scope: ClassScope, attribute: Attribute, switch: Switch, lines_of: Callable[[Attribute], Lines]
) -> Lines:
    """The branches of a switch; ``lines_of`` treats the attribute as it is in one case."""
    groups: list[tuple[tuple[Node, ...], Lines]] = []
    otherwise: Lines = ()
    for case in switch.cases:
        body = lines_of(case_attribute(attribute, case))
        if case.match is None:
            otherwise = body
        elif groups and groups[-1][1] == body:
            groups[-1] = ((*groups[-1][0], case.match), body)
        else:
            groups.append(((case.match,), body))
    return branching(scope, attribute, switch.on, groups, otherwise)


def cases_of(attribute: Attribute) -> tuple[Attribute, ...]:
    """The attribute as it may be: as in each case of its switch, or as it is."""
    cases = attribute.switch.cases if attribute.switch else ()
    return tuple(case_attribute(attribute, case) for case in cases) or (attribute,)


def branching(scope: ClassScope, holder: Attribute | Field, on: Node, branches: Branches, otherwise: Lines) -> Lines:
    """The statements that choose a branch; ``otherwise`` is what is done where nothing matches."""
    if not branches:
        return otherwise
    if all(isinstance(each, BooleanLiteral) for matches, _ in branches for each in matches):
        bodies = {_is_true(each): body for matches, body in branches for each in matches}
        return _on_condition(scope, holder, on, bodies, otherwise)
    variable = f"on_{field_name(holder.id)}"
    translator = scope.translator(holder.position, _on=variable)
    texts = [([translator.text(each, BIT_OR) for each in matches], body) for matches, body in branches]
    conditions = [(f"== {each[0]}" if len(each) == 1 else f"in ({', '.join(each)})", body) for each, body in texts]
    return (
        scope.code("switch", variable=variable, on=scope.text(on, holder), branches=conditions, otherwise=otherwise),
    )


def _on_condition(
    scope: ClassScope, holder: Attribute | Field, on: Node, bodies: dict[bool, Lines], otherwise: Lines
) -> Lines:
    """A switch on what is true or false is a plain condition."""
    translator = scope.translator(holder.position)
    if True not in bodies:
        condition = translator.negation(on)
        return (scope.code("when", condition=condition, body=bodies[False], otherwise=otherwise),)
    condition, other = translator.text(on, OR), bodies.get(False, otherwise)
    return (scope.code("when", condition=condition, body=bodies[True], otherwise=other),)


def _is_true(match: Node) -> bool:
    return isinstance(match, BooleanLiteral) and match.value
