"""Records that are written in pieces: the fragments of one record are put together to one row.

A record is one fragment of the kind *full*, or a *first* one, any number of *middle* ones and a *last* one, with
nothing between them. Where one of them is missing, the others are damage.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ..rows.reader import RowDamage
from ..rows.zero_runs import ZeroRuns
from .events import DamagedRange, Event, Rows
from .record_codecs import RecordCodecs
from .records import RecordRows

if TYPE_CHECKING:
    from ..base.report import FileReport
    from .request import ScanRequest

Note = Callable[[RowDamage, bytes], bool]
"""Notes a damaged range, with its first bytes; returns whether a row of nulls may replace it."""
Content = Callable[[int, int], bytes | None]


class FragmentJoiner:
    """Turns the rows of one input, each a fragment, into those of records, or into the rows that are inside of these.

    ``request``: what is asked for; ``wire``: that of the fragments; ``note``: notes damage; ``content``: gives the
    first bytes of a range of the input, ``None`` if they are not in memory.
    """

    def __init__(
        self, request: ScanRequest, wire: ScanRequest, report: FileReport, note: Note, content: Content
    ) -> None:
        format = wire.format
        assert format.fragments is not None
        self._fragments = format.fragments
        numbers = {column.name: number for number, column in enumerate(format.columns)}
        self._kind = numbers[format.fragments.kind]
        self._data = numbers[format.fragments.data]
        self._codecs = RecordCodecs(format.fragments)
        self._codec = numbers.get(format.fragments.codec)
        self._log = numbers.get(format.fragments.log)
        self._log_number: pa.Scalar | None = None
        """Of the log that the input holds."""
        self._max_record = request.max_record
        self._report = report
        self._note = note
        self._content = content
        self._open: tuple[list[Mapping[int, pa.Array]], list[int]] | None = None
        """The fragments of a record whose last one has not come: their columns, event by event, and their offsets."""
        self._zeros = ZeroRuns()
        self._zeros_end = -1
        self._inner = RecordRows(request, report, self._damage) if request.format.inside else None

    @property
    def open_at(self) -> int | None:
        """Return the offset of a record whose last fragment has not come; ``None`` if there is none."""
        return None if self._open is None else self._open[1][0]

    def forget(self) -> None:
        """Leave that record out."""
        self._open = None

    def learn(self, arrays: Mapping[int, pa.Array]) -> None:
        """Take from the first fragments of an input, which is read in byte ranges, what holds for all: the log that the
        input holds, and how records are compressed."""
        if self._codec is not None:
            self._codecs.known(arrays[self._codec])
            self._codecs.is_settled = True
        if self._log is not None:
            self._kept(arrays)

    def beginnings(self, arrays: Mapping[int, pa.Array]) -> pa.Array:
        """Return the numbers of the fragments with which a record begins, or damage."""
        fragments, kinds = self._fragments, arrays[self._kind]
        others = pa.array([*fragments.middle, *fragments.last], kinds.type)
        kept, begins = self._kept(arrays), pc.invert(pc.is_in(kinds, value_set=others))
        if kept is not None:
            begins = pc.and_(begins, pc.is_in(pa.array(range(len(kinds)), kept.type), value_set=kept))
        return pc.indices_nonzero(begins)

    def take(self, event: Event) -> Iterator[Event]:
        """Yield the events that take the place of an event."""
        if isinstance(event, Rows):
            yield from self._joined(event)
            return
        if isinstance(event, DamagedRange):
            yield from self.broken(event.damage.begin)
        yield event

    def broken(self, at: int) -> Iterator[Event]:
        """Yield the damage of the record whose last fragment has not come, if there is one. ``at``: the offset of what
        came instead."""
        if self._open is not None:
            begin, self._open = self._open[1][0], None
            yield self._damage(RowDamage(begin, at, -1, "fragment"))

    def _damage(self, damage: RowDamage) -> DamagedRange:
        content = self._content(damage.begin, damage.end)
        return DamagedRange(damage, content, shown=self._note(damage, content or b""))

    def _joined(self, event: Rows) -> Iterator[Event]:
        offsets: list[int] = [] if event.offsets is None else event.offsets.to_pylist()
        arrays = event.arrays
        self._report.rows -= len(offsets)
        if self._codec is not None:
            arrays = {**arrays, self._codec: self._codecs.known(arrays[self._codec])}
        kept = self._kept(arrays)
        if kept is not None and len(kept) < len(offsets):
            arrays = {number: array.take(kept) for number, array in arrays.items()}
            offsets = [offsets[each] for each in kept.to_pylist()]
        breaks = [(each.begin, each) for each in event.damages]
        first = 0
        if self._open is not None:
            first = yield from self._gone_on(event, arrays, offsets)
        # Rows between two damaged ranges: a record never goes on after one.
        for begin, damage in [*breaks, (None, None)]:
            last = len(offsets) if begin is None else bisect_left(offsets, begin)
            end = event.end if begin is None else begin
            part = {number: array.slice(first, last - first) for number, array in arrays.items()}
            yield from self._run(event, part, offsets[first:last], end, may_go_on=damage is None)
            first = last
            if damage is not None:
                # The rest of a run of zeros has no row of nulls.
                shown = damage.reason != "zeros" or damage.begin != self._zeros_end
                self._zeros_end = damage.end if damage.reason == "zeros" else -1
                yield DamagedRange(damage, self._content(damage.begin, damage.end), shown=shown)

    def _gone_on(self, event: Rows, arrays: Mapping[int, pa.Array], offsets: list[int]) -> Generator[Event, None, int]:
        """Yield the record whose last fragment had not come before the event, if it is complete or broken now. Return
        how many fragments of the event are parts of it: only these are copied."""
        assert self._open is not None
        parts, places = self._open
        count, is_done = self._going_on(arrays[self._kind])
        end = event.end
        if event.damages:
            count, end = min(count, bisect_left(offsets, event.damages[0].begin)), event.damages[0].begin
        may_go_on = count == len(offsets) and not event.damages
        if may_go_on and not is_done and end - places[0] <= self._max_record:
            parts.append(arrays)
            places += offsets
            return count
        self._open = None
        whole = {
            number: pa.concat_arrays([*(each[number] for each in parts), array.slice(0, count)])
            for number, array in arrays.items()
        }
        end = offsets[count] if count < len(offsets) and offsets[count] < end else end
        yield from self._run(event, whole, [*places, *offsets[:count]], end, may_go_on=may_go_on)
        return count

    def _going_on(self, kinds: pa.Array) -> tuple[int, bool]:
        """Return how many of the first fragments go on with a record, and whether it ends with them."""
        fragments = self._fragments
        others = pc.indices_nonzero(pc.invert(pc.is_in(kinds, value_set=pa.array(fragments.middle, kinds.type))))
        if not len(others):
            return len(kinds), False
        first: int = others[0].as_py()
        is_done = kinds[first].as_py() in fragments.last
        return first + is_done, is_done

    def _kept(self, arrays: Mapping[int, pa.Array]) -> pa.Array | None:
        """Return the numbers of the fragments that may have rows; ``None`` if all may."""
        fragments, kinds = self._fragments, arrays[self._kind]
        kept = pc.invert(pc.is_in(kinds, value_set=pa.array(fragments.skip, kinds.type))) if fragments.skip else None
        if self._log is not None:
            logs = arrays[self._log]
            if self._log_number is None and logs.null_count < len(logs):
                self._log_number = logs.drop_null()[0]
            if self._log_number is not None:
                own = pc.fill_null(pc.equal(logs, self._log_number), True)
                kept = own if kept is None else pc.and_(kept, own)
        return None if kept is None else pc.indices_nonzero(kept)

    def _run(
        self, event: Rows, arrays: Mapping[int, pa.Array], offsets: list[int], end: int, *, may_go_on: bool
    ) -> Iterator[Event]:
        """Yield the records of fragments with nothing between them. ``end``: the offset after them; ``may_go_on``:
        whether more fragments may follow."""
        if not offsets:
            return
        ends = [*offsets[1:], end]
        done, dropped = self._looked_through(arrays, ends, offsets)
        begin = 0
        damages = [RowDamage(offsets[a], ends[b - 1], a, reason, reason == "value") for a, b, reason in dropped]
        for damage in self._zeros.joined(damages, event.content, event.base):
            first = damage.row
            yield from self._rows(event, arrays, offsets, ends, begin, first)
            yield self._damage(damage._replace(row=-1))
            begin = bisect_left(offsets, damage.end, first)
        yield from self._rows(event, arrays, offsets, ends, begin, done)
        if done < len(offsets):
            rest = {number: array.slice(done) for number, array in arrays.items()}
            self._open = [rest], offsets[done:]
            if not may_go_on:
                yield from self.broken(end)

    def _looked_through(
        self, arrays: Mapping[int, pa.Array], ends: Sequence[int], offsets: Sequence[int]
    ) -> tuple[int, list[tuple[int, int, str]]]:
        """Return the number of the first fragment of a record that is not complete, and which fragments belong to no
        record, as ranges of their numbers with the reason."""
        fragments, kinds = self._fragments, arrays[self._kind]
        full = pa.array(fragments.full, kinds.type)
        parts = pc.indices_nonzero(pc.invert(pc.is_in(kinds, value_set=full)))
        numbers = parts.to_pylist()
        dropped: list[tuple[int, int, str]] = []
        begin, before = -1, -1
        for number, kind in zip(numbers, kinds.take(parts).to_pylist(), strict=True):
            if begin >= 0 and (before + 1 < number or kind not in (*fragments.middle, *fragments.last)):
                dropped.append((begin, before + 1, "fragment"))
                begin = -1
            before = number
            if kind in fragments.first:
                begin = number
            elif begin < 0:
                known = kind in fragments.middle or kind in fragments.last
                dropped.append((number, number + 1, "fragment" if known else "value"))
            elif ends[number] - offsets[begin] > self._max_record:
                dropped.append((begin, number + 1, "limit"))
                begin = -1
            elif kind in fragments.last:
                begin = -1
        if begin >= 0 and before + 1 < len(kinds):
            dropped.append((begin, before + 1, "fragment"))
            begin = -1
        return (begin if begin >= 0 else len(kinds)), dropped

    def _rows(
        self,
        event: Rows,
        arrays: Mapping[int, pa.Array],
        offsets: Sequence[int],
        ends: Sequence[int],
        first: int,
        last: int,
    ) -> Iterator[Event]:
        """Yield the records of fragments of which none is missing, or the rows inside of them."""
        if first == last:
            return
        fragments = self._fragments
        kinds = arrays[self._kind].slice(first, last - first)
        begins = pa.array([*fragments.full, *fragments.first], kinds.type)
        starts = pc.indices_nonzero(pc.is_in(kinds, value_set=begins))
        joined = {
            number: _put_together(array.slice(first, last - first), starts)
            if number == self._data
            else array.slice(first, last - first).take(starts)
            for number, array in arrays.items()
        }
        places = pa.array(offsets[first:last], pa.uint64()).take(starts)
        number = 0
        broken: list[tuple[int, str]] = []
        if self._codec is not None:
            joined[self._data], broken = self._codecs.expanded(joined[self._data], joined[self._codec])
        stops = pa.array(ends[first:last], pa.uint64()).take(pc.subtract(_after(starts, last - first), 1))
        for record, reason in (*broken, (len(starts), "")):
            yield from self._records(event, joined, places, stops, number, record)
            if reason:
                yield self._damage(RowDamage(places[record].as_py(), stops[record].as_py(), -1, reason))
            number = record + 1

    def _records(
        self, event: Rows, arrays: Mapping[int, pa.Array], places: pa.Array, ends: pa.Array, first: int, last: int
    ) -> Iterator[Event]:
        rows = last - first
        if not rows:
            return
        arrays = {number: array.slice(first, rows) for number, array in arrays.items()}
        found = Rows(rows, arrays, places.slice(first, rows), (), event.content, event.base, event.end, 0, rows)
        if self._inner is not None:
            yield from self._inner.take(found, arrays[self._data], ends.slice(first, rows).to_pylist())
        else:
            self._report.rows += rows
            yield found


def _after(starts: pa.Array, end: int) -> pa.Array:
    """Return for each start where the next one is; for the last one the end."""
    return pa.concat_arrays([starts.slice(1), pa.array([end], starts.type)])


def _put_together(pieces: pa.Array, starts: pa.Array) -> pa.Array:
    """Return one value for each start, the pieces from there to the next one. They are not copied: the values of an
    array are side by side."""
    pieces = pieces.fill_null(b"") if pieces.null_count else pieces
    ends = pa.Array.from_buffers(pa.int32(), len(pieces) + 1, [None, pieces.buffers()[1]], offset=pieces.offset)
    kept = pa.concat_arrays([ends.take(starts), ends.slice(len(pieces))])
    return pa.Array.from_buffers(pieces.type, len(starts), [None, kept.buffers()[1], pieces.buffers()[2]])
