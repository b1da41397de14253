"""Rows inside reassembled records: these form a separate input, each with its size before it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ..base.limits import LARGEST_RECORD
from ..input.window import MemoryWindow
from ..rows.numbers import bytes_array, number_array, number_scalar
from ..rows.reader import FillResult, RowDamage, RowReader, Settings, Status
from .events import DamagedRange, Event, Rows
from .whole_records import offsets_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..base.report import FileReport
    from .request import ScanRequest
    from .scan_readers import ScanReaders

AT_ONCE = 2 * 1024 * 1024
"""Number of bytes of records that are read together; more if a record is larger."""
SIZE = 4
"""Size in bytes of the size before a record."""


class RecordRows:
    """Turns records of one input into their rows. ``request``: that of the table of the rows; ``readers``: those of the
    scan; ``damaged``: creates the event of a damaged range of the input."""

    def __init__(
        self,
        request: ScanRequest,
        readers: ScanReaders,
        report: FileReport,
        damaged: Callable[[RowDamage], DamagedRange],
    ) -> None:
        self._request = request
        self._report = report
        self._damaged = damaged
        settings = Settings(
            projected=request.projection.projected,
            offsets=True,
            verify=request.verify,
            # The limit on records applies to the fragments of a record; its decompressed content has a limit of its
            # own.
            max_record=LARGEST_RECORD,
            max_computed=request.max_computed,
        )
        self._reader: RowReader = readers.inside(settings)
        self._base = 0
        """Bytes of records, with their sizes, that have been read."""

    def take(self, event: Rows, records: pa.Array, ends: Sequence[int]) -> Iterator[Event]:
        """Yield the rows inside records, and the damage of invalid ones. ``event``: the event whose rows are the
        records; ``ends``: the offset in the input at which each record ends."""
        assert event.offsets is not None
        begins = offsets_of(event.offsets)
        first, last = records.offset, records.offset + len(records) + 1
        bounds = memoryview(records.buffers()[1]).cast("B").cast("i")[first:last]
        first = 0
        while first < len(records):
            last = max(first + 1, bisect_right(bounds, bounds[first] + AT_ONCE, first) - 1)
            part = records.slice(first, last - first)
            yield from self._read(event, part, begins[first:last], ends[first:last])
            first = last

    def _read(self, event: Rows, records: pa.Array, begins: Sequence[int], ends: Sequence[int]) -> Iterator[Event]:
        content, bounds = _in_sequence(records)
        window = MemoryWindow(content)
        # As one long input, since look-ups may refer to earlier records.
        window.base = self._base
        starts = offsets_of(pc.add(bounds.cast(pa.uint64()), number_scalar(self._base, pa.uint64())))[:-1]
        self._base += len(content)
        while window.begin < len(content):
            filled = self._reader.fill(window, capacity=self._request.batch_rows)
            yield from self._events(event, filled, starts, begins, ends)
            window.begin = filled.consumed
            if filled.status in (Status.TRUNCATED, Status.LOST):
                number = bisect_right(starts, filled.position) - 1
                yield self._damaged(RowDamage(begins[number], ends[number], -1, filled.reason))
                window.begin = (starts[number + 1] if number + 1 < len(starts) else self._base) - window.base

    def _events(
        self, event: Rows, filled: FillResult, starts: Sequence[int], begins: Sequence[int], ends: Sequence[int]
    ) -> Iterator[Event]:
        assert filled.offsets is not None
        offsets = memoryview(filled.offsets.buffers()[1]).cast("B").cast("Q") if filled.rows else memoryview(b"")
        first = 0
        for damage in filled.damages:
            last = bisect_left(offsets, damage.begin, first, filled.rows)
            yield from self._rows(event, filled, offsets, first, last, starts, begins)
            number = bisect_right(starts, damage.begin) - 1
            yield self._damaged(RowDamage(begins[number], ends[number], -1, damage.reason))
            first = last
        yield from self._rows(event, filled, offsets, first, filled.rows, starts, begins)

    def _rows(
        self,
        event: Rows,
        filled: FillResult,
        offsets: memoryview,
        first: int,
        last: int,
        starts: Sequence[int],
        begins: Sequence[int],
    ) -> Iterator[Rows]:
        if first == last:
            return
        rows = last - first
        arrays = {number: array.slice(first, rows) for number, array in filled.arrays.items()}
        found = None
        if self._request.projection.has_offsets:
            found = offsets_of_records(offsets, first, last, starts, begins)
        self._report.rows += rows
        yield Rows(rows, arrays, found, (), event.content, event.base, event.end, 0, rows)


def _in_sequence(records: pa.Array) -> tuple[memoryview, pa.Array]:
    """Return the bytes of records, each with its size before it, and where each of these begins, and the last ends."""
    bounds = pa.Array.from_buffers(pa.int32(), len(records) + 1, [None, records.buffers()[1]], offset=records.offset)
    sizes = pc.subtract(bounds.slice(1), bounds.slice(0, len(records))).cast(pa.uint32())
    before = pa.Array.from_buffers(pa.binary(SIZE), len(records), [None, sizes.buffers()[1]])
    nothing = bytes_array([b""], pa.binary())[0]
    joined = pc.binary_join_element_wise(before.cast(pa.binary()), records.cast(pa.binary()), nothing)
    ends = pa.Array.from_buffers(pa.int32(), len(records) + 1, [None, joined.buffers()[1]])
    return memoryview(joined.buffers()[2] or b"")[: ends[-1].as_py()], ends


def offsets_of_records(
    offsets: memoryview, first: int, last: int, starts: Sequence[int], begins: Sequence[int]
) -> pa.Array:
    """Return the offsets in the input of the records of rows. ``offsets``: those of the rows in the sequence of
    records."""
    number = bisect_right(starts, offsets[first]) - 1
    values: list[int] = []
    counts: list[int] = []
    while first < last:
        end = bisect_left(offsets, starts[number + 1], first, last) if number + 1 < len(starts) else last
        if end > first:
            values.append(begins[number])
            counts.append(end - first)
        first, number = end, number + 1
    ends: list[int] = []
    total = 0
    for count in counts:
        total += count
        ends.append(total)
    return pc.run_end_decode(
        pa.RunEndEncodedArray.from_arrays(number_array(ends, pa.int32()), number_array(values, pa.uint64()))
    )
