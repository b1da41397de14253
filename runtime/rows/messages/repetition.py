"""Limits of fields above the rows, which are repeated in every row: a long value above very many rows is refused."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ... import engine
from ..numbers import value_array

MOST_ELEMENTS = (1 << 31) - 1
OFFSET_SIZE = 4
RUN_SIZE = 24
"""Size in bytes of a run: begin, size and times."""


class Repetition:
    """The elements of ``values``, which begins at 0, at ``indices``: an int32 array without nulls in which equal
    numbers are mostly adjacent.

    - ``fits``: whether no offset exceeds 31 bits, and all types are supported.
    - ``largest``: an upper bound of the size in bytes of a value multiplied by the number of its adjacent repetitions.
    """

    def __init__(self, values: Any, indices: Any) -> None:
        self.fits = True
        self.largest = 0
        self._values = values
        self._count = len(indices)
        self._runs = engine._engine.repeat_runs(_content(indices, len(indices)))
        self._weights = bytearray(8 * (len(self._runs) // RUN_SIZE))
        self._inner: list[tuple[bytes, int]] = []
        self._measure(values, self._runs)

    def array(self) -> Any:
        """Return the repeated elements."""
        return self._repeated(self._values, self._runs, self._count, iter(self._inner))

    def _measure(self, values: Any, runs: bytes) -> None:
        """Determine the runs of the levels inside of ``values``, in the order in which they are needed."""
        kind = values.type
        nested = pa.types.is_struct(kind) or pa.types.is_list(kind)
        variable = pa.types.is_string(kind) or pa.types.is_binary(kind)
        self.fits = self.fits and (nested or variable or pa.types.is_primitive(kind))
        if not self.fits:
            return
        # An offset or a value, and at most a byte of validity; a list has one more offset than elements.
        width = 1 if pa.types.is_struct(kind) else 9 if nested or variable else (kind.bit_width + 7) // 8 + 1
        self.largest = engine._engine.repeat_weigh(runs, width, self._weights)
        if values.null_count == len(values):
            return
        if pa.types.is_struct(kind):
            for number in range(kind.num_fields):
                self._measure(values.field(number), runs)
        elif nested or variable:
            inner, count = engine._engine.repeat_inner(runs, _content(values, len(values) + 1))
            self._inner.append((inner, count))
            self.fits = count <= MOST_ELEMENTS
            if variable and self.fits:
                self.largest = engine._engine.repeat_weigh(inner, 1, self._weights)
            elif self.fits:
                self._measure(values.values, inner)

    def _repeated(self, values: Any, runs: bytes, count: int, levels: Any) -> Any:
        kind = values.type
        if values.null_count == len(values):
            return pa.nulls(count, kind)
        validity = None
        if values.null_count:
            there = _repeat(runs, values.is_valid().cast(pa.uint8()), 1, count)
            validity = pa.Array.from_buffers(pa.uint8(), count, [None, there]).cast(pa.bool_()).buffers()[1]
        if pa.types.is_struct(kind):
            children = [self._repeated(values.field(each), runs, count, levels) for each in range(kind.num_fields)]
            return pa.Array.from_buffers(kind, count, [validity], children=children)
        if pa.types.is_boolean(kind):
            small = pa.Array.from_buffers(pa.uint8(), count, [None, _repeat(runs, values.cast(pa.uint8()), 1, count)])
            return pa.Array.from_buffers(kind, count, [validity, small.cast(kind).buffers()[1]])
        if pa.types.is_primitive(kind):
            return pa.Array.from_buffers(kind, count, [validity, _repeat(runs, values, kind.bit_width // 8, count)])
        inner, inner_count = next(levels)
        offsets = pa.allocate_buffer(OFFSET_SIZE * (count + 1))
        engine._engine.repeat(runs, _content(values, len(values) + 1), 0, offsets)
        if pa.types.is_list(kind):
            items = self._repeated(values.values, inner, inner_count, levels)
            return pa.Array.from_buffers(kind, count, [validity, offsets], children=[items])
        data = pa.allocate_buffer(inner_count)
        engine._engine.repeat(inner, values.buffers()[2] or b"", 1, data)
        return pa.Array.from_buffers(kind, count, [validity, offsets, data])


def repeated(values: Any, indices: Any) -> Any:
    """Return ``values.take(indices)``. ``values`` begins at 0."""
    if indices.null_count == 0:
        repetition = Repetition(values, indices)
        if repetition.fits:
            return repetition.array()
    return values.take(indices)


def _repeat(runs: bytes, values: Any, width: int, count: int) -> Any:
    to = pa.allocate_buffer(width * count)
    engine._engine.repeat(runs, _content(values, len(values), width), width, to)
    return to


def _content(array: Any, count: int, width: int = OFFSET_SIZE) -> memoryview:
    """Return the values or offsets of an array, ``count`` of ``width`` bytes each."""
    begin = array.offset * width
    return memoryview(array.buffers()[1] or b"")[begin : begin + count * width]


MOST_TIMES, FREE, MOST = 256, 1 << 16, 1 << 30

DETAIL = "{name} is repeated for {rows} rows, which would take more than {most} bytes"


def most_repeated(unit_size: int) -> int:
    """Return the maximum number of bytes that one column may have in the rows of a unit by repetition; it equals the
    limit for look-ups."""
    return min(MOST_TIMES * unit_size + FREE, MOST)


def oversized_units(
    values: pa.Array, parents: pa.Array, counts: pa.Array, unit_sizes: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Return the units whose rows would become too large, by number: the range of rows that share a value, and the
    limit.

    ``values``: a column with an element for each message above the rows; ``parents``: the element of each row;
    ``counts``: the number of rows of each unit.
    """
    if not unit_sizes:
        return {}
    least = most_repeated(min(unit_sizes))
    if values.nbytes * len(parents) <= least:
        return {}
    if parents.null_count == 0:
        repetition = Repetition(values, parents)
        if repetition.fits and repetition.largest <= least:
            return {}
    ends = list(accumulate(counts.to_pylist()))
    found: dict[int, tuple[int, int]] = {}
    taken = pc.value_counts(parents)
    first = 0
    for parent, rows in zip(taken.field(0).to_pylist(), taken.field(1).to_pylist(), strict=True):
        if parent is None:
            continue
        # Rows of a parent are consecutive, with nulls between those of different parents.
        row = pc.index(parents, parent).as_py() if parents.null_count else first
        first += rows
        unit = bisect_right(ends, row)
        most = most_repeated(unit_sizes[unit])
        if values.slice(parent, 1).nbytes * rows > most:
            found[unit] = (rows, most)
    return found


def rows_without(units: Sequence[int], counts: pa.Array, null_rows: bool) -> tuple[pa.Array, pa.Array]:
    """Return the numbers of the rows that remain without those of some units, and then the number of rows of each unit.
    With ``null_rows`` there is a null for each of these units, so that taking rows by these numbers yields a row of
    nulls."""
    dropped = set(units)
    numbers: list[Any] = []
    left: list[int] = []
    row = 0
    for unit, count in enumerate(counts.to_pylist()):
        kept: list[Any] = list(range(row, row + count))
        if unit in dropped:
            kept = [None] if null_rows else []
        numbers += kept
        left.append(len(kept))
        row += count
    return value_array(numbers, pa.int64()), value_array(left, pa.int32())
