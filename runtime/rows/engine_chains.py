"""The engine's in-memory representation of chains: checksums of previous items, and variables."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..format.program_limits import KEPT_ITEMS, MOST_ITEMS

if TYPE_CHECKING:
    from ..objects.variables import Items

CHAIN = struct.Struct("=I12xqq")
"""The checksum of the previous item. The first four bytes are 0 if it is unknown and 1 if there is no previous item;
they are 3 for the value of a variable, whose sign is in the last eight bytes."""
SLOT = struct.Struct("=qQ")
"""An item of a variable that is a list, and its number, counted from 1."""


@dataclass(frozen=True)
class PackedVariables:
    """The values of variables in the engine's layout. ``chains``: one ``CHAIN`` per variable; ``slots``: per variable
    the used slots of its list, ``None`` if it is an integer."""

    chains: bytes
    slots: tuple[bytes | None, ...]

    @classmethod
    def beginning(cls, values: Iterable[int | Sequence[int]]) -> PackedVariables:
        """Pack the values that variables have before the first unit. A list may be longer than what is kept of it."""
        chains, slots = bytearray(), []
        for each in values:
            value = each if isinstance(each, int) else len(each)
            chains += CHAIN.pack(3, value, -1 if value < 0 else 0)
            slots.append(None if isinstance(each, int) else _slots(each))
        return cls(bytes(chains), tuple(slots))

    def later(self, chains: bytes, stores: bytearray | None) -> PackedVariables:
        """Return the same variables with what the engine has left in ``chains`` and in the memory of lists."""
        found: list[bytes | None] = []
        begin, size = 0, SLOT.size * KEPT_ITEMS
        for each, (_, count, _) in zip(self.slots, CHAIN.iter_unpack(chains), strict=True):
            if each is None or stores is None:
                found.append(None)
                continue
            found.append(bytes(stores[begin : begin + min(SLOT.size * count, size)]))
            begin += size
        return PackedVariables(chains, tuple(found))

    def stores(self) -> bytearray | None:
        """Return the memory of all lists; ``None`` if there are none."""
        lists = [each for each in self.slots if each is not None]
        size = SLOT.size * KEPT_ITEMS
        return bytearray().join(each.ljust(size, b"\0") for each in lists) if lists else None

    def values(self) -> tuple[int | Items, ...]:
        """Return the values for the object reader."""
        return tuple(self._values())

    def _values(self) -> Iterator[int | Items]:
        from ..objects.variables import Items

        for slots, (_, value, _) in zip(self.slots, CHAIN.iter_unpack(self.chains), strict=True):
            if slots is None:
                yield value
            else:
                kept = range(max(1, value - MOST_ITEMS + 1), value + 1)
                yield Items.of({number - 1: item for item, number in SLOT.iter_unpack(slots) if number in kept}, value)


def _slots(items: Sequence[int]) -> bytes:
    """Return the slots of a list: item ``n`` is in slot ``n % KEPT_ITEMS``."""
    last = range(max(0, len(items) - MOST_ITEMS), len(items))
    slots = bytearray(SLOT.size * min(len(items), KEPT_ITEMS))
    for index in last:
        SLOT.pack_into(slots, SLOT.size * (index % KEPT_ITEMS), items[index], index + 1)
    return bytes(slots)
