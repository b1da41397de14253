"""The message types that a table needs."""

from __future__ import annotations

from wireloom.format.message_rules import MessageSet

from ...expression.types import Path, UserType
from ...model.model import Attribute, Spec
from ...wire import MessageField
from ..base import refuse
from ..python.message_rules import message_set


def types_of(spec: Spec, unit: Path) -> MessageSet:
    """The type of a unit and all that its fields lead to, each once; the unit's own is the first."""
    found = [unit]
    for path in found:
        # Grows while it is gone through.
        types = (each.type for each in spec.struct(path).attributes)
        for each in types:
            if isinstance(each, UserType) and each.path not in found:
                found.append(each.path)
    return message_set(spec, tuple(found))


def field_of(attribute: Attribute) -> MessageField:
    """What makes the attribute of a message type a field. Raises ``SpecError`` where it is none."""
    if attribute.message is None:
        refuse(attribute.position, f'"{attribute.id}" is no field of a message')
    return attribute.message
