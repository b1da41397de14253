"""Messages in JSON → their bytes on the wire, without objects between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ...format.message_rules import FieldKind, FieldRule, Label, WireType
from .descriptors import Descriptor, descriptor_of
from .encoding import encoder
from .errors import MessageError
from .json_mapping import json_key, name_in_json, scalar_reader
from .kinds import LENGTH_DELIMITED, wire_type
from .wire import write_varint

Put = Callable[[Any, list[bytes], int], None]
"""Appends the bytes of a field with a value of JSON. The last argument is how deep messages may be nested in it."""


def json_wire(message_class: type[Any], text: bytes | memoryview) -> bytes:
    """Return the bytes of the message of a JSON text in UTF-8, like those that ``json_message`` makes; unknown fields
    are skipped.

    Raises:
        MessageError: It is not JSON, or no such message; the error names the field.
    """
    try:
        found = json.loads(str(text, "utf-8"))
    except UnicodeDecodeError as error:
        raise MessageError(f"the JSON text is not UTF-8 at its byte {error.start}", reason="encoding") from None
    except (ValueError, RecursionError) as error:
        # What is wrong in a text that ends too early depends on where it ends.
        raise MessageError(f"the text is not valid JSON: {error}", is_truncated=True) from None
    descriptor = descriptor_of(message_class)
    return _message(descriptor, found, descriptor.rule.max_depth)


def _message(descriptor: Descriptor, found: Any, depth: int) -> bytes:
    if not isinstance(found, dict):
        raise MessageError(f"{found!r:.60} is not an object with the fields of {descriptor.rule.name}")
    if depth < 0:
        raise MessageError(f"messages are nested more than {descriptor.rule.max_depth} deep", reason="limit")
    puts, out = _puts(descriptor), list[bytes]()
    for name, value in found.items():
        if value is None or (put := puts.get(name)) is None:
            continue
        try:
            put(value, out, depth)
        except MessageError as error:
            inner = error.field or ""
            error.field = f"{name}{'.' if inner and not inner.startswith('[') else ''}{inner}"
            raise
    return b"".join(out)


@cache
def _puts(descriptor: Descriptor) -> Mapping[str, Put]:
    """Return how each field of a message is put, by its name in JSON and by that of the spec."""
    children = {rule.name: child for rule, child in descriptor.children}
    puts = {each: _put(descriptor, each, children.get(each.name)) for each in descriptor.rule.fields}
    return {name: put for rule, put in puts.items() for name in (rule.name, name_in_json(rule))}


def _put(descriptor: Descriptor, rule: FieldRule, child: Descriptor | None) -> Put:
    put = _scalar(descriptor, rule) if child is None else _nested(rule, child)
    if rule.key is not None:
        return _map(rule.key, put)
    return _several(put) if rule.label is Label.REPEATED else put


def _scalar(descriptor: Descriptor, rule: FieldRule) -> Put:
    members = descriptor.enums.get(rule.name)
    read = scalar_reader(rule, type(next(iter(members.values()))) if members else None)
    encode = encoder(rule, rule.kind, descriptor.rule.check_text)
    tag, is_sized = write_varint(rule.number << 3 | wire_type(rule.kind)), rule.kind in LENGTH_DELIMITED

    def put(value: Any, out: list[bytes], depth: int) -> None:
        found = read(value)
        if found is None:
            raise MessageError(f"{value!r:.60} is no {rule.kind.name.lower()}")
        try:
            data = encode(found)
        except (TypeError, ValueError) as error:
            raise MessageError(f"{value!r:.60} does not fit: {error}") from None
        out.append(tag + write_varint(len(data)) + data if is_sized else tag + data)

    return put


def _nested(rule: FieldRule, child: Descriptor) -> Put:
    tag = write_varint(rule.number << 3 | WireType.LENGTH_DELIMITED)

    def put(value: Any, out: list[bytes], depth: int) -> None:
        data = _message(child, value, depth - 1)
        out.append(tag + write_varint(len(data)) + data)

    return put


def _several(put_one: Put) -> Put:
    def put(value: Any, out: list[bytes], depth: int) -> None:
        if not isinstance(value, list):
            raise MessageError(f"{value!r:.60} is not a list")
        for number, each in enumerate(value):
            try:
                put_one(each, out, depth)
            except MessageError as error:
                error.field = f"[{number}].{error.field}" if error.field else f"[{number}]"
                raise

    return put


def _map(key: FieldKind, put_entry: Put) -> Put:
    """Return how a map is put: each entry is a message of a key and a value."""

    def put(value: Any, out: list[bytes], depth: int) -> None:
        if not isinstance(value, dict):
            raise MessageError(f"{value!r:.60} is not an object of keys and values")
        for name, each in value.items():
            # The entry is no level of its own.
            put_entry({"key": json_key(key, name), "value": each}, out, depth + 1)

    return put
