"""Records that are written in fragments, which are joined to one row per record.

A record is one fragment of the kind *full*, or a *first* one, any number of *middle* ones and a *last* one, with
nothing between them. If one of them is missing, the others are damage.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ..rows.numbers import number_scalar
from ..rows.reader import RowDamage
from ..rows.zero_runs import ZeroRuns
from .events import DamagedRange, Event, Rows
from .log_numbers import LogNumbers
from .reassembled_records import RecordRows
from .row_resync import Content, GrowingRange
from .whole_records import (
    FIRST,
    FULL,
    LAST,
    MIDDLE,
    SKIPPED,
    UNKNOWN,
    RecordCodecs,
    WholeRecords,
    beginnings,
    ends_of,
    offsets_of,
    role_array,
    whole_records,
)

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..format.fragments import Fragments
    from .request import ScanRequest
    from .scan_readers import ScanReaders

ENDS = bytes(role in (FULL, LAST) for role in range(256))
"""For each role, whether a record ends with it."""

BEGUN = re.compile(b"%c%c*+" % (FIRST, MIDDLE))
"""Roles of the fragments of a record whose last one has not come."""

Dropped = tuple[int, int, str]
"""The numbers of the first and the last one of fragments that belong to no record, and the reason."""
Note = Callable[..., bool]
"""``Extractor.note``: records a damaged range; returns whether a row of nulls may replace it."""


class FragmentJoiner:
    """Turns the rows of one input, each a fragment, into those of records, or into the rows inside records.

    ``request``: the request of the result; ``wire``: that of the fragments; ``readers``: those of the scan; ``note``:
    records damage; ``confirm``: called when the damage so far is that of all records so far; ``content``: returns the
    first bytes of a range of the input.
    """

    def __init__(
        self,
        request: ScanRequest,
        wire: ScanRequest,
        readers: ScanReaders,
        report: FileReport,
        note: Note,
        confirm: Callable[[], None],
        content: Content,
    ) -> None:
        format = wire.format
        assert format.fragments is not None
        self._fragments = format.fragments
        numbers = {column.name: number for number, column in enumerate(format.columns)}
        self._kind = numbers[format.fragments.kind]
        self._data = numbers[format.fragments.data]
        self._codecs = RecordCodecs(format.fragments)
        self._codec = numbers.get(format.fragments.codec)
        log = numbers.get(format.fragments.log)
        self.logs = None if log is None else LogNumbers(log)
        """The log of each fragment, in files that are used again."""
        self._block = format.block
        self._max_record = request.max_record
        self._report = report
        self._note = note
        self._confirm = confirm
        self._range = GrowingRange(content)
        self._role_of, self._role_of_byte = _roles_of_kinds(self._fragments)
        self._needed = {self._data, *(() if self._codec is None else (self._codec,)), *wire.projection.projected}
        """The columns of records that something is made of."""
        self._open: tuple[list[Mapping[int, pa.Array]], list[pa.Array], list[pa.Array]] | None = None
        """The fragments of a record whose last one has not come: columns, beginnings and ends, event by event."""
        self._zeros = ZeroRuns()
        self._zeros_end = -1
        self._inner = RecordRows(request, readers, report, self._damage) if request.format.inside else None

    @property
    def open_at(self) -> int | None:
        """Return the offset of a record whose last fragment has not been read; ``None`` if there is none."""
        return None if self._open is None else self._open[1][0][0].as_py()

    def forget(self, end: int) -> bytes:
        """Drop that record; return its first bytes, up to an offset."""
        begin, self._open = self.open_at, None
        return b"" if begin is None else self._range.content(begin, end) or b""

    def learn(self, arrays: Mapping[int, pa.Array]) -> None:
        """Take from the first fragments of an input, which is read in byte ranges, the compression of records."""
        if self._codec is not None:
            self._codecs.known(arrays[self._codec])
            self._codecs.are_known = True

    def beginnings(self, arrays: Mapping[int, pa.Array]) -> pa.Array:
        """Return the numbers of the fragments with which a record begins."""
        return self._those_of(arrays, (FULL, FIRST))

    def ends(self, arrays: Mapping[int, pa.Array]) -> pa.Array:
        """Return the numbers of the fragments with which a record ends."""
        return self._those_of(arrays, (FULL, LAST))

    def _those_of(self, arrays: Mapping[int, pa.Array], selected: tuple[int, ...]) -> pa.Array:
        roles = self._roles(arrays[self._kind])
        kept = self._kept(arrays, roles)
        numbers = pc.indices_nonzero(role_array(roles.translate(bytes(each in selected for each in range(256)))))
        return numbers if kept is None else numbers.filter(pc.is_in(numbers, value_set=kept))

    def take(self, event: Event) -> Iterator[Event]:
        """Yield the events that replace an event."""
        if isinstance(event, Rows):
            yield from self._joined(event)
            return
        if isinstance(event, DamagedRange):
            yield from self.broken()
            self._confirm()
            self._zeros_end = event.damage.end if event.damage.reason == "zeros" else -1
        yield event

    def broken(self) -> Iterator[Event]:
        """Yield the damage of the record whose last fragment has not been read, if there is one."""
        if self._open is not None:
            (_, begins, ends), self._open = self._open, None
            yield self._damage(RowDamage(begins[0][0].as_py(), ends[-1][-1].as_py(), -1, "fragment"))

    def _damage(self, damage: RowDamage) -> DamagedRange:
        content = self._range.content(damage.begin, damage.end)
        sentence = self._codecs.unsupported if damage.reason == "unsupported" else None
        null_row = self._note(damage, content or b"", sentence=sentence)
        self._confirm()
        return DamagedRange(damage, content, null_row=null_row)

    def _joined(self, event: Rows) -> Iterator[Event]:
        arrays = event.arrays
        starts = pa.nulls(0, pa.uint64()) if event.offsets is None else event.offsets
        ends = ends_of(event, starts)
        self._report.rows -= len(starts)
        if self._codec is not None:
            arrays = {**arrays, self._codec: self._codecs.known(arrays[self._codec])}
        roles = self._roles(arrays[self._kind])
        kept = self._kept(arrays, roles)
        if self.logs is not None:
            self.logs.advance(arrays)
        if kept is not None and len(kept) < len(starts):
            arrays = {number: array.take(kept) for number, array in arrays.items()}
            starts, ends = starts.take(kept), ends.take(kept)
            roles = self._roles(arrays[self._kind])
        breaks = [(each.begin, each) for each in event.damages]
        offsets = offsets_of(starts)
        first = 0
        if self._open is not None:
            first = yield from self._gone_on(event, arrays, roles, starts, ends)
        # Rows between two damaged ranges: a record never continues after one.
        for begin, damage in [*breaks, (None, None)]:
            last = len(offsets) if begin is None else bisect_left(offsets, begin)
            part = {number: array.slice(first, last - first) for number, array in arrays.items()}
            found = starts.slice(first, last - first), ends.slice(first, last - first)
            yield from self._run(event, part, roles[first:last], *found, may_go_on=damage is None)
            first = last
            if damage is not None:
                self._confirm()
                # The rest of a run of zeros has no row of nulls.
                null_row = damage.reason != "zeros" or damage.begin != self._zeros_end
                self._zeros_end = damage.end if damage.reason == "zeros" else -1
                yield DamagedRange(damage, self._range.content(damage.begin, damage.end), null_row=null_row)

    def _gone_on(
        self, event: Rows, arrays: Mapping[int, pa.Array], roles: bytes, starts: pa.Array, ends: pa.Array
    ) -> Generator[Event, None, int]:
        """Yield the record that was incomplete before the event, if it is now complete or broken. Return the number of
        fragments of the event that are part of it: only these are copied."""
        assert self._open is not None
        parts, begins, ends_before = self._open
        count, is_done = _going_on(roles)
        if event.damages:
            count = min(count, bisect_left(offsets_of(starts), event.damages[0].begin))
        may_go_on = count == len(starts) and not event.damages
        begin = begins[0][0].as_py()
        end = ends[count - 1].as_py() if count else ends_before[-1][-1].as_py()
        self._range.add(begin, event)
        if may_go_on and not is_done and end - begin <= self._max_record:
            if count:
                parts.append(arrays)
                begins.append(starts)
                ends_before.append(ends)
            return count
        self._open = None
        whole = {
            number: pa.concat_arrays([*(each[number] for each in parts), array.slice(0, count)])
            for number, array in arrays.items()
        }
        together = pa.concat_arrays([*begins, starts[:count]]), pa.concat_arrays([*ends_before, ends[:count]])
        yield from self._run(event, whole, self._roles(whole[self._kind]), *together, may_go_on=may_go_on)
        return count

    def _roles(self, kinds: pa.Array) -> bytes:
        """Return the role of each fragment, one byte each."""
        with suppress(pa.ArrowInvalid):  # Kinds that are computed have a wider type.
            kinds = kinds.cast(pa.uint8())
        if kinds.type == pa.uint8() and not kinds.null_count:
            values = memoryview(kinds.buffers()[1] or b"")[kinds.offset : kinds.offset + len(kinds)]
            return bytes(values).translate(self._role_of_byte)
        return bytes(self._role_of.get(kind, UNKNOWN) for kind in kinds.to_pylist())

    def _kept(self, arrays: Mapping[int, pa.Array], roles: bytes) -> pa.Array | None:
        """Return the numbers of the fragments that may have rows; ``None`` if all may."""
        kept = None
        if SKIPPED in roles:
            kept = pc.not_equal(role_array(roles), number_scalar(SKIPPED, pa.uint8()))
        own = None if self.logs is None else self.logs.own(arrays)
        if own is not None:
            kept = own if kept is None else pc.and_(kept, own)
        return None if kept is None else pc.indices_nonzero(kept)

    def _run(
        self,
        event: Rows,
        arrays: Mapping[int, pa.Array],
        roles: bytes,
        starts: pa.Array,
        ends: pa.Array,
        *,
        may_go_on: bool,
    ) -> Iterator[Event]:
        """Yield the records of consecutive undamaged fragments, which begin at the offsets ``starts`` and end at
        ``ends``. The incomplete last one is kept for later fragments if there may be some (``may_go_on``)."""
        if not len(starts):
            return
        offsets = offsets_of(starts)
        whole = whole_records(roles, starts, arrays[self._data])
        done = whole.fragments
        size = ends[-1].as_py() - offsets[0]
        if size <= self._max_record and (done == len(roles) or BEGUN.fullmatch(roles, done)):
            yield from self._rows(event, arrays, roles[:done], starts, ends, whole)
        else:
            done = yield from self._rows_between_damage(event, arrays, roles, starts, ends)
        if done < len(starts):
            rest = {number: array.slice(done) for number, array in arrays.items()}
            self._open = [rest], [starts.slice(done)], [ends.slice(done)]
            self._range.add(offsets[done], event)
            if not may_go_on:
                yield from self.broken()

    def _rows_between_damage(
        self, event: Rows, arrays: Mapping[int, pa.Array], roles: bytes, starts: pa.Array, ends: pa.Array
    ) -> Generator[Event, None, int]:
        """Yield the records, and the damage of fragments that belong to no record. Return the number of the first
        fragment of an incomplete record."""
        begins, after = offsets_of(starts), offsets_of(ends)
        done, dropped = self._looked_through(roles, begins, after)
        damages = [
            RowDamage(begins[first], after[last], first, reason, reason == "value") for first, last, reason in dropped
        ]
        begin = 0
        for damage in [*self._zeros.joined(damages, event.content, event.base), None]:
            first = done if damage is None else damage.row
            part = {number: array.slice(begin, first - begin) for number, array in arrays.items()}
            found = roles[begin:first], starts.slice(begin, first - begin)
            whole = whole_records(*found, part[self._data])
            yield from self._rows(event, part, *found, ends.slice(begin, first - begin), whole)
            if damage is not None:
                yield self._damage(damage._replace(row=-1))
                begin = bisect_left(begins, damage.end, first)
        return done

    def _looked_through(self, roles: bytes, begins: memoryview, ends: memoryview) -> tuple[int, list[Dropped]]:
        """Return the number of the first fragment of an incomplete record, and the fragments that belong to no record.
        ``begins``, ``ends``: of the fragments."""
        dropped: list[Dropped] = []
        begin, before = -1, -1
        for number in sorted(index for role in range(FIRST, UNKNOWN + 1) for index in _indexes_of(roles, role)):
            role = roles[number]
            if begin >= 0 and (before + 1 < number or role not in (MIDDLE, LAST)):
                dropped.append((begin, before, "fragment"))
                begin = -1
            before = number
            if role == FIRST:
                begin = number
            elif begin < 0:
                dropped.append((number, number, "fragment" if role in (MIDDLE, LAST) else "value"))
            elif self._end_of(begins[number], ends[number]) - begins[begin] > self._max_record:
                dropped.append((begin, number, "limit"))
                begin = -1
            elif role == LAST:
                begin = -1
        if begin >= 0 and before + 1 < len(roles):
            dropped.append((begin, before, "fragment"))
            begin = -1
        return (begin if begin >= 0 else len(roles)), dropped

    def _end_of(self, begin: int, end: int) -> int:
        """Return the offset at which a fragment or its block ends: what is left of an older log may follow."""
        return min(end, begin - begin % self._block + self._block) if self._block else end

    def _rows(
        self,
        event: Rows,
        arrays: Mapping[int, pa.Array],
        roles: bytes,
        starts: pa.Array,
        ends: pa.Array,
        whole: WholeRecords,
    ) -> Iterator[Event]:
        """Yield the records of the first fragments, as many as there are ``roles``, or the rows inside them."""
        count = len(roles)
        if not count:
            return
        joined = {number: array.slice(0, count) for number, array in arrays.items() if number in self._needed}
        records = len(whole.data)
        if records < count:
            joined = {
                number: array.slice(0, records) if array.null_count == count else array.filter(beginnings(roles))
                for number, array in joined.items()
                if number != self._data
            }
        joined[self._data] = whole.data
        number = 0
        broken: list[tuple[int, str]] = []
        if self._codec is not None:
            joined[self._data], broken = self._codecs.expanded(joined[self._data], joined[self._codec])
        if self._inner is not None or broken:
            ends = ends.slice(0, count).filter(role_array(roles.translate(ENDS)).cast(pa.bool_()))
        for record, reason in (*broken, (len(whole.offsets), "")):
            yield from self._records(event, joined, whole.offsets, ends, number, record)
            if reason:
                yield self._damage(RowDamage(whole.offsets[record].as_py(), ends[record].as_py(), -1, reason))
            number = record + 1

    def _records(
        self,
        event: Rows,
        arrays: Mapping[int, pa.Array],
        starts: pa.Array,
        ends: pa.Array,
        first: int,
        last: int,
    ) -> Iterator[Event]:
        rows = last - first
        if not rows:
            return
        arrays = {number: array.slice(first, rows) for number, array in arrays.items()}
        found = Rows(rows, arrays, starts.slice(first, rows), (), event.content, event.base, event.end, 0, rows)
        if self._inner is not None:
            yield from self._inner.take(found, arrays[self._data], offsets_of(ends.slice(first, rows)))
        else:
            self._report.rows += rows
            yield found


def _going_on(roles: bytes) -> tuple[int, bool]:
    """Return how many of the first fragments continue a record, and whether it ends with them."""
    count = len(roles) - len(roles.lstrip(bytes([MIDDLE])))
    is_done = roles[count : count + 1] == bytes([LAST])
    return count + is_done, is_done


@cache
def _roles_of_kinds(fragments: Fragments) -> tuple[Mapping[int, int], bytes]:
    """Return the role of each kind, and that of each kind of one byte."""
    roles = zip(
        (FULL, FIRST, MIDDLE, LAST, SKIPPED),
        (fragments.full, fragments.first, fragments.middle, fragments.last, fragments.skip),
        strict=True,
    )
    role_of = {kind: role for role, kinds in roles for kind in kinds}
    return role_of, bytes(role_of.get(kind, UNKNOWN) for kind in range(256))


def _indexes_of(roles: bytes, role: int) -> Iterator[int]:
    """Yield the numbers of the fragments with the role."""
    index = roles.find(role)
    while index >= 0:
        yield index
        index = roles.find(role, index + 1)
