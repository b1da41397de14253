"""The messages of S2, read slowly with a table of their fields: what damaged ones say, or that they are invalid.

As strict as the server: a known field with another wire type is an error, and so is a varint of more than 64 bits.
"""

from __future__ import annotations

from typing import Any

UINT64, BYTES, TEXT = "uint64", "bytes", "text"
ONE, OPTIONAL, MANY = "one", "optional", "many"
DEPTH = 100

Type = dict[int, tuple[str, Any, str]]

POSITION: Type = {1: ("seq_num", UINT64, ONE), 2: ("timestamp", UINT64, ONE)}
HEADER: Type = {1: ("name", BYTES, ONE), 2: ("value", BYTES, ONE)}
APPEND_RECORD: Type = {
    1: ("timestamp", UINT64, OPTIONAL),
    2: ("headers", HEADER, MANY),
    3: ("body", BYTES, ONE),
}
SEQUENCED_RECORD: Type = {
    1: ("seq_num", UINT64, ONE),
    2: ("timestamp", UINT64, ONE),
    3: ("headers", HEADER, MANY),
    4: ("body", BYTES, ONE),
}
TYPES: dict[str, Type] = {
    "read_batch": {1: ("records", SEQUENCED_RECORD, MANY), 2: ("tail", POSITION, OPTIONAL)},
    "append_input": {
        1: ("records", APPEND_RECORD, MANY),
        2: ("match_seq_num", UINT64, OPTIONAL),
        3: ("fencing_token", TEXT, OPTIONAL),
    },
    "append_ack": {
        1: ("start", POSITION, OPTIONAL),
        2: ("end", POSITION, OPTIONAL),
        3: ("tail", POSITION, OPTIONAL),
    },
}
COLUMNS = {
    "read_batch": ["seq_num", "timestamp", "headers", "body"],
    "append_input": ["timestamp", "headers", "body", "match_seq_num", "fencing_token"],
    "append_ack": ["start", "end", "tail"],
}


class BadMessageError(ValueError):
    """These bytes are not a message."""


class CutMessageError(BadMessageError):
    """These bytes end inside a field."""


def is_cut(kind: str, data: bytes) -> bool:
    """Return whether a message ends inside one of its own fields, so that more bytes might complete it."""
    try:
        _message(TYPES[kind], data, 0)
    except CutMessageError:
        return True
    except (BadMessageError, UnicodeDecodeError):
        pass
    return False


def rows_of(kind: str, data: bytes) -> list[dict[str, Any]] | None:
    """Return the rows of a message; ``None`` if it is invalid."""
    try:
        message = _message(TYPES[kind], data, 0)
    except (BadMessageError, UnicodeDecodeError):
        return None
    if kind == "append_ack":
        return [message]
    above = {name: message[name] for name in ("match_seq_num", "fencing_token") if name in message}
    return [{**each, **above} for each in message["records"]]


def _message(fields: Type, data: bytes, depth: int, into: dict[str, Any] | None = None) -> dict[str, Any]:
    if into is None:
        empty: dict[Any, Any] = {UINT64: 0, BYTES: b"", TEXT: ""}
        into = {
            name: [] if label == MANY else None if label == OPTIONAL else empty[kind]
            for name, kind, label in fields.values()
        }
    position = 0
    while position < len(data):
        number, wire_type, position = _tag(data, position)
        if number not in fields:
            position = _skip(data, position, number, wire_type, depth)
            continue
        name, kind, label = fields[number]
        if wire_type != (0 if kind == UINT64 else 2):
            raise BadMessageError(name)
        if kind == UINT64:
            into[name], position = _varint(data, position)
            continue
        piece, position = _piece(data, position)
        if kind in (BYTES, TEXT):
            into[name] = piece if kind == BYTES else piece.decode()
        elif label == MANY:
            into[name].append(_inner(kind, piece, depth + 1))
        else:
            into[name] = _inner(kind, piece, depth + 1, into[name])
    return into


def _inner(fields: Type, data: bytes, depth: int, into: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a message inside another one: all of its bytes are there."""
    try:
        return _message(fields, data, depth, into)
    except CutMessageError as error:
        raise BadMessageError(str(error)) from error


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for number, byte in enumerate(data[position : position + 10]):
        value |= (byte & 0x7F) << 7 * number
        if byte < 0x80:
            if value >> 64:
                break
            return value, position + number + 1
    raise (CutMessageError if len(data) - position < 10 else BadMessageError)("varint")


def _tag(data: bytes, position: int) -> tuple[int, int, int]:
    value, position = _varint(data, position)
    if value >> 32 or value & 7 > 5 or not value >> 3:
        raise BadMessageError("tag")
    return value >> 3, value & 7, position


def _piece(data: bytes, position: int) -> tuple[bytes, int]:
    size, position = _varint(data, position)
    if size > len(data) - position:
        raise CutMessageError("size")
    return data[position : position + size], position + size


def _skip(data: bytes, position: int, number: int, wire_type: int, depth: int) -> int:
    if wire_type == 0:
        return _varint(data, position)[1]
    if wire_type == 2:
        return _piece(data, position)[1]
    if wire_type in (1, 5):
        position += 8 if wire_type == 1 else 4
        if position > len(data):
            raise CutMessageError("fixed")
        return position
    if wire_type == 4 or depth >= DEPTH:
        raise BadMessageError("group")
    while True:
        inner, wire_type, position = _tag(data, position)
        if wire_type == 4:
            if inner != number:
                raise BadMessageError("group")
            return position
        position = _skip(data, position, inner, wire_type, depth + 1)


def varint(value: int) -> bytes:
    """Return a base 128 varint."""
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*made, value))


def field(number: int, value: int | bytes | None) -> bytes:
    """Return a field of a message: a number as a varint, bytes with their length; no bytes for ``None``."""
    if value is None:
        return b""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value
