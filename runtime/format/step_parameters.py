"""Parameters of steps of column programs that are too many for operands: checksums, and expansions of blocks."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ..checksums import algorithm
from .program_words import Place


@dataclass(frozen=True, slots=True)
class ChecksumRule:
    """Parameters of a ``CHECKSUM`` step. ``replace`` is the byte value that the checksum's own bytes count as, where
    they lie inside the range (``own`` is the mark where they begin, ``own_size`` their number); -1: as they stand.
    ``continues``: the register that holds the checksum of what comes before; -1: there is none. ``stored`` and
    ``stored_size``: where among the constants the expression is that gives what is stored, of the checksum in register
    ``sum``; without one it is the checksum itself."""

    algorithm: str
    initial: int = 0
    final_xor: int = 0
    replace: int = -1
    own: int = 0
    own_size: int = 0
    place: Place = Place.REGISTER
    continues: int = -1
    sum: int = 0
    stored: int = 0
    stored_size: int = 0

    def pack(self) -> bytes:
        """Return the rule as the engine loads it. Raises ``UnknownNameError``."""
        return algorithm(self.algorithm, self.initial, self.final_xor).packed() + struct.pack(
            "<iIIiIIII",
            self.replace,
            self.own,
            self.own_size,
            self.continues,
            self.sum,
            self.stored,
            self.stored_size,
            self.place,
        )


@dataclass(frozen=True, slots=True)
class Expansion:
    """The ``codecs`` of the blocks that an ``EXPAND`` step decompresses, by the names that they have in
    ``wireloom.codecs.BLOCK_CODECS``, and the ``most`` bytes that the content of one may have. ``is_process``: the only
    name is that of a ``process``, and what is chosen is its key."""

    codecs: tuple[str, ...]
    most: int
    is_process: bool = False
