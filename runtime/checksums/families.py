"""Checksum algorithms: their families, and the parameters that tell members of a family apart."""

from __future__ import annotations

import struct
from enum import IntEnum

from ..base.dataclass import dataclass


class Family(IntEnum):
    """How an algorithm computes. The numbers are those of the engine's programs."""

    CRC = 1
    """Ross Williams' model: a polynomial, an initial value, reflections and a final xor."""
    ADLER = 2
    """Adler-32 (RFC 1950)."""
    FLETCHER = 3
    """Two sums of little-endian words, modulo 2^n - 1."""
    SUM_LE = 4
    """The sum of bytes, or of little-endian words; the last word is padded with zeros."""
    SUM_BE = 5
    """The sum of big-endian words."""
    XOR = 6
    """The xor of all bytes."""
    INTERNET = 7
    """RFC 1071: the complement of the ones' complement sum of big-endian words."""
    XXH32 = 8
    XXH64 = 9
    XXH3 = 10
    """XXH3 of 64 bits."""
    MD5 = 11
    SHA1 = 12
    SHA256 = 13
    SHA256D = 14
    """SHA-256 of the SHA-256 digest."""


SEEDED = {Family.XXH32, Family.XXH64, Family.XXH3}
"""Families whose initial value is a seed."""
WHOLE = {*SEEDED, Family.MD5, Family.SHA1, Family.SHA256, Family.SHA256D}
"""Families that need all bytes at once."""


@dataclass(frozen=True)
class Algorithm:
    """A checksum algorithm. ``unit``: size in bytes of the words that are added. The numbers are as in catalogues of
    CRCs: the polynomial lacks its highest term, and neither it nor the initial value is reflected."""

    name: str
    family: Family
    width: int
    """Width of the checksum in bits."""
    unit: int = 1
    reflect_in: bool = False
    reflect_out: bool = False
    polynomial: int = 0
    initial: int = 0
    final_xor: int = 0

    @property
    def is_digest(self) -> bool:
        """Return whether the result is bytes rather than a number."""
        return Family.MD5 <= self.family <= Family.SHA256D

    @property
    def in_pieces(self) -> bool:
        """Return whether the engine can compute it piece by piece, so that some bytes can be replaced."""
        return self.family not in WHOLE and (self.family is not Family.FLETCHER or self.unit == 1)

    @property
    def continues_anywhere(self) -> bool:
        """Return whether a computation can be continued from the checksum of the preceding bytes."""
        return self.family not in WHOLE and self.unit == 1

    @property
    def size(self) -> int:
        """Return the size in bytes of the smallest field that holds the checksum."""
        return -(-self.width // 8)

    def packed(self) -> bytes:
        """Return the parameters as the engine reads them: ``family, width, unit, reflections u32, polynomial, initial,
        final_xor u64``, little-endian."""
        numbers = (self.polynomial, self.initial, self.final_xor)
        return struct.pack(
            "<4I3Q", self.family, self.width, self.unit, self.reflect_in + 2 * self.reflect_out, *numbers
        )
