"""Bytes and values as they are written in cases.

Bytes are pieces with spaces between them:

- ``0a ff00`` in hex; ``'text'`` in UTF-8, with Python's escapes if it is ASCII;
- ``u2:300``, ``s4be:-1,5``: numbers of Kaitai's types, by default in the byte order of the spec;
- ``v:300``: a varint, the lowest group first; ``z:-3``: the same of a zigzag number;
- ``$name``: a piece of the file;
- ``*9`` after any of them repeats it, also after a group in parentheses;
- ``len.u2(…)``: a group after its length, ``crc32.u4(…)``, ``sha256(…)``: after its checksum; with ``.after``
  before it, with ``.only`` without the group; ``zstd(…)`` and the other codecs of blocks: compressed.
"""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from wireloom.checksums import algorithm, function
from wireloom.codecs import BLOCK_CODECS

TOKEN = re.compile(
    r"""\s*(?:(?P<close>\))|(?P<text>'(?:[^'\\]|\\.)*')|(?P<type>[usf][1248](?:le|be)?|[vz]):(?P<values>[-\w.,]+)"""
    r"""|\$(?P<name>\w+)|(?P<hex>(?:[0-9a-fA-F]{2})+)(?![\w.])|(?P<before>[\w.-]*)\()(?:\*(?P<times>\d+))?"""
)
CODES = dict(zip(("u1", "u2", "u4", "u8", "s1", "s2", "s4", "s8", "f4", "f8"), "BHIQbhiqfd", strict=True))


def varint(value: int) -> bytes:
    groups = [value >> shift & 127 for shift in range(0, max(1, value.bit_length()), 7)]
    return bytes([*(each | 128 for each in groups[:-1]), groups[-1]])


def number(kind: str, value: str, order: str) -> bytes:
    """Return a number in bytes; ``order``: that of types that name none."""
    if kind in "vz":
        whole = int(value, 0)
        return varint(whole if kind == "v" else whole << 1 ^ whole >> 63 if abs(whole) < 1 << 63 else whole << 1)
    sign = "<" if (kind[2:] or order) == "le" else ">"
    code = CODES[kind[:2]]
    return struct.pack(sign + code, float(value) if code in "fd" else int(value, 0))


def bytes_of(text: str, order: str = "le", pieces: Mapping[str, str] | None = None) -> bytes:
    """Return the bytes that a text stands for.

    >>> bytes_of("len.u2be('abc')*2 (00 ff)*2 v:300 $x", pieces={"x": "s1:-2"}).hex(" ")
    '00 03 61 62 63 00 03 61 62 63 00 ff 00 ff ac 02 fe'
    """
    place = 0

    def group() -> Iterator[bytes]:
        nonlocal place
        while text[place:].strip():
            found = TOKEN.match(text, place)
            if found is None:
                raise ValueError(f"no bytes: {text[place : place + 40]!r}")
            if found["close"]:
                place = found.end("close")
                return
            place = found.end()
            if found["before"] is not None:
                data = applied(found["before"], b"".join(group()), order)
                if times := re.compile(r"\*(\d+)").match(text, place):
                    place = times.end()
                    data *= int(times[1])
            elif found["text"]:
                data = (
                    ast.literal_eval("b" + found["text"]) if found["text"].isascii() else found["text"][1:-1].encode()
                )
            elif found["name"]:
                data = bytes_of((pieces or {})[found["name"]], order, pieces)
            elif found["hex"]:
                data = bytes.fromhex(found["hex"])
            else:
                data = b"".join(number(found["type"], each, order) for each in found["values"].split(","))
            yield data * int(found["times"] or 1)

    return b"".join(group())


def applied(before: str, data: bytes, order: str) -> bytes:
    """Return a group with what is written before it: its length, its checksum or a codec."""
    if not before:
        return data
    if before in BLOCK_CODECS:
        return BLOCK_CODECS[before].compress(data)
    name, kind, place = [*before.split("."), "", ""][:3]
    if name == "len":
        value = number(kind, str(len(data)), order)
    elif algorithm(name).is_digest:
        value, place = function(algorithm(name))(data), place or kind
    else:
        value = number(kind, str(function(algorithm(name))(data)), order)
    return value if place == "only" else data + value if place == "after" else value + data


def written(data: bytes) -> str:
    """Return bytes in the notation: text where they are text, and hex; what is repeated once."""
    parts = []
    for found in re.finditer(rb"([ -~]{3,})|(.)\2{5,}|(?:(?![ -~]{3}|(.)\3{5}).)+", data, re.DOTALL):
        piece = found[0]
        if found[1]:
            inside = piece.decode().replace("\\", "\\\\").replace("'", "\\'")
            parts.append(f"'{inside}'")
        elif found[2]:
            parts.append(f"{found[2].hex()}*{len(piece)}")
        else:
            parts.append(piece.hex())
    return " ".join(parts)


def shown(value: Any) -> Any:
    """Return a value of a row as it is written in cases: bytes as the text ``b'…'``, floats that are no numbers as
    text."""
    if isinstance(value, bytes):
        return repr(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, list | tuple):
        return [shown(each) for each in value]
    if isinstance(value, dict):
        return {key: shown(each) for key, each in value.items()}
    return value


def meant(value: Any) -> Any:
    """Return the value that is written in a case.

    >>> meant([{"a": "b'x\\\\0'"}, shown(b"''")])
    [{'a': b'x\\x00'}, b"''"]
    """
    if isinstance(value, str) and re.fullmatch(r"""b('|").*\1""", value, re.DOTALL):
        return ast.literal_eval(value)
    if isinstance(value, list):
        return [meant(each) for each in value]
    return {key: meant(each) for key, each in value.items()} if isinstance(value, dict) else value


def fitting(value: Any, kind: pa.DataType) -> Any:
    """Return a value with pairs as Arrow takes them where the type is a map."""
    if pa.types.is_struct(kind) and isinstance(value, dict):
        return {key: fitting(each, _type_of(kind, key)) for key, each in value.items()}
    if pa.types.is_map(kind) and isinstance(value, list):
        return [(each[0], fitting(each[1], kind.item_type)) if isinstance(each, list) else each for each in value]
    return (
        [fitting(each, kind.value_type) for each in value]
        if isinstance(value, list) and pa.types.is_list(kind)
        else value
    )


def _type_of(kind: pa.StructType, name: str) -> pa.DataType:
    place = kind.get_field_index(name)
    return pa.null() if place < 0 else kind.field(place).type
