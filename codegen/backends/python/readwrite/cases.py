"""The value of a field with a switch, typed as one of its cases."""

from __future__ import annotations

from ....plan import Field
from ..scope import ClassScope


def as_case(scope: ClassScope, field: Field, case: Field, value: str) -> str:
    """Return ``value`` cast to the type of a case; a type checker knows it as any of the types of the switch."""
    annotation = scope.annotations.of(case.type)
    # An instance stores ``None`` if no case matches the value.
    may_be_none = value.startswith("self._m_") and field.unmatched
    if annotation == scope.annotations.of(field.type) and not may_be_none:
        return value
    return f"{scope.use('cast')}({annotation!r}, {value})"
