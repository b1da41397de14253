"""The states of running checksums and of variables at the offsets from which reading may restart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from .reader import FillResult
from .unit_states import CARRIED_VALUE, PackedVariables, ReaderState

State = TypeVar("State")
MOST = 4096
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
        if len(self._known) >= MOST:
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
        if len(self._known) >= MOST and offset not in self._known:
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
