"""Formats whose root is the only unit of an input, which is read as a whole."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..base.report import tail_of
from ..input.window import Window
from ..rows import select
from ..rows.reader import RowDamage, RowReader, Status
from .damage_log import Detail, Details
from .events import Head
from .extraction import Ended, Extraction, Extractor, Lost, Next, ScannedInput, lost_row
from .row_events import RowEvents
from .row_extractor import filtered_fill
from .wrong_format import TAKES_IT

if TYPE_CHECKING:
    from .opening import Opened


def load_whole(window: Window, max_record: int) -> bool:
    """Extend the window to the end of the input; return whether the input is at most ``max_record`` bytes."""
    while len(window.view) - window.begin <= max_record and window.extend():
        pass
    return len(window.view) - window.begin <= max_record


class WholeExtractor(RowEvents, Extractor):
    """Implements ``Extractor``."""

    def __init__(self, scanned: ScannedInput) -> None:
        super().__init__(scanned)
        self._scanned = scanned
        self._is_too_large = False

    def begin(self, opened: Opened) -> Extraction:
        """Implement ``Extractor.begin``. The whole input is loaded into the window."""
        request, window, limit = self._request, opened.window, self._request.max_record
        self._readers.begin(None)
        self._settings = self.settings(
            projected=request.read_columns,
            # An error names the damaged record.
            offsets=request.reads_offsets or request.mode == "failfast",
            null_rows=request.null_fill_rows,
            predicates=request.pushed.predicates,
            keep_unverified=request.keep_unverified,
        )
        self._row_reader: RowReader = self._readers.rows(self._settings)
        self._by_engine = request.engine == select.ENGINE
        if not load_whole(window, limit):
            sentence = f"the input is read as a whole, and it is larger than {limit:,} bytes, which is max_record"
            self._is_too_large = True
            return Lost(0, "limit", tail_of("limit"), sentence=sentence)
        yield Head(window.view[window.begin :], whole=True)
        return Next.CALL

    def lose(self, lost: Lost, window: Window) -> None:
        """Implement ``Extractor.lose``."""
        if not self._is_too_large:
            super().lose(lost, window)
            return
        self._report.error = f"{lost.sentence}: {TAKES_IT}"
        self._log.lose(RowDamage(0, 0, -1, "limit"), lambda _: Detail(), lost.sentence, TAKES_IT)

    def take(self, window: Window) -> Extraction:
        """Implement ``Extractor.take``."""
        request, begin = self._request, window.begin
        fill = partial(self._row_reader.fill, window, capacity=request.batch_rows)
        filled = filtered_fill(fill, filtered=bool(request.pushed.predicates))
        if (
            self._by_engine
            and request.keep_unverified
            and not filled.rows - sum(each.row >= 0 for each in filled.damages)
        ):
            # The engine has no rows of an input whose checksum is wrong.
            self._row_reader = select.make(select.OBJECTS, request.format, None, self._settings)
            self._by_engine = False
            return Next.CALL
        window.begin = filled.consumed
        self._scanned.count(window)
        if filled.rows or filled.damages or filled.filtered_out:
            details: Details = partial(self.of_fill, window, begin=begin, at_start=True)
            yield self.event(filled, window.view, window.base, details)
        if filled.status in (Status.TRUNCATED, Status.LOST):
            reason = "truncated" if filled.status is Status.TRUNCATED else filled.reason
            return lost_row(window, filled.position, reason, of_unit=True, sentence=filled.error)
        if request.format.fills_input and (window.begin < len(window.view) or window.extend()):
            # More of the format may follow, such as another file that was appended.
            sentence = "the input has bytes after the end of the format"
            return Lost(window.base + window.begin, "length", tail_of("length"), sentence=sentence, is_read=True)
        return Ended(window.base + window.begin, is_read=True)
