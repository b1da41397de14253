"""Coalesces small batches, since the overhead of Spark, Polars or DuckDB per batch equals the cost of some thousand
rows."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable

import pyarrow as pa

ENOUGH_ROWS = 4_096
ENOUGH_BYTES = 1 << 20
"""Rows are collected until either limit is reached, and then form a batch."""
ENOUGH_BATCHES = 16


def coalesced(batches: Iterable[pa.RecordBatch], most: int, *, eager: bool = False) -> Generator[pa.RecordBatch]:
    """Yield the same rows in the same order, in batches of at least ``ENOUGH_ROWS`` or ``ENOUGH_BYTES``, except for the
    last.

    ``most``: maximum number of rows of a combined batch. A large batch is passed on without a copy. If the source
    fails, the rows that it had yielded before are yielded first.

    ``eager``: for a consumer that may stop after a few rows. The first batch is passed on immediately; after that, at
    most two batches are combined, then four, and so on up to ``ENOUGH_BATCHES``.
    """
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    enough: float = 1 if eager else math.inf
    try:
        for batch in batches:
            if waiting and rows + batch.num_rows > most:
                yield _one(waiting)
                waiting, rows, size = [], 0, 0
            waiting.append(batch)
            rows += batch.num_rows
            size += batch.nbytes
            if rows >= ENOUGH_ROWS or size >= ENOUGH_BYTES or len(waiting) >= enough:
                yield _one(waiting)
                waiting, rows, size = [], 0, 0
                if eager:
                    enough = min(2 * enough, ENOUGH_BATCHES)
    except Exception:
        if waiting:
            yield _one(waiting)
        raise
    if waiting:
        yield _one(waiting)


def _one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)
