"""Rows that need what the spec computes of the bytes before them: once for an input, by its object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..objects.errors import FAILURES
from .reader import Filled, RowReader

if TYPE_CHECKING:
    from ..input.window import Window
    from ..objects.structs import Struct

LARGEST = (1 << 63) - 1


class ComputedPresets:
    """Like ``RowReader``: reads by the engine, or with objects where a value cannot be computed, or has no place in a
    register. ``names``: the instances of the object before the rows."""

    def __init__(
        self,
        names: tuple[str, ...],
        root: Struct | None,
        by_engine: Callable[[Struct | None], RowReader],
        by_objects: Callable[[Struct | None], RowReader],
    ) -> None:
        self._names = names
        self._makers = by_objects, by_engine
        self._readers: dict[bool, RowReader] = {}
        self.begin(root)

    def begin(self, root: Struct | None) -> None:
        """Like ``RowReader.begin``."""
        fits = all(_fits(root, name) for name in self._names)
        found = self._readers.get(fits)
        if found is None:
            found = self._readers[fits] = self._makers[fits](root)
        else:
            found.begin(root)
        self._reader = found

    @property
    def pauses(self) -> bool:
        """Like ``RowReader.pauses``."""
        return self._reader.pauses

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, chooses: bool = False
    ) -> Filled:
        """Like ``RowReader.fill``."""
        return self._reader.fill(window, capacity=capacity, at_start=at_start, stop=stop, chooses=chooses)

    def resync(self, window: Window, begin: int) -> tuple[bool, int]:
        """Like ``RowReader.resync``."""
        return self._reader.resync(window, begin)


def _fits(root: Struct | None, name: str) -> bool:
    try:
        value = getattr(root, name)
    except FAILURES:
        return False
    return value is not None and -LARGEST <= int(value) <= LARGEST
