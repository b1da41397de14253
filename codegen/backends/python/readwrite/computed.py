"""Attributes for which ``valid`` allows a single value that the spec computes: they are derived from its operands."""

from __future__ import annotations

from dataclasses import replace

from ....expression.nodes import Node
from ....expression.types import IntegerType
from ....expression.walk import names_in
from ....tree import Attribute
from ..names import field_name
from ..scope import ClassScope
from ..statements import when_all
from ..validation import check_lines
from ..view import Lines
from .questions import asks_stream


def computed_value(field: Attribute) -> Node | None:
    """Return the single value that ``valid`` allows, unless it is a constant."""
    equal = field.only
    if equal is None or field.repeat is not None or field.switch is not None:
        return None
    return equal if names_in(equal) else None


def follows_late(scope: ClassScope, field: Attribute) -> bool:
    """Return whether such a value may be known only once sizes and positions are; until then it counts as 0."""
    return computed_value(field) is not None and field.solvable


def without_late_checks(scope: ClassScope, field: Attribute) -> Attribute:
    """Return the field without the checks that ``_check`` cannot make at the field's place."""
    late = computed_value(field) is not None or _asks_stream(scope, field)
    return replace(field, valid=None) if late else field


def _check_valid(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the checks except that of fixed contents."""
    return check_lines(scope, replace(field, contents=None), value)


def check_computed(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the statements that fill in a computed value and check it, unless it depends on a stream."""
    expected = computed_value(field)
    if expected is None or asks_stream(scope, expected):
        return ()
    name = field_name(field.id)
    checks = _check_valid(scope, field, value)
    follow = f"self._follow_computed({name!r}, lambda: {scope.text(expected, field)})"
    return (follow, when_all([f"hasattr(self, {name!r})"], checks))


def late_value(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the statements that fill in a computed value when it is written, and make the checks that depend on a
    stream.
    """
    lines: list[str] = []
    expected = computed_value(field)
    if expected is not None and not scope.lazy:
        text = scope.text(expected, field)
        if not (isinstance(field.type, IntegerType) and field.type.signed):
            # Before sizes are known, a difference may be negative.
            text = f"max(0, {text})" if field.solvable else text
        lines.append(scope.call("follow_now", "io", "self", repr(field_name(field.id)), text))
    if _asks_stream(scope, field):
        checks = _check_valid(scope, field, value)
        lines.append(when_all([f"not {scope.call('is_open', 'io')}"], checks))
    return tuple(lines)


def _asks_stream(scope: ClassScope, field: Attribute) -> bool:
    """Return whether the checks of a value depend on a stream."""
    return any(asks_stream(scope, operand) for each in field.checks for operand in each.operands)
