"""Checksums in the form that specs describe them: an algorithm, an initial value and a final xor."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable

import crc32c

from .. import engine

MASK = 0xFFFFFFFF

standard_crc32c: Callable[..., int] = engine.crc32c if engine.available else crc32c.crc32c
"""CRC-32C as in iSCSI and ext4, chainable: ``standard_crc32c(data, value)``. The engine's is called more cheaply."""

standard_crc32: Callable[..., int] = zlib.crc32
"""CRC-32 as in zip and Ethernet, chainable: ``standard_crc32(data, value)``."""


def md5(data: bytes) -> bytes:
    """The MD5 (RFC 1321) of ``data``, 16 bytes: against damage, not against forgery."""
    return hashlib.md5(data, usedforsecurity=False).digest()


ALGORITHMS: dict[str, Callable[..., int]] = {"crc32c": standard_crc32c, "crc32": standard_crc32}
"""Both are the chainable standard functions: register = value ^ 0xFFFFFFFF, and the same xor again at the end."""


def checksum(algorithm: str, data: bytes, initial: int = MASK, final_xor: int = MASK) -> int:
    """The checksum of ``data``; ``initial`` and ``final_xor`` as CRC catalogues give them.

    >>> hex(checksum("crc32c", b"123456789"))
    '0xe3069283'
    >>> hex(checksum("crc32", b"123456789"))
    '0xcbf43926'
    """
    return ALGORITHMS[algorithm](data, initial ^ MASK) ^ MASK ^ final_xor


def replaced(data: bytes, begin: int, size: int, value: int) -> bytes:
    """``data`` with ``size`` bytes from ``begin`` on overwritten by ``value``: for a checksum that covers itself."""
    return data[:begin] + bytes((value,)) * size + data[begin + size :]
