"""Inputs that consist of blocks of a fixed size, of which only the last one may be shorter.

The content of a block does not depend on its position, so any number of blocks can be read as a separate input: large
inputs some blocks at a time, and byte ranges starting at the block in which they begin.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..base.errors import UnsupportedError
from ..base.limits import LARGEST_RECORD
from ..input.window import Window
from ..rows.engine_reader import EngineRowReader
from ..rows.reader import FillResult, RowDamage, RowReader, Status
from ..rows.zero_runs import NOT_ZERO
from .damage_log import Detail
from .end_of_file import end_of_written, first_of_zeros, skip_to_content, truncated_row, unwritten
from .events import DamagedRange, Rows
from .extents_ahead import ExtentFill, ExtentsAhead
from .extraction import Ended, Extraction, Lost, Next, ScannedInput
from .log_extractor import BlockWindow, LogExtractor
from .log_numbers import LogNumbers
from .options import LAST_OFFSET
from .row_extractor import filtered_fill
from .row_resync import CONTENT

if TYPE_CHECKING:
    from .opening import Opened

EXTENT = 8 * 1024 * 1024
"""Maximum size in bytes of the blocks that are read at once, as far as they are available; a larger block is read
alone."""


class BlockExtractor(LogExtractor):
    """Implements ``Extractor``."""

    def __init__(self, scanned: ScannedInput) -> None:
        super().__init__(scanned)
        self._range_begin, self._range_stop = 0, -1
        self._reaches_end = True
        """Whether the input is read to its end: byte ranges after this one are empty."""
        self._written: int | None = None
        """The offset after the last byte that is not zero, of an input that grows."""
        self._zeros_at: int | None = None
        """The offset of zeros that may be the unwritten end of a preallocated input."""
        self._row_reader: RowReader
        self._extent: ExtentFill[BlockWindow] | None = None
        self._ahead: ExtentsAhead[BlockWindow] | None = None

    def begin(self, opened: Opened) -> Extraction:
        """Implement ``Extractor.begin``."""
        yield from ()
        request = self._request
        self._readers.begin(None)
        settings = self.settings(
            projected=request.read_columns,
            offsets=request.reads_offsets or request.byte_range is not None or request.mode == "failfast",
            null_rows=request.null_fill_rows,
            # The limit applies to a record, of which a block contains a part.
            max_record=LARGEST_RECORD,
            predicates=request.pushed.predicates,
        )
        self._row_reader = self._readers.rows(settings)
        joiner = self._scanned.joiner
        if joiner is not None and joiner.logs is not None:
            self._logs = LogNumbers(joiner.logs.column)
        if request.byte_range is not None:
            self._narrow(opened, *request.byte_range)
        if request.grows:
            self._written = end_of_written(opened)
        threads = settings.ahead and isinstance(self._row_reader, EngineRowReader)
        make = partial(self._readers.other, settings) if threads else None
        self._ahead = ExtentsAhead(self._row_reader, make, self._fill)
        return Next.CALL

    def take(self, window: Window) -> Extraction:
        """Implement ``Extractor.take``."""
        if self._zeros_at is not None:
            begin, self._zeros_at = self._zeros_at, None
            return (yield from self._pass_zeros(window, begin))
        if self._extent is None or self._extent.window.is_done:
            self._extent = self._next(window)
        if self._extent is None:
            return (yield from self._ended(window.base + window.begin))
        extent = self._extent.window
        before = extent.begin
        filled = self._extent.take() or self._fill(self._extent.row_reader, extent)
        extent.begin = filled.consumed
        filled = extent.in_input(filled)
        zeros = None if self._request.format.preallocated is None else self._zeros_from(filled, window)
        self._learn_log(filled, extent)
        unfinished = self._unfinished(filled, extent)
        if unfinished is None:
            unfinished = self._zeros_at = zeros
        if unfinished is None:
            unfinished = self._truncated_row(filled, window, self._range_stop)
            if unfinished is not None and self._is_complete(extent, unfinished):
                unfinished = None
        window.begin = extent.offset + extent.begin - window.base
        self._scanned.count(window)
        if unfinished is not None:
            filled = replace(filled, damages=[each for each in filled.damages if each.begin < unfinished])
        earlier, filled = self._of_log(filled, extent, extent.offset + before)
        yield from self._damaged(earlier)
        event = self._rows(filled, extent, before, unfinished)
        if event.rows or event.damages or event.filtered:
            yield event
        if self._zeros_at is not None:
            assert self._ahead is not None
            self._ahead.clear()
            extent.begin, window.begin = len(extent.view), self._zeros_at - window.base
            return Next.CALL
        if unfinished is not None:
            if self._header is not None and self._header.is_at(extent.view, unfinished - extent.offset):
                yield from self._damaged(self._after_log.take())
            self.close()
            return self._unwritten_log() or Lost(unfinished, "truncated", "truncated", is_read=True)
        if filled.status in (Status.TRUNCATED, Status.LOST):
            yield from self._skip_block(filled, extent)
            window.begin = extent.offset + extent.begin - window.base
        if 0 <= self._range_stop <= window.base + window.begin:
            return (yield from self._ended(window.base + window.begin))
        return Next.CALL

    def _ended(self, offset: int) -> Extraction:
        """End where the next byte range begins, or at an offset in the last one."""
        if self._reaches_end:
            return self._unwritten_log() or Ended(offset, is_read=True)
        # The next range begins with a record of the log, after which nothing is kept, or after one.
        yield from self._damaged(self._after_log.take())
        return Ended(self._range_stop, is_read=False)

    # Extents ---------------------------------------------------------------------------------------------------------

    def _next(self, window: Window) -> ExtentFill[BlockWindow] | None:
        """Return the next extent; ``None`` at the end of the input."""
        assert self._ahead is not None
        return self._ahead.next(self._extent, self._following(window, self._ahead.last))

    def _following(self, window: Window, last: BlockWindow | None) -> Iterator[BlockWindow]:
        """Yield the extents after ``last``, as far as the window has them. It is extended if there is no last one."""
        if last is None:
            self._extend(window)
            begin = window.begin
        else:
            begin = last.offset + len(last.view) - window.base
        while len((extent := self._extent_at(window, begin, EXTENT)).view):
            yield extent
            begin += len(extent.view)

    def _extend(self, window: Window) -> None:
        """Extend the window until it has a block to read, if the input has."""
        while len(window.view) - window.begin < self._block and window.extend():
            pass

    def _extent_at(self, window: Window, begin: int, size: int) -> BlockWindow:
        """Return the available blocks from an index on, of about ``size`` bytes at most; empty if there are none."""
        most = max(size - size % self._block, self._block)
        if self._range_stop >= 0:
            left = max(self._range_stop - window.base - begin, 0)
            most = min(most, left + -left % self._block)
        found = min(len(window.view) - begin, most)
        if not window.at_end or found == most:
            found -= found % self._block
        return BlockWindow(window.view[begin : begin + max(found, 0)], window.base + begin)

    def close(self) -> None:
        """Implement ``Extractor.close``."""
        self._extent = None
        if self._ahead is not None:
            self._ahead.clear()

    def _fill(self, row_reader: RowReader, extent: BlockWindow) -> FillResult:
        """Return the next rows of an extent."""
        request = self._request
        fill = partial(row_reader.fill, extent, capacity=request.batch_rows)
        filtered = bool(request.pushed.predicates) and request.byte_range is None and not request.grows
        return filtered_fill(fill, filtered=filtered)

    def _skip_block(self, filled: FillResult, extent: BlockWindow) -> Iterator[DamagedRange]:
        """Continue after the block in which rows were lost."""
        index = filled.position - extent.offset
        extent.begin = min(index - index % self._block + self._block, len(extent.view))
        content = bytes(extent.view[index : extent.begin][:CONTENT])
        # Zeros that reach to the end of what is in memory are the same.
        is_unwritten = self._request.format.preallocated is not None and not NOT_ZERO.search(content)
        reason = "zeros" if is_unwritten else filled.reason
        damage = RowDamage(filled.position, extent.offset + extent.begin, -1, reason)
        yield from self._damaged(self._between(damage, content, extent))

    def _zeros_from(self, filled: FillResult, window: Window) -> int | None:
        """Return the offset in the byte range from which on the window has only zeros, and a fill no rows; ``None`` if
        there is none."""
        begin = first_of_zeros(filled, window)
        if begin is None or 0 <= self._range_stop <= begin:
            return None
        return max(begin, self._range_begin)

    def _pass_zeros(self, window: Window, begin: int) -> Extraction:
        """Continue at the block with the next content after zeros, or end where they begin if there is none."""
        has_more = skip_to_content(window, self._block)
        if not has_more and window.error is None:
            return self._unwritten_log() or unwritten(begin, self._report, grows=self._request.grows)
        end = window.base + window.begin
        damage, content = RowDamage(begin, end, -1, "zeros"), bytes(min(end - begin, CONTENT))
        yield from self._damaged(self._between(damage, content, None))
        self._zeros.continue_at(end)
        return Next.CALL

    def _unfinished(self, filled: FillResult, extent: BlockWindow) -> int | None:
        """Return the offset, in an input that grows, of a row that has not been written completely; ``None`` if there
        is none."""
        written = self._written
        if written is None:
            return None
        begins = (
            each.begin
            for each in filled.damages
            if each.end >= written and each.begin >= self._range_begin and not 0 <= self._range_stop <= each.begin
        )
        return next((each for each in begins if not self._is_complete(extent, each)), None)

    def _truncated_row(self, filled: FillResult, window: Window, stop: int) -> int | None:
        """Return the offset, before ``stop`` (-1: no limit), of a row that is cut off; ``None`` if there is none."""
        begin = truncated_row(
            filled, window, self._block, lambda: self._readers.rows(self.settings(max_record=LARGEST_RECORD))
        )
        return None if begin is None or begin < self._range_begin or 0 <= stop <= begin else begin

    def _rows(self, filled: FillResult, extent: BlockWindow, begin: int, unfinished: int | None) -> Rows:
        """Return the event of a fill that began at index ``begin`` of the extent; its damage is recorded."""
        # Fragments of another log after the log are rows, too, but what ends there is the last fragment of the log.
        ends = (None if self._range_stop < 0 else self._range_stop, unfinished, self._after_log.begin)
        stop = min((each for each in ends if each is not None), default=-1)
        if stop >= 0 or self._range_begin:
            filled = _within(filled, self._range_begin, stop)

        def details(damage: RowDamage) -> Detail:
            inside = damage._replace(begin=damage.begin - extent.offset, end=damage.end - extent.offset)
            found = self.of_fill(extent, inside, begin, at_start=True)
            # How many records the fragments before it form is found later.
            return found._replace(record=None) if self._scanned.joiner is not None else found

        made = self.event(filled, extent.view, extent.offset, details)
        if stop >= 0:
            made.end = min(made.end, stop)
        return made

    # Byte ranges -----------------------------------------------------------------------------------------------------

    def _narrow(self, opened: Opened, begin: int, stop: int) -> None:
        """Begin with the first block of a byte range. A range has the records that begin in it; if
        records are fragmented, it ends at the beginning of the first record after it."""
        path = self._scanned.source.path
        if opened.begin_at is None:
            raise UnsupportedError("is not seekable: it cannot be read in byte ranges", path=path)
        if self._scanned.joiner is not None:
            self._learn(opened)
        self._range_begin, is_empty = self._boundary(opened, begin)
        self._range_stop, self._reaches_end = (self._range_begin, True) if is_empty else self._boundary(opened, stop)
        self._log.narrow(self._range_begin, self._range_stop)
        self._scanned.start = self._range_begin
        # A range without bytes begins at its end, wherever that is in a block.
        opened.restart(
            self._range_begin - (self._range_begin % self._block if self._range_begin < self._range_stop else 0)
        )

    def _learn(self, opened: Opened) -> None:
        """Determine what the records of the first block say about all others."""
        assert self._scanned.joiner is not None
        for filled in self._blocks_from(opened, 0):
            if filled.rows:
                self._scanned.joiner.learn(filled.arrays)
                window = opened.window
                at = filled.offsets[0].as_py() if filled.offsets is not None else 0
                begin = at - at % self._block
                block = window.view[begin - window.base : begin - window.base + self._block]
                self._learn_log(filled, BlockWindow(block, begin))
                return

    def _boundary(self, opened: Opened, offset: int) -> tuple[int, bool]:
        """Return the first boundary at or after an offset: there a byte range that is to begin there begins, and one
        that is to end there ends. A boundary is where a record begins, or what directly follows a record; consecutive
        damage has none inside. Also return whether there is no boundary: then it is the end of the input.

        Whether an offset is a boundary does not depend on the range, so adjacent ranges share theirs."""
        if offset in (0, LAST_OFFSET):
            return offset, offset > 0
        is_after_record = False
        # From the block before on: a record may end there.
        for found in self._beginnings_from(opened, max(offset - offset % self._block - self._block, 0)):
            for begin, begins_record, ends_record in found:
                if begin >= offset and (begins_record or is_after_record):
                    return begin, False
                is_after_record = ends_record
        return opened.window.base + len(opened.window.view), True

    def _beginnings_from(self, opened: Opened, offset: int) -> Iterator[list[tuple[int, bool, bool]]]:
        """Yield, for each fill from the block at an offset on, where rows and damaged ranges begin, in order, and
        whether a record begins and ends with them."""
        joiner = self._scanned.joiner
        for filled in self._blocks_from(opened, offset):
            damaged = {each.begin for each in filled.damages}
            if filled.status in (Status.TRUNCATED, Status.LOST):
                damaged.add(filled.position)
            begins = set[int]() if filled.offsets is None else set(filled.offsets.to_pylist())
            first = last = begins - damaged
            if joiner is not None and filled.rows:
                assert filled.offsets is not None
                first = set(filled.offsets.take(joiner.beginnings(filled.arrays)).to_pylist())
                last = set(filled.offsets.take(joiner.ends(filled.arrays)).to_pylist())
            yield [(begin, begin in first, begin in last) for begin in sorted(begins | damaged)]

    def _blocks_from(self, opened: Opened, offset: int) -> Iterator[FillResult]:
        """Yield the rows of each block from an offset on, until there are none."""
        window = opened.restart(offset)
        if window.base + window.begin < offset:
            return
        while True:
            zeros = window.base + window.begin
            if self._request.format.preallocated is not None:
                # Other zeros may be rows.
                skip_to_content(window, self._block)
                if window.base + window.begin > zeros:
                    yield FillResult(0, {}, None, [], 0, Status.LOST, zeros)
            self._extend(window)
            extent = self._extent_at(window, window.begin, self._block)
            if not len(extent.view):
                return
            self._row_reader.begin(None)
            while not extent.is_done:
                filled = self._row_reader.fill(extent, capacity=self._request.batch_rows)
                yield extent.in_input(filled)
                if filled.status in (Status.TRUNCATED, Status.LOST):
                    break
                extent.begin = filled.consumed
            window.begin += len(extent.view)


def _within(filled: FillResult, begin: int, stop: int) -> FillResult:
    """Return the rows and the damage of a fill that begin in a byte range; ``stop``: -1 for no end."""
    offsets = memoryview(filled.offsets.buffers()[1]).cast("B").cast("Q") if filled.offsets is not None else ()
    first = bisect_left(offsets, begin, 0, filled.rows) if filled.rows else 0
    last = bisect_left(offsets, stop, first, filled.rows) if filled.rows and stop >= 0 else filled.rows
    damages = [
        each._replace(row=each.row if each.row < 0 else each.row - first)
        for each in filled.damages
        if begin <= each.begin and (stop < 0 or each.begin < stop)
    ]
    return replace(
        filled,
        rows=last - first,
        arrays={number: array.slice(first, last - first) for number, array in filled.arrays.items()},
        offsets=None if filled.offsets is None else filled.offsets.slice(first, last - first),
        damages=damages,
    )
