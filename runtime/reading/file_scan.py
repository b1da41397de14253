"""One input, from its first byte to its last: rows, damage, recovery, the end."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from ..base.errors import WireloomError
from ..base.report import FileReport
from ..input.inputs import Input
from ..input.window import MemoryWindow, Window
from ..rows.leading_zeros import skip_zeros
from ..rows.reader import FEW_DAMAGES, Filled, RowDamage, RowReader, Status
from ..rows.select import make
from ..rows.zero_runs import Behind, Fill, cut_at_zeros, ends_in_zeros, is_wiped, pass_zeros
from . import recovery
from .damage_details import DamageDetails
from .damage_log import CUT_ADVICE, FAILED_ADVICE, LOST_ADVICE, DamageLog
from .opening import Opened, open_input
from .recovery import CAPACITY, CONTENT
from .request import ScanRequest
from .stride_detection import decide
from .unproven_end import fill_up_to_break, has_proof
from .wrong_format import Looks

Batches = Generator[Any, None, bool]
"""Yields record batches; returns whether the end of the input was reached."""

TAILS = {"length": "invalid_length", "limit": "limit"}
"""How the tail is called, by the reason why a row was lost; ``invalid_value`` for the others."""
DRAINED = 64 * 1024 * 1024
"""Most bytes behind a lost row that are decompressed only to count them, and to know that they can be."""


class FileScan:
    """Reads one input. ``report`` is filled in while ``batches`` is iterated."""

    def __init__(self, request: ScanRequest, source: Input) -> None:
        self.report = FileReport(source.path)
        self._request = request
        self._source = source
        self._builder = request.layout.builder(source.path)
        self._begin, self._stop = request.byte_range or (0, -1)
        self._opened = Opened(MemoryWindow(memoryview(b"")))
        self._start = 0
        self._filled_from = (0, False)
        """Where the last fill began, as an index of the view, and whether that was the input's beginning."""
        self._searched: bytes | None = None
        """The first bytes of an end in which no row was found."""
        self._damage_log = DamageLog(self.report, request.mode, request.byte_range, request.format.delimiter)
        self._looks = Looks(request, self.report)
        self._details = DamageDetails(request, self.report)

    @property
    def stored_bytes(self) -> int:
        """Bytes of the input, as it is stored, that have been read so far."""
        stored = self._opened.stored
        return stored.position if stored is not None else self._opened.window.begin

    def batches(self) -> Generator[Any, None, None]:
        """The record batches of the input. Raises ``WireloomError`` where it cannot be opened, and in mode
        ``failfast`` at the first damage."""
        self._opened = opened = open_input(self._request, self._source)
        window = opened.window
        self._start = window.base + window.begin
        try:
            reached_end = yield from (self._stream(opened) if self._request.format.streaming else self._whole(window))
            yield from recovery.lost_end(self._request, self.report, window, self._builder, self._searched)
            self._look_at_tail(opened)
            if reached_end:
                self.report.bytes = window.base + len(window.view) - self._start
            if (reached_end or self._tail_ends(opened)) and window.error is not None:
                yield from self._failed(window, window.error)
            elif self.report.tail == "clean":
                self.report.tail_size = 0
            elif window.at_end:
                self.report.tail_size = window.base + len(window.view) - self.report.tail_offset
            self.report.foreign = self._looks.are_foreign(opened)
        finally:
            if self.report.tail == "unread":
                self.report.tail_offset = window.base + window.begin
                self._count(window)
            opened.close()

    def _count(self, window: Window) -> None:
        """Notes how far the reading has come."""
        self.report.bytes = max(self.report.bytes, window.base + window.begin - self._start)

    def _look_at_tail(self, opened: Opened) -> None:
        """Notes whether what is not read is nothing but zeros; as far as that can be known without waiting."""
        if self._request.format.delimiter or self.report.tail in ("clean", "growing", "limit"):
            return
        if opened.window.at_end or not self._source.patient:
            most = DRAINED if opened.size is None else opened.size
            self.report.tail_zeros |= ends_in_zeros(opened.window, self.report.tail_offset, most)

    def _tail_ends(self, opened: Opened) -> bool:
        """Whether the end of the input is at hand behind a lost row; where that can take for ever, it is not tried."""
        if self.report.tail == "clean":
            return False
        if opened.size is not None:
            self.report.tail_size = opened.size - self.report.tail_offset
        elif not self._source.patient:
            recovery.drain(opened.window, DRAINED)
        return opened.window.at_end

    # Rows one by one ---------------------------------------------------------------------------------------------

    def _stream(self, opened: Opened) -> Batches:
        request, window = self._request, opened.window
        if request.format.has_prologue:
            # Imported here: rows that the engine reads need no generated classes.
            from .prologue import read_prologue

            root = read_prologue(request.format, window, request.max_record, request.verify)
            if root.lost is not None:
                return self._end_lost(window, root.lost, 0, root.error)
            if root.refused is not None:
                damage = RowDamage(0, root.size, -1, root.refused)
                yield from self._damage(damage, bytes(window.view[: root.size]), field=root.field)
            else:
                self._looks.head(window.view[: root.size])
            window.begin += root.size
            self._details.struct = root.struct
        self._details.padding, options = decide(request, self._details.struct, window)
        self.report.options.update(options)
        settings = self._details.settings(
            wanted=request.layout.wanted,
            offsets=request.layout.has_offsets or self._cuts(opened),
            null_rows=request.null_rows,
        )
        row_reader = make(request.engine, request.format, self._details.struct, settings)
        return (yield from self._rows(row_reader, opened))

    def _cuts(self, opened: Opened) -> bool:
        """Whether rows come up that lie outside of the byte range."""
        return self._request.byte_range is not None and opened.at_start

    def _rows(self, row_reader: RowReader, opened: Opened) -> Batches:
        request, window = self._request, opened.window
        holds_back = request.format.has_lengths
        usual = capacity = request.batch_rows
        at_start, stop = opened.at_start, self._stop
        if at_start and self._source.is_file and request.format.delimiter and 0 not in request.format.delimiter:
            begin = window.base + window.begin
            zeros = skip_zeros(row_reader, window)
            if zeros:
                yield from self._damage(RowDamage(begin, begin + zeros, -1, "length"), bytes(min(zeros, CONTENT)))
        while True:
            self._looks.at(window)
            self._filled_from = (window.begin, at_start)
            fill: Fill = partial(self._fill, row_reader, window, capacity, at_start)
            filled, zeros = fill(stop), -1
            if not request.format.delimiter and (filled.damages or filled.status is Status.LOST):
                filled, zeros = cut_at_zeros(filled, window, fill)
            doubtful: RowDamage | None = None
            holds: int | None = None
            if holds_back and filled.damages:
                held, doubtful = recovery.hold_back(filled, window, self._details.padding, capacity >= CAPACITY)
                if doubtful is not None and filled.status in (Status.TRUNCATED, Status.LOST):
                    base = window.base
                    holds = recovery.next_row(row_reader, window, doubtful.begin, filled.position)
                    wiped = zeros >= 0 and is_wiped(window, filled.position)
                    if holds is None or (wiped and holds > filled.position):
                        # Their lengths led to where the input ends, as far as anybody can know, or to zeros.
                        held, doubtful = filled, None
                    held = replace(held, consumed=held.consumed - (window.base - base))
                    self._filled_from = (window.begin, at_start)
                filled = held
            moved = filled.consumed != window.begin
            window.begin = filled.consumed
            self._count(window)
            yield from self._emit(filled, opened)
            # A fill that ends at zeros was done twice: where there are many, the next is a small one.
            usual = min(FEW_DAMAGES if zeros >= 0 else 2 * usual, request.batch_rows)
            # Where all rows of a batch are held back, more are needed to know what follows.
            capacity = max(usual, CAPACITY) if doubtful is not None and not moved else usual
            at_start = at_start and not moved
            reached = window.base + window.begin
            if self._damage_log.is_in_run(reached):
                recovery.skip_empty_frames(window, request.format.delimiter, self._stop)
                reached = window.base + window.begin
                if self._is_behind(reached):
                    # The rest of a hole is that of the next byte range.
                    reached = self._stop
                self._damage_log.grow_run(reached)
            if self._is_behind(reached):
                return self._end(window, "clean", reached)
            match filled.status:
                case Status.NEED_INPUT:
                    leapt = not at_start and recovery.leap_to_data(window, request.format.delimiter)
                    if leapt and self._is_behind(window.base):
                        return self._end(window, "clean", self._stop)
                    window.extend()
                case Status.END if doubtful is not None:
                    # What stands behind the byte range tells how far its last rows can be trusted.
                    stop = -1
                case Status.END:
                    return self._end(window, "clean", window.base + window.begin)
                case Status.OVERSIZE:
                    yield from self._skip_frame(window, filled)
                    at_start = False
                case Status.TRUNCATED | Status.LOST:
                    reason = "truncated" if filled.status is Status.TRUNCATED else filled.reason
                    begin = filled.position if doubtful is None else doubtful.begin
                    if self._is_behind(begin):
                        return self._end(window, "clean", begin)
                    if (
                        reason == "truncated"
                        and request.grows
                        and not request.format.delimiter
                        and window.error is None
                    ):
                        checker = self._details.checker()
                        reason = (
                            recovery.never_complete(row_reader, checker, window, begin, request.max_record) or reason
                        )
                    if doubtful is not None and holds is not None:
                        if not request.recover:
                            return self._end_lost(window, "length", begin, because=doubtful.reason)
                        window.begin = holds - window.base
                        content = bytes(window.view[begin - window.base : window.begin][:CONTENT])
                        yield from self._damage(doubtful._replace(end=holds, row=-1), content)
                    elif zeros > 0 or (zeros == 0 and request.recover):
                        lost = RowDamage(begin, begin, -1, reason)
                        end = yield from self._pass_zeros(row_reader, window, lost, zeros)
                        if end >= 0:
                            return self._end_lost(window, reason, end, filled.error, reached_end=True)
                    elif not request.recover or request.format.delimiter:
                        return self._end_lost(window, reason, begin, filled.error)
                    elif not (yield from self._recover(row_reader, window, RowDamage(begin, begin, -1, reason))):
                        return self._end_lost(window, reason, begin, filled.error, reached_end=True)
                case _:
                    pass

    def _fill(self, row_reader: RowReader, window: Window, capacity: int, at_start: bool, stop: int) -> Filled:
        request = self._request
        if not window.at_end or (window.error is None and request.trusts_end):
            return row_reader.fill(window, capacity=capacity, at_start=at_start, stop=stop)
        unpadded = self._details.settings(padding=0)
        proof = partial(has_proof, request.format, self._details.struct)
        checker = make(request.engine, request.format, self._details.struct, unpadded)
        return fill_up_to_break(row_reader, window, proof, checker, capacity=capacity, at_start=at_start, stop=stop)

    def _emit(self, filled: Filled, opened: Opened) -> Iterator[Any]:
        """Notes the damage of a fill and yields its rows, without those outside of the byte range."""
        first, last = 0, filled.rows
        if self._cuts(opened) and filled.offsets is not None and last:
            places = memoryview(filled.offsets.buffers()[1]).cast("B").cast("Q")
            place = filled.offsets.offset
            first = bisect_left(places, self._begin, place, place + last) - place
            last = bisect_left(places, self._stop, place, place + last) - place
        nulls, hidden = 0, set()
        for damage in filled.damages:
            shown = self._damage_log.note(damage, self._of_fill)
            if first <= damage.row < last:
                nulls += 1
                hidden |= set() if shown else {damage.row - first}
        self.report.rows += last - first - nulls
        if last > first + len(hidden):
            batch = self._builder.batch(filled, opened.window.view, opened.window.base)
            if last - first < batch.num_rows:
                batch = batch.slice(first, last - first)
            if hidden:
                batch = batch.filter(pa.array(row not in hidden for row in range(last - first)))
            step = self._request.batch_rows
            yield from (batch.slice(begin, step) for begin in range(0, batch.num_rows, step))

    def _is_behind(self, offset: int) -> bool:
        return 0 <= self._stop <= offset

    # Damage ----------------------------------------------------------------------------------------------------------

    def _of_fill(self, damage: RowDamage) -> tuple[int | None, str | None]:
        return self._details.of_fill(self._opened.window, damage, *self._filled_from)

    def _damage(
        self, damage: RowDamage, content: bytes | None, error: str | None = None, field: str | None = None
    ) -> Iterator[Any]:
        """A damaged range that is no part of a fill. ``field``: whose value is refused, where no record is at fault."""

        def details(damage: RowDamage) -> tuple[int | None, str | None]:
            return (
                (None, field) if field is not None else (self._details.number(), self._details.field(damage, content))
            )

        if self._damage_log.note(damage, details) and self._request.null_rows:
            yield self._builder.damaged(damage, content, error)

    def _skip_frame(self, window: Window, filled: Filled) -> Iterator[Any]:
        window.begin = filled.position - window.base
        content = recovery.skip_frame(window, filled.consumed, self._request.format.delimiter)
        yield from self._damage(RowDamage(filled.position, window.base + window.begin, -1, filled.reason), content)

    def _pass_zeros(
        self, row_reader: RowReader, window: Window, lost: RowDamage, size: int
    ) -> Generator[Any, None, int]:
        """Goes on behind a run of zeros where a row was ``lost``; ``size``: bytes of each row in the run, 0 where they
        have none. Gives the offset from which on nothing can be read, -1 where there is none."""
        step = size + self._details.padding if size else 0
        window.begin = lost.begin - window.base
        fixed = self._request.format.sized_rows and size > 0
        behind = pass_zeros(row_reader, window, step, fixed=fixed, guess=not self._request.recover)
        end = window.base + window.begin
        content = bytes(min(end - lost.begin, CONTENT))
        if behind is Behind.NOTHING and not size:
            self.report.tail_zeros, self._searched = window.error is None, content
            return lost.begin
        yield from self._damage(lost._replace(end=end, reason="zeros"), content)
        if behind is not Behind.UNKNOWN or (yield from self._recover(row_reader, window, lost._replace(begin=end))):
            return -1
        return end

    def _recover(self, row_reader: RowReader, window: Window, damage: RowDamage) -> Generator[Any, None, bool]:
        """Goes on at the next row that holds behind the beginning of ``damage``. False: there is none."""
        window.begin = damage.begin - window.base
        found, content = recovery.resync(row_reader, window, self._request.max_record)
        if not found:
            self._searched = content
            return False
        yield from self._damage(damage._replace(end=window.base + window.begin), content)
        return True

    def _failed(self, window: Window, error: WireloomError) -> Iterator[Any]:
        """The codec or the storage failed where the window ends."""
        damage = self._damage_log.fail(error, window.base + len(window.view), FAILED_ADVICE)
        if self._request.null_rows:
            yield self._builder.damaged(damage, None, error.message)

    # The end --------------------------------------------------------------------------------------------------------

    def _end(self, window: Window, tail: str, offset: int) -> bool:
        """Notes how the input ended; whether everything of it was read."""
        self.report.tail, self.report.tail_offset = tail, offset
        return window.at_end and window.begin == len(window.view)

    def _end_lost(
        self,
        window: Window,
        reason: str,
        offset: int,
        error: str | None = None,
        *,
        reached_end: bool = False,
        because: str | None = None,
    ) -> bool:
        """As ``_end``, at a row that has no end. ``error`` says more than ``reason``; ``because``: the reason why its
        length is not trusted."""
        if reason == "truncated":
            # A row that has not even begun is no row.
            begun = len(window.view) + window.base > offset
            cut = "growing" if self._request.grows and window.error is None else "truncated"
            self._end(window, cut if begun else "clean", offset)
            # What broke off is said by the error of the window.
            if begun and cut == "truncated" and window.error is None:
                cut_off = RowDamage(offset, offset, -1, reason)
                self._damage_log.lose(cut_off, lambda _: (self._details.number(), None), error, CUT_ADVICE)
            return True
        self._end(window, TAILS.get(reason, "invalid_value"), offset)
        advice = LOST_ADVICE
        if reason == "limit":
            limit = self._request.max_record
            hint = self._details.limit_hint(window, offset)
            self.report.error = error or f"larger than {limit} bytes at byte {offset}: {hint}"
            advice = f"{LOST_ADVICE}; {hint}"
        lost = RowDamage(offset, offset, -1, because or reason)
        self._damage_log.lose(lost, lambda _: (self._details.number(), None), advice=advice)
        return reached_end

    # Formats that are read as a whole ------------------------------------------------------------------------------

    def _whole(self, window: Window) -> Batches:
        from ..rows.object_reader import ObjectRowReader
        from .prologue import read_whole

        request = self._request
        root, rows = read_whole(request.format, window, request.max_record, request.verify)
        if root.refused is not None:
            # Which row it concerns is not known.
            damage = RowDamage(0, root.size, -1, root.refused)
            yield from self._damage(damage, bytes(window.view[: root.size]), field=root.field)
            rows = []
        settings = self._details.settings(wanted=request.layout.wanted, null_rows=request.null_rows)
        row_reader = ObjectRowReader(request.format, root.struct, settings)
        for begin in range(0, len(rows), request.batch_rows):
            filled, self._details.before = row_reader.whole(rows[begin : begin + request.batch_rows])
            yield from self._emit(filled, self._opened)
        window.begin = root.size
        if root.lost is not None:
            return self._end_lost(window, root.lost, 0, root.error)
        self._end(window, "clean", window.begin)
        return True
