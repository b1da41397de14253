"""Which bytes of an input a record has: found by the reader itself, so that both say the same of damage."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

from ..base.errors import WireloomError
from ..format.description import Format
from ..input.inputs import Input
from ..input.window import Window
from ..reading.file_scan import Batches, FileScan
from ..reading.opening import Opened
from ..reading.recovery import CONTENT
from ..reading.request import ScanRequest, scan_request
from ..rows.batches import ERROR, OFFSET
from ..rows.reader import Filled, RowDamage, RowReader

BLOCK = 64 * 1024
FAR = 2**63 - 1
TAIL_REASONS = {"invalid_length": "length", "invalid_value": "value"}
"""For the tails that are not named as their reason is."""
MOST_DAMAGED = 50
"""Damaged ranges behind the wanted records that a page shows too."""


@dataclass(frozen=True)
class Located:
    """Bytes ``[begin, end)`` of the decompressed input: a ``record``, the ``head`` before the records, a ``damage``
    that is no record, or the ``tail`` that cannot be read. ``number`` counts records from 1, where it is known;
    ``data`` may end before ``end`` in what is no record."""

    kind: str
    number: int | None
    begin: int
    end: int
    reason: str | None
    data: bytes


@dataclass(frozen=True)
class Wanted:
    """From which record on, and how many. With ``all_damage`` the whole input is read, and damage behind is shown."""

    offset: int = 0
    number: int = 1
    count: int = 1
    all_damage: bool = False


def located(scan: RecordScan) -> Iterator[Located]:
    """The wanted records in order. Raises ``WireloomError`` where the input cannot be opened."""
    batches = scan.batches()
    try:
        yield from batches
    finally:
        batches.close()
    if scan.tail is not None and scan.wants(scan.tail.end) and not scan.is_done:
        yield scan.tail


def record_scan(
    format: Format, source: Input, wanted: Wanted, *, recover: bool = False, options: dict[str, Any] | None = None
) -> RecordScan:
    """A scan for ``wanted``. Where records stand between delimiters, it begins near the wanted offset."""
    how = dict(options or {})
    limits = {name: how.pop(name) for name in ("max_record", "max_window", "max_computed", "batch_rows") if name in how}
    columns = [*format.default_columns, OFFSET, ERROR]
    begin = 0
    if wanted.offset and format.delimiter and not format.has_prologue and source.seekable and not wanted.all_damage:
        begin = frame_before(source, format.delimiter, wanted.offset, limits.get("max_record", format.max_record))
    checked = scan_request(
        format, columns=columns, recover=recover, byte_range=(begin, FAR) if begin else None, options=how, **limits
    )
    return RecordScan(checked, source, wanted)


def frame_before(source: Input, delimiter: bytes, offset: int, limit: int) -> int:
    """The last delimiter at or before ``offset``; ``offset`` where there is none within ``limit`` bytes."""
    stream = source.open()
    try:
        end = min(offset + len(delimiter), source.size or 0)
        behind = b""
        while end > 0 and offset - end <= limit:
            begin = max(0, end - BLOCK)
            stream.seek(begin)
            piece = bytearray(end - begin)
            size, view = 0, memoryview(piece)
            while size < len(piece) and (count := stream.readinto(view[size:])):
                size += count
            found = (bytes(piece[:size]) + behind).rfind(delimiter)
            if found >= 0:
                return begin + found
            behind, end = bytes(piece[: len(delimiter) - 1]), begin
        return 0 if end <= 0 else offset
    finally:
        stream.close()


class RecordScan(FileScan):
    """As ``FileScan``, but ``batches`` gives ``Located``. ``head``: the bytes before the records; ``padding``: how
    many unused ones stand behind each."""

    def __init__(self, request: ScanRequest, source: Input, wanted: Wanted) -> None:
        super().__init__(request, source)
        self.head = b""
        self.tail: Located | None = None
        self.whole: bytes | None = None
        """All of the input, of a format that is read as a whole."""
        self.length: int | None = None
        """Bytes of the decompressed input, once its end was met."""
        self.notify: Callable[[], None] = lambda: None
        """Called after each piece of the input."""
        self._wanted = wanted
        self._seen = 0
        self._given = 0
        self._given_damage = 0

    @property
    def padding(self) -> int:
        """Unused bytes behind each record."""
        return self._details.padding

    @property
    def max_computed(self) -> int:
        """The limit of what a record makes, see ``Computing``."""
        return self._request.max_computed

    @property
    def seen(self) -> int:
        """How many records there were so far, damaged ones too, from where the reading began."""
        return self._seen

    @property
    def is_done(self) -> bool:
        """Whether all records that were asked for have been given."""
        return self._given >= self._wanted.count

    def wants(self, end: int) -> bool:
        """Whether something that ends there, and is counted already, lies where showing begins, or behind."""
        return end > self._wanted.offset and self._seen >= self._wanted.number

    def batches(self) -> Generator[Any, None, None]:
        """The wanted records, then the rest of the input is left unread unless all damage is wanted."""
        source = super().batches()
        try:
            for each in source:
                yield each
                if self.is_done and not self._wanted.all_damage:
                    return
        finally:
            source.close()

    def _rows(self, row_reader: RowReader, opened: Opened) -> Batches:
        window = opened.window
        if self._request.format.has_prologue:
            self.head = bytes(window.view[: window.begin])
            if self._wanted.number == 1 and not self._wanted.offset:
                yield Located("head", None, window.base, window.base + window.begin, None, self.head)
        return (yield from super()._rows(row_reader, opened))

    def _emit(self, filled: Filled, opened: Opened) -> Iterator[Any]:
        view, base = opened.window.view, opened.window.base
        damages: dict[int, RowDamage] = {}
        hidden: set[int] = set()
        for damage in filled.damages:
            if not self._notes(damage):
                hidden.add(damage.row)
            damages[damage.row] = damage
        self.report.rows += filled.rows - len(damages)
        self.notify()
        last = base + filled.consumed
        if self._seen + filled.rows < self._wanted.number or last <= self._wanted.offset or filled.offsets is None:
            self._seen += filled.rows - len(hidden)
            return
        counted = self._request.byte_range is None or self._opened.at_start
        rows: Any = range(filled.rows) if not self.is_done else sorted(damages)
        before = self._seen
        for row in rows:
            if row < 0 or row in hidden:
                continue
            gone = sum(each < row for each in hidden) if hidden else 0
            self._seen = before + row - gone + 1
            begin = filled.offsets[row].as_py()
            end = filled.offsets[row + 1].as_py() if row + 1 < filled.rows else last
            found = damages.get(row)
            if found is not None:
                begin, end = found.begin, found.end
            if self.wants(end) and self._takes(found is not None):
                number = self._seen if counted else None
                reason = found.reason if found is not None else None
                data = bytes(view[begin - base : end - base])
                yield Located("record", number, begin, end, reason, data)
        self._seen = before + filled.rows - len(hidden)

    def _notes(self, damage: RowDamage) -> bool:
        """Puts it into the report. Whether it counts as a record, as it does before a byte range too."""
        return self._damage_log.note(damage, self._of_fill) or damage.begin < self._begin

    def _takes(self, damaged: bool) -> bool:
        """Whether one more is shown, and counts it."""
        if not self.is_done:
            self._given += 1
            return True
        self._given_damage += damaged
        return damaged and self._wanted.all_damage and self._given_damage <= MOST_DAMAGED

    def _damage(
        self, damage: RowDamage, content: bytes | None, error: str | None = None, field: str | None = None
    ) -> Iterator[Any]:
        if self._notes(damage):
            self._seen += 1
            if self.wants(damage.end) and self._takes(True):
                yield Located("damage", None, damage.begin, damage.end, damage.reason, content or b"")

    def _failed(self, window: Window, error: WireloomError) -> Iterator[Any]:
        for _ in super()._failed(window, error):
            # A row of nulls; what is said about it is in the report.
            pass
        return
        yield

    def _end(self, window: Window, tail: str, offset: int) -> bool:
        end, at = window.base + len(window.view), offset - window.base
        self.length = end
        if tail not in ("clean", "unread") and offset < end:
            # What was looked through for another record is not there any more.
            data = bytes(window.view[at : at + CONTENT]) if at >= 0 else b""
            self._seen += 1
            self.tail = Located("tail", None, offset, end, TAIL_REASONS.get(tail, tail), data)
        return super()._end(window, tail, offset)

    def _whole(self, window: Window) -> Generator[Any, None, bool]:
        limit = self._request.max_record
        while len(window.view) - window.begin <= limit and window.extend():
            pass
        if len(window.view) - window.begin > limit:
            return self._end_lost(window, "limit", 0)
        self.whole = bytes(window.view[window.begin :])
        window.begin = len(window.view)
        yield Located("whole", None, 0, len(self.whole), None, self.whole)
        self._end(window, "clean", window.begin)
        return True
