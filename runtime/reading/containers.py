"""Streams that are cut into containers: the contents of the rows of one table, joined, are the input of another one.

The joined stream is read like the content of a compressed file. Its places are those of the containers in the input: a
stream has gaps where containers are damaged, and a gap takes as many places as the damaged bytes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from ..base.errors import WireloomError
from ..base.report import FileReport
from ..codecs import CodecError
from ..rows.reader import RowDamage
from .events import DamagedRange, Event, Failed, Rows
from .reassembled_records import offsets_of_records
from .whole_records import ends_of, offsets_of

MOST_PLACES = 4096
"""Number of containers after which those are forgotten that rows have been read from."""


class ContainerStream:
    """The joined contents of one input's containers. Implements ``Resumable``. ``data``: the number of the column with
    the contents; ``marks``: that of the column which is true if a row begins where the content begins, if there is one.
    A gap, and the beginning, then extend to such a container."""

    room = 1

    def __init__(self, data: int, marks: int | None = None) -> None:
        self._data = data
        self._marks = marks
        self._skips = marks is not None
        """Whether the next container is part of the gap, unless a row begins with it."""
        self._gap: RowDamage | None = None
        """The gap whose end has not come."""
        self._parts: Generator[memoryview | WireloomError, None, None]
        self._content = memoryview(b"")
        self.size = 0
        """The offset in the stream at which the next container begins."""
        # Of each container or gap that may still be asked for: its offset in the stream, and its bytes in the input.
        self._starts: list[int] = []
        self._begins: list[int] = []
        self._ends: list[int] = []

    def begin(self, events: Generator[Event, None, None]) -> None:
        """Begin to join the containers of these events."""
        self._parts = self._joined(events)

    def readinto(self, buffer: memoryview, /) -> int:
        """Implement ``Decoder.readinto``. A gap is an error."""
        while not self._content:
            part = next(self._parts, None)
            if part is None:
                return 0
            if isinstance(part, WireloomError):
                raise part
            self._content = part
        count = min(len(buffer), len(self._content))
        buffer[:count] = self._content[:count]
        self._content = self._content[count:]
        return count

    def resume(self) -> bool:
        """Implement ``Resumable.resume``: after a gap, which is the only ``CodecError``, there are more containers, or
        the end."""
        return True

    def close(self) -> None:
        """Stop reading containers."""
        self._parts.close()

    # Joining ---------------------------------------------------------------------------------------------------------

    def _joined(self, events: Generator[Event, None, None]) -> Generator[memoryview | WireloomError, None, None]:
        """Yield the contents of containers, and an error for each gap."""
        with closing(events):
            for event in events:
                match event:
                    case Rows():
                        yield from self._contents(event)
                    case DamagedRange():
                        yield from self._hole(event.damage)
                    case Failed():
                        yield from self._ended_gap()
                        yield WireloomError(event.message, reason=event.damage.reason)
            yield from self._ended_gap()

    def _contents(self, event: Rows) -> Iterator[memoryview | WireloomError]:
        assert event.offsets is not None
        begins, ends = event.offsets.to_pylist(), ends_of(event, event.offsets).to_pylist()
        data = event.arrays[self._data]
        _, bounds, content = data.buffers()
        bounds = memoryview(bounds or b"\0\0\0\0").cast("B").cast("i")[data.offset : data.offset + len(data) + 1]
        first = 0
        for damage in (*event.damages, None):
            last = len(begins) if damage is None else bisect_left(begins, damage.begin, first)
            if self._marks is not None and self._skips and first < last:
                begun = next(
                    (number for number in range(first, last) if event.arrays[self._marks][number].as_py()), last
                )
                if bounds[first] < bounds[begun]:
                    self._widen(RowDamage(begins[first], ends[begun - 1], -1, "fragment"))
                self._skips, first = begun == last, begun
            if first < last:
                yield from self._ended_gap()
                start = bounds[first]
                self._add(
                    [self.size + each - start for each in bounds[first:last]], begins[first:last], ends[first:last]
                )
                self.size += bounds[last] - start
                yield memoryview(content or b"").cast("B")[start : bounds[last]]
            if damage is not None:
                yield from self._hole(damage)
            first = last

    def _hole(self, damage: RowDamage) -> Iterator[CodecError]:
        self._widen(damage)
        self._skips = self._marks is not None
        if not self._skips:
            yield from self._ended_gap()

    def _widen(self, damage: RowDamage) -> None:
        """Let the gap extend to the end of damage."""
        self._gap = damage if self._gap is None else self._gap._replace(end=damage.end)

    def _ended_gap(self) -> Iterator[CodecError]:
        gap, self._gap = self._gap, None
        if gap is not None:
            self._add([self.size], [gap.begin], [gap.end])
            self.size += max(1, gap.end - gap.begin)
            yield CodecError(f"the container at byte {gap.begin} is damaged", reason=gap.reason)

    def _add(self, starts: Sequence[int], begins: Sequence[int], ends: Sequence[int]) -> None:
        self._starts += starts
        self._begins += begins
        self._ends += ends

    # Places ----------------------------------------------------------------------------------------------------------

    def _forget(self, offset: int) -> None:
        """Forget the containers before the one at an offset of the stream, if they are many."""
        if (count := bisect_right(self._starts, offset) - 1) > MOST_PLACES:
            for each in (self._starts, self._begins, self._ends):
                del each[:count]

    def in_input(self, damage: RowDamage) -> RowDamage:
        """Return damage in the stream with the bytes of the containers in the input that it touches."""
        if not self._starts:
            return damage._replace(begin=0, end=0)
        first = max(0, bisect_right(self._starts, damage.begin) - 1)
        last = max(first, bisect_left(self._starts, damage.end) - 1)
        end = self._ends[last] if damage.begin < damage.end else self._begins[first]
        return damage._replace(begin=self._begins[first], end=end)

    def end(self, report: FileReport, wire: FileReport, size: int | None, position: int, *, is_read: bool) -> bool:
        """Record how the input ends. Return whether it ends in a container.

        ``report``: that of the rows, with the tail of the stream; ``wire``: that of the containers; ``size``: the size
        of the input, if it is known; ``position``: how far rows have been read; ``is_read``: whether all have.
        """
        is_cut = wire.tail not in ("clean", "growing", "unread")
        has_ended = wire.tail != "unread"
        if report.tail == "clean" and has_ended:
            report.tail, report.tail_offset = wire.tail, wire.tail_offset
        else:
            report.tail_offset = self.offset_in_input(report.tail_offset)
            report.tail = wire.tail if is_cut and report.tail == "truncated" else report.tail
        if is_cut:
            report.error = wire.error
        if has_ended:
            size = None if wire.tail_size is None else wire.tail_offset + wire.tail_size
        report.tail_size = None if size is None else size - report.tail_offset
        # Containers are read ahead.
        report.bytes = wire.bytes if is_read and has_ended else position
        report.tail_zeros |= wire.tail_zeros
        report.unsupported = report.unsupported or wire.unsupported
        report.skipped += wire.skipped
        report.skipped_bytes += wire.skipped_bytes
        report.options.update(wire.options)
        return is_cut

    def offset_in_input(self, offset: int) -> int:
        """Return the offset in the input of the container at an offset in the stream."""
        return self.in_input(RowDamage(offset, offset, -1, "none")).begin

    def events_in_input(self, events: Generator[Event, None, None]) -> Iterator[Event]:
        """Yield events of the stream with the places of rows and damage in the input."""
        with closing(events):
            for event in events:
                match event:
                    case Rows():
                        if event.offsets is not None and event.rows:
                            found = offsets_of(event.offsets)
                            event.offsets = offsets_of_records(found, 0, event.rows, self._starts, self._begins)
                        self._forget(event.base)
                    case DamagedRange():
                        event.damage = self.in_input(event.damage)
                yield event
