"""The bytes of each record of an input, from the events of a scan, so that ``inspect`` and the readers agree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from copy import copy
from typing import Any, Generic, TypeVar

from ..base.dataclass import dataclass, replace
from ..base.report import REASON_OF_TAIL, FileReport
from ..format.columns import ERROR, OFFSET
from ..format.description import Format
from ..input.expansion import expand
from ..input.inputs import Input
from ..reading.events import DamagedRange, End, Event, FragmentRows, Head, Rows
from ..reading.input_scan import InputScan
from ..reading.request import ScanRequest, UnitStart, scan_request
from ..reading.scan_readers import ScanReaders
from ..reading.whole_records import ends_of
from ..rows.late_root import struct_of
from ..rows.reader import RowDamage
from ..rows.unit_states import UnitStates
from .parts import InputPart, arranged, shows_tail

Shown = TypeVar("Shown")

BLOCK = 64 * 1024
FAR = 2**63 - 1
MOST_DAMAGED = 50
"""Maximum number of damaged ranges after the wanted records that a page shows too."""


@dataclass(frozen=True)
class Located:
    """Bytes ``[begin, end)`` of the decompressed input.

    They are a ``record``, the ``head`` before the records, a ``damage`` that is not a record, or the ``tail`` that
    cannot be read; or the ``whole`` input. ``number`` counts records from 1, if known; ``data`` may end before ``end``
    if it is not a record. ``damages``: the damaged ranges of the scan to which some of the bytes belong; ``reason``:
    that of the first one, or of the tail. ``states``: what the records before it have set, where records depend on
    those before them.
    """

    kind: str
    number: int | None
    begin: int
    end: int
    data: bytes
    damages: tuple[RowDamage, ...] = ()
    reason: str | None = None
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
    format = replace(format.input_format, distinct=False)
    begin = 0
    if wanted.offset and format.delimiter and not format.has_prologue and source.seekable and not wanted.all_damage:
        begin = frame_before(source, format.delimiter, wanted.offset, how.get("max_record", format.max_record))
    checked = scan_request(format, columns=[OFFSET, ERROR], byte_range=(begin, FAR) if begin else None, **how)
    if format.running_checksums or format.stateful or format.rows_path:
        # Only the object reader provides the bounds of units, and the state before the fields that are read again.
        checked = replace(checked, engine="objects")
    chunk = BLOCK if resume or begin else None
    return RecordScan(replace(checked, fragments=True, resume=resume, chunk=chunk), source, wanted)


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
        self.selection = Selection(wanted)

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
                    if self.selection.is_complete:
                        return
                self.notify()

    @abstractmethod
    def _of(self, event: Event) -> Iterator[Shown]:
        """Yield the wanted parts of an event."""
        ...


class RecordScan(WantedScan[Located]):
    """The wanted records of an input. ``length``: size of the decompressed input in bytes, ``None`` until its end is
    reached. ``root``: the object before the records, with what else its stream has.
    """

    def __init__(self, request: ScanRequest, source: Input, wanted: Wanted) -> None:
        super().__init__(replace(request, in_memory=bool(request.format.block)), source, wanted)
        self.format = request.format
        self.root: Any = None
        self.length: int | None = None
        self.max_computed = request.max_computed
        self._in_blocks = request
        self._whole: bytes | None = None
        self._of_blocks: FileReport | None = None
        self._fragments: list[tuple[int, int, bytes]] = []
        """Fragments, with their bytes, whose record may still lack its end."""
        self._broken: list[DamagedRange] = []
        """Damaged ranges since the first of them."""
        self._states: UnitStates | None = None
        """The states of the last rows."""
        self._end = 0
        """The end of the last unit or fragment."""
        self._head_damage: DamagedRange | None = None
        """What is damaged before the rows, until it is known whether they are read without it."""
        self._is_headless = False

    @property
    def report(self) -> FileReport:
        """Return the report so far."""
        return self._scan.report if self._of_blocks is None else self._of_blocks

    @property
    def seen(self) -> int:
        """Return the number of records so far, including damaged ones, from the position at which the reading began."""
        return self.selection.seen

    def _of(self, event: Event) -> Iterator[Located]:
        if self._head_damage is not None and self.root is None and not isinstance(event, Head):
            # Rows follow a header that is lost.
            self._is_headless = True
            yield from self._of_damage(self._head_damage)
            self._head_damage = None
        match event:
            case Head():
                yield from self._before_rows(event)
            case End() if self._whole is not None:
                yield self._of_whole(event, self._whole)
            case End():
                yield from self._of_end(event)
            case _ if self._whole is not None:
                pass
            case FragmentRows():
                self._keep(event.rows)
                yield from self._of_fragments(self._scan.complete_before)
            case DamagedRange() if self._is_counted(event):
                if self.format.fragments is not None:
                    self._broken.append(event)
                elif self.format.has_prologue and self.root is None and not self._is_headless:
                    self._head_damage = event
                else:
                    yield from self._of_damage(event)
            case Rows() if self.format.fragments is None:
                yield from self._of_units(event) if self.format.rows_path else self._of_rows(event)

    def _of_damage(self, event: DamagedRange) -> Iterator[Located]:
        part = InputPart(*event.damage[:2], (event.damage,))
        yield from self._of_part(part, event.content or b"")

    def _before_rows(self, head: Head) -> Iterator[Located]:
        data = bytes(head.content)
        if head.whole:
            self._whole = data
            return
        self.root = copy(struct_of(head.root))
        wanted, damages = self.selection.wanted, () if self._head_damage is None else (self._head_damage.damage,)
        self.selection.seen += len(damages)
        if wanted.number == 1 and wanted.offset < max(len(data), 1):
            yield Located("head", None, 0, len(data), data, damages, damages[0].reason if damages else None)

    def _of_whole(self, end: End, data: bytes) -> Located:
        self.length = end.end
        if self.format.block:
            # Only what is shown is loaded as a whole: blocks are read like any other input that consists of them.
            request = replace(self._in_blocks, codec="none", fragments=False)
            scan = InputScan(request, expand(data)[0], ScanReaders(request))
            for _ in scan.events():
                pass
            scan.report.error = scan.report.error or self._scan.report.error
            self._of_blocks = scan.report
        report = self.report
        damages = [RowDamage(each.offset, each.offset + each.length, -1, each.reason) for each in report.damaged]
        return Located("whole", None, 0, len(data), data, tuple(damages), self._reason_of_tail)

    @property
    def _reason_of_tail(self) -> str | None:
        tail = self.report.tail
        return None if tail == "clean" else REASON_OF_TAIL.get(tail, tail)

    def _is_counted(self, event: DamagedRange) -> bool:
        """Return whether a damaged range counts as a record, as ranges before the byte range do."""
        begin = self._request.byte_range[0] if self._request.byte_range else 0
        return event.null_row or event.damage.begin < begin

    def _of_part(self, part: InputPart, data: bytes | memoryview, reason: str | None = None) -> Iterator[Located]:
        """Count a part, and yield it if it is wanted. ``reason``: why its record is incomplete."""
        selection = self.selection
        selection.seen += 1
        if selection.reaches(part.end) and selection.takes(is_damage=bool(part.damages)):
            kind = "record" if part.number >= 0 else "damage"
            number = selection.seen if self._is_numbered and part.number >= 0 else None
            reason = part.damages[0].reason if part.damages else reason
            yield Located(kind, number, part.begin, part.end, bytes(data), part.damages, reason, self._states)

    @property
    def _is_numbered(self) -> bool:
        """Return whether all records before those of the scan are counted."""
        return self._request.resume is None and (self._request.byte_range is None or self._scan.at_start)

    def _of_rows(self, event: Rows) -> Iterator[Located]:
        selection, wanted = self.selection, self.selection.wanted
        damages = {each.row: each for each in event.damages}
        self._states = event.states
        before, offsets = selection.seen, event.offsets
        after = before + event.rows - len(event.hidden)
        if before + event.rows < wanted.number or event.end <= wanted.offset or offsets is None:
            selection.seen = after
            return
        rows: Any = range(event.rows) if not selection.is_done else sorted(damages)
        for row in rows:
            if row < 0 or row in event.hidden:
                continue
            selection.seen = before + row - sum(each < row for each in event.hidden)
            begin = offsets[row].as_py()
            end = offsets[row + 1].as_py() if row + 1 < event.rows else event.end
            found = damages.get(row)
            if found is not None:
                begin, end = found.begin, found.end
            part = InputPart(begin, end, () if found is None else (found,), row)
            yield from self._of_part(part, event.content[begin - event.base : end - event.base])
        selection.seen = after

    def _of_units(self, event: Rows) -> Iterator[Located]:
        self._states = event.states
        # The last unit may be incomplete, and some of its rows in doubt.
        bounds = [(begin, min(end, event.end)) for begin, end in event.bounds if self._end <= begin < event.end]
        hidden = {each.begin for each in event.damages if each.row in event.hidden}
        for part in arranged(bounds, event.damages):
            if part.number >= 0 or part.begin not in hidden:
                yield from self._of_part(part, event.content[part.begin - event.base : part.end - event.base])
        self._end = event.end

    def _keep(self, event: Rows) -> None:
        """Keep fragments until it is known whether their records are complete."""
        bounds = event.bounds
        if not self.format.rows_path and event.offsets is not None:
            ends = ends_of(event, event.offsets)
            bounds = list(zip(event.offsets.to_pylist(), ends.to_pylist(), strict=True))
        for begin, end in bounds:
            end = min(end, event.end)
            if self._end <= begin < end:
                is_wanted = end > self.selection.wanted.offset
                data = event.content[begin - event.base : end - event.base] if is_wanted else b""
                self._fragments.append((begin, end, bytes(data)))
                self._end = end

    def _of_fragments(self, stop: int) -> Iterator[Located]:
        """Yield the fragments before an offset, and the damaged ranges."""
        done = [each for each in self._fragments if each[0] < stop]
        self._fragments = self._fragments[len(done) :]
        broken, self._broken = self._broken, []
        content = {each.damage.begin: each.content or b"" for each in broken}
        for part in arranged([each[:2] for each in done], [each.damage for each in broken]):
            yield from self._of_part(part, done[part.number][2] if part.number >= 0 else content[part.begin])

    def _of_end(self, event: End) -> Iterator[Located]:
        self.length, reason = event.end, self._reason_of_tail
        begin = event.end if reason is None else self.report.tail_offset
        yield from self._of_fragments(begin)
        for index, (first, last, data) in enumerate(self._fragments):
            # The record that they are part of is incomplete.
            yield from self._of_part(InputPart(first, last, (), index), data, reason)
        content = event.content
        if self._fragments:
            content = content[self._end - begin :]
            begin = self._end
        if reason is not None and shows_tail(begin, event.end, self.report):
            self.selection.seen += 1
            if self.selection.reaches(event.end) and not self.selection.is_done:
                yield Located("tail", None, begin, event.end, content, (), reason, self._states)
