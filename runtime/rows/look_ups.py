"""Columns that are looked up in another table of the same input: in the last row of that table, before the row, with
the same key.

In addition to the row reader of the table, one reader for each table that is looked up reads the same bytes of the
window; they share the contents of compressed blocks. The memory for look-ups is limited: if there are too many keys or
bytes of values, the oldest keys are forgotten, and columns that need them are null.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..format.description import Format, LookUp
from ..input.window import MemoryWindow, Window
from .block_decompression import BlockCache, BorrowedCache
from .numbers import value_array
from .reader import FillResult, RowReader, Settings

if TYPE_CHECKING:
    from ..objects.structs import Struct
    from .unit_states import ReaderState

Make = Callable[[Format, Settings], RowReader]

Known = tuple[int, tuple[Any, ...]]
"""The offset of a row of the other table, and its values."""

MOST_KEYS = 1 << 20
"""Maximum number of keys of a table that are remembered."""
MOST_BYTES = 64 * 1024 * 1024
"""Maximum size in bytes of the keys and values of a table that are remembered, without numbers."""
ITEM = 8
"""Size in bytes that an item of a list, a map or a struct counts as, besides its text."""
ROWS = 1 << 14
"""Number of rows of the other table that are read at once."""


class LookUpReader:
    """Reads columns of which some are looked up. ``make``: creates the row reader of a table."""

    def __init__(self, format: Format, settings: Settings, make: Make) -> None:
        self._settings = settings
        known = {each.name: number for number, each in enumerate(format.columns)}
        looked_up = {number: each for number in settings.projected if (each := format.columns[number].looked_up)}
        keys = {known[each.key] for each in looked_up.values()}
        plain = tuple(sorted({*(each for each in settings.projected if each not in looked_up), *keys}))
        cache = settings.block_cache or BlockCache()
        self._inner = make(format, settings._replace(projected=plain, offsets=True, block_cache=cache))
        borrowed = BorrowedCache(cache) if isinstance(cache, BlockCache) else cache
        shared = settings._replace(block_cache=borrowed)
        numbers_of: dict[tuple[str, str, str], list[int]] = {}
        for number, each in looked_up.items():
            numbers_of.setdefault((each.table, each.key, each.match), []).append(number)
        self._tables = [
            (known[key], numbers, _Table(format.of_table(table), match, [looked_up[n] for n in numbers], shared, make))
            for (table, key, match), numbers in numbers_of.items()
        ]

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``."""
        self._inner.begin(root)
        for _, _, table in self._tables:
            table.begin(root)

    def state(self, offset: int) -> ReaderState:
        """Implement ``RowReader.state``."""
        tables = [table for _, _, table in self._tables]
        return replace(
            self._inner.state(offset),
            tables=tuple(each.last_rows() for each in tables),
            readers=tuple(each.state(offset) for each in tables),
        )

    def resume(self, offset: int, state: ReaderState) -> None:
        """Implement ``RowReader.resume``."""
        self._inner.resume(offset, state)
        for (_, _, table), rows, of_table in zip(self._tables, state.tables, state.readers, strict=True):
            table.resume(offset, of_table, rows)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, filtered: bool = False
    ) -> FillResult:
        """Implement ``RowReader.fill``."""
        filled = self._inner.fill(window, capacity=capacity, at_start=at_start, stop=stop, filtered=filtered)
        arrays = dict(filled.arrays)
        for key, numbers, table in self._tables:
            table.read(window, filled, at_start)
            found = table.values(arrays[key], filled.offsets)
            arrays.update(zip(numbers, found if self._settings.dictionaries else map(decoded, found), strict=True))
        projected = {number: arrays[number] for number in self._settings.projected}
        return replace(filled, arrays=projected, offsets=filled.offsets if self._settings.offsets else None)

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``."""
        return self._inner.resync(window, begin, proven=proven)


class _Table:
    """The rows of another table read so far that may be looked up: by one key, for one value or several."""

    def __init__(self, format: Format, match: str, look_ups: Sequence[LookUp], settings: Settings, make: Make) -> None:
        known = {each.name: number for number, each in enumerate(format.columns)}
        self._match, self._values = known[match], [known[each.value] for each in look_ups]
        projected = tuple(sorted({self._match, *self._values}))
        # Predicates are about columns of the table that looks up.
        settings = settings._replace(projected=projected, offsets=True, null_rows=False, predicates=())
        self._reader = make(format, settings)
        self._types = [format.schema.field(each).type for each in self._values]
        self._forget()

    def _forget(self) -> None:
        self._bytes = 0
        self._found: dict[Any, list[Known]] = {}
        """By key, the offsets of its rows and their values, where these changed."""
        self._recent: list[tuple[int, Any]] = []
        """The offsets and keys of the rows that the last call of ``read`` remembered."""
        self._last: Mapping[Any, Known] | None = None
        """The last row of each key; ``None`` if rows have been added or removed since."""

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``."""
        self._reader.begin(root)
        self._forget()

    def last_rows(self) -> Mapping[Any, Known]:
        """Return the last row of each key."""
        if self._last is None:
            self._last = {key: known[-1] for key, known in self._found.items()}
        return self._last

    def state(self, offset: int) -> ReaderState:
        """Return the state of the reader of this table."""
        return self._reader.state(offset)

    def resume(self, offset: int, state: ReaderState, rows: Mapping[Any, Known]) -> None:
        """Continue at ``offset``. ``state``: that of the table's reader; ``rows``: ``last_rows`` of a reader that has
        read up to there."""
        self._reader.resume(offset, state)
        self._last = rows
        self._found = {key: [known] for key, known in rows.items()}
        self._recent.clear()
        self._bytes = sum(_size(key, *values) for key, (_, values) in rows.items())

    def read(self, window: Window, filled: FillResult, at_start: bool) -> None:
        """Read the rows of this table up to the end of a fill of the main one, which looks them up.

        If the window begins before the end of what was read last, the main reader has gone back, since the length of a
        row was wrong: the rows from there on are forgotten and read again. If this table cannot be read after a unit,
        reading continues after the next damage of the main table, whose reader may continue there.
        """
        begin, end = window.begin, filled.consumed
        position = begin
        after_damage = [each.end - window.base for each in filled.damages]
        while self._recent and self._recent[-1][0] >= window.base + begin:
            self._remove(*self._recent.pop())
        self._recent.clear()
        try:
            while position < end:
                window.begin = position
                found = self._reader.fill(
                    window, capacity=ROWS, at_start=at_start and position == begin, stop=window.base + end
                )
                self._remember(found, window.base + begin)
                if found.consumed > position:
                    position = found.consumed
                    continue
                after = next((each for each in after_damage if each > position), end)
                is_found, index = self._reader.resync(window, after) if after < end else (False, end)
                position = index if is_found else end
        finally:
            window.begin = begin

    def _remove(self, offset: int, key: Any) -> None:
        """Forget the last row of a key, if it is still the one at ``offset``."""
        known = self._found.get(key)
        if known and known[-1][0] == offset:
            self._bytes -= _size(key, *known.pop()[1])
            if not known:
                del self._found[key]
            self._last = None

    def _remember(self, filled: FillResult, begin: int) -> None:
        """Remember the rows of a fill. ``begin``: the offset before which no row is looked up from now on."""
        rows: Iterable[tuple[Any, int, tuple[Any, ...]]] = zip(
            filled.arrays[self._match].to_pylist(),
            [] if filled.offsets is None else filled.offsets.to_pylist(),
            zip(*(filled.arrays[each].to_pylist() for each in self._values), strict=True),
            strict=True,
        )
        for key, offset, values in rows:
            if key is None:
                continue
            known = self._found.setdefault(key, [])
            if known and known[-1][1] == values:
                continue
            known.append((offset, values))
            self._recent.append((offset, key))
            self._last = None
            while len(known) > 1 and known[1][0] <= begin:
                self._bytes -= _size(key, *known.pop(0)[1])
            self._bytes += _size(key, *values)
            while len(self._found) > MOST_KEYS or self._bytes > MOST_BYTES:
                oldest = next(iter(self._found))
                self._bytes -= sum(_size(oldest, *each) for _, each in self._found.pop(oldest))

    def values(self, keys: pa.Array, offsets: pa.Array | None) -> list[pa.Array]:
        """Return the values of each look-up for rows with these keys at these offsets, as dictionaries; null if there
        is none."""
        if offsets is None or not len(keys):
            return [pa.nulls(len(keys), each) for each in self._types]
        encoded = keys.dictionary_encode()
        found = [self._found.get(key, []) for key in encoded.dictionary.to_pylist()]
        # The values of all keys, concatenated, and for each row the index of its values.
        kept = [values for known in found for _, values in known]
        indices = encoded.indices
        first = offsets[0].as_py()
        if len(kept) < len(found) or any(len(known) != 1 or known[0][0] > first for known in found):
            indices = value_array(list(_indexes_of_values(found, indices.to_pylist(), offsets.to_pylist())), pa.int64())
        return [
            pa.DictionaryArray.from_arrays(indices, value_array([each[number] for each in kept], type))
            for number, type in enumerate(self._types)
        ]


def know(row_reader: RowReader, units: bytes, offset: int) -> None:
    """Let a row reader look up the rows of other tables in ``units``, as if these were before ``offset``, where it
    begins."""
    row_reader.fill(MemoryWindow(memoryview(units)), capacity=1)
    row_reader.resume(offset, _before_all(row_reader.state(len(units))))


def _before_all(state: ReaderState) -> ReaderState:
    """Return the state in which the rows of tables are before all others."""
    tables = ({key: (0, values) for key, (_, values) in rows.items()} for rows in state.tables)
    return replace(state, tables=tuple(tables), readers=tuple(map(_before_all, state.readers)))


def decoded(array: pa.Array) -> pa.Array:
    """Return the values of a dictionary for each row; another array as it is."""
    return array.dictionary.take(array.indices) if isinstance(array, pa.DictionaryArray) else array


def _indexes_of_values(found: list[list[Known]], keys: list[int | None], offsets: list[int]) -> Iterator[int | None]:
    """Yield, for each row, the index of its values among those of all keys: the values of the last row of the other
    table that is not after the row."""
    begins = [0, *accumulate(map(len, found))]
    starts = [[offset for offset, _ in known] for known in found]
    for key, offset in zip(keys, offsets, strict=True):
        number = 0 if key is None else bisect_right(starts[key], offset)
        yield begins[key] + number - 1 if key is not None and number else None


def _size(*values: Any) -> int:
    """Return the number of bytes of text and bytes in values, plus a constant for each item of a list or a map."""
    return sum(map(_size_of, values))


def _size_of(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        value = list(value.values())
    return sum(ITEM + _size_of(each) for each in value) if isinstance(value, list | tuple) else 0
