"""The rows that a writer puts into units: those to come, and what they have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..base.errors import WireloomError


class Row(NamedTuple):
    """``values``: those of each level, and at last of the row itself. ``same``: how many levels, from the outermost
    one, have the values that they had in the row before. ``weight``: about how many bytes all rows up to and with this
    one have. ``refers``: the rows of other tables that it needs."""

    values: tuple[tuple[Any, ...], ...]
    same: int
    weight: int
    refers: tuple[Any, ...] = ()


class Rows:
    """Rows to come, the next one at place 0. ``first``: its number; ``error``: that of the table, which has no more."""

    def __init__(self, source: Iterator[Row]) -> None:
        self._source = source
        self._held: list[Row] = []
        self._dropped: Row | None = None
        self.first = 0
        self.error: WireloomError | None = None

    def at(self, place: int) -> Row | None:
        """Return the row at a place, the one before them at -1; ``None`` after the last one."""
        if place < 0:
            return self._dropped
        while place >= len(self._held):
            try:
                row = next(self._source, None)
            except WireloomError as error:
                self.error = error
                raise
            if row is None:
                return None
            self._held.append(row)
        return self._held[place]

    def weight(self, start: int, end: int) -> int:
        """Return about how many bytes the rows from ``start`` to ``end`` have."""
        last, before = self.at(end - 1), self.at(start - 1)
        return (last.weight if last is not None else 0) - (before.weight if before is not None else 0)

    def drop(self, count: int) -> None:
        """Forget the first rows."""
        self._dropped = self._held[count - 1]
        del self._held[:count]
        self.first += count


def keys_of(values: list[tuple[Any, ...]]) -> list[Any]:
    """Return the values of a level as they are compared: zeros of both signs differ, and all NaN are equal."""
    return [tuple(map(key_of, each)) for each in values]


def key_of(value: Any) -> Any:
    """Return a value as it is compared."""
    return value if isinstance(value, int | str | bytes | None) else repr(value)


def weight_of(values: tuple[Any, ...]) -> int:
    """Return about how many bytes the values of a row have."""
    return sum(len(each) if isinstance(each, bytes | str) else 8 for each in values)
