"""Fields above the rows are in every row of theirs: a long one above very many rows is refused, not repeated."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MOST_TIMES, FREE, MOST = 256, 1 << 16, 1 << 30
SMALL = 1 << 26
"""Where a whole batch cannot become larger, nothing is looked at closely."""

DETAIL = "{name} stands above {rows} rows, which would make more than {most} bytes of it"


def most_repeated(unit_size: int) -> int:
    """Bytes that one column may have in the rows of a unit by being repeated: as much as look-ups may give them."""
    return min(MOST_TIMES * unit_size + FREE, MOST)


def oversized_units(
    values: pa.Array, parents: pa.Array, counts: pa.Array, unit_sizes: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """The units whose rows would become too large: by number, the rows over which a value stands, and the limit.

    ``values``: a column with an element for each message above the rows; ``parents``: which of them each row takes;
    ``counts``: rows of each unit.
    """
    if values.nbytes * len(parents) <= SMALL:
        return {}
    ends = list(accumulate(counts.to_pylist()))
    found: dict[int, tuple[int, int]] = {}
    taken = pc.value_counts(parents)
    for parent, rows in zip(taken.field(0).to_pylist(), taken.field(1).to_pylist(), strict=True):
        if parent is None:
            continue
        unit = bisect_right(ends, pc.index(parents, parent).as_py())
        most = most_repeated(unit_sizes[unit])
        if values.slice(parent, 1).nbytes * rows > most:
            found[unit] = (rows, most)
    return found


def rows_without(units: Sequence[int], counts: pa.Array, null_rows: bool) -> tuple[pa.Array, pa.Array]:
    """The numbers of the rows that stay without those of some units, and the rows of each unit then. With ``null_rows``
    there is a null for each of these units, so that taking rows by the numbers gives a row of nulls."""
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
