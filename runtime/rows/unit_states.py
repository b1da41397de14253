"""The state of a row reader before a unit: running checksums, variables, and the last rows of tables."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.dataclass import dataclass, field
from ..format.program_words import KEPT_ITEMS, MOST_ITEMS

if TYPE_CHECKING:
    from ..objects.checksums import RunningChecksums
    from ..objects.variables import Table

    Variables = tuple[int | Table[Any, Any], ...]


CARRIED_VALUE = struct.Struct("=I12xqq")
"""A carried value, ``wl_carried_value`` of the engine: its state, and the low and high half of an integer of 128 bits.

The states: 0, a running checksum is unknown; 1, there is no previous item that it would continue; 2, it is known; 3,
the integer is the value of a variable, or the length of its list.
"""
SLOT = struct.Struct("=qQ")
"""An item of a variable that is a list, and its number, counted from 1."""


@dataclass(frozen=True)
class PackedVariables:
    """The values of variables in the engine's layout. ``carried_values``: one ``CARRIED_VALUE`` per variable;
    ``slots``: per variable the used slots of its list, ``None`` if it is an integer."""

    carried_values: bytes
    slots: tuple[bytes | None, ...]

    @classmethod
    def beginning(cls, values: Iterable[int | Sequence[int]]) -> PackedVariables:
        """Pack the values that variables have before the first unit. A list may be longer than what is kept of it."""
        carried_values, slots = bytearray(), []
        for each in values:
            value = each if isinstance(each, int) else len(each)
            carried_values += CARRIED_VALUE.pack(3, value, -1 if value < 0 else 0)
            slots.append(None if isinstance(each, int) else _slots(each))
        return cls(bytes(carried_values), tuple(slots))

    def later(self, carried_values: bytes, stores: bytearray | None) -> PackedVariables:
        """Return the same variables with what the engine has left in ``carried_values`` and in the memory of lists."""
        found: list[bytes | None] = []
        begin, size = 0, SLOT.size * KEPT_ITEMS
        for each, (_, count, _) in zip(self.slots, CARRIED_VALUE.iter_unpack(carried_values), strict=True):
            if each is None or stores is None:
                found.append(None)
                continue
            found.append(bytes(stores[begin : begin + min(SLOT.size * count, size)]))
            begin += size
        return PackedVariables(carried_values, tuple(found))

    def stores(self) -> bytearray | None:
        """Return the memory of all lists; ``None`` if there are none."""
        lists = [each for each in self.slots if each is not None]
        size = SLOT.size * KEPT_ITEMS
        return bytearray().join(each.ljust(size, b"\0") for each in lists) if lists else None

    def values(self) -> Variables:
        """Return the values for the object reader."""
        return tuple(self._values())

    def _values(self) -> Iterator[int | Table[Any, Any]]:
        from ..objects.variables import Items

        for slots, (_, value, _) in zip(self.slots, CARRIED_VALUE.iter_unpack(self.carried_values), strict=True):
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


@dataclass(frozen=True)
class ReaderState:
    """The state of a row reader at the beginning of a unit, except for running checksums.

    ``variables``: those of the root. ``tables``: for each table that is looked into, its last row by key.
    """

    variables: PackedVariables | Variables = ()
    tables: tuple[Mapping[Any, Any], ...] = ()

    def values(self) -> Variables:
        """Return the values of the variables."""
        packed = self.variables
        return packed.values() if isinstance(packed, PackedVariables) else packed


@dataclass
class UnitStates:
    """The states before the units of a fill, by offset. ``first``: the variables before the first of these units."""

    running_checksums: dict[int, RunningChecksums] = field(default_factory=dict)
    variables: dict[int, Variables] = field(default_factory=dict)
    first: Variables = ()

    def give(self, root: Any, names: Sequence[str], offset: int, *, keeps: bool = True) -> None:
        """Set the running checksums, and the variables ``names`` of the root, to what they are before the unit at
        ``offset``. ``keeps``: as for ``Table.here``."""
        from ..objects.checksums import UNKNOWN
        from ..objects.variables import set_state

        root._running_checksums = dict(self.running_checksums.get(offset, UNKNOWN))
        set_state(root, names, self.variables.get(offset, self.first), keeps=keeps)
