"""Encoding of the values of one field, without the tag."""

from __future__ import annotations

import struct
from collections.abc import Callable
from operator import index
from typing import Any

from ...format.message_rules import FieldKind, FieldRule
from .kinds import FLOATS, INTEGERS, Integer
from .wire import MASK_64, SMALL, write_varint

Encode = Callable[[Any], bytes]
"""Returns the bytes of one value, without the length of text and bytes. Raises ``TypeError`` or ``ValueError``, which
say what is expected."""


def encoder(rule: FieldRule, kind: FieldKind, check_text: bool) -> Encode:
    """Return the function that encodes values of a field of ``kind``, or keys of a map; not for messages."""
    match kind:
        case FieldKind.BYTES:
            return _bytes
        case FieldKind.STRING:
            return _strict_text if check_text else _text
        case FieldKind.BOOL:
            return _bool
        case FieldKind.FLOAT | FieldKind.DOUBLE:
            return _float(FLOATS[kind])
        case FieldKind.ENUM:
            return _enum(rule.values)
        case FieldKind.MESSAGE:
            return _no_scalar
    integer = INTEGERS[kind]
    if integer.code:
        return _fixed(integer)
    return _varint(integer)


def _varint(integer: Integer) -> Encode:
    least, most, zigzag = integer.least, integer.most, integer.zigzag

    def encode(value: Any) -> bytes:
        number = index(value)
        if not least <= number <= most:
            raise ValueError(f"it is not in the range {least} to {most}")
        if zigzag:
            number = number << 1 ^ number >> 63
        # Negative int32 are sign-extended to 64 bits, so they take ten bytes.
        return write_varint(number & MASK_64)

    return encode


def _fixed(integer: Integer) -> Encode:
    pack, least, most = struct.Struct(f"<{integer.code}").pack, integer.least, integer.most

    def encode(value: Any) -> bytes:
        number = index(value)
        if not least <= number <= most:
            raise ValueError(f"it is not in the range {least} to {most}")
        return pack(number)

    return encode


def _float(code: str) -> Encode:
    pack = struct.Struct(f"<{code}").pack

    def encode(value: Any) -> bytes:
        try:
            return pack(value)
        except struct.error:
            raise TypeError("it is not a number") from None
        except OverflowError:
            raise ValueError("it is too large for a float of 32 bits") from None

    return encode


def _enum(values: tuple[int, ...] | None) -> Encode:
    encode_number = _varint(INTEGERS[FieldKind.ENUM])
    known = None if values is None else frozenset(values)

    def encode(value: Any) -> bytes:
        if known is not None and value not in known:
            raise ValueError("it is not a value of the enum, which is closed")
        return encode_number(value)

    return encode


def _no_scalar(value: Any) -> bytes:
    raise TypeError("it is a message")


def _bool(value: Any) -> bytes:
    if value not in (False, True):
        raise TypeError("it is not a boolean")
    return SMALL[1] if value else SMALL[0]


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError("it is not bytes")
    return bytes(value)


def _strict_text(value: Any) -> bytes:
    if not isinstance(value, str):
        raise TypeError("it is not text")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ValueError("it contains lone surrogates, which UTF-8 cannot encode") from None


def _text(value: Any) -> bytes:
    if not isinstance(value, str):
        raise TypeError("it is not text")
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ValueError("it contains lone surrogates that represent no byte") from None
