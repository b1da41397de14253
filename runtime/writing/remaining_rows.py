"""The rows that a writer puts into units: the remaining rows, and the values that they share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..base.errors import WireloomError


class Row(NamedTuple):
    """A row to be written.

    ``values``: the values of each level, and finally of the row itself. ``same``: the number of levels, from the
    outermost one, with the same values as in the previous row. ``weight``: approximate number of bytes of all rows up
    to and including this one. ``refers``: the rows of other tables that it needs. ``differs``: the number of the last
    row before it that needs another row with the same key; -1 if there is none.
    """

    values: tuple[tuple[Any, ...], ...]
    same: int
    weight: int
    refers: tuple[Any, ...] = ()
    differs: int = -1


class RemainingRows:
    """The remaining rows, the next one at place 0. ``first``: its number; ``error``: the error that ended the table."""

    def __init__(self, source: Iterator[Row], first: int = 0) -> None:
        self._source = source
        self._buffer: list[Row] = []
        self._dropped: Row | None = None
        self.first = first
        self.error: WireloomError | None = None

    def at(self, place: int) -> Row | None:
        """Return the row at a place, the previous row at -1; ``None`` after the last one."""
        if place < 0:
            return self._dropped
        while place >= len(self._buffer):
            try:
                row = next(self._source, None)
            except WireloomError as error:
                self.error = error
                raise
            if row is None:
                return None
            self._buffer.append(row)
        return self._buffer[place]

    def weight(self, start: int, end: int) -> int:
        """Return the approximate number of bytes of the rows from ``start`` to ``end``."""
        last, before = self.at(end - 1), self.at(start - 1)
        return (last.weight if last is not None else 0) - (before.weight if before is not None else 0)

    def changes(self, place: int) -> bool:
        """Return whether the row at a place needs another row of a table than one from place 0 on with the same key."""
        row = self.at(place)
        return row is not None and row.differs >= self.first

    def drop(self, count: int) -> None:
        """Remove the first ``count`` rows."""
        self._dropped = self._buffer[count - 1]
        del self._buffer[:count]
        self.first += count


def zipped(own: list[list[int]], values: list[list[object]], rows: int) -> list[list[tuple[Any, ...]]]:
    """Return the values of each level, row by row. ``own``: the numbers of the columns of each level; ``values``: the
    columns; ``rows``: the number of rows."""
    return [
        list(zip(*(values[number] for number in numbers), strict=True)) if numbers else [()] * rows for numbers in own
    ]


def keys_of(values: list[tuple[Any, ...]]) -> list[Any]:
    """Return keys for comparing the values of a level: 0.0 and -0.0 differ, and all NaN are equal."""
    return [tuple(map(key_of, each)) for each in values]


def key_of(value: Any) -> Any:
    """Return a key for comparing a value."""
    return value if isinstance(value, int | str | bytes | None) else repr(value)


def weight_of(values: tuple[Any, ...]) -> int:
    """Return the approximate number of bytes of the values of a row."""
    return sum(len(each) if isinstance(each, bytes | str) else 8 for each in values)
