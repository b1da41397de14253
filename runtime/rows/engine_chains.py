"""Chains as the engine has them in memory: checksums of items before, and variables."""

from __future__ import annotations

import struct

from ..format.program_limits import MOST_ITEMS

CHAIN = struct.Struct("=I12xqq")
"""What the item before held of a checksum: 0 in the first four bytes if it is not known, 1 if there is none; 3 and the
value, with its sign in the last eight bytes, if it is a variable."""
SLOT = struct.Struct("=qQ")
"""An item of a variable that is a list, and its number, from 1 on."""


def variable_chain(first: int | tuple[int, ...]) -> bytes:
    """Return the chain of a variable that has what it begins with; of a list, the number of its items."""
    value = len(first) if isinstance(first, tuple) else first
    return CHAIN.pack(3, value, -1 if value < 0 else 0)


def stores_of(first: tuple[tuple[int, ...], ...]) -> bytearray | None:
    """Return the memory of the items of lists, with those that they begin with."""
    if not first:
        return None
    size = SLOT.size * MOST_ITEMS
    stores = bytearray(size * len(first))
    for number, items in enumerate(first):
        for index, value in enumerate(items):
            SLOT.pack_into(stores, size * number + SLOT.size * index, value, index + 1)
    return stores
