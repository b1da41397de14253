"""The message types that a table needs."""

from __future__ import annotations

from wireloom.format.message_rules import MessageSet

from ...expression.types import Path, UserType
from ...plan import Field, Plan
from ...wire import MessageField
from ..base import refuse
from ..python.message_rules import message_set


def types_of(plan: Plan, unit: Path) -> MessageSet:
    """The type of a unit and all that its fields lead to, each once; the unit's own is the first."""
    found = [unit]
    for path in found:
        # Grows while it is gone through.
        types = (each.type for each in plan.type(path).fields)
        for each in types:
            if isinstance(each, UserType) and each.path not in found:
                found.append(each.path)
    return message_set(plan, tuple(found))


def field_of(attribute: Field) -> MessageField:
    """Return the field data of an attribute of a message type. Raises ``SpecError`` if it has none."""
    if attribute.message is None:
        refuse(attribute.position, f'"{attribute.id}" is no field of a message')
    return attribute.message
