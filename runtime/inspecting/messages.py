"""Messages of an input to be shown: their bytes, what stands around them, their fields, and what is wrong with them."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ..base.errors import UnsupportedError
from ..format.description import Format
from ..input.inputs import Input
from ..reading.opening import Opened
from ..reading.recovery import CONTENT
from ..reading.request import scan_request
from ..reading.unit_scan import UnitScan
from ..rows.reader import RowDamage
from ..units.framing import CLEAN, Units
from ..units.pieces import Piece
from .fields import Field
from .framing import framed_fields
from .locating import MOST_DAMAGED, TAIL_REASONS, Wanted
from .records import Record
from .wire import wire_fields


class MessageScan(UnitScan):
    """Reads as ``UnitScan`` does; ``batches`` gives the wanted messages and damaged ranges as ``Record``."""

    def __init__(self, format: Format, source: Input, wanted: Wanted, options: dict[str, Any] | None = None) -> None:
        how = dict(options or {})
        limits = {
            name: how.pop(name) for name in ("max_record", "max_window", "max_computed", "batch_rows") if name in how
        }
        super().__init__(scan_request(format, options=how, **limits), source)
        self.notify: Callable[[], None] = lambda: None
        """Called after each piece of the input."""
        self._wanted = wanted
        self._given = 0
        self._given_damage = 0
        self._tail: Record | None = None
        program = self._request.format.message_program
        if program is None:
            raise UnsupportedError(
                f"the fields of a {format.name} message cannot be shown, its rows are read as objects: use decode"
            )
        self._program = program

    @property
    def is_done(self) -> bool:
        """Whether all messages that were asked for have been given."""
        return self._given >= self._wanted.count

    def records(self) -> Iterator[Record]:
        """The wanted messages, what stands between and behind them, and the tail that cannot be read; the rest of the
        input is left unread, unless all damage is wanted."""
        batches = self.batches()
        try:
            for each in batches:
                yield each
                if self.is_done and not self._wanted.all_damage:
                    return
        finally:
            batches.close()
        if self._tail is not None and self._wants(self._tail.end, is_damage=True):
            yield self._tail

    def _wants(self, end: int, *, is_damage: bool) -> bool:
        """Whether something that is no message, and ends there, is shown."""
        if end <= self._wanted.offset or self._messages + 1 < self._wanted.number:
            return False
        if not self.is_done:
            return True
        return is_damage and self._wanted.all_damage and self._given_damage < MOST_DAMAGED

    def _rows(self, units: Units, view: memoryview, base: int) -> Iterator[Record]:
        for each in super()._rows(units, view, base):
            if isinstance(each, RowDamage):
                yield from self._damage(each, units.details, view, base)
            else:
                yield each
        ends = [each.end for each in units.damages]
        if len(units.begins):
            ends.append(units.offsets[-1] + units.spans[-1])
        begin, end = max(ends, default=base), base + units.consumed
        if begin < end and self._wants(end, is_damage=False):
            yield self._stretch("framing", begin, end, None, None, view[begin - base : end - base])

    def _piece(
        self, piece: Piece, damages: list[RowDamage], details: dict[int, str], view: memoryview, base: int
    ) -> Iterator[Record]:
        problems = {each.unit: each for each in piece.decoded.problems}
        wholes = set(piece.decoded.wholes)
        damaged = problems.keys() - wholes
        first = self._messages
        # Rows are not shown; damage and counts are noted on the way.
        found = [each for each in super()._piece(piece, damages, details, view, base) if isinstance(each, RowDamage)]
        after = self._messages
        self.notify()
        between = deque(found)
        for unit in range(piece.decoded.units):
            self._messages = first + unit
            while between and between[0].begin < piece.units.offsets[unit]:
                yield from self._damage(between.popleft(), details, view, base)
            end = piece.units.offsets[unit] + piece.units.spans[unit]
            if first + unit + 1 < self._wanted.number or end <= self._wanted.offset:
                continue
            if self.is_done:
                if unit not in damaged or not self._wants(end, is_damage=True):
                    continue
                self._given_damage += 1
            self._given += 1
            made = self._record(piece.units, unit, first + unit + 1, problems.get(unit), view, base)
            if unit in wholes:
                # The format passes it on as it is: reports do not count it as damage either.
                made.single, made.reason, made.message = made.reason, None, None
            yield made
            if self.is_done and not self._wanted.all_damage:
                break
        self._messages = after
        for each in between:
            yield from self._damage(each, details, view, base)

    def _record(self, units: Units, unit: int, number: int, problem: Any, view: memoryview, base: int) -> Record:
        begin, size, offset, span = units.begins[unit], units.sizes[unit], units.offsets[unit], units.spans[unit]
        content = bytes(memoryview(units.source)[begin : begin + size])
        stored = bytes(view[offset - base : offset - base + span])
        made = Record("message", number, offset, offset + span, None, None, stored, stored, offset)
        made.fields = framed_fields(self._framing, stored, offset, content, self._fields)
        if problem is not None:
            made.reason, made.message = problem.reason, problem.detail
        return made

    def _stretch(
        self, kind: str, begin: int, end: int, reason: str | None, sentence: str | None, stored: memoryview
    ) -> Record:
        """Something of the input that is no message, of which ``stored`` is there."""
        data = bytes(stored[:CONTENT])
        made = Record(kind, None, begin, end, reason, sentence, data, data, begin)
        is_read = kind != "tail" or reason == "truncated"
        made.fields = framed_fields(self._framing, bytes(stored), begin, None, self._fields if is_read else None)
        return made

    def _fields(self, content: bytes, base: int) -> list[Field]:
        """The fields of a unit, the envelope's among them. ``base``: where it stands."""
        around, found = self._program.envelope, []
        end = len(content) - (16 if around.digest else 0)
        begin = len(around.prefix)
        if not content.startswith(around.prefix) or end < begin + around.least:
            return [Field("(no message)", content, base, base + len(content))]
        if begin:
            found.append(Field("(prefix)", content[:begin], base, base + begin))
        found += wire_fields(self._program.types, content[begin:end], base + begin, self._program.unit)
        if around.digest:
            digest = hashlib.md5(content[begin:end], usedforsecurity=False).digest()
            found.append(
                Field("(md5)", content[end:], base + end, base + len(content), checked=digest == content[end:])
            )
        return found

    def _between(self, damage: RowDamage, details: dict[int, str], view: memoryview, base: int) -> Iterator[RowDamage]:
        """The range itself: whether it is shown depends on the messages before it."""
        yield damage

    def _damage(self, damage: RowDamage, details: dict[int, str], view: memoryview, base: int) -> Iterator[Record]:
        if not self._wants(damage.end, is_damage=True):
            return
        if self.is_done:
            self._given_damage += 1
        self._given += 1
        stored = view[damage.begin - base : damage.end - base]
        yield self._stretch("damage", damage.begin, damage.end, damage.reason, details.get(damage.begin), stored)

    def _end(self, tail: Units, opened: Opened) -> None:
        window = opened.window
        begin, end = window.base + window.begin, window.base + len(window.view)
        if tail.ended != CLEAN and begin < end:
            reason = TAIL_REASONS.get(tail.ended, tail.ended)
            self._tail = self._stretch("tail", begin, end, reason, tail.detail or None, window.view[window.begin :])
        super()._end(tail, opened)
