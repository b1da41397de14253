"""The states of running checksums and of variables at the offsets from which reading may restart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from .reader import FillResult

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
