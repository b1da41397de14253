"""Record batches of the events of a scan, and larger ones of several small ones."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Any

import pyarrow as pa

from ..base.report import FileReport
from ..rows.numbers import value_array
from ..rows.reader import RowDamage
from ..rows.selected_columns import BatchBuilder, end_explained
from .events import DamagedRange, End, Event, Failed, Rows
from .request import ScanRequest
from .row_filter import kept


def batches_of(events: Generator[Event, None, None], request: ScanRequest, report: FileReport) -> Generator[Any]:
    """Yield the record batches of an input with at most ``request.batch_rows`` rows each, and close ``events``."""
    builder = request.projection.builder(report.path)
    with closing(events):
        for event in events:
            filter = request.pushed.residual if isinstance(event, Rows) and event.filtered else request.filter
            for batch in _of_event(event, request, builder, report):
                if request.filter is None:
                    yield batch
                elif (rows := kept(batch, filter, request.selected_count)).num_rows:
                    yield rows


def _of_event(event: Event, request: ScanRequest, builder: BatchBuilder, report: FileReport) -> Iterator[Any]:
    match event:
        case Rows():
            yield from _of_rows(event, request, builder)
        case DamagedRange() if event.null_row and request.null_rows:
            yield builder.null_row_batch(event.damage, event.content, event.error)
        case Failed() if request.null_rows:
            yield builder.null_row_batch(event.damage, None, event.message)
        case End() if request.null_rows and request.end_rows and report.lost_end is not None:
            begin, reason = report.tail_offset, report.lost_end
            damage = RowDamage(begin, begin, -1, reason)
            yield builder.null_row_batch(damage, event.content, end_explained(reason).partition(": ")[2])


def batch_of(event: Rows, builder: BatchBuilder) -> Any:
    """Return all rows of an event as one batch, including rows of nulls for damaged records that have one."""
    return builder.batch(
        event.rows, event.arrays, event.offsets, event.damages, event.content, event.base, event.errors
    )


def _of_rows(event: Rows, request: ScanRequest, builder: BatchBuilder) -> Iterator[Any]:
    between = event.units.between if event.units is not None else ()
    if event.last <= event.first + len(event.hidden) and not between:
        return
    batch = batch_of(event, builder)
    if event.last - event.first < event.rows:
        batch = batch.slice(event.first, event.last - event.first)
    if event.hidden:
        batch = batch.filter(value_array([row not in event.hidden for row in range(event.first, event.last)]))
    first = 0
    for row, damaged in between:
        yield from _slices(batch, first, row, request.batch_rows)
        first = row
        if request.null_rows:
            yield builder.null_row_batch(damaged.damage, damaged.content, damaged.error)
    yield from _slices(batch, first, batch.num_rows, request.batch_rows)


def _slices(batch: Any, first: int, last: int, rows: int) -> Iterator[Any]:
    if last - first == batch.num_rows <= rows:
        yield batch
    else:
        yield from (batch.slice(begin, min(rows, last - begin)) for begin in range(first, last, rows))


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
