"""The state that units of an input leave to the units after them, running checksums and variables, and what of it is
known at the offsets from which reading may restart."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..base.dataclass import dataclass, field
from ..format.program_words import KEPT_ITEMS, MOST_ITEMS

if TYPE_CHECKING:
    from ..objects.checksums import RunningChecksums
    from ..objects.variables import Items
    from .reader import FillResult

    Variables = tuple[int | Items, ...]


CARRIED_VALUE = struct.Struct("=I12xqq")
"""What a unit leaves to the next one: a running checksum, or the value of a variable. The first four bytes are 0 for an
unknown checksum, and 1 if there is no previous item; they are 3 for a variable, whose sign is in the last eight
bytes."""
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

    def values(self) -> tuple[int | Items, ...]:
        """Return the values for the object reader."""
        return tuple(self._values())

    def _values(self) -> Iterator[int | Items]:
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
        ``offset``. ``keeps``: as for ``Items.here``."""
        from ..objects.checksums import UNKNOWN
        from ..objects.variables import set_state

        root._running_checksums = dict(self.running_checksums.get(offset, UNKNOWN))
        set_state(root, names, self.variables.get(offset, self.first), keeps=keeps)


State = TypeVar("State")
MOST_OFFSETS = 4096
"""Maximum number of offsets that are remembered; the oldest are forgotten first."""


class ChecksumStates(Generic[State]):
    """The state of running checksums before the unit at each offset: ``first`` at ``start``, where units begin, and
    ``unknown`` where none was noted."""

    def __init__(self, start: int, first: State, unknown: State) -> None:
        self._unknown = unknown
        self._known = {start: first}

    def at(self, offset: int) -> State:
        """Return the state at an offset."""
        return self._known.get(offset, self._unknown)

    def note(self, offset: int, state: State) -> None:
        """Record the state at an offset, unless a state is already known."""
        if state == self._unknown or offset in self._known:
            return
        if len(self._known) >= MOST_OFFSETS:
            del self._known[next(iter(self._known))]
        self._known[offset] = state


class VariableStates(Generic[State]):
    """The values of variables at offsets: ``first`` at ``start``."""

    def __init__(self, start: int, first: State) -> None:
        self._known = {start: first}

    def at(self, offset: int) -> State:
        """Return the values at an offset, or else at the nearest known offset before it."""
        return self._known[max((each for each in self._known if each <= offset), default=min(self._known))]

    def note(self, offset: int, state: State) -> None:
        """Record the values at an offset, replacing earlier ones."""
        if len(self._known) >= MOST_OFFSETS and offset not in self._known:
            del self._known[next(iter(self._known))]
        self._known[offset] = state


def restart_offsets(filled: FillResult, base: int) -> Iterator[tuple[int, int]]:
    """Yield the index of the state for each offset from which reading may restart after a fill, and that offset: 0 at
    the end of the fill, 1 at the beginning of the last unit, then one for each damage. ``base``: the offset of the
    view."""
    yield 0, base + filled.consumed
    yield 1, base + filled.last_unit.begin
    for number, each in enumerate(filled.damages, 2):
        if not each.inside:
            yield number, each.begin


STATELESS = ReaderState()


class CarriedValues:
    """The values that units of an input leave to the engine for the units after them: those of ``checksums`` running
    checksums, then those of variables. ``variables``: the latter before the first unit, which begins at ``start``."""

    def __init__(self, checksums: int, variables: PackedVariables, start: int) -> None:
        first, unknown = (CARRIED_VALUE.pack(state, 0, 0) * checksums for state in (1, 0))
        self._checksums = ChecksumStates(start, first, unknown)
        self._checksums_size = len(first)
        self._first = variables
        self._state = STATELESS
        self.resume(start, variables)

    def resume(self, offset: int, variables: PackedVariables) -> None:
        """Continue at an offset, before which variables have these values."""
        self._variables, self.stores = VariableStates(offset, variables.carried_values), variables.stores()

    def state(self, offset: int) -> ReaderState:
        """Return the state at an offset."""
        if not self._first.slots:
            return STATELESS
        packed = self._first.later(self._variables.at(offset), self.stores)
        if packed != self._state.variables:
            self._state = ReaderState(packed)
        return self._state

    def for_fill(self, offset: int, damages: int) -> tuple[bytearray, bytearray | None]:
        """Return memory for the values at the beginning of a fill, at its end and at each of ``damages`` damaged units,
        and for the items of lists. A fill that is repeated leaves nothing."""
        known = self._at(offset)
        stores = None if self.stores is None else bytearray(self.stores)
        return bytearray(known) + bytes(len(known) * (1 + damages)), stores

    def for_search(self, offset: int) -> bytearray | None:
        """Return the values at the beginning of a search, in which only variables are known; ``None`` without any."""
        return bytearray(self._at(offset) * 2) if self._first.slots else None

    def _at(self, offset: int) -> bytes:
        return self._checksums.at(offset) + self._variables.at(offset)

    def note(self, filled: FillResult, base: int, memory: bytearray) -> None:
        """Take over what a fill has left. ``base``: the offset of its view."""
        sums, size = self._checksums_size, self._checksums_size + len(self._first.carried_values)
        for number, offset in restart_offsets(filled, base):
            known = bytes(memory[size * number : size * (number + 1)])
            self._checksums.note(offset, known[:sums])
            if any(known[sums:]):
                # There may have been no unit, so that the beginning of the last one is unknown.
                self._variables.note(offset, known[sums:])
