"""Conversion of structs of a table to objects of the types that they represent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial, reduce
from typing import Any

import pyarrow as pa

from ..base.errors import WireloomError
from ..base.text import unknown
from ..format.description import Column, Format
from ..format.message_rules import FieldKind, FieldRule, Label
from ..objects.messages.errors import MessageError
from ..objects.messages.json_mapping import json_message
from ..objects.messages.objects import Message
from ..rows.decimals import decimal_bytes
from ..rows.maps_and_unions import MapPaths, entry_of, map_paths_of, stored_type


def message_of(kind: type[Message], values: Mapping[str, Any], path: str = "") -> Message:
    """Return a message of a class.

    Nested messages are mappings, repeated fields lists, maps mappings or lists of pairs or of mappings of ``key`` and
    ``value``; ``None`` is an absent field. Raises ``MessageError`` with the path of the field.
    """
    rules = {each.name: each for each in kind._rule.fields}
    types = kind._types()
    fields = {}
    for name, value in values.items():
        # In classes, names reserved by Python have a trailing underscore.
        rule = rules.get(name) or rules.get(f"{name}_")
        place = f"{path}.{name}" if path else name
        if rule is None:
            raise MessageError(f"unknown field of {kind.__qualname__}: it has {', '.join(rules)}", field=place)
        if value is not None:
            fields[rule.name] = _field(rule, types.get(rule.name), value, place)
    return kind(**fields)


def _field(rule: FieldRule, kind: type[Any] | None, value: Any, place: str) -> Any:
    if rule.key is not None:
        found: dict[Any, Any] = {}
        for key, each in _pairs(value, place):
            if key in found:
                raise MessageError("a map has each key once", field=f"{place}[{key!r}]")
            found[key] = _value(rule, kind, each, f"{place}[{key!r}]")
        return found
    if rule.label is not Label.REPEATED:
        return _value(rule, kind, value, place)
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray | memoryview):
        raise MessageError(f"{value!r:.60} is not a list", field=place)
    return [_value(rule, kind, each, f"{place}[{number}]") for number, each in enumerate(value)]


def _value(rule: FieldRule, kind: type[Any] | None, value: Any, place: str) -> Any:
    if value is None:
        raise MessageError("null, but a list or map cannot contain nulls", field=place)
    if rule.kind is FieldKind.MESSAGE:
        assert kind is not None
        if isinstance(value, kind):
            return value
        if rule.json and isinstance(value, str):
            return json_message(kind, value, place)
        if not isinstance(value, Mapping):
            raise MessageError(f"{value!r:.60} is no {kind.__qualname__}: give a mapping of its fields", field=place)
        return message_of(kind, value, place)
    if isinstance(value, Decimal) and value == value.to_integral_value():
        # Spark's type for unsigned integers of 64 bits.
        return int(value)
    return value


def _pairs(value: Any, place: str) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
        return
    for number, each in enumerate(value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [0]):
        if isinstance(each, Mapping) and "key" in each:
            yield each["key"], each.get("value")
        elif isinstance(each, Sequence) and not isinstance(each, str | bytes) and len(each) == 2:
            yield each[0], each[1]
        else:
            raise MessageError(f"{value!r:.60} is neither a mapping nor a list of pairs", field=f"{place}[{number}]")


Make = Callable[[Any], Any]


def maker(format: Format, column: Column) -> Make | None:
    """Return a function that converts a value of the column to that of the attribute; ``None`` if they are the same.

    The function raises ``WireloomError`` for a value that cannot be converted. Timestamps are counts in the values.
    """
    if not (column.structs or column.variants or column.decimals):
        return None
    maps = map_paths_of(column)
    return _maker(format, column, maps, stored_type(format.schema.field(column.name).type, maps), "")


def object_maker(format: Format, made_of: type[Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function that creates an object from the values of its attributes.

    Those of nested structs have names with dots. A struct is absent if all of its values are ``None``.
    """
    classes = {prefix: format.class_of(name) for each in format.columns for prefix, name in each.inside}
    return partial(_nested, made_of, classes, "") if classes else lambda values: made_of(**values)


def _nested(made_of: type[Any], classes: Mapping[str, type[Any]], prefix: str, values: Mapping[str, Any]) -> Any:
    given: dict[str, Any] = {}
    inside: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        first, dot, rest = name.partition(".")
        if dot:
            inside.setdefault(first, {})[rest] = value
        elif value is not None or not prefix:
            given[name] = value
    for first, parts in inside.items():
        way = f"{prefix}{first}."
        given[first] = _nested(classes[way], classes, way, parts) if any(map(is_there, parts.values())) else None
    return made_of(**given)


def is_there(value: Any) -> bool:
    """Return whether a value is not null."""
    return value is not None


def value_at(made: Any, name: str) -> Any:
    """Return the value of an attribute, or of one of a nested struct (with dots); ``None`` if there is none."""
    return reduce(lambda holder, part: getattr(holder, part, None), name.split("."), made)


def check_fields(name: str, given: pa.DataType, wanted: pa.DataType) -> None:
    """Raise ``UnknownNameError`` for a field of a struct that the column's own type does not have, since Arrow ignores
    it when casting.
    """
    if pa.types.is_struct(given) and pa.types.is_struct(wanted):
        known = [each.name for each in wanted]
        for field in given:
            if field.name not in known:
                raise unknown(f"field of column {name}", field.name, known)
            check_fields(f"{name}.{field.name}", field.type, wanted.field(field.name).type)
    elif pa.types.is_map(given) and pa.types.is_map(wanted):
        check_fields(name, given.item_type, wanted.item_type)
    elif hasattr(given, "value_type") and pa.types.is_list(wanted):
        check_fields(name, given.value_type, wanted.value_type)


def counted(kind: pa.DataType) -> pa.DataType:
    """Return the type with integers in place of the timestamps inside it."""
    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_map(kind):
        return pa.map_(kind.key_type, counted(kind.item_type))
    if pa.types.is_list(kind):
        return pa.list_(counted(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(each.name, counted(each.type)) for each in kind])
    return kind


def _maker(format: Format, column: Column, maps: MapPaths, kind: pa.DataType, path: str) -> Make | None:
    """Return a function that converts values of ``kind``, the type that readers store, with lists in place of maps."""
    if pa.types.is_list(kind):
        item = _maker(format, column, maps, kind.value_type, f"{path}.item")
        if item is not None and path in maps:
            return lambda pairs: [item(entry_of(maps, path, key, value)) for key, value in pairs]
        return None if item is None else lambda values: [None if each is None else item(each) for each in values]
    if path in dict(column.decimals):
        return _decimal(kind.precision, dict(column.decimals)[path])
    if path and path in dict(column.absent):
        return _time(dict(column.absent)[path])
    if not pa.types.is_struct(kind):
        return None

    def inner(field: pa.Field) -> Make | None:
        return _maker(format, column, maps, field.type, f"{path}.{field.name}")

    if path in dict(column.variants):
        return _variant(f"{column.name}{path}", {each.name: inner(each) for each in kind})
    made_of = format.class_of(dict(column.structs)[path])
    if issubclass(made_of, Message):
        return partial(message_of, made_of)
    # Names reserved by Python or the base class have a trailing underscore.
    names = {each.name: each.name if each.name in made_of._fields else f"{each.name}_" for each in kind}
    return _struct(made_of, [(each.name, names[each.name], inner(each)) for each in kind])


def meaning_absent(count: int) -> str:
    """Return the reason why a time cannot be written whose count means that there is none: it would be read as null."""
    return f"the count {count} means that there is no time: give null"


def _decimal(digits: int, form: str) -> Make:
    def make(value: Decimal) -> bytes:
        try:
            return decimal_bytes(value, digits, form)
        except ValueError as error:
            raise WireloomError(str(error)) from error

    return make


def _time(absent: int) -> Make:
    def make(count: int) -> int:
        if count == absent:
            raise WireloomError(meaning_absent(count))
        return count

    return make


def _struct(made_of: type[Any], fields: list[tuple[str, str, Make | None]]) -> Make:
    # Conditions of attributes may compare an absent one.
    absent = {each for _, each, _ in fields if "None" in str(made_of.__annotations__.get(each))}

    def make(values: Mapping[str, Any]) -> Any:
        given = {}
        for name, attribute, inner in fields:
            value = values.get(name)
            if value is not None:
                given[attribute] = value if inner is None else inner(value)
            elif attribute in absent:
                given[attribute] = None
        return made_of(**given)

    return make


def _variant(name: str, fields: dict[str, Make | None]) -> Make:
    def make(values: Mapping[str, Any]) -> Any:
        present = [(each, value) for each, value in values.items() if value is not None]
        if len(present) > 1:
            names = ", ".join(each for each, _ in present)
            raise WireloomError(
                f"a value of {name} must have one of several types, but more than one is present: {names}"
            )
        for each, value in present:
            inner = fields[each]
            return value if inner is None else inner(value)
        return None

    return make
