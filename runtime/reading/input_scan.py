"""The scan of one input, from its first byte to its last, in a single loop that yields events."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ..base.errors import WireloomError
from ..base.report import FileReport
from ..codecs import CodecError
from ..input.gaps import GappedWindow
from ..input.inputs import Input
from ..input.window import CHUNK, DirectBlocks, StreamWindow, Window, extend_twice
from ..rows.reader import RowDamage
from . import row_resync
from .damage_log import FAILED_ADVICE, DamageLog, in_order
from .end_of_file import ends_in_zeros
from .events import DamagedRange, End, Event, Failed, FragmentRows, Rows
from .extraction import Ended, Extraction, Extractor, Lost, Next, ScannedInput
from .opening import NOT_OPEN, Opened, open_input
from .request import ScanRequest, UnitStart
from .row_resync import CONTENT
from .scan_readers import ScanReaders
from .wrong_format import FormatCheck

if TYPE_CHECKING:
    from .containers import ContainerStream
    from .fragments import FragmentJoiner

DRAINED = 64 * 1024 * 1024
"""Maximum number of bytes after a lost row that are decompressed only to count them, and to verify the compression."""


class InputScan:
    """Reads one input. ``report`` is updated while the events are iterated. ``readers``: those of the scan."""

    def __init__(self, request: ScanRequest, source: Input, readers: ScanReaders) -> None:
        self.report = FileReport(source.path)
        asked, request = request, request.physical()
        self._request = request
        self._source = source
        self._opened = NOT_OPEN
        self._lost_end_content: bytes | None = None
        """The first bytes of the end of the input, if it was searched and no row was found in it."""
        self._sentence: str | None = None
        """Details of why nothing is read from the tail on, beyond the value of ``tail`` in the report."""
        self._containers: InputScan | None = None
        """The scan of the containers of the stream that contains the rows, if they are in one."""
        self._stream: ContainerStream | None = None
        if request.format.in_stream:
            from .containers import ContainerStream

            wire = readers.of_containers
            self._containers = InputScan(wire.request, source, wire)
            numbers = wire.request.format.column_numbers
            self._stream = ContainerStream(*map(numbers.__getitem__, wire.request.format.stream))
        place = None if self._stream is None else self._stream.in_input
        self._log = DamageLog(self.report, request.mode, request.byte_range, request.format, place)
        self._check = FormatCheck(request, self.report)
        self._scanned = ScannedInput(request, source, self.report, self._log, self._check, readers)
        self._scanned.stream = self._stream
        self._extractor = _extractor(self._scanned)
        self._joiner: FragmentJoiner | None = None
        if request.format.fragments is not None:
            from .fragments import FragmentJoiner

            note, confirm = self._extractor.note, self._log.confirm
            self._joiner = FragmentJoiner(asked, request, readers, self.report, note, confirm, self._content)
            self._scanned.joiner = self._joiner

    @property
    def stored_bytes(self) -> int:
        """Return the number of stored (compressed) bytes of the input that have been read so far."""
        if self._containers is not None:
            return self._containers.stored_bytes
        stored = self._opened.stored
        return stored.position if stored is not None else self._opened.window.begin

    @property
    def at_start(self) -> bool:
        """Return whether reading began with the input's first byte."""
        return self._opened.at_start

    @property
    def position(self) -> int:
        """Return the offset at which reading continues after the events so far; for messages, that of the first message
        of the batch that is being returned."""
        return self._scanned.offset(self._opened.window)

    @property
    def resume_point(self) -> UnitStart | None:
        """Return the point at ``position``, for ``ScanRequest.resume``; ``None`` if no scan can begin there."""
        return self._extractor.resume_point(self._opened.window) if self._stream is None else None

    @property
    def complete_before(self) -> int:
        """Return the offset up to which the events so far are complete: they contain each row that begins before it. It
        is less than ``position`` if some fragments of a record have been read."""
        open_at = None if self._joiner is None else self._joiner.open_at
        return self.position if open_at is None else open_at

    def note(self, damage: RowDamage, content: bytes, sentence: str) -> bool:
        """Record damage that is found in rows after they have been read, like ``Extractor.note``."""
        return self._extractor.note(damage, content, sentence=sentence)

    def events(self) -> Generator[Event, None, None]:
        """Yield the events of the input. Raises ``WireloomError`` if it cannot be opened, and in mode ``failfast``
        ``DamagedInputError`` at the first damage."""
        stream, containers = self._stream, self._containers
        if stream is None or containers is None:
            yield from self._events(open_input(self._request, self._source))
            return
        stream.begin(containers._events(open_input(containers._request, self._source)))
        with closing(stream):
            opened = Opened(
                StreamWindow(DirectBlocks(stream, self._request.chunk or CHUNK)), decoder=stream, stream=stream
            )
            yield from stream.events_in_input(self._events(opened))

    def _events(self, opened: Opened) -> Generator[Event, None, None]:
        self._opened = opened
        report = self.report
        self._scanned.start = opened.window.base + opened.window.begin
        if self._source.sparse and opened.stored is not None and opened.decoder in (None, opened.stored):
            self._log.look_for_holes(opened.stored.hole)
        try:
            is_read = yield from self._read(opened)
            yield from self._finish(opened, is_read)
            report.facts = dict(self._extractor.facts())
            if self._joiner is not None:
                # An incomplete record is recognised by what follows it.
                report.damaged[:] = in_order(report.damaged)
            if self._containers is not None and self._containers.report.foreign:
                report.foreign, report.evidence = not report.rows, self._containers.report.evidence
            else:
                report.foreign = not report.rows and self._check.is_wrong(opened, may_block=self._source.may_block)
        finally:
            self._stop(report)
            self._extractor.close()
            opened.close()

    def snapshot(self) -> FileReport:
        """Return a copy of the report, as it is if nothing is read after the events so far."""
        report = self.report
        taken = replace(report, damaged=report.damaged[:], skipped=report.skipped[:])
        taken.unlisted_reasons = dict(report.unlisted_reasons)
        self._stop(taken)
        return taken

    def _stop(self, report: FileReport) -> None:
        """Complete the report if reading stops after the events so far."""
        if report.tail == "unread":
            report.tail_offset = self.position
            report.bytes = max(report.bytes, self.position - self._scanned.start)
        if not report.facts:
            # The reason why reading stops is more important than errors of routines.
            with suppress(WireloomError):
                report.facts = dict(self._extractor.facts())

    def _read(self, opened: Opened) -> Generator[Event, None, bool]:
        """Read to the end, or to a row after which nothing can be read. Return whether the whole input was read."""
        extractor = self._extractor
        outcome = yield from self._joined(extractor.begin(opened))
        window = opened.window
        waiting = -1  # the offset of what was incomplete last
        # The window loses its bytes if what is before the rows is refused.
        self._check.look_at(window)
        while True:
            if self._stream is not None and (isinstance(outcome, Ended) or is_cut_off(outcome)):
                self._log.refuse(window.error)
            match outcome:
                case Ended() if window.error is not None and (
                    yield from self._resume_after_gap(outcome.offset, opened)
                ):
                    window = opened.window
                case Ended(0, is_read=True) if self._lacks_records(window):
                    self._lose(Lost(0, "truncated", "truncated", in_head=True), opened)
                    return True
                case Ended():
                    self.report.tail, self.report.tail_offset = "clean", outcome.offset
                    if not extractor.reads_on:
                        self._size_tail(opened)
                    return outcome.is_read
                case Lost():
                    if not (yield from self._resume(outcome, window)):
                        if not (yield from self._resume_after_gap(outcome.offset, opened)):
                            self._lose(self._from_first_fragment(outcome), opened)
                            return outcome.is_read or self._lost_end_content is not None
                        window = opened.window
                case Next.INPUT if waiting == self.position:
                    extend_twice(window, self._request.max_record)
                case Next.INPUT:
                    waiting = self.position
                    if isinstance(window, GappedWindow) and (gap := window.pass_gap()) is not None:
                        self._log.skip(*gap, "filtered", step=gap[1] - gap[0])
                    window.extend()
            self._check.look_at(window)
            outcome = yield from self._joined(extractor.take(window))

    def _lacks_records(self, window: Window) -> bool:
        """Return whether the input has no bytes, but must begin with a record."""
        return self._request.format.nonempty and not window.view and window.error is None

    def _joined(self, extraction: Extraction) -> Extraction:
        """Yield the events with records in place of their fragments."""
        joiner = self._joiner
        if joiner is None:
            return (yield from extraction)
        while True:
            try:
                event = next(extraction)
            except StopIteration as ended:
                outcome: Next | Ended | Lost = ended.value
                break
            yield from joiner.take(event)
            if self._request.fragments and isinstance(event, Rows):
                yield FragmentRows(event)
        self._log.confirm()
        begin = joiner.open_at
        if isinstance(outcome, Lost) and outcome.tail != "truncated":
            yield from joiner.broken()
        elif isinstance(outcome, Ended) and not outcome.is_read:
            # The next byte range begins with another record.
            yield from joiner.broken()
        elif isinstance(outcome, Ended) and begin is not None:
            content = joiner.forget(outcome.offset)
            return Lost(begin, "truncated", "truncated", content=content, is_read=outcome.is_read)
        return outcome

    def _from_first_fragment(self, lost: Lost) -> Lost:
        """Return what is lost at the end of the input, from the first fragment of its record on: the others are
        missing, or still to come."""
        begin = self._joiner.open_at if self._joiner is not None else None
        if self._joiner is None or begin is None:
            return lost
        window = self._opened.window
        self._lost_end_content = self._joiner.forget(window.base + len(window.view))
        return replace(lost, offset=begin)

    def _content(self, begin: int, end: int) -> bytes | None:
        """Return the first bytes of a range of the input; ``None`` if they are not in memory."""
        window = self._opened.window
        first, last = begin - window.base, min(end, begin + CONTENT) - window.base
        return bytes(window.view[first:last]) if 0 <= first <= last <= len(window.view) else None

    def _resume(self, lost: Lost, window: Window) -> Generator[Event, None, bool]:
        """Continue at the next valid row after a lost one. Return whether there is one."""
        if lost.content is not None:
            self._lost_end_content = lost.content
            return False
        if lost.resumes is None:
            begin, window.begin = window.begin, lost.offset - window.base
            searched = self._extractor.resync(window)
            if searched is None:
                window.begin = begin
                return False
            found, content = searched
            if not found:
                self._lost_end_content = content
                return False
        elif self._request.recovers:
            begin, window.begin = lost.offset - window.base, lost.resumes - window.base
            content = bytes(window.view[begin : window.begin][:CONTENT])
        else:
            return False
        if self._joiner is not None:
            yield from self._joiner.broken()
        damage = RowDamage(lost.offset, window.base + window.begin, -1, lost.skipped or lost.reason)
        yield DamagedRange(damage, content, null_row=self._extractor.note(damage, content))
        return True

    def _resume_after_gap(self, begin: int, opened: Opened) -> Generator[Event, None, bool]:
        """Continue with the next part of a compressed stream after a damaged one, at the first valid row in it. Return
        whether there is one. ``begin``: the offset after the last row before the gap."""
        window, extractor = opened.window, self._extractor
        if window.error is None or not self._request.resumes or self._joiner is not None or not extractor.after_gap():
            return False
        if self._stream is not None and self._request.mode == "failfast":
            # The row before the gap is the first damage.
            return False
        reason = "codec" if self._stream is None else window.error.reason or "codec"
        content, message = bytes(window.view[begin - window.base :][:CONTENT]), window.error.message
        if not opened.resume():
            return False
        window = opened.window
        if not self._request.format.delimiter and (searched := extractor.resync(window)) is not None:
            content = (content + searched[1])[:CONTENT]
        self._lost_end_content = None
        damage = RowDamage(begin, window.base + window.begin, -1, reason)
        yield DamagedRange(damage, content, message, null_row=extractor.note(damage, content))
        return True

    def _lose(self, lost: Lost, opened: Opened) -> None:
        """Record how the input ends if a row is lost."""
        window = opened.window
        self.report.tail, self.report.tail_offset, self._sentence = lost.tail, lost.offset, lost.sentence
        if not self._extractor.reads_on:
            self._size_tail(opened)
        if lost.tail != "truncated":
            self._extractor.lose(lost, window)
        elif window.error is None:
            # Other incomplete inputs are explained by the error of the window.
            if self._request.grows:
                self.report.tail = "growing"
            else:
                self._extractor.lose(lost, window)

    # The end ---------------------------------------------------------------------------------------------------------

    def _finish(self, opened: Opened, is_read: bool) -> Generator[Event, None, None]:
        """Yield the end, and record how the input ends, and the range that was not read."""
        window, report = opened.window, self.report
        end, content = window.base + len(window.view), self._lost_end_content
        if content is None:
            begin = report.tail_offset - window.base
            content = b"" if begin < 0 or report.tail == "clean" else bytes(window.view[begin : begin + CONTENT])
        if self._stream is not None and self._containers is not None:
            size = self._containers._opened.known_size
            if self._stream.end(report, self._containers.report, size, self.position, is_read=is_read):
                self._sentence = self._containers._sentence
            yield End(end, content, self._sentence)
            if is_read and window.error is not None:
                is_gap = isinstance(window.error, CodecError)
                error = CodecError(window.error.message) if is_gap else window.error
                yield Failed(self._log.fail(error, end, FAILED_ADVICE), error.message)
            return
        yield End(end, content, self._sentence)
        if self._extractor.reads_on and report.tail not in ("clean", "growing", "limit"):
            self._look_at_tail(opened)
        if is_read:
            report.bytes = window.base + len(window.view) - self._scanned.start
        if (is_read or self._tail_ends(opened)) and window.error is not None:
            damage = self._log.fail(window.error, window.base + len(window.view), FAILED_ADVICE)
            yield Failed(damage, window.error.message)
            if report.tail == "clean":
                report.tail_size = 0
        elif self._extractor.reads_on:
            if report.tail == "clean" and not report.tail_zeros:
                report.tail_size = 0
            elif window.at_end:
                report.tail_size = window.base + len(window.view) - report.tail_offset

    def _size_tail(self, opened: Opened) -> None:
        """Record the size of the tail of messages, which are not read any further. For rows, ``_finish``
        does that."""
        report = self.report
        if (size := opened.known_size) is not None:
            report.tail_size = size - report.tail_offset

    def _look_at_tail(self, opened: Opened) -> None:
        """Record whether the unread part consists of zeros, if that can be determined without waiting."""
        if self._request.format.delimiter:
            return
        if opened.window.at_end or not self._source.may_block:
            most = DRAINED if opened.size is None else opened.size
            self.report.tail_zeros |= ends_in_zeros(opened.window, self.report.tail_offset, most)

    def _tail_ends(self, opened: Opened) -> bool:
        """Return whether the input can be read to its end after a lost row; an input that may never end is not read."""
        if not self._extractor.reads_on:
            return self.report.tail not in ("limit", "invalid_length")
        if self.report.tail == "clean":
            return False
        if opened.size is not None:
            self.report.tail_size = opened.size - self.report.tail_offset
        elif not self._source.may_block:
            row_resync.drain(opened.window, DRAINED)
        return opened.window.at_end


def is_cut_off(outcome: Next | Ended | Lost) -> bool:
    """Return whether reading stops at a row whose end is missing."""
    return isinstance(outcome, Lost) and outcome.tail == "truncated"


def _extractor(scanned: ScannedInput) -> Extractor:
    # Imported where needed, since most inputs have the same kind.
    format = scanned.request.format
    if format.block and not scanned.request.in_memory:
        from .block_extractor import BlockExtractor

        return BlockExtractor(scanned)
    if format.message is not None:
        from .message_extractor import MessageExtractor

        return MessageExtractor(scanned)
    if format.streaming:
        from .row_extractor import RowExtractor

        return RowExtractor(scanned)
    from .whole_extractor import WholeExtractor

    return WholeExtractor(scanned)
