"""One input of messages, from its first byte to its last: units, rows, damage, the end.

What ``wireloom.reading.file_scan`` is for rows that stand in the input themselves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any

import pyarrow as pa

from ..base.errors import DamagedInputError, WireloomError
from ..base.report import FileReport
from ..input.inputs import Input
from ..input.window import MemoryWindow, Window
from ..rows.batches import explained
from ..rows.messages.decoders import make
from ..rows.messages.decoding import UnitProblem
from ..rows.reader import RowDamage
from ..units.framing import CLEAN, Units
from ..units.guarded import framing_for, hooks_for, lengths_of
from ..units.pieces import Piece, null_row, pieces, row_starts, units_of_rows, wanted_columns
from ..units.recovering import Search
from .damage_log import CUT_ADVICE, DamageLog
from .opening import Opened, open_input
from .recovery import CHAIN_BYTES, CONTENT, Skipped, lost_end
from .request import ScanRequest
from .wrong_format import Looks

LOST = {"limit": "limit", "invalid_length": "length"}
"""The reason why nothing behind is read, by the word of the tail; ``value`` for all other ways to lose the layout."""
ENVELOPE = ("magic", "digest", "length")
"""Reasons of a message whose envelope does not hold."""
ENDED = (CLEAN, "truncated", "growing")
"""Tails of an input whose layout was not lost."""
SEARCHED = 1024 * 1024
"""Bytes of input that are got at once where messages are looked for."""
ADVICE = "mode=permissive keeps the records before it"


class UnitScan:
    """Reads one input. ``report`` is filled in while ``batches`` is iterated."""

    def __init__(self, request: ScanRequest, source: Input) -> None:
        self.report = FileReport(source.path)
        self._request = request
        self._source = source
        self._builder = request.layout.builder(source.path)
        self._damage_log = DamageLog(self.report, request.mode, None, b"")
        self._opened = Opened(MemoryWindow(memoryview(b"")))
        self._framing = framing_for(request.format, request.max_record, request.message_options)
        self._hooks = hooks_for(request.format, request.message_options)
        self._decoder = make(
            request.engine,
            request.format,
            wanted_columns(request.format, request.layout.wanted, self._hooks),
            verify=request.verify,
            null_rows=request.null_rows,
            max_computed=request.max_computed,
        )
        self._looks = Looks(request, self.report)
        lengths = lengths_of(self._framing)
        self._search: Search | None = None
        if request.recover and not request.grows and lengths is not None:
            plain = make(request.engine, request.format, (), verify=request.verify, null_rows=False)
            self._search = Search(request.format, lengths, plain)
        self._tail_offset = -1
        """Where a length was lost behind which no message was found."""
        self._searched: bytes | None = None
        """The first bytes from there on."""
        self._messages = 0
        self._wholes = 0

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
        try:
            tail = yield from self._units(window)
            self._end(tail, opened)
            yield from lost_end(self._request, self.report, window, self._builder, self._searched)
            if window.error is not None and tail.ended not in ("limit", "invalid_length"):
                yield from self._failed(window, window.error)
            self.report.facts = self._facts()
            self.report.foreign = self._looks.are_foreign(opened)
        finally:
            if self.report.tail == "unread":
                self.report.tail_offset = window.base + window.begin
            if not self.report.facts:
                # Why the reading stops matters more than what routines would say of it.
                with suppress(WireloomError):
                    self.report.facts = self._facts()
            self.report.bytes = window.base + window.begin
            opened.close()

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"messages": self._messages}
        units = self._request.format.message
        if units is not None and units.whole:
            facts["whole"] = self._wholes
        facts.update(self._framing.facts())
        if self._hooks is not None:
            facts.update(self._hooks.facts())
        return facts

    def _units(self, window: Window) -> Any:
        """Reads to the end; returns the units that were taken last."""
        while True:
            view, base = window.view[window.begin :], window.base + window.begin
            complete = window.at_end and window.error is None
            self._looks.at(window)
            units = self._framing.take(view, base, complete)
            if self._search is not None:
                if units.ended not in ("", CLEAN) and len(view) - units.consumed < CHAIN_BYTES and window.extend():
                    # With what follows it can be told which lengths are damaged.
                    continue
                units = self._search.believed(units, view, base, complete)
            yield from self._rows(units, view, base)
            window.begin += units.consumed
            self.report.bytes = window.base + window.begin
            if units.ended not in ("", CLEAN) and self._search is not None:
                lost = window.base + window.begin
                reason = "truncated" if units.ended == "truncated" else "length"
                if (yield from self._recover(self._search, window, reason)):
                    continue
                self._tail_offset = lost
            if units.ended:
                return units
            if units.consumed and not units.needed:
                continue
            if window.at_end and not units.consumed:
                units.ended = "truncated" if window.begin < len(window.view) else CLEAN
                return units
            target = units.needed or len(window.view) - window.begin + 1
            while len(window.view) - window.begin < target and window.extend():
                pass

    # Recovery --------------------------------------------------------------------------------------------------------

    def _recover(self, search: Search, window: Window, reason: str) -> Generator[Any, None, bool]:
        """Goes on at the next messages that hold behind a length that leads nowhere. False: there are none."""
        begin, at = window.base + window.begin, window.begin + 1
        skipped = Skipped()
        while True:
            complete = window.at_end and window.error is None
            found, place = search.find(window.view, at, len(window.view), complete)
            skipped.add(window.view[window.begin : place])
            window.begin = place
            if found:
                damage = RowDamage(begin, window.base + place, -1, reason)
                if self._note(damage, explained(reason)) and self._request.null_rows:
                    yield self._builder.damaged(damage, skipped.content, None)
                return True
            wanted = len(window.view) - place + SEARCHED
            while not window.at_end and len(window.view) - window.begin < wanted and window.extend():
                pass
            if complete or (window.at_end and window.error is not None):
                self._searched = skipped.content
                return False
            at = window.begin

    # Rows ------------------------------------------------------------------------------------------------------------

    def _rows(self, units: Units, view: memoryview, base: int) -> Iterator[Any]:
        """The rows of the units, and the damaged ranges between them, in the order of the input."""
        damages = sorted(units.damages)
        for piece in pieces(self._decoder, units, self._request.batch_rows, self._framing, self._hooks):
            following = piece.first + piece.decoded.units
            last = following == len(units.begins)
            end = None if last else units.offsets[following]
            here = [each for each in damages if end is None or each.begin < end]
            damages = damages[len(here) :]
            yield from self._piece(piece, here, units.details, view, base)
        for damage in damages:
            if self._note(damage, units.details.get(damage.begin) or explained(damage.reason)):
                yield from self._between(damage, units.details, view, base)

    def _piece(
        self, piece: Piece, damages: list[RowDamage], details: dict[int, str], view: memoryview, base: int
    ) -> Iterator[Any]:
        request, units, decoded = self._request, piece.units, piece.decoded
        errors: dict[int, str] = {}
        contents: dict[int, tuple[int, int]] = {}
        cuts: list[tuple[int, RowDamage]] = []
        noted: list[tuple[int, Any]] = [(units.offsets[each.unit], each) for each in piece.problems]
        noted += ((each.begin, each) for each in damages)
        starts = row_starts(decoded.counts) if noted else pa.nulls(0)
        for begin, problem in sorted(noted, key=_by_offset):
            if isinstance(problem, RowDamage):
                if self._note(problem, details.get(begin) or explained(problem.reason)):
                    cuts.append((starts[bisect_left(units.offsets, begin)].as_py(), problem))
                continue
            unit = problem.unit
            end = begin + units.spans[unit]
            sentence = f"message {self._messages + unit + 1}: {problem.detail}"
            self._note(RowDamage(begin, end, -1, problem.reason), sentence)
            row = null_row(starts, unit)
            if request.null_rows and row >= 0:
                errors[row] = f"{problem.reason}: {problem.detail}"
                contents[row] = (begin - base, end - base)
        self._messages += decoded.units
        if len({each.unit for each in piece.problems if self._says_nothing(each)}) < decoded.units:
            self._looks.has_held = True
        self._wholes += len(decoded.wholes)
        self.report.rows += decoded.rows - len(errors)
        batch = self._batch(piece, errors, contents, view)
        first = 0
        for row, damage in [*cuts, (decoded.rows, None)]:
            for begin in range(first, row, request.batch_rows):
                yield batch.slice(begin, min(request.batch_rows, row - begin))
            first = row
            if damage is not None:
                yield from self._between(damage, details, view, base)

    def _says_nothing(self, problem: UnitProblem) -> bool:
        """Whether a damaged message may as well be something else: its envelope, if it has one, does not hold."""
        units = self._request.format.message
        enveloped = units is not None and bool(units.prefix or units.digest)
        return not enveloped or problem.reason in ENVELOPE

    def _batch(
        self, piece: Piece, errors: dict[int, str], contents: dict[int, tuple[int, int]], view: memoryview
    ) -> Any:
        decoded = piece.decoded
        offsets = None
        if self._request.layout.has_offsets:
            offsets = pa.array(piece.units.offsets, pa.uint64()).take(units_of_rows(decoded.counts, decoded.rows))
        return self._builder.rows(
            decoded.rows,
            decoded.arrays,
            offsets,
            errors.items(),
            ((row, bytes(view[begin:end])) for row, (begin, end) in contents.items()),
        )

    # Damage ----------------------------------------------------------------------------------------------------------

    def _note(self, damage: RowDamage, sentence: str) -> bool:
        """As ``DamageLog.note``."""
        if self.report.error is None:
            self.report.error = sentence
        return self._damage_log.note(damage, _nothing, sentence)

    def _between(self, damage: RowDamage, details: dict[int, str], view: memoryview, base: int) -> Iterator[Any]:
        """A row of nulls for a range that gave no unit, where one is wanted."""
        if self._request.null_rows:
            begin, end = damage.begin - base, damage.end - base
            content = bytes(view[begin : min(end, begin + CONTENT)])
            yield self._builder.damaged(damage, content, details.get(damage.begin))

    def _failed(self, window: Window, error: WireloomError) -> Iterator[Any]:
        """The codec or the storage failed where the window ends."""
        damage = self._damage_log.fail(error, window.base + len(window.view), ADVICE)
        if self._request.null_rows:
            yield self._builder.damaged(damage, None, error.message)

    # The end ---------------------------------------------------------------------------------------------------------

    def _end(self, tail: Units, opened: Opened) -> None:
        window, report = opened.window, self.report
        report.tail = tail.ended
        report.tail_offset = window.base + window.begin if self._tail_offset < 0 else self._tail_offset
        if window.at_end:
            report.tail_size = window.base + len(window.view) - report.tail_offset
        elif opened.size is not None:
            report.tail_size = opened.size - report.tail_offset
        if tail.ended == "truncated" and window.error is None:
            if self._request.grows:
                report.tail = "growing"
            else:
                sentence = f"the input ends inside a unit, of which {report.tail_size} bytes are there"
                damage = RowDamage(report.tail_offset, report.tail_offset, -1, "truncated")
                self._damage_log.lose(damage, _nothing, sentence, CUT_ADVICE)
        if tail.ended in ENDED:
            return
        reason = LOST.get(tail.ended, "value")
        sentence = tail.detail or (
            f"larger than {self._request.max_record} bytes at byte {report.tail_offset}: a larger max_record takes it, "
            "unless a length is damaged"
            if reason == "limit"
            else explained(reason)
        )
        report.error = sentence
        lost = RowDamage(report.tail_offset, report.tail_offset, -1, reason)
        try:
            self._damage_log.lose(lost, _nothing, sentence, ADVICE)
        except DamagedInputError as error:
            raise error from tail.cause


def _by_offset(item: tuple[int, Any]) -> int:
    return item[0]


def _nothing(_damage: RowDamage) -> tuple[int | None, str | None]:
    """Nothing is known but what the sentence says."""
    return None, None
