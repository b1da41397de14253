"""Messages of an input for display: their bytes, their framing, their fields, and their errors."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..base.errors import UnsupportedError
from ..base.report import REASON_OF_TAIL
from ..checksums import algorithm, function
from ..codecs import CodecError
from ..format.description import Format
from ..input.inputs import Input
from ..objects.messages.errors import MessageError
from ..reading.events import DamagedRange, End, Event, FramingBytes, Rows
from ..reading.request import UnitStart, scan_request
from ..reading.row_resync import CONTENT
from ..rows.messages.decoding import UnitProblem
from ..rows.messages.stored_units import UnitForms
from ..units.described import Described, Part
from ..units.framing import Framing, framing_for
from .displayed_records import Record, records
from .field import Field
from .locating import BLOCK, RecordScan, Wanted, WantedScan, record_scan
from .wire_fields import wire_fields


class MessageScan(WantedScan[Record]):
    """The wanted messages of an input, and the bytes between and after them."""

    def __init__(
        self,
        format: Format,
        source: Input,
        wanted: Wanted,
        options: dict[str, Any] | None = None,
        resume: UnitStart | None = None,
    ) -> None:
        request = scan_request(format, **(options or {}))
        if resume is not None:
            request = replace(request, resume=resume, chunk=BLOCK)
        super().__init__(request, source, wanted)
        self._framing = framing_for(request.format, request.max_record, request.message_options)
        program = request.format.message_program
        if program is None:
            raise UnsupportedError(
                f"the fields of a {format.name} message cannot be shown, its rows are read as objects: use decode"
            )
        self._program = program
        self._forms = UnitForms(request.format, request.max_record)

    def _of(self, event: Event) -> Iterator[Record]:
        match event:
            case Rows():
                yield from self._of_rows(event)
            case DamagedRange() if event.null_row:
                yield from self._of_damage(event)
            case FramingBytes() if self._reaches(event.end) and not self.selection.is_done:
                yield self._stretch("framing", event.begin, event.end, None, None, event.content)
            case End() if self.report.tail != "clean":
                begin, end, tail = self.report.tail_offset, event.end, self.report.tail
                if begin < end and self._reaches(end) and self.selection.takes(is_damage=True):
                    reason = REASON_OF_TAIL.get(tail, tail)
                    yield self._stretch("tail", begin, end, reason, event.sentence, memoryview(event.content))

    def _reaches(self, end: int) -> bool:
        """Return whether an item other than a message that ends at ``end`` is at or after the beginning of what is
        shown.
        """
        wanted = self.selection.wanted
        return end > wanted.offset and self.selection.seen + 1 >= wanted.number

    def _of_rows(self, event: Rows) -> Iterator[Record]:
        assert event.units is not None
        decoded, units, selection = event.units.part.decoded, event.units.part.units, self.selection
        problems = {each.unit: each for each in decoded.problems}
        wholes = set(decoded.wholes)
        between = deque(each for _, each in event.units.between)
        for unit in range(decoded.units):
            selection.seen = event.units.number + unit
            while between and between[0].damage.begin < units.offsets[unit]:
                yield from self._of_damage(between.popleft())
            selection.seen += 1
            is_damage = unit in problems and unit not in wholes
            if not selection.reaches(units.offsets[unit] + units.spans[unit]) or not selection.takes(
                is_damage=is_damage
            ):
                continue
            made = self._record(event, unit, selection.seen, problems.get(unit))
            if unit in wholes:
                # The format returns it unchanged as a row, so reports do not count it as damage either.
                made.single, made.reason, made.message = made.reason, None, None
            yield made
        for each in between:
            yield from self._of_damage(each)

    def _of_damage(self, event: DamagedRange) -> Iterator[Record]:
        damage = event.damage
        if self._reaches(damage.end) and self.selection.takes(is_damage=True):
            content = memoryview(event.content or b"")
            yield self._stretch("damage", damage.begin, damage.end, damage.reason, event.error, content)

    def _record(self, event: Rows, unit: int, number: int, problem: UnitProblem | None) -> Record:
        assert event.units is not None
        units, view, base = event.units.part.units, event.content, event.base
        begin, size, offset, span = units.begins[unit], units.sizes[unit], units.offsets[unit], units.spans[unit]
        content: bytes | None
        try:
            content = self._forms.message(memoryview(units.source)[begin : begin + size])
        except (CodecError, MessageError):
            # It is the unit's problem, which the scan reports.
            content = None
        stored = bytes(view[offset - base : offset - base + span])
        made = Record("message", number, offset, offset + span, None, None, stored, stored, offset)
        made.fields = framed_fields(self._framing, stored, offset, content, self._fields)
        if problem is not None:
            made.reason, made.message = problem.reason, problem.detail
        return made

    def _stretch(
        self, kind: str, begin: int, end: int, reason: str | None, sentence: str | None, stored: memoryview
    ) -> Record:
        """Return a record for a part of the input that is not a message, of which ``stored`` is available."""
        data = bytes(stored[:CONTENT])
        made = Record(kind, None, begin, end, reason, sentence, data, data, begin)
        is_read = kind != "tail" or reason == "truncated"
        made.fields = framed_fields(self._framing, bytes(stored), begin, None, self._fields if is_read else None)
        return made

    def _fields(self, content: bytes, base: int) -> list[Field]:
        """Return the fields of a unit, including those of the envelope. ``base``: its offset."""
        envelope, found = self._program.envelope, []
        digest = algorithm(envelope.digest) if envelope.digest else None
        end = len(content) - (digest.size if digest is not None else 0)
        begin = len(envelope.prefix)
        if not content.startswith(envelope.prefix) or end < begin + envelope.least:
            return [Field("(no message)", content, base, base + len(content))]
        if begin:
            found.append(Field("(prefix)", content[:begin], base, base + begin))
        found += wire_fields(self._program.types, content[begin:end], base + begin, self._program.unit)
        if digest is not None:
            holds = function(digest)(content[begin:end]) == content[end:]
            found.append(Field(f"({digest.name})", content[end:], base + end, base + len(content), checked=holds))
        return found


Inner = Callable[[bytes, int], list[Field]]
"""Function that returns the fields of a message, given its bytes and their offset in the input."""


def framed_fields(
    framing: Framing, stored: bytes, base: int, content: bytes | None, inner: Inner | None
) -> list[Field]:
    """Return the fields of a unit as stored at ``base`` in the input.

    ``content``: the message in it, ``None`` if it is unknown: its stored bytes are then shown, or nothing if it is
    compressed. ``inner``: ``None`` if the message was not read at all.
    """
    view = memoryview(stored)
    parts = framing.described(view) if isinstance(framing, Described) else []
    if inner is None:
        return [Field(each.name, each.value, base + each.begin, base + each.end) for each in parts if not each.is_unit]
    if not parts:
        return _undescribed(stored, base, content, inner)

    def field(part: Part) -> Field:
        made = Field(part.name, part.value, base + part.begin, base + part.end, problem=part.problem)
        made.children = [field(each) for each in part.parts]
        if part.is_unit and not part.is_packed:
            made.children = inner(stored[part.begin : part.end], base + part.begin)
        elif part.is_unit and content is not None:
            made.children = [_without_place(each) for each in inner(content, 0)]
        return made

    return [field(each) for each in parts]


def _undescribed(stored: bytes, base: int, content: bytes | None, inner: Inner) -> list[Field]:
    """Return the fields of a framing that does not describe itself: the bytes before the message, and the message if it
    is found in the stored bytes.
    """
    if content is None:
        return []
    if not stored.endswith(content):
        whole = Field("(framing)", stored, base, base + len(stored))
        return [whole, *(_without_place(each) for each in inner(content, 0))]
    size = len(stored) - len(content)
    framing = [Field("(framing)", stored[:size], base, base + size)] if size else []
    return framing + inner(content, base + size)


def _without_place(each: Field) -> Field:
    """Return the field without offsets, for decompressed bytes, which are not shown."""
    if each.value is None and not each.children and each.problem is None:
        # It exists, but has no fields.
        each.value = []
    each.begin = each.end = -1
    each.children = [_without_place(child) for child in each.children]
    return each


def shown_records(
    format: Format, source: Input, wanted: Wanted, options: Mapping[str, Any], resume: UnitStart | None = None
) -> tuple[Format, RecordScan | MessageScan, Iterator[Record]]:
    """Return the format that is shown, the scan of the input, and an iterator over its records, in order.

    ``resume``: as in ``ScanRequest``.
    """
    format = format.input_format
    if format.message is not None:
        messages = MessageScan(format, source, wanted, dict(options), resume)
        return format, messages, messages.shown()
    scan = record_scan(format, source, wanted, options, resume)
    return format, scan, records(scan)
