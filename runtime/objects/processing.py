"""The transformations that ``process`` names: functions of a field's bytes, and their inverses for writing."""

from __future__ import annotations

import zlib
from itertools import cycle
from typing import Any

from ..base.errors import RoutineError
from ..format.routines import load, require, said
from .errors import InflateError, ProcessError

MAX_DECOMPRESSED = 64 * 1024 * 1024
"""The most bytes that one compressed field may expand to."""


def decompress(data: bytes) -> bytes:
    """``process: zlib``. Raises ``ProcessError`` on a damaged stream, or for more than ``MAX_DECOMPRESSED`` bytes."""
    decompressor = zlib.decompressobj()
    try:
        result = decompressor.decompress(data, MAX_DECOMPRESSED + 1)
    except zlib.error as error:
        raise InflateError(f"not a zlib stream: {error}") from error
    if len(result) > MAX_DECOMPRESSED:
        raise ProcessError(f"a zlib stream of more than {MAX_DECOMPRESSED} bytes", "limit")
    if not decompressor.eof:
        raise InflateError("a zlib stream that ends too early")
    return result


def compress(data: bytes) -> bytes:
    """The inverse of ``decompress``."""
    return zlib.compress(data)


def xor(data: bytes, key: int | bytes) -> bytes:
    """``process: xor(key)``, its own inverse: every byte with the key, or with the key's bytes in turn.

    >>> xor(b"abc", 1), xor(b"abc", b"\\x01\\x02")
    (b'`cb', b'``b')
    """
    if isinstance(key, int):
        return data.translate(bytes(byte ^ key & 0xFF for byte in range(256)))
    return bytes(left ^ right for left, right in zip(data, cycle(key), strict=False)) if key else data


def rotate_left(data: bytes, amount: int) -> bytes:
    """``process: rol(amount)``: each byte's bits rotated towards the high end.

    >>> rotate_left(b"\\x81", 1).hex()
    '03'
    """
    amount %= 8
    return data.translate(bytes((byte << amount & 0xFF) | byte >> (8 - amount) for byte in range(256)))


def rotate_right(data: bytes, amount: int) -> bytes:
    """``process: ror(amount)``, the inverse of ``rotate_left``."""
    return rotate_left(data, -amount)


def undone(data: bytes, place: str, *arguments: Any) -> bytes:
    """``process: package.my_processor(…)``: the bytes that ``decode`` of the class at ``place`` gives.

    ``place``: ``module:Class``, see ``format.routines``. Raises ``ProcessError`` for whatever the routine raises, and
    ``WireloomError`` where there is no such class, it has no such method or it gives no bytes.
    """
    return _called(place, "decode", data, arguments)


def decoded(data: bytes, routine: Any, *arguments: Any) -> bytes:
    """The bytes that ``decode`` of a routine's class gives. As a function, so that the arguments are evaluated after
    ``data`` is read, as Kaitai does: they may ask where the stream stands."""
    result: bytes = routine(*arguments).decode(data)
    return result


def done(data: bytes, place: str, *arguments: Any) -> bytes:
    """The inverse of ``undone``, by ``encode`` of the same class."""
    return _called(place, "encode", data, arguments)


def _called(place: str, method: str, data: bytes, arguments: tuple[Any, ...]) -> bytes:
    kind = load(place)
    require(place, kind, "routine of 'process'", [f"{method}(data)"])
    try:
        result = getattr(kind(*arguments), method)(data)
    except Exception as error:
        # What others wrote may raise anything on damaged bytes.
        reason = "limit" if isinstance(error, MemoryError | RecursionError) else "value"
        raise ProcessError(f"{place}: {said(error)}", reason) from error
    if not isinstance(result, bytes | bytearray | memoryview):
        raise RoutineError(f"{place} is not a routine of 'process': {method}(data) gives {type(result).__name__}")
    return bytes(result)


def encoded(data: bytes, routine: type[Any], *arguments: Any) -> bytes:
    """The bytes that ``encode`` of a routine gives, in modules with Kaitai's API."""
    result: bytes = routine(*arguments).encode(data)
    return result
