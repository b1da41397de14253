"""The definition of a checksum algorithm: its name, its width, its parameters and its functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Crc:
    """A reflected cyclic redundancy check: it takes the lowest bit of each byte first."""

    name: str
    width: int
    """Bits."""
    polynomial: int
    """Without its highest term, and not reflected."""
    initial: int
    """The register before the first byte."""
    final_xor: int
    """What the register is combined with at the end."""
    update: Callable[..., int]
    """``update(data, value)`` returns the checksum of more data; ``value`` is that of what comes before it."""
    engine_number: int | None = None
    """Its number in the engine's programs; ``None`` where the engine does not have it."""

    @property
    def size(self) -> int:
        """Bytes of the field that holds it."""
        return self.width // 8


@dataclass(frozen=True)
class Digest:
    """A cryptographic digest, which a field of bytes holds."""

    name: str
    width: int
    """Bits."""
    compute: Callable[[bytes], bytes]
    """Returns the digest of data."""

    @property
    def size(self) -> int:
        """Bytes."""
        return self.width // 8
