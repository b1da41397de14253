"""Objects of a layout as JSON text, as the keys ``json``, ``columns`` and ``map`` of a spec say.

The text has no spaces. Integers have any size, floats are the shortest text that is parsed as the same number, bytes
base64, enums their numbers, times ISO 8601. What is not there is null.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

from ..base.iso_times import iso_time, time_range
from ..format.message_rules import FieldKind
from .computing import most_computed
from .errors import ComputedError
from .messages import json_mapping
from .messages.objects import Message
from .structs import Struct

KINDS = {bool: FieldKind.BOOL, str: FieldKind.STRING, bytes: FieldKind.BYTES, float: FieldKind.DOUBLE}
"""How values are written; others are integers."""


class _Text:
    """Text that is being made, of at most ``most`` bytes: its names take no bytes of the input."""

    def __init__(self, most: int, size: int = 0) -> None:
        self.most, self.size = most, size
        self.parts: list[str] = []

    def append(self, part: str) -> None:
        """Append a part. Raises ``ComputedError`` if there are too many bytes."""
        self.size += len(part) if part.isascii() else len(part.encode())
        if self.size > self.most:
            raise ComputedError(self.most)
        self.parts.append(part)


def json_text(value: Struct) -> str:
    """Return the JSON text of an object. Raises ``ComputedError`` if it has more bytes than a record may compute."""
    return _text(value, _Text(most_computed()))


def _text(value: Struct, out: _Text) -> str:
    # Objects are as deep as the parser may be: the text needs no stack of its own.
    stack = [_object(value, out)]
    while stack:
        inner = next(stack[-1], None)
        if inner is None:
            stack.pop()
        else:
            stack.append(_object(inner, out))
    return "".join(out.parts)


def _object(value: Any, out: _Text) -> Iterator[Struct]:
    """Write an object; yield each object inside it, to be written next."""
    if isinstance(value, Message):
        out.append(json_mapping.json_text(value))
        return
    opening = "{"
    for name, attribute, *how in type(value)._json or ((each, each) for each in value._fields if each[0] != "_"):
        found = getattr(value, attribute)
        if name:
            out.append(f'{opening}"{name}":')
            opening = ","
        if name or found is not None:
            yield from _value(found, how, out)
        if not name and found is not None:
            return
    out.append("null" if not name else "}")


def _value(value: Any, how: list[str], out: _Text) -> Iterator[Struct]:
    if isinstance(value, list) and how:
        before = "{"
        for each in value:
            key, inner = (reduce(getattr, path.split("."), each) for path in how)
            out.append(before)
            out.append(f"{_name(key, out)}:")
            before = ","
            yield from _value(inner, [], out)
        out.append("{}" if before == "{" else "}")
    elif isinstance(value, list):
        before = "["
        for each in value:
            out.append(before)
            before = ","
            yield from _value(each, [], out)
        out.append("[]" if before == "[" else "]")
    elif isinstance(value, Struct | Message):
        yield value
    else:
        out.append(_scalar(value, how))


def _name(key: Any, out: _Text) -> str:
    """Return the name of a member for a key: its text, or the JSON text of a key of another type."""
    text = _text(key, _Text(out.most, out.size)) if isinstance(key, Struct) else _scalar(key, [])
    return text if text.startswith('"') else json_mapping.scalar_text(FieldKind.STRING, text)


def _scalar(value: Any, how: list[str]) -> str:
    if value is None:
        return "null"
    if how:
        unit, suffix, absent = how
        least, most = time_range(unit)
        is_time = least <= value <= most and str(int(value)) != absent
        return f'"{iso_time(int(value), unit)}{suffix}"' if is_time else "null"
    kind = KINDS.get(type(value))
    return str(int(value)) if kind is None else json_mapping.scalar_text(kind, value)
