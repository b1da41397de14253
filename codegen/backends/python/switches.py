"""Switches as branches: one per group of cases that come to the same, and one for everything else."""

from __future__ import annotations

from collections.abc import Callable

from ...expression.nodes import BooleanLiteral
from ...model.model import Attribute, Switch, SwitchCase
from ...plan.build import case_attribute
from .expressions import BIT_OR, OR
from .names import field_name
from .scope import ClassScope
from .view import Line, Lines, block


def switch_branches(
    scope: ClassScope,
    attribute: Attribute,
    switch: Switch,
    lines_of: Callable[[Attribute], Lines],
    otherwise: Lines = (),
) -> Lines:
    """The branches of a switch; ``lines_of`` treats the attribute as it is in one case.

    ``otherwise``: what is done where no case takes the value, unless the cases take every value.
    """
    groups: list[tuple[list[SwitchCase], Lines]] = []
    for case in switch.cases:
        body = lines_of(case_attribute(attribute, case))
        if case.match is None:
            otherwise = body
        elif groups and groups[-1][1] == body:
            groups[-1][0].append(case)
        else:
            groups.append(([case], body))
    if not groups:
        return otherwise
    if all(isinstance(case.match, BooleanLiteral) for case in switch.cases if case.match is not None):
        return _on_condition(
            scope, attribute, switch, {_truth(case): body for cases, body in groups for case in cases}, otherwise
        )
    return _on_value(scope, attribute, switch, groups, otherwise)


def _on_value(
    scope: ClassScope,
    attribute: Attribute,
    switch: Switch,
    groups: list[tuple[list[SwitchCase], Lines]],
    otherwise: Lines,
) -> Lines:
    on = f"on_{field_name(attribute.id)}"
    translator = scope.translator(attribute.position, _on=on)
    lines = [Line(f"{on} = {scope.text(switch.on, attribute)}")]
    for cases, body in groups:
        matches = [translator.text(case.match, BIT_OR) for case in cases if case.match is not None]
        condition = f"{on} == {matches[0]}" if len(matches) == 1 else f"{on} in ({', '.join(matches)})"
        lines.append(block(f"{'el' if len(lines) > 1 else ''}if {condition}:", body))
    return (*lines, block("else:", otherwise)) if otherwise else tuple(lines)


def _on_condition(
    scope: ClassScope, attribute: Attribute, switch: Switch, bodies: dict[bool, Lines], otherwise: Lines
) -> Lines:
    """A switch on what is true or false is a plain condition."""
    translator = scope.translator(attribute.position)
    if True not in bodies:
        lines = block(f"if {translator.negation(switch.on)}:", bodies[False])
        return (lines, block("else:", otherwise)) if otherwise else (lines,)
    other = bodies.get(False, otherwise)
    lines = block(f"if {translator.text(switch.on, OR)}:", bodies[True])
    return (lines, block("else:", other)) if other else (lines,)


def _truth(case: SwitchCase) -> bool:
    return isinstance(case.match, BooleanLiteral) and case.match.value
