"""Rows that are stored directly in the input, consecutively or between delimiters."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..base.report import tail_of
from ..input.window import Window
from ..rows.late_root import LateRoot
from ..rows.look_ups import know
from ..rows.reader import FEW_DAMAGES, FillResult, RowDamage, RowReader, Status
from ..rows.zero_runs import AfterZeros, Fill, end_at_zeros, is_valid_frame, is_wiped, pass_zeros, skip_zeros
from . import row_resync
from .byte_ranges import SearchedRange, check_end, marked_range
from .end_of_file import ends_in_zeros, fill_up_to_break, has_proof, unwritten, without_torn
from .events import DamagedRange, Event, Head, Rows
from .extraction import Ended, Extraction, Extractor, Lost, Next, ScannedInput, lost_row
from .request import UnitStart
from .row_events import RowEvents
from .row_resync import CAPACITY, CONTENT, IncompleteRow
from .shifted_rows import ShiftedRows
from .stride_detection import decide

if TYPE_CHECKING:
    from .opening import Opened

MOST_LOOKED_AT = 1 << 62
"""Maximum number of unwritten zeros that are examined: in effect there is none, since they are not kept in memory."""


def is_in_order(filled: FillResult) -> bool:
    """Return whether a fill has no damage and ends without a problem."""
    return not filled.damages and filled.status in (Status.NEED_INPUT, Status.BATCH_FULL, Status.END)


def filtered_fill(fill: Callable[..., FillResult], *, filtered: bool) -> FillResult:
    """Fill with the rows that match the filter's predicates, if ``filtered``. A fill with damage is repeated with all
    rows, since damage is reported with the number of rows before it."""
    filled = fill(filtered=filtered)
    return filled if filled.filtered_out is None or is_in_order(filled) else fill()


class RowExtractor(RowEvents, Extractor):
    """Implements ``Extractor``."""

    def __init__(self, scanned: ScannedInput) -> None:
        super().__init__(scanned)
        request = scanned.request
        self._scanned = scanned
        self._source = scanned.source
        self._range_begin, self._range_stop = request.byte_range or (0, -1)
        self._fill_stop = self._range_stop
        """Where fills stop: after the byte range while its last rows are deferred."""
        self._usual_capacity = self._capacity = request.batch_rows
        self._at_start = True
        self._trims = False
        """Whether fills may have rows outside the byte range, which are left out."""
        self._filled_from = (0, False)
        """Where the last fill began, as an index of the view, and whether that was the input's beginning."""
        self._torn_record: bytes | None = None
        """The first bytes of a last row that was not written to its end."""
        self._row_reader: Any = None
        self._refills = self._unfiltered_fills = 0
        """Recent filtered fills that were repeated with all rows, and how many next fills are unfiltered."""
        self._searched_range: SearchedRange | None = None
        self._searches = request.recovers and not request.format.delimiter
        """Whether rows are searched for after one without an end."""
        self._follows_gap = False
        """Whether the window begins after a gap, where a row may begin."""
        self._incomplete = IncompleteRow(request.recover_within) if self._searches else None
        self._delimiters = re.compile(b"(?:%b)+" % re.escape(request.format.delimiter))

    def begin(self, opened: Opened) -> Extraction:
        """Implement ``Extractor.begin``."""
        request, window, self._at_start = self._request, opened.window, opened.at_start
        self._trims, first = request.byte_range is not None and opened.at_start, self._range_begin
        lost, size = None, len(request.format.head)
        root: Any = LateRoot.at(request.format, window)
        if root is None and request.format.has_prologue:
            # Imported here: rows read by the engine need no generated classes.
            from .prologue import read_prologue

            prologue = read_prologue(request.format, window, request.max_record, request.verify)
            if prologue.lost is not None:
                more = {"sentence": prologue.error, "in_head": True, "field": prologue.field}
                lost = lost_row(window, 0, prologue.lost, of_unit=True, **more)
                if not request.ignores_prologue:
                    # What is before the rows belongs to the first byte range.
                    return Ended(first, is_read=False) if first else lost
            if prologue.refused is not None and not first:
                damage = RowDamage(0, prologue.size, -1, prologue.refused)
                content = bytes(window.view[: prologue.size])
                yield DamagedRange(damage, content, null_row=self.note(damage, content, prologue.field))
            if lost is None:
                root, size = prologue.struct, prologue.size
        if root is not None:
            yield Head(window.view[:size], root=root)
            window.begin += size
        if request.format.has_marker and request.byte_range is not None and opened.begin_at is not None:
            marker, first_unit = request.format.marker_in(root), window.base + window.begin
            bounds = marked_range(opened.restart, marker, request.format.marker_lead, first_unit, request.byte_range)
            window = self._narrow(opened, *bounds)
        self._readers.begin(root)
        self.padding, options = decide(request, self._readers, window)
        self._report.options.update(options)
        self._row_reader = self._readers.rows(
            self.settings(
                projected=request.read_columns,
                offsets=request.reads_offsets or self._trims,
                null_rows=request.null_fill_rows,
                predicates=request.pushed.predicates,
            )
        )
        if request.limit is not None and request.pushed.residual is None:
            self._usual_capacity = self._capacity = max(1, min(self._usual_capacity, request.limit))
        if request.searches_ranges and opened.begin_at is not None:
            found = SearchedRange(opened.restart, self._row_reader, request, window.base + window.begin)
            self._searched_range, window = found, self._narrow(opened, found.begin, found.stop)
        if request.resume is not None and opened.begin_at is not None:
            window = opened.restart(begin := request.resume.offset)
            self._scanned.start, self._at_start = begin, False
            self._row_reader.resume(begin, request.resume.state)
        if opened.known:
            know(self._row_reader, opened.known, window.base + window.begin)
        self._shifted = ShiftedRows(request.format, self.padding, self._row_reader)
        if lost is not None and not first:
            return lost
        yield from self._skip_leading_zeros(window)
        is_empty = self._at_start and self._range_stop < 0 and not len(window.view) and not window.at_end
        return Next.INPUT if is_empty else Next.CALL

    def _narrow(self, opened: Opened, begin: int, stop: int) -> Window:
        """Read the units that begin in ``[begin, stop)``. Return a window that begins with the first one."""
        self._range_begin, self._range_stop, self._fill_stop, self._trims = begin, stop, stop, True
        self._log.narrow(begin, stop)
        self._scanned.start = begin
        return opened.restart(begin)

    def _skip_leading_zeros(self, window: Window) -> Iterator[Event]:
        delimiter = self._request.format.delimiter
        if not self._at_start or not self._source.is_file or not delimiter or 0 in delimiter:
            return
        begin = window.base + window.begin
        zeros = skip_zeros(self._row_reader, window)
        if not zeros:
            return
        end = begin + zeros
        hole = self._log.hole_in(begin, end)
        if hole is not None and hole[0] == begin and not is_valid_frame(self._row_reader, window):
            # What follows a hole is the rest of the record that it begins in.
            row_resync.skip_frame(window, window.begin, delimiter)
            end = window.base + window.begin
        yield from self._damaged(RowDamage(begin, end, -1, "length"), bytes(min(zeros, CONTENT)))

    def resume_point(self, window: Window) -> UnitStart | None:
        """Implement ``Extractor.resume_point``."""
        if self._row_reader is None or self._request.format.positions:
            return None
        offset = window.base + window.begin
        return UnitStart(offset, self._row_reader.state(offset))

    def take(self, window: Window) -> Extraction:
        """Implement ``Extractor.take``."""
        filled, zeros, deferred, next_valid = self._fill_rows(window)
        if filled.has_empty_frames:
            self._skip_empty_frames(window, filled.consumed)
        moved = filled.consumed != window.begin
        window.begin = filled.consumed
        self._scanned.count(window)
        if filled.rows or filled.damages or filled.filtered_out or filled.bounds:
            yield self._rows(filled, window)
        # A fill that ends at zeros was done twice: if there are many, the next one is small.
        self._usual_capacity = min(FEW_DAMAGES if zeros >= 0 else 2 * self._usual_capacity, self._request.batch_rows)
        # If all rows of a batch are deferred, more are needed to see what follows.
        self._capacity = (
            max(self._usual_capacity, CAPACITY) if deferred is not None and not moved else self._usual_capacity
        )
        self._at_start = self._at_start and not moved
        end = filled.position if filled.status is Status.OVERSIZE else window.base + window.begin
        if self._is_past(end):
            return self._ended(window, end)
        match filled.status:
            case Status.NEED_INPUT:
                if not self._at_start and self._skip_hole(window) and self._is_past(window.base):
                    # The rest of a hole belongs to the next byte range.
                    return self._ended(window, self._range_stop)
                if self._incomplete is not None and deferred is None:
                    inside = self._incomplete.row_inside(self._row_reader, window)
                    if inside is not None:
                        begin = window.base + window.begin
                        return Lost(begin, "length", tail_of("length"), resumes=window.base + inside)
                return Next.INPUT
            case Status.END if deferred is not None:
                # The bytes after the byte range show whether its last rows are valid.
                self._fill_stop = -1
                return Next.CALL
            case Status.END:
                return self._ended(window, window.base + window.begin)
            case Status.OVERSIZE:
                yield from self._skip_frame(window, filled)
                self._at_start = False
                return Next.CALL
            case Status.TRUNCATED | Status.LOST:
                return (yield from self._lost(window, filled, zeros, deferred, next_valid))
        return Next.CALL

    def _skip_empty_frames(self, window: Window, consumed: int) -> None:
        """Record the empty frames of a fill up to index ``consumed``, as a range for each run of delimiters, without
        the last one, which belongs to the row after the run."""
        size = len(self._request.format.delimiter)
        for run in self._delimiters.finditer(window.view, window.begin, consumed + size):
            if run.end() - run.start() > size:
                self._log.skip(window.base + run.start(), window.base + run.end() - size, "empty", step=size)

    def _skip_hole(self, window: Window) -> bool:
        """Skip the hole of a sparse file that follows the bytes in memory, in which there is no row. Return whether one
        was skipped. That is possible before the first delimiter of a byte range, and if a zero byte is a delimiter."""
        delimiter = self._request.format.delimiter
        if delimiter == b"\0":
            begin = window.base + window.begin
            if len(window.view) - window.begin != 1 or not window.skip_hole(1):
                return False
            self._log.skip(begin, window.base, "empty")
            return True
        return row_resync.skip_hole_before_delimiter(window, delimiter)

    def _is_past(self, offset: int) -> bool:
        return 0 <= self._range_stop <= offset

    def _ended(self, window: Window, offset: int) -> Ended:
        if self._searched_range is not None and self._fill_stop == self._range_stop:
            self._searched_range.check(offset, self._source.path)
        if self._request.exact_range and not self._request.format.delimiter:
            check_end(offset, self._range_stop, self._source.path)
        return Ended(offset, is_read=window.at_end and window.begin == len(window.view))

    def _fill_rows(self, window: Window) -> tuple[FillResult, int, RowDamage | None, int | None]:
        """Fill up to a run of zeros, without (deferred) rows at its end whose lengths nothing verifies.

        Return the fill; the size of each row in the run of zeros at which it ends, 0 if unknown and -1 if there is no
        run; the damage of the first deferred row; and the offset of the next valid row, if that shows the length of the
        deferred one to be wrong.
        """
        request = self._request
        self._filled_from = (window.begin, self._at_start)
        if request.pushed.predicates and (filtered := self._fill_filtered(window)) is not None:
            return filtered, -1, None, None
        fill: Fill = partial(self._fill, window, self._capacity)
        filled, zeros = fill(self._fill_stop), -1
        if not request.format.delimiter and (filled.damages or filled.status is Status.LOST):
            filled, zeros = end_at_zeros(filled, window, fill)
        if request.format.preallocated is not None or (request.grows and not request.format.delimiter):
            filled, is_torn = without_torn(filled, window, request.format.preallocated, grows=request.grows)
            self._filled_from = (window.begin, self._at_start)
            if is_torn:
                # Nothing is searched for in a record that was not written completely.
                begin = filled.position - window.base
                self._torn_record = bytes(window.view[begin : begin + CONTENT])
                return filled, -1, None, None
        if not filled.damages or not (request.format.has_lengths or self._searches):
            return filled, zeros, None, None
        if not request.format.has_lengths:
            return self._shifted.fill(filled, zeros, window, fill, self._capacity)
        kept, deferred = row_resync.defer_unverified(filled, window, self.padding, self._capacity >= CAPACITY)
        next_valid = None
        if deferred is not None and filled.status in (Status.TRUNCATED, Status.LOST):
            base = window.base
            next_valid = row_resync.next_row(self._row_reader, window, deferred.begin, filled.position)
            wiped = zeros >= 0 and is_wiped(window, filled.position)
            if next_valid is None or (wiped and next_valid > filled.position):
                # Their lengths lead, as far as can be known, to the end of the input, or to zeros.
                kept, deferred = filled, None
            kept = replace(kept, consumed=kept.consumed - (window.base - base))
            self._filled_from = (window.begin, self._at_start)
        return kept, zeros, deferred, next_valid

    def _fill_filtered(self, window: Window) -> FillResult | None:
        """Fill with the rows that match the filter's predicates. Return ``None`` if all rows are needed: if there is
        damage, or rows are selected by their offsets too."""
        is_limited = self._trims or self._fill_stop != self._range_stop
        if is_limited or not self._ends(window):
            return None
        if self._unfiltered_fills:
            self._unfiltered_fills -= 1
            return None
        filled: FillResult = self._row_reader.fill(
            window, capacity=self._capacity, at_start=self._at_start, stop=self._range_stop, filtered=True
        )
        if filled.filtered_out is not None and is_in_order(filled):
            self._refills = 0
            return filled
        # If damage is everywhere, reading everything twice would take longer than the filter saves.
        self._refills = min(self._refills + 1, 5)
        self._unfiltered_fills = (1 << self._refills) - 2
        return None

    def _ends(self, window: Window) -> bool:
        """Return whether the window does not end the input, or the input's end completes its last row."""
        is_whole = window.error is None or window.error.reason == "digest"
        return not window.at_end or (is_whole and self._request.trusts_end)

    def _fill(self, window: Window, capacity: int, stop: int) -> FillResult:
        request, at_start = self._request, self._at_start
        row_reader: RowReader = self._row_reader
        if self._ends(window):
            return row_reader.fill(window, capacity=capacity, at_start=at_start, stop=stop)
        proof = partial(has_proof, request.format, self._readers.root)
        unpadded = self._readers.rows(self.settings(padding=0))
        return fill_up_to_break(row_reader, window, proof, unpadded, capacity=capacity, at_start=at_start, stop=stop)

    def _rows(self, filled: FillResult, window: Window) -> Rows:
        """Return the event of a fill, whose damage is recorded."""
        first, last = 0, filled.rows
        if self._trims and filled.offsets is not None and last:
            offsets = memoryview(filled.offsets.buffers()[1]).cast("B").cast("Q")
            begin = filled.offsets.offset
            first = bisect_left(offsets, self._range_begin, begin, begin + last) - begin
            last = bisect_left(offsets, self._range_stop, begin, begin + last) - begin
        if self._searched_range is not None:
            self._searched_range.check_damages(filled.damages, self._source.path)
        details = partial(self.of_fill, window, begin=self._filled_from[0], at_start=self._filled_from[1])
        return self.event(filled, window.view, window.base, details, first, last)

    def _damaged(self, damage: RowDamage, content: bytes) -> Iterator[Event]:
        """Yield the event of a range that is not part of a fill."""
        yield DamagedRange(damage, content, null_row=self.note(damage, content))

    def _skip_frame(self, window: Window, filled: FillResult) -> Iterator[Event]:
        """Skip a frame that is larger than ``max_record``."""
        window.begin = filled.position - window.base
        content = row_resync.skip_frame(window, filled.consumed, self._request.format.delimiter)
        yield from self._damaged(RowDamage(filled.position, window.base + window.begin, -1, filled.reason), content)

    def _lost(
        self, window: Window, filled: FillResult, zeros: int, deferred: RowDamage | None, next_valid: int | None
    ) -> Extraction:
        """Return how to continue after a fill that ends at a row without an end."""
        request = self._request
        reason = "truncated" if filled.status is Status.TRUNCATED else filled.reason
        begin = filled.position if deferred is None else deferred.begin
        if self._is_past(begin):
            return self._ended(window, begin)
        if reason == "truncated" and request.grows and not request.format.delimiter and window.error is None:
            checker = self.checker()
            reason = row_resync.never_complete(self._row_reader, checker, window, begin, request.max_record) or reason
        if deferred is not None and next_valid is not None:
            return Lost(begin, deferred.reason, tail_of("length"), resumes=next_valid)
        may_end = request.format.preallocated is not None and self._torn_record is None and reason != "limit"
        if may_end and ends_in_zeros(window, begin, 0 if request.recover else MOST_LOOKED_AT, least=1):
            return unwritten(begin, self._report, grows=request.grows)
        if reason == "truncated" and window.error is None and not request.grows:
            end = window.base + len(window.view)
            if (hole := self._log.hole_in(begin, end)) is not None and hole[0] == begin:
                self._log.skip(begin, hole[1], "hole", step=hole[1] - begin)
                begin = hole[1]
                window.begin = begin - window.base
                if begin == end:
                    return self._ended(window, end)
        if self._torn_record is not None:
            return Lost(begin, "truncated", "truncated", content=self._torn_record, is_read=True)
        lost = lost_row(window, begin, reason, of_unit=bool(request.format.rows_path), sentence=filled.error)
        if isinstance(lost, Lost) and (zeros > 0 or (zeros == 0 and request.recovers)):
            return (yield from self._pass_zeros(window, lost, zeros))
        return lost

    def _pass_zeros(self, window: Window, lost: Lost, size: int) -> Extraction:
        """Continue after a run of zeros in which a row was ``lost``; ``size``: the size of each row in the run in
        bytes, 0 if unknown."""
        step = size + self.padding if size else 0
        window.begin = lost.offset - window.base
        fixed = bool(self._request.format.sized_rows) and size > 0
        after = pass_zeros(self._row_reader, window, step, fixed=fixed, guess=not self._request.recovers)
        end = window.base + window.begin
        content = bytes(min(end - lost.offset, CONTENT))
        if after is AfterZeros.NOTHING and self._request.format.preallocated is not None and window.error is None:
            return unwritten(lost.offset, self._report, grows=self._request.grows)
        if after is AfterZeros.NOTHING and not size:
            self._report.tail_zeros = window.error is None
            return replace(lost, content=content)
        yield from self._damaged(RowDamage(lost.offset, end, -1, "zeros"), content)
        return replace(lost, offset=end) if after is AfterZeros.UNKNOWN else Next.CALL

    def after_gap(self) -> bool:
        """Implement ``Extractor.after_gap``."""
        self._at_start, self._follows_gap = False, True
        return self._request.resumes and self._row_reader is not None and not self._request.format.positions

    def resync(self, window: Window) -> tuple[bool, bytes] | None:
        """Implement ``Extractor.resync``."""
        if self._row_reader is None or not (self._searches or self._follows_gap):
            return None
        is_lost, self._follows_gap = not self._follows_gap, False
        max_record, within = self._request.max_record, self._request.recover_within
        return row_resync.resync(self._row_reader, window, max_record, within, is_lost=is_lost)
