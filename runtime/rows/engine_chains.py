"""The engine's in-memory representation of chains: checksums of previous items, and variables."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from ..format.program_limits import MOST_ITEMS
from ..objects.variables import Items

CHAIN = struct.Struct("=I12xqq")
"""The checksum of the previous item. The first four bytes are 0 if it is unknown and 1 if there is no previous item;
they are 3 for the value of a variable, whose sign is in the last eight bytes."""
SLOT = struct.Struct("=qQ")
"""An item of a variable that is a list, and its number, counted from 1."""


def variable_chain(first: int | tuple[int, ...]) -> bytes:
    """Return the chain of a variable with its initial value; for a list, that is its number of items."""
    value = len(first) if isinstance(first, tuple) else first
    return CHAIN.pack(3, value, -1 if value < 0 else 0)


def stores_of(first: tuple[tuple[int, ...], ...]) -> bytearray | None:
    """Return the memory of the items of lists, with their initial items."""
    if not first:
        return None
    size = SLOT.size * MOST_ITEMS
    stores = bytearray(size * len(first))
    for number, items in enumerate(first):
        for index, value in enumerate(items):
            SLOT.pack_into(stores, size * number + SLOT.size * index, value, index + 1)
    return stores


@dataclass(frozen=True)
class PackedVariables:
    """The values of variables in the engine's layout. ``chains``: one ``CHAIN`` per variable; ``slots``: per variable
    the used slots of its list, ``None`` if it is an integer."""

    chains: bytes
    slots: tuple[bytes | None, ...]

    @classmethod
    def of(cls, first: tuple[int | tuple[int, ...], ...], chains: bytes, stores: bytearray | None) -> PackedVariables:
        """Pack variables. ``first``: ``ColumnProgram.variables``; ``stores``: the memory of lists, as ``stores_of``."""
        found: list[bytes | None] = []
        begin, size = 0, SLOT.size * MOST_ITEMS
        for each, (_, count, _) in zip(first, CHAIN.iter_unpack(chains), strict=True):
            if not isinstance(each, tuple) or stores is None:
                found.append(None)
                continue
            found.append(bytes(stores[begin : begin + min(SLOT.size * count, size)]))
            begin += size
        return cls(chains, tuple(found))

    def stores(self) -> bytearray | None:
        """Return the memory of all lists, as ``stores_of``."""
        lists = [each for each in self.slots if each is not None]
        size = SLOT.size * MOST_ITEMS
        return bytearray().join(each.ljust(size, b"\0") for each in lists) if lists else None

    def values(self) -> tuple[int | Items, ...]:
        """Return the values for the object reader."""
        return tuple(self._values())

    def _values(self) -> Iterator[int | Items]:
        for slots, (_, value, _) in zip(self.slots, CHAIN.iter_unpack(self.chains), strict=True):
            if slots is None:
                yield value
            else:
                yield Items.of({number - 1: item for item, number in SLOT.iter_unpack(slots) if number}, value)
