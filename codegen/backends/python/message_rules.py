"""Message types as the plain data of ``wireloom.format.message_rules``."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet

from ...expression.types import EnumType, Path, UserType
from ...tree import Attribute, Spec, Struct
from ..base import refuse
from .names import field_name, qualified


def message_paths(spec: Spec) -> tuple[Path, ...]:
    """Return the message types of a spec, outermost first, then those of other specs to which their fields lead."""
    return spec.reached(each.path for each in spec.structs if each.message is not None)


def message_set(spec: Spec, paths: tuple[Path, ...]) -> MessageSet:
    """Return the rules of the types ``paths``, which must include all types to which their fields lead."""
    numbers = {path: number for number, path in enumerate(paths)}
    return MessageSet(tuple(message_rule(spec, spec.struct(path), numbers) for path in paths))


def message_rule(spec: Spec, struct: Struct, numbers: Mapping[Path, int]) -> MessageRule:
    """Return the rule of a message type; ``numbers``: the index of each type in the set.

    Raises ``SpecError`` for a type that is not a message.
    """
    if struct.message is None:
        refuse(struct.position, f"'{struct.path[-1]}' is not a message type")
    return MessageRule(
        name=qualified(struct.path),
        fields=tuple(_field_rule(spec, struct, each, numbers) for each in struct.attributes),
        strict=struct.message.strict,
        check_text=struct.message.syntax != "proto2",
        max_depth=struct.message.max_depth,
    )


def _field_rule(spec: Spec, struct: Struct, field: Attribute, numbers: Mapping[Path, int]) -> FieldRule:
    rule = field.message
    if rule is None:
        refuse(field.position, f"'{field.id}' is not a field of a message")
    values = None
    if isinstance(field.type, EnumType) and struct.message is not None and struct.message.syntax == "proto2":
        # In the order of the spec: the first value is that of an absent field.
        values = tuple(dict.fromkeys(each.value for each in spec.enum(field.type.path).labels))
    return FieldRule(
        name=field_name(field.id),
        number=rule.number,
        kind=FieldKind[rule.kind.upper()],
        label=Label[rule.label.upper()],
        packed=rule.packed,
        default=rule.default,
        oneof=rule.oneof,
        message=numbers[field.type.path] if isinstance(field.type, UserType) else -1,
        key=FieldKind[rule.key.upper()] if rule.key else None,
        values=values,
        json=rule.json,
        json_name=rule.json_name,
        hex=rule.hex,
    )
