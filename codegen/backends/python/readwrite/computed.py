"""Attributes that ``valid`` allows one value only, which the spec computes: they follow from what that stands on."""

from __future__ import annotations

from dataclasses import replace

from ....expression.nodes import Name, Node
from ....expression.types import IntegerType
from ....expression.walk import walk
from ....model.model import Attribute, Valid
from ....model.solving import is_derivable
from ..names import field_name
from ..scope import ClassScope
from ..validation import check_lines
from ..view import Lines
from .blocks import when
from .questions import asks_stream


def computed_value(attribute: Attribute) -> Node | None:
    """The one value that ``valid`` allows, where that is not always the same."""
    equal = attribute.valid.equal if attribute.valid is not None else None
    if equal is None or attribute.repeat is not None or attribute.switch is not None:
        return None
    return equal if any(isinstance(each, Name) for each in walk(equal)) else None


def follows_late(scope: ClassScope, attribute: Attribute) -> bool:
    """Whether such a value may be known only once sizes and positions are: until then it counts as 0."""
    return computed_value(attribute) is not None and is_derivable(attribute)


def without_late_checks(scope: ClassScope, attribute: Attribute) -> Attribute:
    """The attribute without those of its checks that ``_check`` cannot make where the attribute stands."""
    late = computed_value(attribute) is not None or valid_asks_stream(scope, attribute.valid)
    return replace(attribute, valid=None) if late else attribute


def check_computed(scope: ClassScope, attribute: Attribute, value: str, source: str) -> Lines:
    """Fill in a computed value and check it, as far as no stream has to be asked."""
    expected = computed_value(attribute)
    if expected is None or asks_stream(scope, expected):
        return ()
    name = field_name(attribute.id)
    checks = check_lines(scope, replace(attribute, contents=None), value, source)
    follow = scope.code("readwrite/follow_computed", name=name, value=scope.text(expected, attribute))
    return (follow, when(scope, [f"hasattr(self, {name!r})"], checks))


def late_value(scope: ClassScope, attribute: Attribute, value: str) -> Lines:
    """Fill in a computed value where it is written, and check what a stream has to be asked for."""
    lines: list[str] = []
    expected = computed_value(attribute)
    if expected is not None and not scope.lazy:
        text = scope.text(expected, attribute)
        if not (isinstance(attribute.type, IntegerType) and attribute.type.signed):
            # As long as nothing has its size yet, a difference may be less than nothing.
            text = f"max(0, {text})" if is_derivable(attribute) else text
        lines.append(scope.code("readwrite/follow_now", name=field_name(attribute.id), value=text))
    if valid_asks_stream(scope, attribute.valid):
        source = f"{scope.source}/instances/{attribute.id}" if scope.lazy else _source_of(scope, attribute)
        checks = check_lines(scope, replace(attribute, contents=None), value, source)
        lines.append(when(scope, [f"not {scope.use('is_open')}(io)"], checks))
    return tuple(lines)


def valid_asks_stream(scope: ClassScope, valid: Valid | None) -> bool:
    """Whether a value is held against something that a stream says."""
    if valid is None:
        return False
    parts = (valid.equal, valid.minimum, valid.maximum, *valid.any_of, valid.expression)
    return any(asks_stream(scope, each) for each in parts)


def _source_of(scope: ClassScope, attribute: Attribute) -> str:
    return scope.source_of(scope.struct.attribute(attribute.id) or attribute)
