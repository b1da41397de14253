"""Indexers: classes, named by a spec, that index the items of a file while it is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ..base.errors import RoutineError
from ..format.description import Format
from ..format.routines import called, load, require


class Indexer(Protocol):
    """Indexes the items of one file: the class is constructed with the format, for each file."""

    def after(self, item: Any, offset: int, size: int) -> Iterable[Any]:
        """Return the items that follow an item that has been written, which has rows of any table of the format.
        ``offset``: where it begins in the file, ``size``: its size in the file, in bytes."""
        ...

    def end(self, items: list[Any]) -> None:
        """Complete the items of ``ends-with``, in place."""
        ...


class GuardedIndexer:
    """The indexer of a format: its errors are reported as those of a routine. Without an indexer, nothing follows.

    Raises ``WireloomError`` if the class cannot be loaded, and ``RoutineError`` if it is no indexer.
    """

    def __init__(self, format: Format) -> None:
        self._place = place = format.levels[0].indexer
        self._inner: Indexer | None = None
        if place:
            kind = load(place)
            require(place, kind, "indexer", ("after(item, offset, size)", "end(items)"))
            with called(place):
                self._inner = kind(format)

    def after(self, item: Any, offset: int, size: int) -> list[Any]:
        """Like ``Indexer.after``."""
        if self._inner is None:
            return []
        with called(self._place, "after"):
            items = list(self._inner.after(item, offset, size))
        if strange := next((each for each in items if not isinstance(each, type(item))), None):
            raise RoutineError(f"{self._place}.after gives {type(strange).__name__} instead of {type(item).__name__}")
        return items

    def end(self, items: list[Any]) -> None:
        """Like ``Indexer.end``."""
        if self._inner is not None:
            with called(self._place, "end"):
                self._inner.end(items)
