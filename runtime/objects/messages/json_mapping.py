"""Messages as JSON text, in protobuf's own JSON mapping (https://protobuf.dev/programming-guides/json/), and back.

The text has no spaces; fields are in the order of their numbers, entries of maps in the order of their keys, and enums
are numbers. The engine writes the same text (``runtime/engine/message_json.c``).
"""

from __future__ import annotations

import binascii
import json
import math
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

from ...format.message_rules import FieldKind, FieldRule, Label
from .descriptors import descriptor_of
from .errors import MessageError
from .kinds import FLOATS, INTEGERS
from .writing import is_zero

QUOTED = frozenset(kind for kind, each in INTEGERS.items() if each.most > 1 << 32)
"""Kinds whose values are JSON strings: many JSON readers keep only 53 bits of a number."""
WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def name_in_json(rule: FieldRule) -> str:
    """Return the name of a field in JSON."""
    return rule.json_name or json_name(rule.name)


def json_name(name: str) -> str:
    """Return the name that a field has in JSON by default.

    >>> json_name("string_value")
    'stringValue'
    """
    first, *rest = name.split("_")
    return first + "".join(each[:1].upper() + each[1:] for each in rest)


# To text -------------------------------------------------------------------------------------------------------------


def json_text(message: Any) -> str:
    """Return the JSON text of a message, without absent fields, zeros without presence and empty lists."""
    out: list[str] = []
    stack = [_parts(message, out)]
    while stack:
        inner = next(stack[-1], None)
        if inner is None:
            stack.pop()
        else:
            stack.append(_parts(inner, out))
    return "".join(out)


def _parts(message: Any, out: list[str]) -> Iterator[Any]:
    """Write a message; yield each message inside it, to be written next."""
    opening = "{"
    for rule in sorted(descriptor_of(type(message)).rule.fields, key=lambda each: each.number):
        value = getattr(message, rule.name)
        if value is None or (rule.label is Label.REPEATED and not value):
            continue
        if rule.label is Label.IMPLICIT and is_zero(value):
            continue
        out.append(f'{opening}"{name_in_json(rule)}":')
        opening = ","
        if rule.key is not None:
            yield from _map(rule, value, out)
        elif rule.label is Label.REPEATED:
            yield from _items(rule, value, out)
        elif rule.kind is FieldKind.MESSAGE:
            yield value
        else:
            out.append(scalar_text(rule.kind, value, is_hex=rule.hex))
    out.append("{}" if opening == "{" else "}")


def _items(rule: FieldRule, items: list[Any], out: list[str]) -> Iterator[Any]:
    before = "["
    for each in items:
        out.append(before)
        before = ","
        if rule.kind is FieldKind.MESSAGE:
            yield each
        else:
            out.append(scalar_text(rule.kind, each, is_hex=rule.hex))
    out.append("]")


def _map(rule: FieldRule, entries: Mapping[Any, Any], out: list[str]) -> Iterator[Any]:
    assert rule.key is not None
    before = "{"
    for key in sorted(entries, key=_order):
        text = scalar_text(rule.key, key)
        out.append(f"{before}{text}:" if text.startswith('"') else f'{before}"{text}":')
        before = ","
        if rule.kind is FieldKind.MESSAGE:
            yield entries[key]
        else:
            out.append(scalar_text(rule.kind, entries[key], is_hex=rule.hex))
    out.append("}")


def _order(key: Any) -> Any:
    return key.encode("utf-8", "surrogateescape") if isinstance(key, str) else key


def scalar_text(kind: FieldKind, value: Any, *, is_hex: bool = False) -> str:
    """Return the JSON text of a scalar. ``is_hex``: bytes are hexadecimal."""
    if kind is FieldKind.STRING:
        if not value.isascii():
            value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return json.dumps(value, ensure_ascii=False)
    if kind is FieldKind.BYTES:
        return f'"{value.hex() if is_hex else b64encode(value).decode("ascii")}"'
    if kind is FieldKind.BOOL:
        return "true" if value else "false"
    if kind in FLOATS:
        if not math.isfinite(value):
            return f'"{"NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}"'
        return repr(float(value)) if kind is FieldKind.DOUBLE else single(value)
    return f'"{int(value)}"' if kind in QUOTED else str(int(value))


def single(value: float) -> str:
    """Return the shortest text that reads back as the same 32-bit float.

    >>> single(0.10000000149011612)
    '0.1'
    """
    exact, bits = Decimal(value), struct.pack("<f", value)
    for digits in range(1, 10):
        place = Decimal(1).scaleb(exact.adjusted() - digits + 1)
        for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING):
            each = exact.quantize(place, rounding)
            if _single_bits(float(each)) == bits:
                return repr(math.copysign(float(each), value))
    return repr(value)


def _single_bits(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return b""


# From text -----------------------------------------------------------------------------------------------------------


def json_message(kind: type[Any], text: str, place: str = "") -> Any:
    """Return the message of a JSON text. Fields may have their JSON names or those of the spec; 64-bit integers may be
    numbers, enums names; null means absent. Raises ``MessageError`` with the field's path, which begins with
    ``place``."""
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"{text!r:.60} is not valid JSON: {error}", field=place) from None
    return _message(kind, found, place, kind._rule.max_depth)


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no value")


def _message(kind: type[Any], found: Any, place: str, depth: int) -> Any:
    if not isinstance(found, Mapping):
        raise MessageError(f"{found!r:.60} is not an object with the fields of {kind.__qualname__}", field=place)
    if depth < 0:
        raise MessageError(f"messages are nested more than {kind._rule.max_depth} deep", field=place, reason="limit")
    rules = {each.name: each for each in kind._rule.fields}
    rules |= {name_in_json(each): each for each in kind._rule.fields}
    types = kind._types()
    fields: dict[str, Any] = {}
    for name, value in found.items():
        inner = f"{place}.{name}" if place else name
        rule = rules.get(name)
        if rule is None:
            known = ", ".join(map(name_in_json, kind._rule.fields))
            raise MessageError(f"unknown field of {kind.__qualname__}: it has {known}", field=inner)
        if value is not None:
            fields[rule.name] = _field(rule, types.get(rule.name), value, inner, depth)
    return kind(**fields)


def _field(rule: FieldRule, kind: type[Any] | None, value: Any, place: str, depth: int) -> Any:
    if rule.key is not None:
        if not isinstance(value, Mapping):
            raise MessageError(f"{value!r:.60} is not an object of keys and values", field=place)
        return {
            _read(FieldRule("key", 1, rule.key, Label.OPTIONAL), None, json_key(rule.key, key), place): _value(
                rule, kind, each, f"{place}[{key!r}]", depth
            )
            for key, each in value.items()
        }
    if rule.label is not Label.REPEATED:
        return _value(rule, kind, value, place, depth)
    if not isinstance(value, list):
        raise MessageError(f"{value!r:.60} is not a list", field=place)
    return [_value(rule, kind, each, f"{place}[{number}]", depth) for number, each in enumerate(value)]


def json_key(kind: FieldKind, key: str) -> Any:
    """Return the key of a map as the value of a field of its kind."""
    return {"true": True, "false": False}.get(key, key) if kind is FieldKind.BOOL else key


def _value(rule: FieldRule, kind: type[Any] | None, value: Any, place: str, depth: int) -> Any:
    if rule.kind is FieldKind.MESSAGE:
        assert kind is not None
        return _message(kind, value, place, depth - 1)
    return _read(rule, kind, value, place)


def _read(rule: FieldRule, enum: type[Any] | None, value: Any, place: str) -> Any:
    found = scalar_reader(rule, enum)(value)
    if found is None:
        raise MessageError(f"{value!r:.60} is no {rule.kind.name.lower()}", field=place)
    return found


def scalar_reader(rule: FieldRule, enum: type[Any] | None) -> Callable[[Any], Any]:
    """Return the function that returns the value of a field for that of JSON, and ``None`` for what is no value; its
    range is checked when it is written."""
    if rule.kind is FieldKind.ENUM and enum is not None:
        names = _enum_names(enum)
        return lambda value: names[value] if isinstance(value, str) and value in names else _integer(value)
    if rule.kind is FieldKind.BYTES:
        return _hex if rule.hex else _base64
    return _float if rule.kind in FLOATS else READERS.get(rule.kind, _integer)


def _enum_names(enum: type[Any]) -> dict[str, Any]:
    """Return the members of an enum by their names, and by those that protobuf's style guide gives them: ``info``,
    ``INFO`` and ``SEVERITY_NUMBER_INFO``."""
    prefix = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", enum.__name__).upper()
    members = enum.__members__.items()
    return {name: each for key, each in members for name in (key, key.upper(), f"{prefix}_{key.upper()}")}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _bool(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


READERS: Mapping[FieldKind, Callable[[Any], Any]] = {FieldKind.STRING: _text, FieldKind.BOOL: _bool}


def _hex(text: Any) -> bytes | None:
    try:
        return bytes.fromhex(text) if isinstance(text, str) and text.isalnum() else b"" if text == "" else None
    except ValueError:
        return None


def _base64(text: Any) -> bytes | None:
    """Decode base64 of either alphabet, with or without padding."""
    if not isinstance(text, str):
        return None
    plain = text.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    try:
        return b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _float(value: Any) -> float | None:
    if isinstance(value, str) and value in WORDS:
        return WORDS[value]
    try:
        return float(value) if _is_number(value) else None
    except (ValueError, OverflowError):
        return None


def _integer(value: Any) -> int | None:
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return int(value) if _is_number(value) else None
    except ValueError:
        return None


def _is_number(value: Any) -> bool:
    """Return whether a value may be a number: Python also accepts an underscore between digits."""
    return (isinstance(value, str) and "_" not in value) or (
        isinstance(value, int | float) and not isinstance(value, bool)
    )
