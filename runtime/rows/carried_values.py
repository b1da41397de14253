"""Carried values: what a unit leaves to the units after it, running checksums and variables. They are remembered at the
offsets from which reading may continue, since it may roll back to a unit that was read before."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Generic, TypeVar

from .reader import FillResult
from .unit_states import CARRIED_VALUE, PackedVariables, ReaderState

State = TypeVar("State")
MOST = 4096
"""Maximum number of offsets that are remembered; the oldest are forgotten first."""


class ChecksumStates(Generic[State]):
    """The state of running checksums before the units at certain offsets: ``first`` at ``start``, where the first unit
    begins, and ``unknown`` at offsets for which none was noted."""

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
        if len(self._known) >= MOST:
            del self._known[next(iter(self._known))]
        self._known[offset] = state


class VariableStates(Generic[State]):
    """The values of variables before the units at certain offsets: ``first`` at ``start``, where the first unit
    begins."""

    def __init__(self, start: int, first: State) -> None:
        self._known = {start: first}
        self._offsets = [start]
        """The same offsets in ascending order."""

    def at(self, offset: int) -> State:
        """Return the values at an offset, or else at the nearest known offset before it."""
        return self._known[self._offsets[max(bisect_right(self._offsets, offset) - 1, 0)]]

    def note(self, offset: int, state: State) -> None:
        """Record the values at an offset, replacing earlier ones."""
        if offset not in self._known:
            if len(self._known) >= MOST:
                oldest = next(iter(self._known))
                del self._known[oldest], self._offsets[bisect_left(self._offsets, oldest)]
            insort(self._offsets, offset)
        self._known[offset] = state


def offsets_to_continue_from(filled: FillResult, base: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets from which reading may continue after a fill, each after its index in the fill's carried
    values: 0 at the end of the fill, 1 at its last unit, to which reading may roll back, and from 2 on at the damages:
    where one is inside a unit, with the values at the beginning of the unit. ``base``: the offset of the view."""
    yield 0, base + filled.consumed
    yield 1, base + filled.last_unit.begin
    for number, each in enumerate(filled.damages, 2):
        yield number, each.begin


STATELESS = ReaderState()


class CarriedValues:
    """The carried values of an input in the engine's layout: ``checksums`` running checksums, then the variables.
    ``variables``: these before the first unit, which begins at ``start``."""

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

    @property
    def _has_variables(self) -> bool:
        # Each variable has an entry there, lists and integers alike.
        return bool(self._first.slots)

    def state(self, offset: int) -> ReaderState:
        """Return the variables at an offset; running checksums are not part of a ``ReaderState``."""
        if not self._has_variables:
            return STATELESS
        packed = self._first.later(self._variables.at(offset), self.stores)
        if packed != self._state.variables:
            self._state = ReaderState(packed)
        return self._state

    def for_fill(self, offset: int, damages: int) -> tuple[bytearray, bytearray | None]:
        """Return memory for the values at the beginning of a fill, at its end and at each of ``damages`` damaged units,
        and for the items of lists. It is new memory, so that a fill that is repeated begins with the same values."""
        known = self._at(offset)
        stores = None if self.stores is None else bytearray(self.stores)
        return bytearray(known) + bytes(len(known) * (1 + damages)), stores

    def for_search(self, offset: int) -> bytearray | None:
        """Return memory for a search for units, in the layout of a fill without damages; ``None`` without variables,
        since a search verifies no running checksum."""
        return bytearray(self._at(offset) * 2) if self._has_variables else None

    @property
    def stores_for_search(self) -> bytearray | None:
        """Return memory of lists and tables for a search, which keeps in it what the rows that it tries set."""
        return None if self.stores is None else bytearray(self.stores)

    def _at(self, offset: int) -> bytes:
        return self._checksums.at(offset) + self._variables.at(offset)

    def note(self, filled: FillResult, base: int, memory: bytearray) -> None:
        """Take over what a fill has left. ``base``: the offset of its view."""
        sums, size = self._checksums_size, self._checksums_size + len(self._first.carried_values)
        for number, offset in offsets_to_continue_from(filled, base):
            known = bytes(memory[size * number : size * (number + 1)])
            if number < 2 or not filled.damages[number - 2].inside:
                self._checksums.note(offset, known[:sums])
            if any(known[sums:]):
                # All are zero if the fill met no unit, and left nothing for its last one.
                self._variables.note(offset, known[sums:])
