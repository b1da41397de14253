"""Describes parts of a spec in the terms of the spec language: types, sizes, repetitions, covered ranges."""

from __future__ import annotations

from ..expression.types import (
    BitsType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    StringType,
    Type,
    UserType,
    VarintType,
)
from ..expression.unparsing import unparse
from ..tree import Attribute, StoredChecksum, literal_size
from ..tree.leaves import (
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    TerminatedSize,
    WithinSize,
)


def hexadecimal(data: bytes) -> str:
    """Return bytes as hexadecimal text, separated by spaces.

    >>> hexadecimal(b"\\xfe\\xfd")
    'FE FD'
    """
    return data.hex(" ").upper()


def qualified(path: tuple[str, ...], spec: str) -> str:
    """Return the name of a type or an enum with those that it is declared in; the spec itself is not named.

    >>> qualified(("log", "batch", "record"), "log"), qualified(("common", "text"), "log"), qualified(("log",), "log")
    ('batch::record', 'common::text', 'log')
    """
    return "::".join(path[1:] if path[0] == spec and len(path) > 1 else path)


def type_of(type: Type, spec: str = "") -> str:
    """Return a type in the terms of the spec language, such as ``u4le``; ``one of several`` if a switch chooses it.

    Args:
        type: The type.
        spec: The name of the spec relative to which names of types are qualified (``batch::record``); empty: only their
            last part is returned.
    """

    def name(path: tuple[str, ...]) -> str:
        return qualified(path, spec) if spec else path[-1]

    match type:
        case IntegerType(size=size, signed=signed, endian=endian):
            return f"{'s' if signed else 'u'}{size}{endian if endian in ('le', 'be') else ''}"
        case FloatType(size=size, endian=endian):
            return f"f{size}{endian if endian in ('le', 'be') else ''}"
        case BitsType(width=width):
            return f"b{width}"
        case VarintType(path=path):
            return name(path)
        case EnumType(path=path, base=base):
            return f"{type_of(base)}, {name(path)}"
        case StringType(encoding=encoding):
            return encoding or "text"
        case UserType(path=path):
            return name(path)
        case BytesType():
            return "bytes"
    return "one of several"


def field_type(field: Attribute, spec: str = "") -> str:
    """Return the type of a field as ``type_of`` does, or its fixed contents in hexadecimal if it has any."""
    return hexadecimal(field.contents) if field.contents is not None else type_of(field.type, spec)


def bits_of(field: Attribute) -> int | None:
    """Return the size of a field in bits if it is the same in every input, else ``None``."""
    if field.repeat is not None or field.condition is not None or field.switch is not None:
        return None
    base, size = field.type.on_wire, literal_size(field.size)
    return base.width if isinstance(base, BitsType) else None if size is None else size * 8


def size_of(field: Attribute) -> str:
    """Return the size of a value in words."""
    type = field.type.on_wire
    match field.size:
        case FixedSize(size=size):
            return str(size)
        case ExpressionSize(expression=expression):
            return unparse(expression)
        case EndOfStreamSize():
            return "to the end"
        case WithinSize(expression=expression):
            return f"in {unparse(expression)}"
        case TerminatedSize():
            end = field.terminator.value if field.terminator is not None else b"\0"
            return f"up to {hexadecimal(end)}"
    if isinstance(type, VarintType):
        return f"1 to {type.most}" if type.most else "1 or more"
    if isinstance(type, BitsType):
        return "1 bit" if type.width == 1 else f"{type.width} bits"
    return "its own"


def repetition(field: Attribute) -> str:
    """Return how often the field occurs; empty for once."""
    match field.repeat:
        case RepeatEos():
            return "× to the end"
        case RepeatCount(expression):
            return f"× {unparse(expression)}"
        case RepeatUntil(expression):
            return f"× until {unparse(expression)}"
    return ""


def condition(field: Attribute) -> str:
    """Return the condition of the field; empty if it has none."""
    return "" if field.condition is None else f"if {unparse(field.condition)}"


def covered(cover: StoredChecksum) -> str:
    """Return the range of a checksum in words."""
    extent = cover.first if cover.first == cover.last else f"{cover.first} … {cover.last}"
    own = "" if cover.replace is None else f", own bytes as {cover.replace:02X}"
    return f"{cover.named} of {extent}{own}"
