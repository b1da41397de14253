"""The state of a row reader before a unit: running checksums, variables, and the last rows of tables."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..base.dataclass import dataclass, field, replace
from ..format.program_words import KEPT_CHANGES, KEPT_ITEMS, MOST_ITEMS, MOST_KEYS

if TYPE_CHECKING:
    from ..objects.checksums import RunningChecksums
    from ..objects.variables import Table

    Variables = tuple[int | float | Table[Any, Any], ...]


CARRIED_VALUE = struct.Struct("=I12xqq")
"""A carried value, ``wl_carried_value`` of the engine: its state, and the low and high half of an integer of 128 bits.

The states: 0, a running checksum is unknown; 1, there is no previous item that it would continue; 2, it is known; 3,
the integer is the value of a variable, of a float its bits, the length of its list, or the number of changes of its
table.
"""
SLOT = struct.Struct("=qQ")
"""An item of a variable that is a list, and its number, counted from 1."""
ENTRY = struct.Struct("<qq")
"""Of a variable that is a table, a key and its value; before them, the number of changes so far and that of entries."""
CHANGE = struct.Struct("<qqQ")
"""After its entries, a change: the key, its previous value, and whether it had one."""
FLOAT, BITS = struct.Struct("<d"), struct.Struct("<q")
STORE_SIZE = SLOT.size * KEPT_ITEMS


@dataclass(frozen=True)
class PackedVariables:
    """The values of variables in the engine's layout. ``carried_values``: one ``CARRIED_VALUE`` per variable;
    ``slots``: per variable the used slots of its list, or the store of its table, ``None`` if it is a number;
    ``kinds``: per variable ``int``, ``float``, ``list`` or, of a table, ``dict``."""

    carried_values: bytes
    slots: tuple[bytes | None, ...]
    kinds: tuple[type[Any], ...]

    @classmethod
    def beginning(cls, values: Iterable[float | Sequence[int] | Table[Any, Any] | None]) -> PackedVariables:
        """Pack the values that variables have before the first unit: ``None`` for an empty table. A list may be longer
        than what is kept of it."""
        carried_values, slots, kinds = bytearray(), list[bytes | None](), list[type[Any]]()
        for each in values:
            value, used = 0, None
            kind: type[Any] = dict
            if isinstance(each, int | float):
                value, kind = bits_of(each), type(each)
            elif isinstance(each, Sequence):
                value, used, kind = len(each), _slots(each), list
            else:
                entries = [] if each is None else sorted(each.entries().items())
                used = b"".join(ENTRY.pack(*pair) for pair in [(0, len(entries)), *entries])
            carried_values += CARRIED_VALUE.pack(3, value, -1 if value < 0 else 0)
            slots.append(used)
            kinds.append(kind)
        return cls(bytes(carried_values), tuple(slots), tuple(kinds))

    def later(self, carried_values: bytes, stores: bytearray | None) -> PackedVariables:
        """Return the same variables with what the engine has left in ``carried_values`` and in the memory of lists."""
        found: list[bytes | None] = []
        begin, counts = 0, CARRIED_VALUE.iter_unpack(carried_values)
        for each, kind, (_, count, _) in zip(self.slots, self.kinds, counts, strict=True):
            if each is None or stores is None:
                found.append(None)
                continue
            size = STORE_SIZE if kind is dict else min(SLOT.size * count, STORE_SIZE)
            found.append(bytes(stores[begin : begin + size]))
            begin += STORE_SIZE
        return replace(self, carried_values=carried_values, slots=tuple(found))

    def stores(self) -> bytearray | None:
        """Return the memory of all lists and tables; ``None`` if there are none."""
        used = [each for each in self.slots if each is not None]
        return bytearray().join(each.ljust(STORE_SIZE, b"\0") for each in used) if used else None

    def values(self) -> Variables:
        """Return the values for the object reader."""
        return tuple(self._values())

    def _values(self) -> Iterator[float | Table[Any, Any]]:
        from ..objects.variables import Items, Table

        values = CARRIED_VALUE.iter_unpack(self.carried_values)
        for slots, kind, (_, value, _) in zip(self.slots, self.kinds, values, strict=True):
            if slots is None:
                yield FLOAT.unpack(BITS.pack(value))[0] if kind is float else value
            elif kind is dict:
                yield Table(_entries(slots, value))
            else:
                kept = range(max(1, value - MOST_ITEMS + 1), value + 1)
                yield Items.of({number - 1: item for item, number in SLOT.iter_unpack(slots) if number in kept}, value)


def bits_of(value: float) -> int:
    """Return what a register contains for a number: of a float the bits, as a signed integer."""
    return cast(int, BITS.unpack(FLOAT.pack(value))[0]) if isinstance(value, float) else int(value)


def _entries(store: bytes, changes: int) -> dict[int, int]:
    """Return the entries of a table after that many changes; the store may have more of them."""
    made, count = ENTRY.unpack_from(store)
    entries = dict(ENTRY.iter_unpack(store[ENTRY.size : ENTRY.size * (count + 1)]))
    for change in range(made - 1, max(changes, made - KEPT_CHANGES) - 1, -1):
        place = ENTRY.size * (MOST_KEYS + 1) + CHANGE.size * (change % KEPT_CHANGES)
        key, before, was_there = CHANGE.unpack_from(store, place)
        entries[key] = before
        if not was_there:
            del entries[key]
    return entries


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

    ``variables``: those of the root. ``tables``: for each table that is looked into, its last row by key; ``readers``:
    the states of the readers of these tables.
    """

    variables: PackedVariables | Variables = ()
    tables: tuple[Mapping[Any, Any], ...] = ()
    readers: tuple[ReaderState, ...] = ()

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

    def give(self, root: Any, names: Sequence[str], offset: int) -> None:
        """Set the running checksums, and the variables ``names`` of the root, to what they are before the unit at
        ``offset``."""
        from ..objects.checksums import UNKNOWN
        from ..objects.variables import set_state

        root._running_checksums = dict(self.running_checksums.get(offset, UNKNOWN))
        set_state(root, names, self.variables.get(offset, self.first))
