"""Indexers: classes, named by a spec, that index the items of a file while it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..format.description import Format
from ..format.routines import load


class Indexer:
    """Indexes the items of one file: the class is constructed with the format, for each file. This one indexes
    nothing. A class with a function ``unread`` also reads its indexes, see ``wireloom.reading.indexes``."""

    def __init__(self, format: Format) -> None: ...

    def after(self, item: Any, offset: int, size: int) -> Sequence[Any]:
        """Return the items that follow an item that has been written, which has rows of any table of the format.
        ``offset``: where it begins in the file, ``size``: its size in the file, in bytes."""
        return ()

    def end(self, items: list[Any]) -> None:
        """Complete the items of ``ends-with``, in place."""


def indexer_of(format: Format) -> Indexer:
    """Return the indexer of a new file. Raises ``WireloomError`` if its class cannot be loaded."""
    place = format.levels[0].indexer
    kind: type[Indexer] = load(place) if place else Indexer
    return kind(format)
