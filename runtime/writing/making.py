"""Conversion of structs of a table to objects of the types that they represent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import Any

import pyarrow as pa

from ..base.errors import WireloomError
from ..base.nearest import unknown
from ..format.description import Column, Format
from ..objects.messages.objects import Message
from ..rows.shapes import Ways, entry_of, stored_type, ways_of
from .message_values import message_of

Make = Callable[[Any], Any]


def maker(format: Format, column: Column) -> Make | None:
    """Return a function that converts a value of the column to that of the attribute; ``None`` if they are the same.

    The function raises ``WireloomError`` for a value that cannot be converted. Timestamps are counts in the values.
    """
    if not column.structs and not column.variants:
        return None
    maps = ways_of(column)
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


def _maker(format: Format, column: Column, maps: Ways, kind: pa.DataType, path: str) -> Make | None:
    """Return a function that converts values of ``kind``, the type that readers store, with lists in place of maps."""
    if pa.types.is_list(kind):
        item = _maker(format, column, maps, kind.value_type, f"{path}.item")
        if item is not None and path in maps:
            return lambda pairs: [item(entry_of(maps, path, key, value)) for key, value in pairs]
        return None if item is None else lambda values: [None if each is None else item(each) for each in values]
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


def _time(absent: int) -> Make:
    def make(count: int) -> int:
        if count == absent:
            raise WireloomError(meaning_absent(count))
        return count

    return make


def _struct(made_of: type[Any], fields: list[tuple[str, str, Make | None]]) -> Make:
    def make(values: Mapping[str, Any]) -> Any:
        given = {}
        for name, attribute, inner in fields:
            value = values.get(name)
            if value is not None:
                given[attribute] = value if inner is None else inner(value)
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
