"""Coalesces small batches: what a batch by itself costs Spark is worth that of some thousand rows."""

from __future__ import annotations

from collections.abc import Generator, Iterable

import pyarrow as pa

ENOUGH_ROWS = 4_096
ENOUGH_BYTES = 1 << 20
"""A batch that has either continues as it is, and so does one that comes to it with those before it."""


def coalesced(batches: Iterable[pa.RecordBatch], most: int) -> Generator[pa.RecordBatch]:
    """Yield the same rows in the same order, in batches of ``ENOUGH_ROWS`` or ``ENOUGH_BYTES`` but for the last one.

    ``most``: no batches are put together that have more rows than that. A large batch by itself is not copied. Where
    the source fails, the rows that it gave before are returned first.
    """
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    try:
        for batch in batches:
            if waiting and rows + batch.num_rows > most:
                yield _one(waiting)
                waiting, rows, size = [], 0, 0
            waiting.append(batch)
            rows += batch.num_rows
            size += batch.nbytes
            if rows >= ENOUGH_ROWS or size >= ENOUGH_BYTES:
                yield _one(waiting)
                waiting, rows, size = [], 0, 0
    except Exception:
        if waiting:
            yield _one(waiting)
        raise
    if waiting:
        yield _one(waiting)


def _one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)
