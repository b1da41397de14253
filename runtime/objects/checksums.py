"""The functions of checksums that generated classes call."""

from __future__ import annotations

from collections.abc import Callable

from .. import checksums


def crc_function(algorithm: str, initial: int | None = None, final_xor: int | None = None) -> Callable[[bytes], int]:
    """Return the function that computes a CRC. ``initial`` and ``final_xor``: those of the algorithm by default.

    >>> hex(crc_function("crc32c")(b"123456789")), hex(crc_function("crc32", 0, 0)(b"123456789"))
    ('0xe3069283', '0x2dfd2d88')
    """
    crc = checksums.crc(algorithm)
    before = crc.final_xor ^ (crc.initial if initial is None else initial)
    after = crc.final_xor ^ (crc.final_xor if final_xor is None else final_xor)
    update = crc.update
    if before == crc.initial ^ crc.final_xor and not after:
        return update
    return lambda data: update(data, before) ^ after


def digest_function(algorithm: str) -> Callable[[bytes], bytes]:
    """Return the function that computes a digest.

    >>> digest_function("md5")(b"").hex()
    'd41d8cd98f00b204e9800998ecf8427e'
    """
    return checksums.digest(algorithm).compute


def replaced(data: bytes, begin: int, size: int, value: int) -> bytes:
    """Return ``data`` with ``size`` bytes from ``begin`` on overwritten by ``value``: for a checksum that covers
    itself."""
    return data[:begin] + bytes((value,)) * size + data[begin + size :]
