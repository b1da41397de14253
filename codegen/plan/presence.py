"""Optional fields: those that may be absent."""

from __future__ import annotations

from ..expression.nodes import BooleanLiteral
from ..tree import Attribute


def may_be_absent(attribute: Attribute) -> bool:
    """Return whether the field may be absent: it has a condition, may match no case, or is optional."""
    unmatched = may_be_unmatched(attribute) and attribute.repeat is None
    return attribute.condition is not None or unmatched or is_optional_field(attribute)


def may_be_unmatched(attribute: Attribute) -> bool:
    """Return whether a value may have none of the types of its switch."""
    if attribute.switch is None:
        return False
    matches = [case.match for case in attribute.switch.cases]
    both = {each.value for each in matches if isinstance(each, BooleanLiteral)} == {True, False}
    return None not in matches and not both


def is_optional_field(attribute: Attribute) -> bool:
    """Return whether it is a field of a message with explicit presence."""
    return attribute.message is not None and attribute.message.label == "optional"
