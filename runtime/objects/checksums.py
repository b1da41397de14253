"""The checksum functions that generated classes call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import checksums


def checksum_function(algorithm: str, initial: int | None = None, final_xor: int | None = None) -> Callable[..., Any]:
    """Return the function that computes a checksum; its second argument, if given, is the checksum of the preceding
    bytes. Digests are bytes. ``initial`` and ``final_xor`` default to those of the algorithm.

    >>> hex(checksum_function("crc32c")(b"123456789")), hex(checksum_function("crc32", 0, 0)(b"123456789"))
    ('0xe3069283', '0x2dfd2d88')
    >>> checksum_function("md5")(b"").hex()
    'd41d8cd98f00b204e9800998ecf8427e'
    """
    return checksums.function(checksums.algorithm(algorithm, initial, final_xor))


def replaced(data: bytes, begin: int, size: int, value: int) -> bytes:
    """Return ``data`` with ``size`` bytes from ``begin`` on overwritten by ``value``, for a checksum that covers
    itself."""
    return data[:begin] + bytes((value,)) * size + data[begin + size :]
