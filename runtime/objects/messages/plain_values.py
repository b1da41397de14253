"""Messages as plain Python values, in the form that Arrow accepts."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from ...format.message_rules import FieldKind, FieldRule
from .descriptors import Descriptor, descriptor_of
from .json_mapping import json_text
from .objects import Message


def values_of(message: Message) -> dict[str, Any]:
    """Return all fields of a message by name: sub-messages as dictionaries, or as JSON text where their fields say so,
    maps as lists of ``{"key": …, "value": …}``, enums as numbers, text with U+FFFD for bytes that are not UTF-8. An
    absent field is its declared default or ``None``."""
    return _values(message, descriptor_of(type(message)))


def value_of(message: Message, name: str) -> Any:
    """Return the value of one field of a message as plain data, as ``values_of`` does. Raises ``KeyError`` for a name
    that is not a field."""
    descriptor = descriptor_of(type(message))
    rule = next((each for each in descriptor.rule.fields if each.name == name), None)
    if rule is None:
        raise KeyError(name)
    return _field(message, rule)


def plain_value(value: Any) -> Any:
    """Return the value of an instance of a message type in the same form."""
    if isinstance(value, Message):
        return values_of(value)
    if isinstance(value, list):
        return [plain_value(each) for each in value]
    if isinstance(value, dict):
        return [{"key": readable(key), "value": plain_value(each)} for key, each in value.items()]
    return int(value) if isinstance(value, IntEnum) else readable(value)


def _values(message: Any, descriptor: Descriptor) -> dict[str, Any]:
    return {rule.name: _field(message, rule) for rule in descriptor.rule.fields}


def _field(message: Any, rule: FieldRule) -> Any:
    value = getattr(message, rule.name)
    if value is None:
        return _plain(rule.default, rule)
    if isinstance(value, dict):
        return _entries(value, rule)
    if isinstance(value, list):
        return [_plain(each, rule) for each in value]
    return _plain(value, rule)


def _entries(entries: Mapping[Any, Any], rule: FieldRule) -> list[dict[str, Any]]:
    return [{"key": readable(key), "value": _plain(value, rule)} for key, value in entries.items()]


def _plain(value: Any, rule: FieldRule) -> Any:
    if rule.json:
        return None if value is None else json_text(value)
    if rule.kind is FieldKind.MESSAGE:
        return None if value is None else _values(value, descriptor_of(type(value)))
    if rule.kind is FieldKind.ENUM:
        return None if value is None else int(value)
    return readable(value)


def readable(value: Any) -> Any:
    """Return the value; text with U+FFFD for bytes that are not UTF-8."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
