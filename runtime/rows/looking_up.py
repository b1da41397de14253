"""Columns that are looked up in another table of the same input: in its last row, before the row, with the same key.

Beside the row reader of the table, one for each table that is looked into reads the same bytes of the window. What is
remembered is bounded: where there are more keys, or more bytes of values, the oldest keys are forgotten, and columns
that need them are null.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..format.description import Format, LookUp
from ..input.window import Window
from .reader import Filled, RowReader, Settings

if TYPE_CHECKING:
    from ..objects.structs import Struct

Make = Callable[[Format, Settings], RowReader]

MOST_KEYS = 1 << 20
"""How many keys of a table are remembered."""
MOST_BYTES = 64 * 1024 * 1024
"""How many bytes of keys and values of a table are remembered, those of numbers not counted."""
ITEM = 8
"""Bytes that an item of a list, a map or a struct counts as, besides its text."""
ROWS = 1 << 14
"""Rows of the other table that are read at once."""


class LookUpReader:
    """Like ``RowReader``, for columns some of which are looked up. ``make``: makes the row reader of a table."""

    def __init__(self, format: Format, settings: Settings, make: Make) -> None:
        self._settings = settings
        known = {each.name: number for number, each in enumerate(format.columns)}
        looked_up = {number: each for number in settings.wanted if (each := format.columns[number].looked_up)}
        keys = {known[each.key] for each in looked_up.values()}
        plain = tuple(sorted({*(each for each in settings.wanted if each not in looked_up), *keys}))
        self._inner = make(format, replace(settings, wanted=plain, offsets=True))
        self._tables = {
            number: (known[each.key], _Table(format.of_table(each.table), each, settings, make))
            for number, each in looked_up.items()
        }

    def begin(self, root: Struct | None) -> None:
        """Like ``RowReader.begin``."""
        self._inner.begin(root)
        for _, table in self._tables.values():
            table.begin(root)

    def fill(self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1) -> Filled:
        """Like ``RowReader.fill``."""
        filled = self._inner.fill(window, capacity=capacity, at_start=at_start, stop=stop)
        arrays = dict(filled.arrays)
        for number, (key, table) in self._tables.items():
            table.read(window, filled.consumed, at_start)
            arrays[number] = table.values(arrays[key], filled.offsets)
        wanted = {number: arrays[number] for number in self._settings.wanted}
        return replace(filled, arrays=wanted, offsets=filled.offsets if self._settings.offsets else None)

    def resync(self, window: Window, begin: int) -> tuple[bool, int]:
        """Like ``RowReader.resync``."""
        return self._inner.resync(window, begin)


class _Table:
    """The rows of another table so far, as far as they are looked up."""

    def __init__(self, format: Format, look_up: LookUp, settings: Settings, make: Make) -> None:
        known = {each.name: number for number, each in enumerate(format.columns)}
        self._match, self._value = known[look_up.match], known[look_up.value]
        wanted = tuple(sorted({self._match, self._value}))
        self._reader = make(format, replace(settings, wanted=wanted, offsets=True, null_rows=False))
        self._type = format.schema.field(self._value).type
        self._forget()

    def _forget(self) -> None:
        self._read_to = 0
        self._bytes = 0
        self._found: dict[Any, list[tuple[int, Any]]] = {}
        """By key, the offsets of its rows and their values, where these changed."""

    def begin(self, root: Struct | None) -> None:
        """Like ``RowReader.begin``."""
        self._reader.begin(root)
        self._forget()

    def read(self, window: Window, end: int, at_start: bool) -> None:
        """Read the rows up to index ``end`` of the view that have not been read."""
        begin = window.begin
        position = max(begin, self._read_to - window.base)
        try:
            while position < end:
                window.begin = position
                filled = self._reader.fill(
                    window, capacity=ROWS, at_start=at_start and position == begin, stop=window.base + end
                )
                self._remember(filled)
                if filled.consumed <= position:
                    break
                position = filled.consumed
        finally:
            window.begin = begin
        self._read_to = max(self._read_to, window.base + end)

    def _remember(self, filled: Filled) -> None:
        rows: Iterable[tuple[Any, Any, int]] = zip(
            filled.arrays[self._match].to_pylist(),
            filled.arrays[self._value].to_pylist(),
            [] if filled.offsets is None else filled.offsets.to_pylist(),
            strict=True,
        )
        for key, value, offset in rows:
            if key is None:
                continue
            known = self._found.setdefault(key, [])
            if known and known[-1][1] == value:
                continue
            known.append((offset, value))
            self._bytes += _size(key) + _size(value)
            while len(self._found) > MOST_KEYS or self._bytes > MOST_BYTES:
                oldest = next(iter(self._found))
                self._bytes -= sum(_size(oldest) + _size(each) for _, each in self._found.pop(oldest))

    def values(self, keys: pa.Array, offsets: pa.Array | None) -> pa.Array:
        """Return the values for rows with these keys at these offsets; null where there is none."""
        if offsets is None or not len(keys):
            return pa.nulls(len(keys), self._type)
        encoded = keys.dictionary_encode()
        found = [self._found.get(key, []) for key in encoded.dictionary.to_pylist()]
        first = offsets[0].as_py()
        if all(not each or (len(each) == 1 and each[0][0] <= first) for each in found):
            values = pa.array([each[0][1] if each else None for each in found], self._type)
            return values.take(encoded.indices)
        return pa.array(
            [
                None if index is None else _last(found[index], offset)
                for index, offset in zip(encoded.indices.to_pylist(), offsets.to_pylist(), strict=True)
            ],
            self._type,
        )


def _last(known: list[tuple[int, Any]], offset: int) -> Any:
    """Return the value of the last row that is not after the offset."""
    number = bisect_right(known, offset, key=lambda each: each[0])
    return known[number - 1][1] if number else None


def _size(value: Any) -> int:
    """Return the bytes of text and bytes in a value, and some for each item of a list or a map."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        value = list(value.values())
    return sum(ITEM + _size(each) for each in value) if isinstance(value, list | tuple) else 0
