"""Formats that are read as a whole: their rows are there when all of the input has been read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..input.window import Window
from ..rows.object_reader import ObjectRowReader
from ..rows.reader import RowDamage
from .damage_details import DamageDetails
from .events import DamagedRange, Head, Rows
from .extraction import Ended, Extraction, Extractor, Lost, Next, ScannedInput
from .prologue import Root, load_whole, read_whole
from .row_extractor import TAILS, lost_row

if TYPE_CHECKING:
    from .opening import Opened


class WholeExtractor(DamageDetails, Extractor):
    """Like ``Extractor``."""

    def __init__(self, scanned: ScannedInput) -> None:
        super().__init__(scanned)
        self._root: Root | None = None
        self._rows: list[Any] = []
        self._row_reader: Any = None

    def begin(self, opened: Opened) -> Extraction:
        """Like ``Extractor.begin``. The objects of all rows are made here."""
        request, window = self._request, opened.window
        if not load_whole(window, request.max_record):
            limit = request.max_record
            sentence = f"the input is read as a whole and larger than {limit} bytes: a larger max_record takes it"
            return Lost(0, "limit", TAILS["limit"], sentence=sentence)
        yield Head(window.view[window.begin :], whole=True)
        self._root, self._rows = read_whole(request.format, window, request.max_record, request.verify)
        if self._root.refused is not None:
            # Which row it concerns is not known.
            self._rows = []
            damage, content = (
                RowDamage(0, self._root.size, -1, self._root.refused),
                bytes(window.view[: self._root.size]),
            )
            yield DamagedRange(damage, content, shown=self.note(damage, content, self._root.field))
        settings = self.settings(wanted=request.layout.wanted, null_rows=request.null_rows)
        self._row_reader = ObjectRowReader(request.format, self._root.struct, settings)
        return Next.CALL

    def take(self, window: Window) -> Extraction:
        """Like ``Extractor.take``."""
        root = self._root
        assert root is not None
        batch, self._rows = self._rows[: self._request.batch_rows], self._rows[self._request.batch_rows :]
        if batch:
            filled, before = self._row_reader.whole(batch)
            shown = [self.note_row(each, before) for each in filled.damages]
            hidden = frozenset(each.row for each, is_shown in zip(filled.damages, shown, strict=True) if not is_shown)
            self._report.rows += filled.rows - sum(each.row >= 0 for each in filled.damages)
            yield Rows.of(filled, window.view, window.base, first=0, last=filled.rows, hidden=hidden)
            return Next.CALL
        window.begin = root.size
        if root.lost is not None:
            return lost_row(window, 0, root.lost, sentence=root.error)
        return Ended(window.begin, is_read=True)
