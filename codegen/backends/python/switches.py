"""Switches as branches: one for each group of cases with the same statements, and one for all other values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...expression.nodes import BooleanLiteral, Node
from ...tree import Attribute, Switch
from .expressions import BIT_OR, OR
from .names import field_name
from .scope import ClassScope
from .statements import branched, when
from .view import Lines

Branches = Sequence[tuple[tuple[Node, ...], Lines]]
"""Pairs of the matches and the statements of a branch."""


def switch_branches(
    scope: ClassScope, field: Attribute, switch: Switch, lines_of: Callable[[Attribute], Lines]
) -> Lines:
    """Return the branches of a switch; ``lines_of`` returns the statements for the field in one of its cases."""
    groups: list[tuple[tuple[Node, ...], Lines]] = []
    for matches, form in switch.branches:
        body = lines_of(form)
        if groups and groups[-1][1] == body:
            groups[-1] = ((*groups[-1][0], *matches), body)
        else:
            groups.append((matches, body))
    otherwise: Lines = () if switch.otherwise is None else lines_of(switch.otherwise)
    return branching(scope, field, switch.on, groups, otherwise)


def branching(scope: ClassScope, holder: Attribute, on: Node, branches: Branches, otherwise: Lines) -> Lines:
    """Return the statements that select a branch; ``otherwise`` is executed if nothing matches."""
    if not branches:
        return otherwise
    if all(isinstance(each, BooleanLiteral) for matches, _ in branches for each in matches):
        bodies = {_is_true(each): body for matches, body in branches for each in matches}
        return _on_condition(scope, holder, on, bodies, otherwise)
    variable = f"on_{field_name(holder.id)}"
    translator = scope.translator(holder.position, _on=variable)
    texts = [([translator.text(each, BIT_OR) for each in matches], body) for matches, body in branches]
    conditions = [(f"== {each[0]}" if len(each) == 1 else f"in ({', '.join(each)})", body) for each, body in texts]
    return (f"{variable} = {scope.text(on, holder)}", branched(variable, conditions, otherwise))


def _on_condition(scope: ClassScope, holder: Attribute, on: Node, bodies: dict[bool, Lines], otherwise: Lines) -> Lines:
    """Return the statements of a switch on a boolean: a plain condition."""
    translator = scope.translator(holder.position)
    if True not in bodies:
        return (when(translator.negation(on), bodies[False], otherwise),)
    return (when(translator.text(on, OR), bodies[True], bodies.get(False, otherwise)),)


def _is_true(match: Node) -> bool:
    return isinstance(match, BooleanLiteral) and match.value
