"""Functions that compute checksums: those of the engine and of hashlib, and portable ones without the engine."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from .. import engine
from ..base.extras import require
from .catalogue import Algorithm, Family

Function = Callable[..., Any]
"""Takes bytes and, optionally, the checksum of the preceding bytes. Digests take only bytes, and return bytes."""


def function(algorithm: Algorithm) -> Function:
    """Return the function that computes a checksum: ``function(data)``, or ``function(data, value)`` where ``value`` is
    the checksum of the preceding bytes (for xxHash, the seed).

    Raises:
        MissingExtraError: For xxHash without the engine, if the package xxhash is not installed.
    """
    return _function(algorithm, engine.available)


@lru_cache(maxsize=256)
def _function(algorithm: Algorithm, by_engine: bool) -> Function:
    if algorithm.family in DIGESTS:
        return DIGESTS[algorithm.family](algorithm)
    if by_engine:
        return engine.checksum(algorithm.packed())
    if algorithm.packed() == CRC32C:
        # Imported here: the import is slow, and the engine does not need it.
        import crc32c

        return crc32c.crc32c
    standard = STANDARD.get(algorithm.packed())
    return standard or WRITTEN_OUT[algorithm.family](algorithm)


def _hashlib(name: str) -> Callable[[Algorithm], Function]:
    def of(algorithm: Algorithm) -> Function:
        # Imported here: it loads OpenSSL, and few formats have digests.
        import hashlib

        return lambda data: hashlib.new(name, data, usedforsecurity=False).digest()

    return of


def _twice(algorithm: Algorithm) -> Function:
    digest = _hashlib("sha256")(algorithm)
    return lambda data: digest(digest(data))


DIGESTS: dict[Family, Callable[[Algorithm], Function]] = {
    Family.MD5: _hashlib("md5"),
    Family.SHA1: _hashlib("sha1"),
    Family.SHA256: _hashlib("sha256"),
    Family.SHA256D: _twice,
}
ONES = 0xFFFFFFFF
CRC32C = Algorithm("", Family.CRC, 32, 1, True, True, 0x1EDC6F41, ONES, ONES).packed()
STANDARD: dict[bytes, Function] = {
    Algorithm("", Family.CRC, 32, 1, True, True, 0x04C11DB7, ONES, ONES).packed(): zlib.crc32,
    Algorithm("", Family.ADLER, 32, initial=1).packed(): zlib.adler32,
}


# Without the engine ---------------------------------------------------------------------------------------------------


def reflected(value: int, width: int) -> int:
    """Return the low ``width`` bits of a number in the opposite order.

    >>> bin(reflected(0b0011, 4))
    '0b1100'
    """
    return int(f"{value:0{width}b}"[::-1], 2)


def _crc(algorithm: Algorithm) -> Function:
    """Return a table-driven CRC. The register is kept reflected; for algorithms that are not, the bits of each byte are
    reversed instead."""
    width, final = algorithm.width, algorithm.final_xor
    polynomial = reflected(algorithm.polynomial, width)
    states = []
    for state in range(256):
        for _ in range(8):
            state = state >> 1 ^ (polynomial if state & 1 else 0)
        states.append(state)
    order = bytes(range(256)) if algorithm.reflect_in else bytes(reflected(byte, 8) for byte in range(256))
    turned: Callable[[int], int] = (
        (lambda state: state) if algorithm.reflect_out else lambda state: reflected(state, width)
    )
    empty = turned(reflected(algorithm.initial, width)) ^ final

    def compute(data: bytes, value: int = empty) -> int:
        state = turned((value ^ final) & ((1 << width) - 1))
        for byte in bytes(data).translate(order):
            state = state >> 8 ^ states[(state ^ byte) & 0xFF]
        return turned(state) ^ final

    return compute


def _words(data: bytes, unit: int, order: Any) -> list[int]:
    data = bytes(data)
    padded = data + bytes(-len(data) % unit)
    return [int.from_bytes(padded[at : at + unit], order) for at in range(0, len(padded), unit)]


def _fletcher(algorithm: Algorithm) -> Function:
    half = algorithm.width // 2
    mask = (1 << half) - 1
    modulus = mask + (algorithm.family is Family.FLETCHER_256)

    def compute(data: bytes, value: int = algorithm.initial) -> int:
        low, high = value & mask, value >> half & mask
        for word in _words(data, algorithm.unit, "little"):
            low = (low + word) % modulus
            high = (high + low) % modulus
        return high << half | low

    return compute


def _sum(algorithm: Algorithm) -> Function:
    order = "little" if algorithm.family is Family.SUM_LE else "big"
    mask = (1 << algorithm.width) - 1

    def compute(data: bytes, value: int = algorithm.initial) -> int:
        return (value + sum(_words(data, algorithm.unit, order))) & mask

    return compute


def _xor(algorithm: Algorithm) -> Function:
    def compute(data: bytes, value: int = algorithm.initial) -> int:
        for byte in bytes(data):
            value ^= byte
        return value & 0xFF

    return compute


def _internet(algorithm: Algorithm) -> Function:
    final = algorithm.final_xor

    def compute(data: bytes, value: int = algorithm.initial ^ final) -> int:
        total = ((value ^ final) & 0xFFFF) + sum(_words(data, 2, "big"))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        return total ^ final

    return compute


def _xxhash(name: str, algorithm: Algorithm) -> Function:
    require("xxhash", "xxhash", f"{algorithm.name} without the engine")
    import xxhash

    compute = getattr(xxhash, name)
    mask = (1 << algorithm.width) - 1
    return lambda data, seed=algorithm.initial: compute(bytes(data), seed & mask)


def _merkle(algorithm: Algorithm) -> Function:
    # Imported here: one format has it.
    from .merkle import merkle_root

    return partial(merkle_root, _twice(algorithm))


WRITTEN_OUT: dict[Family, Callable[[Algorithm], Function]] = {
    Family.CRC: _crc,
    Family.ADLER: lambda algorithm: lambda data, value=algorithm.initial: zlib.adler32(data, value),
    Family.FLETCHER: _fletcher,
    Family.FLETCHER_256: _fletcher,
    Family.SUM_LE: _sum,
    Family.SUM_BE: _sum,
    Family.XOR: _xor,
    Family.INTERNET: _internet,
    Family.XXH32: partial(_xxhash, "xxh32_intdigest"),
    Family.XXH64: partial(_xxhash, "xxh64_intdigest"),
    Family.XXH3: partial(_xxhash, "xxh3_64_intdigest"),
    Family.BITCOIN_MERKLE: _merkle,
}
