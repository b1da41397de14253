"""Derives the Arrow type of a field of a message; types are nested as the messages are."""

from __future__ import annotations

from ...expression.types import BooleanType, IntegerType, Path, StringType, Type, UserType
from ...tree import Attribute, Instance, Spec
from ...wire import Labels, MessageField
from ..base import refuse
from .arrow import TEXT, ArrowType, list_type, scalar_type, struct_type

KEYS: dict[str, Type] = {
    "bool": BooleanType(),
    "string": StringType("UTF-8"),
    **{f"{sign}int{bits}": IntegerType(bits // 8, sign != "u", None) for sign in ("", "u", "s") for bits in (32, 64)},
    **{f"{sign}fixed{bits}": IntegerType(bits // 8, sign == "s", None) for sign in ("", "s") for bits in (32, 64)},
}
"""The types of a map's keys, by their protobuf keywords."""


def message_field_type(spec: Spec, attribute: Attribute, within: tuple[Path, ...] = ()) -> ArrowType:
    """Return the type of the column of a field. ``within``: the message types that it is nested in.

    A message is a struct of all its fields, a repeated field a list, a map a list of structs of ``key`` and ``value``;
    messages of a field with ``json`` are text. Labels apply to whole columns; enums inside lists and structs are their
    numbers. Raises ``SpecError`` if a message type contains itself: such values have no Arrow type.
    """
    field = field_of(attribute)
    repeated = field.label == "repeated"
    nested = bool(within) or repeated
    logical = None if nested and isinstance(attribute.logical, Labels) else attribute.logical
    if field.json:
        item = TEXT
    elif isinstance(attribute.type, UserType):
        item = message_type(spec, attribute.type.path, attribute, within)
    else:
        found = scalar_type(spec, attribute.type, logical)
        if found is None:
            refuse(attribute.position, f'"{attribute.id}" cannot be a column: no Arrow type fits it')
        item = found
    key = field.key
    if key:
        key_type = scalar_type(spec, KEYS[key], None)
        if key_type is None:
            refuse(attribute.position, f'"{attribute.id}" cannot be a column: no Arrow type fits its keys')
        item = struct_type((("key", key_type), ("value", item)))
    return list_type(item) if repeated else item


def message_type(spec: Spec, path: Path, field: Attribute | Instance, within: tuple[Path, ...] = ()) -> ArrowType:
    """Return the struct of a message type, as the value of ``field``. Raises ``SpecError`` if it contains itself."""
    if path in within:
        refuse(
            field.position,
            f'"{field.id}" cannot be part of a column: the message type {"::".join(path)} contains itself,'
            " and Arrow has no recursive types: add 'json: true' to the field that causes this",
        )
    fields = spec.struct(path).attributes
    return struct_type(tuple((each.id, message_field_type(spec, each, (*within, path))) for each in fields), path)


def field_of(attribute: Attribute) -> MessageField:
    """Return the field data of an attribute of a message type. Raises ``SpecError`` if it has none."""
    if attribute.message is None:
        refuse(attribute.position, f'"{attribute.id}" is not a field of a message')
    return attribute.message
