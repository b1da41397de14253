"""Several small files read by one call of the engine.

Opening a file takes as much time as reading some hundred kilobytes of it. So the contents of several files of
consecutive rows are loaded into memory one after another and read as one. That requires each file to end exactly at the
end of a row, and to contain no damage. The first file that does not meet this ends the bundle, and is read on its own
by ``input_scan``.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from ..base.dataclass import dataclass, field
from ..base.report import FileReport
from ..input.inputs import Input
from ..input.window import MemoryWindow
from ..rows.numbers import value_array
from ..rows.reader import FillResult, Settings, Status
from ..rows.selected_columns import BatchBuilder
from .opening import PLAIN_WORTH
from .request import ScanRequest
from .scan_readers import ScanReaders
from .small_file_loading import Load, Loads, LoadsAhead, is_small, stand_back_to_back
from .stride_detection import ROWS, candidates


def is_possible(request: ScanRequest) -> bool:
    """Return whether the rows of several files can be read at once."""
    return (
        stand_back_to_back(request.format)
        and request.encoded is request
        and request.by_engine
        and request.verify
        and request.byte_range is None
        and request.chunk is None
        and not request.prefetch
    )


@dataclass
class BundledFile:
    """A file in a bundle: bytes ``begin`` … ``end`` (exclusive) of its memory, and its rows."""

    source: Input
    begin: int
    end: int
    first: int = 0
    last: int = 0
    """The range of its rows, counted from the first row of the bundle."""

    def report(self, options: dict[str, str]) -> FileReport:
        """Return the report of the file."""
        size = self.end - self.begin
        return FileReport(
            self.source.path,
            rows=self.last - self.first,
            bytes=size,
            tail="clean",
            tail_offset=size,
            tail_size=0,
            options=dict(options),
        )


class BundleReader:
    """Iterates over bundles that together contain all inputs, in their order. Must be closed."""

    def __init__(self, request: ScanRequest, sources: Sequence[Input], readers: ScanReaders) -> None:
        self._request = request
        small = sum(source.size or 0 for source in sources if is_small(source))
        # Less is read before a thread would have started.
        ahead = request.prefetch is None and small >= PLAIN_WORTH
        loads = Loads(request, sources)
        self._loads = LoadsAhead(loads) if ahead else loads
        paddings = candidates(request)
        self._padding, self._options = paddings[0]
        projection = request.projection
        self._row_reader = readers.rows(
            Settings(
                projected=projection.projected,
                offsets=True,
                padding=self._padding,
                max_record=request.max_record,
                max_computed=request.max_computed,
            )
        )
        self._others = [
            readers.rows(Settings(padding=padding, max_record=request.max_record, max_computed=request.max_computed))
            for padding, _ in paddings[1:]
        ]

    def __iter__(self) -> Iterator[Bundle]:
        while (load := self._loads.next()) is not None:
            bundle = self._bundle(load)
            self._loads.give_back(load)
            yield bundle

    def close(self) -> None:
        """End the thread that reads ahead, if there is one."""
        self._loads.close()

    def _bundle(self, load: Load) -> Bundle:
        if len(load.ends) < 2:
            return Bundle(self._request, load.sources)
        begins = [0, *load.ends]
        parts = [BundledFile(*each) for each in zip(load.sources, begins, load.ends, strict=False)]
        memory = load.memory[: load.ends[-1]]
        fills, offsets = self._fill(memory)
        good = self._good(memory, parts, fills, offsets)
        return Bundle(self._request, load.sources[len(good) :], good, fills, self._options)

    def _fill(self, memory: memoryview) -> tuple[list[FillResult], Sequence[int]]:
        """Return all rows up to the first invalid one, and their offsets."""
        window = MemoryWindow(memory)
        end = len(memory)
        fills: list[FillResult] = []
        offsets = array("Q")
        while True:
            filled = self._row_reader.fill(window, capacity=self._request.batch_rows)
            fills.append(filled)
            offsets.frombytes(_bytes(filled.offsets))
            window.begin = filled.consumed
            if filled.damages:
                # Rows after it are discarded: the file with the damage is read on its own.
                del offsets[bisect_left(offsets, filled.damages[0].begin) :]
                return fills, offsets
            if filled.status is not Status.BATCH_FULL:
                if filled.status is Status.END and filled.consumed == end:
                    offsets.append(end)
                return fills, offsets

    def _good(
        self, memory: memoryview, parts: Sequence[BundledFile], fills: Sequence[FillResult], offsets: Sequence[int]
    ) -> list[BundledFile]:
        """Return the leading files that yield the same rows if each is read separately."""
        good: list[BundledFile] = []
        first = 0
        for part in parts:
            last = bisect_left(offsets, part.end, first)
            if last == len(offsets) or offsets[last] != part.end or not self._is_evident(memory, part, last - first):
                break
            part.first, part.last = first, last
            good.append(part)
            first = last
        return good

    def _is_evident(self, memory: memoryview, part: BundledFile, rows: int) -> bool:
        """Return whether the first candidate for the padding between rows is the one that would be chosen for this file
        alone."""
        if not self._others or rows >= ROWS:
            return True
        if rows < 2:
            return False
        window = MemoryWindow(memory[part.begin : part.end])
        return all(each.fill(window, capacity=ROWS, at_start=True).rows <= rows for each in self._others)


@dataclass
class Bundle:
    """Files that were read together. ``good``: those whose rows are in the bundle; ``others``: those after them, which
    are read one by one."""

    request: ScanRequest
    others: Sequence[Input]
    good: list[BundledFile] = field(default_factory=list)
    fills: list[FillResult] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)

    def batches(self) -> Iterator[tuple[Any, list[tuple[FileReport, int]]]]:
        """Yield the rows as record batches, each with the reports of the files that have rows in it, and the number of
        rows of each."""
        reports = [part.report(self.options) for part in self.good]
        rows = self.good[-1].last if self.good else 0
        begin = at = 0
        for filled in self.fills:
            end = min(begin + filled.rows, rows)
            if end <= begin:
                return
            here: list[tuple[BundledFile, FileReport, int]] = []
            while at < len(self.good) and self.good[at].first < end:
                part = self.good[at]
                here.append((part, reports[at], min(part.last, end) - max(part.first, begin)))
                if part.last > end:
                    break
                at += 1
            yield self._batch(filled, here, end - begin), [(report, count) for _, report, count in here]
            begin = end

    def _batch(self, filled: FillResult, here: list[tuple[BundledFile, FileReport, int]], rows: int) -> Any:
        arrays = {number: array.slice(0, rows) for number, array in filled.arrays.items()}
        offsets = None
        ends: list[int] = []
        for _, _, count in here:
            ends.append(count + (ends[-1] if ends else 0))
        if self.request.projection.has_offsets and filled.offsets is not None:
            # Imported here: it takes longer than all other imports of a reader.
            import pyarrow.compute as pc

            begins = _runs(ends, value_array([part.begin for part, _, _ in here], pa.uint64()))
            offsets = pc.subtract(filled.offsets.slice(0, rows), begins)
        return _Together(self.request, here, ends).batch(rows, arrays, offsets)


class _Together(BatchBuilder):
    """Creates a batch of rows of several files. ``ends``: the row of the batch after which the rows of each file
    end."""

    def __init__(self, request: ScanRequest, here: list[tuple[BundledFile, FileReport, int]], ends: list[int]) -> None:
        super().__init__(request.projection, {})
        self._here = here
        self._ends = ends

    def _constant(self, name: str, rows: int) -> Any:
        values = [self.projection.builder(part.source.path).constants[name] for part, _, _ in self._here]
        return _runs(self._ends, value_array(values, pa.utf8()))


def _runs(ends: list[int], values: Any) -> Any:
    """Return each value repeated for the length of its run."""
    import pyarrow.compute as pc

    return pc.run_end_decode(pa.RunEndEncodedArray.from_arrays(value_array(ends, pa.int32()), values))


def _bytes(offsets: Any) -> memoryview:
    return memoryview(offsets.buffers()[1]).cast("B")[: 8 * len(offsets)]
