"""The bytes of each record of an input, from the events of a scan, so that ``inspect`` and the readers agree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any, Generic, TypeVar

from ..base.dataclass import dataclass, replace
from ..base.report import REASON_OF_TAIL, FileReport
from ..format.columns import ERROR, OFFSET
from ..format.description import Format
from ..format.program import Stuffing
from ..input.inputs import Input
from ..objects.stuffing import COBS_RUN, FIRST_RUN, LATER_RUN, RADIX, WORD_DELIMITER
from ..reading.events import DamagedRange, End, Event, Head, Rows
from ..reading.input_scan import InputScan
from ..reading.request import ScanRequest, UnitStart, scan_request
from ..reading.scan_readers import ScanReaders
from ..rows.unit_states import UnitStates

Shown = TypeVar("Shown")

BLOCK = 64 * 1024
FAR = 2**63 - 1
MOST_DAMAGED = 50
"""Maximum number of damaged ranges after the wanted records that a page shows too."""


@dataclass(frozen=True)
class Located:
    """Bytes ``[begin, end)`` of the decompressed input.

    They are a ``record``, the ``head`` before the records, a ``damage`` that is not a record, or the ``tail`` that
    cannot be read. ``number`` counts records from 1, if known; ``data`` may end before ``end`` if it is not a record.
    ``states``: what the records before it have set, where records depend on those before them.
    """

    kind: str
    number: int | None
    begin: int
    end: int
    reason: str | None
    data: bytes
    states: UnitStates | None = None


@dataclass(frozen=True)
class Wanted:
    """The first record and the number of records to show. With ``all_damage`` the whole input is read, and later damage
    is shown.
    """

    offset: int = 0
    number: int = 1
    count: int = 1
    all_damage: bool = False


class Selection:
    """Selects the parts of an input to show. ``seen``: number of records so far, including damaged ones, from the
    position at which the reading began.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.seen = 0
        self._taken = 0
        self._given_damage = 0

    @property
    def is_done(self) -> bool:
        """Return whether all requested records have been selected."""
        return self._taken >= self.wanted.count

    @property
    def is_complete(self) -> bool:
        """Return whether nothing more will be shown."""
        return self.is_done and not self.wanted.all_damage

    def reaches(self, end: int) -> bool:
        """Return whether a counted item that ends at ``end`` is at or after the beginning of what is shown."""
        return end > self.wanted.offset and self.seen >= self.wanted.number

    def takes(self, *, is_damage: bool) -> bool:
        """Return whether one more item is shown, and count it."""
        if not self.is_done:
            self._taken += 1
            return True
        self._given_damage += is_damage
        return is_damage and self.wanted.all_damage and self._given_damage <= MOST_DAMAGED


def record_scan(
    format: Format,
    source: Input,
    wanted: Wanted,
    options: Mapping[str, Any] | None = None,
    resume: UnitStart | None = None,
) -> RecordScan:
    """Return a scan for ``wanted``.

    For delimited records it begins near the wanted offset. ``resume``: as in ``ScanRequest``.
    """
    how = dict(options or {})
    # Each fragment is shown as stored in the input.
    format = replace(format.wire, fragments=None)
    columns = [*format.default_columns, OFFSET, ERROR]
    begin = 0
    if wanted.offset and format.delimiter and not format.has_prologue and source.seekable and not wanted.all_damage:
        begin = frame_before(source, format.delimiter, wanted.offset, how.get("max_record", format.max_record))
    checked = scan_request(format, columns=columns, byte_range=(begin, FAR) if begin else None, **how)
    if format.chained or format.variables:
        # Reading the fields of a record again takes the state before it, which only the object reader provides.
        checked = replace(checked, engine="objects")
    # The parts of an input that is a single unit are selected from the whole unit.
    return RecordScan(
        replace(checked, in_memory=True, resume=resume, chunk=BLOCK if resume or begin else None), source, wanted
    )


def frame_before(source: Input, delimiter: bytes, offset: int, limit: int) -> int:
    """Return the offset of the last delimiter at or before ``offset``; ``offset`` if there is none within ``limit``
    bytes.
    """
    stream = source.open()
    try:
        end = min(offset + len(delimiter), source.size or 0)
        after = b""
        while end > 0 and offset - end <= limit:
            begin = max(0, end - BLOCK)
            stream.seek(begin)
            piece = bytearray(end - begin)
            size, view = 0, memoryview(piece)
            while size < len(piece) and (count := stream.readinto(view[size:])):
                size += count
            found = (bytes(piece[:size]) + after).rfind(delimiter)
            if found >= 0:
                return begin + found
            after, end = bytes(piece[: len(delimiter) - 1]), begin
        return 0 if end <= 0 else offset
    finally:
        stream.close()


class WantedScan(ABC, Generic[Shown]):
    """A scan of an input that yields the wanted parts of it. ``notify`` is called after each piece of the input."""

    def __init__(self, request: ScanRequest, source: Input, wanted: Wanted) -> None:
        self.notify: Callable[[], None] = lambda: None
        self._request = request
        self._scan = InputScan(request, source, ScanReaders(request))
        self._selection = Selection(wanted)

    @property
    def report(self) -> FileReport:
        """Return the report so far."""
        return self._scan.report

    @property
    def stored_bytes(self) -> int:
        """Return the number of stored bytes of the input that have been read so far."""
        return self._scan.stored_bytes

    def shown(self) -> Iterator[Shown]:
        """Yield the wanted parts, in order, and the tail that cannot be read.

        The rest of the input is not read unless all damage is wanted. Raises ``WireloomError`` if the input cannot be
        opened.
        """
        with closing(self._scan.events()) as events:
            for event in events:
                for each in self._of(event):
                    yield each
                    if self._selection.is_complete:
                        return
                self.notify()

    @abstractmethod
    def _of(self, event: Event) -> Iterator[Shown]:
        """Yield the wanted parts of an event."""
        ...


class RecordScan(WantedScan[Located]):
    """The wanted records of an input. ``head``: the bytes before them; ``length``: size of the decompressed input in
    bytes, ``None`` until its end is reached.
    """

    def __init__(self, request: ScanRequest, source: Input, wanted: Wanted) -> None:
        super().__init__(request, source, wanted)
        self.head = b""
        self.length: int | None = None
        self.max_computed = request.max_computed
        self._is_whole = False
        self._whole_end = 0
        self._states: UnitStates | None = None
        """The states of the last rows."""

    @property
    def seen(self) -> int:
        """Return the number of records so far, including damaged ones, from the position at which the reading began."""
        return self._selection.seen

    def count_whole(self, records: int, end: int) -> None:
        """Set the number of records of an input that is read as a whole, and the end of its part that is shown."""
        self._selection.seen, self._whole_end = records, end

    def _of(self, event: Event) -> Iterator[Located]:
        match event:
            case Head():
                yield from self._of_head(event)
            case Rows() if not self._is_whole:
                yield from self._of_rows(event)
            case DamagedRange() if not self._is_whole and self._is_counted(event):
                damage = event.damage
                self._selection.seen += 1
                if self._selection.reaches(damage.end) and self._selection.takes(is_damage=True):
                    yield Located("damage", None, damage.begin, damage.end, damage.reason, event.content or b"")
            case End() if self._request.format.is_plain:
                self.length, self._selection.seen = event.end, 1
            case End() if self._is_whole and self.report.tail_offset < self._whole_end:
                # An incomplete record at the end is shown in its place among the records.
                self.length = event.end
            case End():
                yield from self._of_end(event)

    def _of_head(self, head: Head) -> Iterator[Located]:
        data = bytes(head.content)
        if head.whole:
            self._is_whole = True
            yield Located("whole", None, 0, len(data), None, data)
            return
        self.head = data
        wanted = self._selection.wanted
        if wanted.number == 1 and wanted.offset < max(len(data), 1):
            yield Located("head", None, 0, len(data), None, data)

    def _is_counted(self, event: DamagedRange) -> bool:
        """Return whether a damaged range counts as a record, as ranges before the byte range do."""
        begin = self._request.byte_range[0] if self._request.byte_range else 0
        return event.shown or event.damage.begin < begin

    def _of_rows(self, event: Rows) -> Iterator[Located]:
        selection, wanted = self._selection, self._selection.wanted
        damages = {each.row: each for each in event.damages}
        self._states = event.states
        before, offsets = selection.seen, event.offsets
        after = before + event.rows - len(event.hidden)
        if before + event.rows < wanted.number or event.end <= wanted.offset or offsets is None:
            selection.seen = after
            return
        counted = self._request.resume is None and (self._request.byte_range is None or self._scan.at_start)
        rows: Any = range(event.rows) if not selection.is_done else sorted(damages)
        for row in rows:
            if row < 0 or row in event.hidden:
                continue
            selection.seen = before + row + 1 - sum(each < row for each in event.hidden)
            begin = offsets[row].as_py()
            end = offsets[row + 1].as_py() if row + 1 < event.rows else event.end
            found = damages.get(row)
            if found is not None:
                begin, end = found.begin, found.end
            if selection.reaches(end) and selection.takes(is_damage=found is not None):
                number = selection.seen if counted else None
                data = bytes(event.content[begin - event.base : end - event.base])
                reason = found.reason if found is not None else None
                yield Located("record", number, begin, end, reason, data, event.states)
        selection.seen = after

    def _of_end(self, event: End) -> Iterator[Located]:
        report, self.length = self.report, event.end
        if report.tail != "clean" and report.tail_offset < event.end:
            self._selection.seen += 1
            if self._selection.reaches(event.end) and not self._selection.is_done:
                reason = REASON_OF_TAIL.get(report.tail, report.tail)
                yield Located("tail", None, report.tail_offset, event.end, reason, event.content, self._states)


def places(stuffed: bytes, stuffing: Stuffing) -> list[int]:
    """Return for each byte of a frame that ``unstuff`` accepts its index in the content; -1 for stuffing.

    >>> places(b"\\x02a\\x02b", Stuffing.COBS)
    [-1, 0, -1, 2]
    """
    if stuffing is Stuffing.WORD:
        return _words(stuffed)
    return _cobs(stuffed) if stuffing is Stuffing.COBS else list(range(len(stuffed)))


def _words(stuffed: bytes) -> list[int]:
    found: list[int] = []
    position, content, header, longest = 0, 0, 1, FIRST_RUN
    while position + header <= len(stuffed):
        run = stuffed[position] + (RADIX * stuffed[position + 1] if header == 2 else 0)
        found += [-1] * header + list(range(content, content + run))
        position += header + run
        content += run + (len(WORD_DELIMITER) if run < longest else 0)
        header, longest = 2, LATER_RUN
    return found


def _cobs(stuffed: bytes) -> list[int]:
    found: list[int] = []
    position, content = 0, 0
    while position < len(stuffed):
        code = stuffed[position]
        found += [-1, *range(content, content + code - 1)]
        position += code
        content += code - 1 + (1 if code <= COBS_RUN else 0)
    return found
