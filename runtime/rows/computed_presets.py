"""Rows that depend on values computed from the bytes before them: computed once per input, by its root object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..objects.errors import FAILURES
from .reader import Filled, RowReader

if TYPE_CHECKING:
    from ..input.window import Window
    from ..objects.structs import Struct
    from .unit_states import ReaderState

LARGEST = (1 << 63) - 1


class ComputedPresets:
    """Reads by the engine, or with objects if a value cannot be computed or does not fit a register. ``names``: the
    instances of the object before the rows."""

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
        """Implement ``RowReader.begin``."""
        fits = all(_fits(root, name) for name in self._names)
        found = self._readers.get(fits)
        if found is None:
            found = self._readers[fits] = self._makers[fits](root)
        else:
            found.begin(root)
        self._reader = found

    def state(self, offset: int) -> ReaderState:
        """Implement ``RowReader.state``."""
        return self._reader.state(offset)

    def resume(self, offset: int, state: ReaderState) -> None:
        """Implement ``RowReader.resume``."""
        self._reader.resume(offset, state)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, chooses: bool = False
    ) -> Filled:
        """Implement ``RowReader.fill``."""
        return self._reader.fill(window, capacity=capacity, at_start=at_start, stop=stop, chooses=chooses)

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``."""
        return self._reader.resync(window, begin, proven=proven)


def _fits(root: Struct | None, name: str) -> bool:
    try:
        value = getattr(root, name)
    except FAILURES:
        return False
    return value is not None and -LARGEST <= int(value) <= LARGEST
