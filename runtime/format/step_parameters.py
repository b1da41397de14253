"""Parameters of steps of column programs that do not fit into operands: checksums, and expansions of blocks."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ..checksums import algorithm
from .program_words import Place


@dataclass(frozen=True, slots=True)
class ChecksumRule:
    """Parameters of a ``CHECKSUM`` step.

    - ``replace``: the byte value that the checksum's own bytes count as if they are inside the range; -1: unchanged.
      ``own``: the mark at which they begin; ``own_size``: their number.
    - ``continues``: the register with the checksum of what comes before; -1: there is none.
    - ``stored`` and ``stored_size``: the location in the constants of the expression of the stored value, which depends
      on the checksum in register ``sum``; without one the checksum itself is stored.
    """

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
        """Return the rule in the form that the engine loads. Raises ``UnknownNameError``."""
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
    """An expansion of blocks by an ``EXPAND`` step. ``codecs``: their names in ``wireloom.codecs.BLOCK_CODECS``;
    ``most``: the maximum size of the content of a block in bytes. ``is_process``: the only name is that of a
    ``process``, and the number of the codec is its key."""

    codecs: tuple[str, ...]
    most: int
    is_process: bool = False
