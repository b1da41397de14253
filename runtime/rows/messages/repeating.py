"""Limits of fields above the rows, which are repeated in every row: a long value above very many rows is refused."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .repetition import Repetition

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
    return pa.array(numbers, pa.int64()), pa.array(left, pa.int32())
