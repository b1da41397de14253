"""The engine's in-memory representation of chains: checksums of previous items, and variables."""

from __future__ import annotations

import struct

from ..format.program_limits import MOST_ITEMS

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
