"""Conversion of mappings to messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ..format.message_rules import FieldKind, FieldRule, Label
from ..objects.messages.errors import MessageError
from ..objects.messages.json_mapping import json_message
from ..objects.messages.objects import Message


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
        return {key: _value(rule, kind, each, f"{place}[{key!r}]") for key, each in _pairs(value, place)}
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
