"""Checksums that continue those of the items before them, and variables: what is known at offsets where reading may go
on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from .reader import Filled

State = TypeVar("State")
MOST = 4096
"""Offsets that are remembered, at most; the oldest are forgotten first."""


class ChainPlaces(Generic[State]):
    """The last item before each offset, by what it held: ``unknown``, or ``first`` at ``start``, where items begin."""

    def __init__(self, start: int, first: State, unknown: State) -> None:
        self._unknown = unknown
        self._known = {start: first}

    def at(self, offset: int) -> State:
        """Return what is known at an offset."""
        return self._known.get(offset, self._unknown)

    def note(self, offset: int, state: State) -> None:
        """Note what has been found out about an offset, unless more is known."""
        if state == self._unknown or offset in self._known:
            return
        if len(self._known) >= MOST:
            del self._known[next(iter(self._known))]
        self._known[offset] = state


class Carried(Generic[State]):
    """Variables at offsets: ``first`` at ``start``."""

    def __init__(self, start: int, first: State) -> None:
        self._known = {start: first}

    def at(self, offset: int) -> State:
        """Return what variables are at an offset, or were at the nearest one before it that is known."""
        return self._known[max((each for each in self._known if each <= offset), default=min(self._known))]

    def note(self, offset: int, state: State) -> None:
        """Note what they are at an offset: how it was reached last counts."""
        if len(self._known) >= MOST and offset not in self._known:
            del self._known[next(iter(self._known))]
        self._known[offset] = state


def places_of(filled: Filled, base: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets from which the reader of a fill may read again, each with the place of its state: 0 if the
    fill has ended, 1 where the last unit begins, then those of the damages. ``base``: the offset of the view."""
    yield 0, base + filled.consumed
    yield 1, base + filled.last_unit.begin
    for number, each in enumerate(filled.damages, 2):
        if not each.inside:
            yield number, each.begin
