"""Messages of ROS 1 and ROS 2, by the definitions of their types in a log."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import pyarrow as pa

from ...base.dataclass import dataclass, field
from ...base.errors import UnsupportedError, WireloomError
from .values import LARGEST_EXPANSION, DecodedValues, ValueDecoder, objects_decoded

DEEPEST = 64
"""Maximum nesting of types."""
MOST_TYPES = 10_000
"""Maximum number of types in a message, each as often as it is used."""
NUMBERS = {
    "bool": ("?", pa.bool_()),
    "byte": ("B", pa.uint8()),
    "char": ("B", pa.uint8()),
    "int8": ("b", pa.int8()),
    "uint8": ("B", pa.uint8()),
    "int16": ("h", pa.int16()),
    "uint16": ("H", pa.uint16()),
    "int32": ("i", pa.int32()),
    "uint32": ("I", pa.uint32()),
    "int64": ("q", pa.int64()),
    "uint64": ("Q", pa.uint64()),
    "float32": ("f", pa.float32()),
    "float64": ("d", pa.float64()),
}
BUILT_IN = {
    "time": ["uint32 secs", "uint32 nsecs"],
    "duration": ["int32 secs", "int32 nsecs"],
    "builtin_interfaces/Time": ["int32 sec", "uint32 nanosec"],
    "builtin_interfaces/Duration": ["int32 sec", "uint32 nanosec"],
}
"""The fields of types that definitions may use without defining them."""
SEPARATOR = re.compile(r"^=+[ \t]*\r?\nMSG:[ \t]*(\S+)[ \t]*$", re.MULTILINE)
FIELD = re.compile(r"([\w/]+)(?:<=\d+)?(\[(?:(?:<=)?\d{1,9})?\])?\s+([A-Za-z]\w*)\s*(=?)")
"""A type, whether it is an array, the name, and the sign of a constant."""


@dataclass
class MessageCursor:
    """The place in a message. ``aligns``: whether numbers begin at a multiple of their size, as in CDR."""

    data: bytes
    order: str
    aligns: bool
    at: int = 0
    items: int = 0
    """The number of items of arrays so far."""

    def take(self, letter: str, count: int = 1) -> tuple[Any, ...]:
        """Return numbers. Raises ``WireloomError`` if the message ends before."""
        size = struct.calcsize(f"={letter}")
        begin = self.at + (-self.at % size if self.aligns and count else 0)
        if begin + count * size > len(self.data):
            raise WireloomError("it ends inside a field")
        self.at = begin + count * size
        return struct.unpack_from(f"{self.order}{count}{letter}", self.data, begin)

    def bytes(self, count: int) -> bytes:
        """Return bytes. Raises ``WireloomError`` if the message ends before."""
        begin, self.at = self.at, self.at + count
        if self.at > len(self.data):
            raise WireloomError("it ends inside a field")
        return self.data[begin : self.at]

    def text(self) -> str:
        """Return text, which ends with a zero in CDR. Raises ``WireloomError``."""
        (count,) = self.take("I")
        data = self.bytes(count)
        try:
            return (data.removesuffix(b"\0") if self.aligns else data).decode()
        except UnicodeDecodeError as error:
            raise WireloomError(f"its text is not UTF-8: {error}") from None


Read = Callable[[MessageCursor], Any]
Kind = tuple[pa.DataType, Read]


@dataclass
class Builder:
    """Builds the types of the messages that definitions define: by name, the lines of each."""

    lines: Mapping[str, list[str]]
    count: int = 0
    open: list[str] = field(default_factory=list)
    """The types that are being built."""

    def message(self, name: str) -> Kind:
        """Return the type of a message. Raises ``UnsupportedError``."""
        lines = self.lines.get(name, BUILT_IN.get(name))
        if lines is None:
            raise UnsupportedError(f"the schema does not define {name}")
        if name in self.open or len(self.open) > DEEPEST:
            raise UnsupportedError(f"{name} contains itself, or is nested more than {DEEPEST} times")
        self.open.append(name)
        kinds = dict[str, Kind]()
        for line in lines:
            text = line.partition("#")[0].strip()
            found = FIELD.match(text)
            if text and found is None:
                raise UnsupportedError(f"{text[:80]!r} is no field of a message")
            if found is not None and not found[4]:
                kinds[found[3]] = self._field(found[1], found[2], name.rpartition("/")[0])
        self.open.pop()
        readers = [(each, read) for each, (_, read) in kinds.items()]

        def read(cursor: MessageCursor) -> dict[str, Any]:
            if not readers and cursor.aligns:
                # A struct without fields has a byte in C.
                cursor.take("B")
            return {each: read(cursor) for each, read in readers}

        return pa.struct([(each, kind) for each, (kind, _) in kinds.items()]), read

    def _field(self, name: str, array: str | None, package: str) -> Kind:
        self.count += 1
        if self.count > MOST_TYPES:
            raise UnsupportedError(f"the schema has more than {MOST_TYPES} types")
        letter, kind = NUMBERS.get(name, ("", pa.utf8()))
        if name == "wstring":
            raise UnsupportedError("text of wide characters (wstring) cannot be decoded")
        read: Read = MessageCursor.text if not letter else lambda cursor: cursor.take(letter)[0]
        if not letter and name != "string":
            name = "std_msgs/Header" if name == "Header" else name.replace("/msg/", "/")
            own = f"{package}/{name}"
            kind, read = self.message(own if "/" not in name and own in self.lines else name)
        if array is None:
            return kind, read
        # Bounds of arrays are not on the wire.
        fixed = int(array[1:-1]) if array[1:-1].isdigit() else None
        if letter == "B":
            return pa.binary(), partial(_items, fixed, MessageCursor.bytes)
        if letter:
            return pa.list_(kind), partial(_items, fixed, lambda cursor, count: cursor.take(letter, count))
        return pa.list_(kind), partial(_items, fixed, lambda cursor, count: [read(cursor) for _ in range(count)])


def _items(fixed: int | None, read: Callable[[MessageCursor, int], Any], cursor: MessageCursor) -> Any:
    count = cursor.take("I")[0] if fixed is None else fixed
    cursor.items += count
    if cursor.items > len(cursor.data) + LARGEST_EXPANSION:
        raise WireloomError(f"it claims {count} items")
    return read(cursor, count)


@lru_cache(maxsize=64)
def _kind(name: str, definition: str) -> Kind:
    own, *others = SEPARATOR.split(definition)
    lines = {
        each.replace("/msg/", "/"): text.splitlines() for each, text in zip(others[::2], others[1::2], strict=True)
    }
    name = name.replace("/msg/", "/")
    return Builder({**lines, name: own.splitlines()}).message(name)


@dataclass(frozen=True)
class RosDecoder(ValueDecoder):
    """Implements ``ValueDecoder`` for messages of one type. ``is_cdr``: whether they are of ROS 2."""

    name: str
    definition: str
    is_cdr: bool

    @property
    def type(self) -> pa.DataType:
        """Implement ``ValueDecoder.type``."""
        return _kind(self.name, self.definition)[0]

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Implement ``ValueDecoder.decode``."""
        kind, read = _kind(self.name, self.definition)

        def message(value: bytes) -> Any:
            order, padding = "<", 0
            if self.is_cdr:
                if value[:2] not in (b"\0\0", b"\0\1"):
                    raise WireloomError("it does not begin as CDR does")
                order, padding, value = "<" if value[1] else ">", 3, value[4:]
            cursor = MessageCursor(value, order, self.is_cdr)
            found = read(cursor)
            if cursor.at + padding < len(value):
                raise WireloomError(f"{len(value) - cursor.at} bytes follow its last field")
            return found

        return objects_decoded(values, kind, message, lambda found: pa.array(found, kind))
