"""Events of rows and of damaged ranges between them, with the details of damage for errors: the number of a record, the
invalid field, the limit that was exceeded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.advice import Advice
from ..base.limits import LARGEST_RECORD
from ..base.report import EMPTY
from ..input.window import Window
from ..rows.reader import FillResult, RowDamage, Settings
from ..rows.zero_runs import ZeroRuns
from .damage_log import HEADER_ADVICE, Detail, Details, lost_advice, truncated_advice
from .events import Rows
from .request import grows_by_rows, searches_rows
from .row_resync import accepts_row

if TYPE_CHECKING:
    from ..rows.object_reader import ObjectRowReader
    from .extraction import Lost, ScannedInput


FEW_ITEMS = 10_000
"""Number of items, and of characters of computed text, of an incomplete row after which its size counts as unknown."""
MOST_ITEMS = 1_000_000
"""Number of items for all searches for rows inside a damaged row, in addition to those for the bytes searched."""


class RowEvents:
    """Makes the events of one input's rows, and records their damage in the report and the damage log. Details of
    damage are determined by reading the available bytes again.

    ``padding``: the number of unused bytes after each row, set when it is known.
    """

    def __init__(self, scanned: ScannedInput) -> None:
        self.padding = 0
        self._request = scanned.request
        self._report = scanned.report
        self._readers = scanned.readers
        self._log = scanned.log
        self._zeros = ZeroRuns()

    def settings(self, **different: Any) -> Settings:
        """Return settings for reading the input's rows, with those in ``different`` replaced."""
        request = self._request
        usual = {
            "verify": request.verify,
            "padding": self.padding,
            "max_record": request.max_record,
            "max_computed": request.max_computed,
            "ahead": request.prefetch is not False,
            "dictionaries": request.dictionaries,
        }
        return Settings(**(usual | different))

    def checker(self) -> ObjectRowReader:
        """Return a reader of rows as objects that reads only few items of them."""
        # Imported here: inputs that do not grow do not need the generated classes and their dependencies.
        from ..rows.object_reader import ObjectRowReader

        made = ObjectRowReader(self._request.format, self._readers.root, self.settings(max_computed=FEW_ITEMS))
        made.search.allowance = MOST_ITEMS
        return made

    def of_fill(self, window: Window, damage: RowDamage, begin: int, at_start: bool) -> Detail:
        """Return what is known about a fill's first damaged record; all records of the fill before it are valid.

        ``begin``: the beginning of the fill, as an index of the view; ``at_start``: whether that is the beginning of
        the input.
        """
        if damage.inside:
            return self._inside(window, damage, begin, at_start)
        content = bytes(window.view[damage.begin - window.base : damage.end - window.base])
        consumed = window.begin
        window.begin = begin
        try:
            row_reader = self._readers.rows(self.settings())
            before = row_reader.fill(window, capacity=consumed + 1, at_start=at_start, stop=damage.begin).rows
        finally:
            window.begin = consumed
        return Detail(self.number(before), *self.field(damage, content))

    def _inside(self, window: Window, damage: RowDamage, begin: int, at_start: bool) -> Detail:
        """Return what is known about a fill's first damaged record, which is part of a unit."""
        consumed = window.begin
        window.begin = begin
        try:
            row_reader = self._readers.rows(self.settings(offsets=True))
            filled = row_reader.fill(window, capacity=consumed + 1, at_start=at_start, stop=damage.begin + 1)
        finally:
            window.begin = consumed
        assert filled.offsets is not None
        number, sentence = self.number(sum(offset < damage.begin for offset in filled.offsets.to_pylist())), None
        if damage.reason == "unsupported":
            unit = bytes(window.view[filled.last_unit.begin : damage.end - window.base])
            sentence = self.field(damage, unit)[1]
        return Detail(number, None, sentence)

    def number(self, more: int = 0) -> int | None:
        """Return the number of the next record, or of the one ``more`` after it, counted from 1; ``None`` if reading
        did not begin with the first record."""
        first = self._request.byte_range[0] if self._request.byte_range else 0
        return None if first else self._report.rows + more + 1

    def field(self, damage: RowDamage, content: bytes | None) -> tuple[str | None, str | None]:
        """Return the invalid field, and what is unsupported there; ``None`` for what is unknown. ``content``: the bytes
        of the record, if available."""
        if content is None or damage.reason not in ("checksum", "value", "length", "encoding", "codec", "unsupported"):
            return None, None
        # Imported here: files without damage do not need the generated classes and their dependencies.
        from .prologue import errors_of_record, field_of

        format, reason = self._request.format, damage.reason
        error = next(errors_of_record(format, self._readers.root, content, reason, self._request.verify), None)
        if error is None:
            return None, None
        return field_of(format, error), str(error) if reason == "unsupported" else None

    def limit_hint(self, window: Window, offset: int) -> str:
        """Return a template of ``Advice`` that says whether a larger ``max_record`` would allow reading the row at
        ``offset``, whose length may be damaged."""
        request, taken = self._request, None
        # If rows were searched for after it, its bytes may no longer be available.
        if not request.recovers and (self._readers.root is not None or not request.format.has_prologue):
            settings = self.settings(padding=0, max_record=LARGEST_RECORD)
            taken = accepts_row(self._readers.rows(settings), window, offset)
        if taken is None:
            return "raise {max_record} to read it, unless its length is damaged"
        return "raise {max_record} to read it" if taken else "its length is damaged, or the input is truncated"

    # Recording -------------------------------------------------------------------------------------------------------

    def event(
        self, filled: FillResult, view: memoryview, base: int, details: Details, first: int = 0, last: int | None = None
    ) -> Rows:
        """Return the event of the rows ``first`` … ``last`` of a fill, whose damage is recorded, with one range for
        each run of zeros inside units. ``view``: the bytes of the input from offset ``base`` on."""
        last, damages = filled.rows if last is None else last, filled.damages
        nulls, hidden = 0, frozenset[int]()
        if damages:
            if any(each.inside for each in damages):
                damages = self._zeros.joined(damages, view, base)
            here = range(first, last)
            rows = {each.row for each in filled.damages if each.row in here}
            nulls, hidden = len(rows), frozenset(rows - {each.row for each in damages if self._log.note(each, details)})
        self._report.rows += last - first - nulls + (filled.filtered_out or 0)
        made = Rows(
            filled.rows, filled.arrays, filled.offsets, damages, view, base, base + filled.consumed, first, last
        )
        made.hidden, made.filtered = hidden, filled.filtered_out is not None
        made.states, made.bounds = filled.states, filled.bounds
        return made

    def note(self, damage: RowDamage, content: bytes, field: str | None = None, *, sentence: str | None = None) -> bool:
        """Record a damaged range that is not part of a fill, like ``DamageLog.note``. ``content``: its bytes;
        ``field``: the invalid field, if known and not part of a record; ``sentence``: details beyond the reason."""

        def details(damage: RowDamage) -> Detail:
            if sentence is not None or field is not None:
                return Detail(None, field, sentence)
            return Detail(self.number(), *self.field(damage, content))

        return self._log.note(damage, details)

    def lose(self, lost: Lost, window: Window) -> None:
        """Record a row after which nothing is read, like ``DamageLog.lose``."""
        request, sentence = self._request, lost.sentence
        is_searchable = not request.recovers and searches_rows(request.format)
        advice = HEADER_ADVICE if lost.in_head else lost_advice(searchable=is_searchable)
        if lost.tail == "truncated":
            if lost.in_head:
                sentence = "the input ends before the first record" if len(window.view) else EMPTY
            advice = truncated_advice(request.format)
        elif lost.tail == "limit":
            hint, sentence = self.limit_hint(window, lost.offset), None
            shown = f"larger than {request.max_record} bytes at byte {lost.offset}: {Advice(hint)}"
            self._report.error = lost.sentence or shown
            advice = f"{advice}; {hint}"
        elif grows_by_rows(request.format):
            sentence = None
        damage = RowDamage(lost.offset, lost.offset, -1, lost.reason)
        self._log.lose(damage, lambda _: Detail(None if lost.in_head else self.number(), lost.field), sentence, advice)
