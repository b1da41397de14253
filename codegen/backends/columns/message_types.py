"""The message types that a table needs."""

from __future__ import annotations

from wireloom.format.message_rules import MessageSet

from ...expression.types import Path
from ...tree import Attribute, Spec
from ...wire import MessageField
from ..base import refuse
from ..python.message_rules import message_set


def types_of(spec: Spec, unit: Path) -> MessageSet:
    """Return the type of a unit and all types that its fields lead to, without duplicates; the unit's own type comes
    first."""
    return message_set(spec, spec.reached([unit]))


def field_of(attribute: Attribute) -> MessageField:
    """Return the field data of an attribute of a message type. Raises ``SpecError`` if it has none."""
    if attribute.message is None:
        refuse(attribute.position, f'"{attribute.id}" is not a field of a message')
    return attribute.message
