"""Messages: units that a framing finds in the input, and their rows, which a decoder reads."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..base.report import REASON_OF_TAIL
from ..input.window import Window
from ..rows.messages.decoding import UnitProblem
from ..rows.reader import RowDamage
from ..rows.selected_columns import explained
from ..units.decoded_units import (
    DecodedUnits,
    columns_to_decode,
    decoded_units,
    facts_of,
    hooks_for,
    row_starts,
    unit_array,
    units_of_rows,
)
from ..units.framing import Prefixed, framing_for
from ..units.message_resync import MessageSearch, SearchedBytes
from ..units.units import CLEAN, Units
from .damage_log import Detail, lost_advice, truncated_advice
from .events import DamagedRange, Event, FramingBytes, Rows
from .extraction import Ended, Extraction, Extractor, Lost, Next, ScannedInput
from .request import UnitStart
from .row_resync import CONTENT, Skipped
from .unit_events import unit_rows

if TYPE_CHECKING:
    from collections.abc import Generator

    from .opening import Opened

ENVELOPE = ("magic", "digest", "length")
"""Reasons of a message whose envelope is invalid."""
SEARCHED = 1024 * 1024
"""Number of bytes of input that are read at once when searching for messages."""


class MessageExtractor(Extractor):
    """Implements ``Extractor``."""

    reads_on = False

    def __init__(self, scanned: ScannedInput) -> None:
        request = self._request = scanned.request
        self._scanned = scanned
        self._report = scanned.report
        self._log = scanned.log
        self._check = scanned.check
        self._framing = framing_for(request.format, request.max_record, request.message_options)
        self._hooks = hooks_for(request.format, request.message_options)
        projected = columns_to_decode(request.format, request.projection.projected, self._hooks)
        self._decoder = scanned.readers.decoder(projected, null_rows=request.null_rows)
        lengths = self._framing if isinstance(self._framing, Prefixed) else None
        self._is_searchable = lengths is not None and not request.recover
        """Whether messages would be searched for with ``recover``."""
        self._search: MessageSearch | None = None
        if request.recover and lengths is not None:
            self._search = MessageSearch(request.format, lengths, scanned.readers.decoder(()), grows=request.grows)
        self._waits = self._search is not None and request.grows
        """Whether messages after the end of the input may show that a length is damaged."""
        self._messages = 0
        self._wholes = 0
        kinds = (self._framing, *(() if self._hooks is None else (self._hooks,)))
        self._is_resumable = all(getattr(each, "RESUMABLE", False) for each in kinds)
        self._is_after_zeros = False
        """Whether the next bytes may continue a damaged range."""
        self._place: UnitStart | None = None

    def facts(self) -> Mapping[str, Any]:
        """Implement ``Extractor.facts``."""
        facts: dict[str, Any] = {"messages": self._messages}
        units = self._request.format.message
        if units is not None and units.whole:
            facts["whole"] = self._wholes
        facts.update(self._framing.facts())
        if self._hooks is not None:
            facts.update(facts_of(self._hooks))
        return facts

    def begin(self, opened: Opened) -> Extraction:
        """Implement ``Extractor.begin``: there is nothing before messages."""
        yield from ()
        resume = self._request.resume
        if resume is not None and opened.begin_at is not None:
            window = opened.window
            while not self._framing.take(window.view, 0, window.at_end).consumed and window.extend():
                # A framing may be detected from the beginning of the input.
                pass
            opened.restart(resume.offset)
            self._scanned.start, self._messages = resume.offset, resume.state
        return Next.CALL

    def resume_point(self, window: Window) -> UnitStart | None:
        """Implement ``Extractor.resume_point``."""
        return self._place

    def take(self, window: Window) -> Extraction:
        """Implement ``Extractor.take``."""
        if self._is_resumable and not self._is_after_zeros:
            self._place = UnitStart(window.base + window.begin, self._messages)
        view, base = window.view[window.begin :], window.base + window.begin
        complete = window.at_end and window.error is None and not self._waits
        units = self._framing.take(view, base, complete)
        if self._search is not None:
            units = self._search.trusted(units, view, base, complete, window.at_end)
        truncated = yield from self._events(units, view, base)
        if truncated is not None:
            units = Units(view, ended="truncated", detail=truncated.detail)
        window.begin += units.consumed
        self._scanned.count(window)
        offset = window.base + window.begin
        self._is_after_zeros = any(each.end == offset for each in units.damages)
        if units.ended == CLEAN:
            return Ended(offset, is_read=False)
        if units.ended:
            return self._lost(offset, units)
        if units.consumed and not units.needed:
            return Next.CALL
        if window.at_end and not units.consumed:
            rest = bytes(window.view[window.begin :][:CONTENT])
            # An incomplete message of an input that grows is not searched: the rest of it may follow.
            content = rest if self._waits and window.error is None else None
            return Lost(offset, "truncated", "truncated", content=content) if rest else Ended(offset, is_read=False)
        target = units.needed or len(window.view) - window.begin + 1
        while len(window.view) - window.begin < target and window.extend():
            pass
        return Next.CALL

    def _lost(self, offset: int, units: Units) -> Lost:
        reason = REASON_OF_TAIL.get(units.ended, "value")
        skipped = "truncated" if reason == "truncated" else "length"
        tail = "truncated" if self._waits else units.ended
        return Lost(offset, reason, tail, skipped=skipped, sentence=units.detail or None)

    def resync(self, window: Window) -> tuple[bool, bytes] | None:
        """Implement ``Extractor.resync``: continue at the next valid messages."""
        if self._search is None:
            return None
        at, skipped = window.begin + 1, Skipped()
        while True:
            at_end = window.at_end and window.error is None and not self._waits
            searched = SearchedBytes(window.view, at_end, not window.at_end)
            found, index = self._search.find(searched, at, len(window.view))
            skipped.add(window.view[window.begin : index])
            window.begin = index
            if found or not searched.waits:
                return found, skipped.content
            needed = len(window.view) - index + SEARCHED
            while len(window.view) - window.begin < needed and window.extend():
                pass
            at = window.begin

    # Rows ------------------------------------------------------------------------------------------------------------

    def _events(self, units: Units, view: memoryview, base: int) -> Generator[Event, None, UnitProblem | None]:
        """Yield the rows of the units and the damaged ranges between them, in the order of the input. Return the
        problem of a truncated unit, which has no events."""
        damages = sorted(units.damages)
        for part in decoded_units(self._decoder, units, self._request.batch_rows, self._framing, self._hooks):
            truncated = next((each for each in part.problems if each.is_truncated), None) if units.is_open else None
            if truncated is not None:
                return truncated
            following = part.first + part.decoded.units
            is_last = following == len(units.begins)
            end = None if is_last else units.offsets[following]
            here = [each for each in damages if end is None or each.begin < end]
            damages = damages[len(here) :]
            yield self._rows(part, here, units.details, view, base)
        for damage in damages:
            yield self._between(damage, units.details, view, base)
        ends = [each.end for each in units.damages]
        if len(units.begins):
            ends.append(units.offsets[-1] + units.spans[-1])
        begin, end = max(ends, default=base), base + units.consumed
        if begin < end:
            yield FramingBytes(begin, end, view[begin - base : end - base])
        return None

    def _rows(
        self, part: DecodedUnits, damages: Sequence[RowDamage], details: dict[int, str], view: memoryview, base: int
    ) -> Rows:
        """Return the event of decoded units, whose damage is recorded in the order of the input. ``damages``: those
        between them."""
        units, decoded = part.units, part.decoded
        problems = list(part.problems)
        between: list[tuple[int, DamagedRange]] = []
        starts: Any = row_starts(decoded.counts) if damages else None
        noted: list[tuple[int, Any]] = [(units.offsets[each.unit], each) for each in problems]
        noted += ((each.begin, each) for each in damages)
        for begin, problem in sorted(noted, key=itemgetter(0)):
            if isinstance(problem, RowDamage):
                found = self._between(problem, details, view, base)
                if found.null_row:
                    between.append((starts[bisect_left(units.offsets, begin)].as_py(), found))
                continue
            sentence = f"message {self._messages + problem.unit + 1}: {problem.detail}"
            self._note(RowDamage(begin, begin + units.spans[problem.unit], -1, problem.reason), sentence)
        if len({each.unit for each in problems if self._says_nothing(each)}) < decoded.units:
            self._check.has_held = True
        null_rows = self._request.null_rows
        event = unit_rows(
            part, units.offsets, units.spans, view, base, null_rows=null_rows, number=self._messages, between=between
        )
        self._messages += decoded.units
        self._wholes += len(decoded.wholes)
        self._report.rows += decoded.rows - len(event.damages)
        if self._request.projection.has_offsets:
            numbers = units_of_rows(decoded.counts, decoded.rows)
            event.offsets = unit_array(units.offsets).take(numbers)
        return event

    def _says_nothing(self, problem: UnitProblem) -> bool:
        """Return whether a damaged message may not be a message at all, because its envelope, if any, is invalid."""
        units = self._request.format.message
        enveloped = units is not None and bool(units.prefix or units.digest)
        return not enveloped or problem.reason in ENVELOPE

    # Damage ----------------------------------------------------------------------------------------------------------

    def _between(self, damage: RowDamage, details: dict[int, str], view: memoryview, base: int) -> DamagedRange:
        """Return the event of a range without a unit."""
        error = details.get(damage.begin)
        null_row = self._note(damage, error or explained(damage.reason))
        begin = damage.begin - base
        return DamagedRange(damage, bytes(view[begin : damage.end - base][:CONTENT]), error, null_row)

    def note(self, damage: RowDamage, content: bytes, *, sentence: str | None = None) -> bool:
        """Implement ``Extractor.note``."""
        return self._note(damage, sentence or explained(damage.reason))

    def _note(self, damage: RowDamage, sentence: str) -> bool:
        if self._report.error is None:
            self._report.error = sentence
        return self._log.note(damage, _unknown, sentence)

    def lose(self, lost: Lost, window: Window) -> None:
        """Implement ``Extractor.lose``."""
        damage = RowDamage(lost.offset, lost.offset, -1, lost.reason)
        if lost.tail == "truncated":
            size = window.base + len(window.view) - lost.offset
            sentence = f"the input ends inside a unit, of which {size} bytes are present"
            sentence = f"{sentence}: {lost.sentence}" if lost.sentence else sentence
            self._log.lose(damage, _unknown, sentence, truncated_advice(self._request.format))
            return
        sentence = lost.sentence or (
            f"larger than {self._request.max_record} bytes at byte {lost.offset}: raise max_record to read "
            "it, unless a length is damaged"
            if lost.reason == "limit"
            else explained(lost.reason)
        )
        self._report.error = sentence
        self._log.lose(damage, _unknown, sentence, lost_advice(searchable=self._is_searchable))


def _unknown(_damage: RowDamage) -> Detail:
    """Return that the number and the field of a problem are unknown."""
    return Detail()
