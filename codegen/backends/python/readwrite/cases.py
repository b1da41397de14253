"""The value of an attribute with a switch, as one of its cases has it."""

from __future__ import annotations

from ....model.model import Attribute
from ....plan.presence import may_be_unmatched
from ..scope import ClassScope


def as_case(scope: ClassScope, attribute: Attribute, case: Attribute, value: str) -> str:
    """``value`` for a type checker, which knows it as any of the types of the switch."""
    annotation = scope.annotations.of(case.type)
    # An instance keeps ``None`` where no case takes the value.
    may_be_none = value.startswith("self._m_") and may_be_unmatched(attribute)
    if annotation == scope.annotations.of(attribute.type) and not may_be_none:
        return value
    return f"{scope.use('cast')}({annotation!r}, {value})"
