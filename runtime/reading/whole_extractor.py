"""Formats that are read as a whole: the root is the one unit of an input."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..input.window import Window
from ..rows.reader import RowDamage, Status
from .damage_details import DamageDetails
from .events import Head, Rows
from .extraction import Ended, Extraction, Extractor, Lost, Next, ScannedInput
from .row_extractor import TAILS, lost_row
from .wrong_format import TAKES_IT

if TYPE_CHECKING:
    from .opening import Opened


def load_whole(window: Window, max_record: int) -> bool:
    """Extend the window to the end of the input; return whether that is not larger than ``max_record``."""
    while len(window.view) - window.begin <= max_record and window.extend():
        pass
    return len(window.view) - window.begin <= max_record


class WholeExtractor(DamageDetails, Extractor):
    """Like ``Extractor``."""

    def __init__(self, scanned: ScannedInput) -> None:
        super().__init__(scanned)
        self._scanned = scanned
        self._is_too_large = False

    def begin(self, opened: Opened) -> Extraction:
        """Like ``Extractor.begin``. All of the input is taken into the window."""
        window, limit = opened.window, self._request.max_record
        if not load_whole(window, limit):
            sentence = f"the input is read as a whole, and it is larger than {limit:,} bytes, which is max_record"
            self._is_too_large = True
            return Lost(0, "limit", TAILS["limit"], sentence=sentence)
        self._scanned.check.take_whole(window.view[window.begin :])
        yield Head(window.view[window.begin :], whole=True)
        self._readers.begin(None)
        return Next.CALL

    def lose(self, lost: Lost, window: Window) -> None:
        """Like ``Extractor.lose``."""
        if not self._is_too_large:
            super().lose(lost, window)
            return
        self._report.error = f"{lost.sentence}: {TAKES_IT}"
        self._log.lose(RowDamage(0, 0, -1, "limit"), lambda _: (None, None), lost.sentence, TAKES_IT)

    def take(self, window: Window) -> Extraction:
        """Like ``Extractor.take``. All rows are in one event."""
        request, begin = self._request, window.begin
        row_reader = self._readers.rows(
            self.settings(wanted=request.read_columns, offsets=request.reads_offsets, null_rows=request.null_fill_rows)
        )
        filled = row_reader.fill(window, capacity=request.batch_rows)
        window.begin = filled.consumed
        self._scanned.count(window)
        if filled.rows or filled.damages:
            nulls = sum(each.row >= 0 for each in filled.damages)
            filled, gone = self.zeros_joined(filled, window)
            details = partial(self.of_fill, window, begin=begin, at_start=True)
            hidden = frozenset(each.row for each in filled.damages if not self._log.note(each, details))
            self._report.rows += filled.rows - nulls
            yield Rows.of(filled, window.view, window.base, first=0, last=filled.rows, hidden=(hidden | gone) - {-1})
        if filled.status in (Status.TRUNCATED, Status.LOST):
            reason = "truncated" if filled.status is Status.TRUNCATED else filled.reason
            return lost_row(window, filled.position, reason, of_unit=True, sentence=filled.error)
        if request.format.fills_input and window.begin < len(window.view):
            # More of the format may follow, such as another file that was appended.
            sentence = "the input goes on after what the format describes"
            return Lost(window.base + window.begin, "length", TAILS["length"], sentence=sentence, is_read=True)
        return Ended(window.begin, is_read=True)
