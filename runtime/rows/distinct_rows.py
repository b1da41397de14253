"""Rows of a table in which each row is once: those that equal an earlier one are left out.

Rows are compared by digests, with the offset of the first row of each: bytes that are read again, as after damage,
give the same rows again. The oldest digests are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..format.description import Column, Format
from ..input.window import Window
from .numbers import number_array
from .reader import FillResult, RowReader, Settings

if TYPE_CHECKING:
    from ..objects.structs import Struct
    from .unit_states import ReaderState

MOST_ROWS = 1 << 16
"""Maximum number of rows that are remembered: MCAP has as many channels."""


class DistinctRows:
    """Reads rows, without those that equal an earlier one. ``make``: creates the reader of all rows."""

    def __init__(self, format: Format, settings: Settings, make: Callable[[Settings], RowReader]) -> None:
        self._settings = settings
        self._compared = tuple(number for number, each in enumerate(format.columns) if is_compared(each))
        projected = tuple(sorted({*settings.projected, *self._compared}))
        # A row that a filter refuses is compared too: later ones that equal it are not in the table.
        self._inner = make(settings._replace(projected=projected, offsets=True, predicates=()))
        self._first: dict[bytes, int] = {}

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``."""
        self._inner.begin(root)
        self._first = {}

    def state(self, offset: int) -> ReaderState:
        """Implement ``RowReader.state``."""
        state = self._inner.state(offset)
        return replace(state, tables=(*state.tables, dict(self._first)))

    def resume(self, offset: int, state: ReaderState) -> None:
        """Implement ``RowReader.resume``."""
        self._inner.resume(offset, replace(state, tables=state.tables[:-1]))
        self._first = dict(state.tables[-1])

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, filtered: bool = False
    ) -> FillResult:
        """Implement ``RowReader.fill``. Predicates are left to the filter of the batches."""
        filled = self._inner.fill(window, capacity=capacity, at_start=at_start, stop=stop)
        kept = self._kept(filled)
        # For each row, the number of those before it that are kept.
        new_numbers = [0, *accumulate(map(int, kept))]
        mask = number_array(kept, pa.int8()).cast(pa.bool_())
        unit = filled.last_unit
        return replace(
            filled,
            rows=new_numbers[-1],
            arrays={number: filled.arrays[number].filter(mask) for number in self._settings.projected},
            offsets=filled.offsets.filter(mask) if self._settings.offsets and filled.offsets is not None else None,
            damages=[
                each._replace(row=-1 if each.row < 0 else new_numbers[each.row], rows=new_numbers[each.rows])
                for each in filled.damages
            ],
            last_unit=unit._replace(rows=new_numbers[unit.rows]),
        )

    def _kept(self, filled: FillResult) -> list[bool]:
        """Return which rows of a fill are in the table. Rows of nulls that stand for damage are."""
        assert filled.offsets is not None
        damaged = {each.row for each in filled.damages}
        kept, here = list[bool](), set[bytes]()
        digests = row_digests([filled.arrays[number] for number in self._compared])
        for number, (offset, digest) in enumerate(zip(filled.offsets.to_pylist(), digests, strict=True)):
            if number in damaged:
                kept.append(True)
                continue
            kept.append(digest not in here and offset <= self._first.setdefault(digest, offset))
            # Rows of one block have the same offset.
            here.add(digest)
            if len(self._first) > MOST_ROWS:
                del self._first[next(iter(self._first))]
        return kept

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``."""
        return self._inner.resync(window, begin, proven=proven)


def is_compared(column: Column) -> bool:
    """Return whether rows that differ in a column are different rows of a table with distinct rows."""
    return column.default and not column.looked_up


def row_digests(arrays: Sequence[pa.Array]) -> Iterator[bytes]:
    """Yield the digest of the values of each row."""
    # Python has no time for each of Arrow's.
    kinds = [_without_times(each.type) for each in arrays]
    columns = [
        (each if each.type == kind else each.view(kind)).to_pylist() for each, kind in zip(arrays, kinds, strict=True)
    ]
    for values in zip(*columns, strict=True):
        yield blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _without_times(kind: Any) -> Any:
    """Return a type with integers in place of times, also inside of others."""
    if pa.types.is_timestamp(kind):
        return pa.int64()
    fields = [each.with_type(_without_times(each.type)) for each in map(kind.field, range(kind.num_fields))]
    if pa.types.is_list(kind):
        return pa.list_(fields[0])
    if pa.types.is_map(kind):
        return pa.map_(kind.key_type, _without_times(kind.item_type))
    if pa.types.is_struct(kind):
        return pa.struct(fields)
    return pa.union(fields, kind.mode, kind.type_codes) if pa.types.is_union(kind) else kind
