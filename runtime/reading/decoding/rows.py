"""Rows whose column of bytes is decoded, in the scan of one input."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import accumulate, chain, repeat
from typing import TYPE_CHECKING

import pyarrow as pa

from ...format.decoded import DecodedFormat
from ...rows.look_ups import decoded
from ...rows.numbers import value_array
from ...rows.reader import RowDamage
from ..damage_log import in_order
from ..events import DamagedRange, Event, Rows
from ..row_resync import CONTENT
from ..whole_records import ends_of, offsets_of
from .values import DecodedValues, ValueLimitError

if TYPE_CHECKING:
    from ..input_scan import InputScan
    from ..request import ScanRequest
    from ..scan_readers import ScanReaders

REASON, LIMIT = "message", "limit"
"""The reasons of damage if a value cannot be decoded."""


def decoded_events(request: ScanRequest, scan: InputScan, readers: ScanReaders) -> Generator[Event, None, None]:
    """Return the events of the scan of an input, with rows of decoded values if the request is for these. ``readers``:
    those of all inputs."""
    format, events = request.format, scan.events()
    return DecodedRows(request, format, readers, scan).events(events) if isinstance(format, DecodedFormat) else events


class DecodedRows:
    """Replaces the rows of one input by those of their decoded values. A row whose value cannot be decoded is damaged.

    ``request``: the request of the result; ``format``: its format; ``readers``: those of all inputs; ``scan``: that of
    the input.
    """

    def __init__(
        self,
        request: ScanRequest,
        format: DecodedFormat,
        readers: ScanReaders,
        scan: InputScan,
    ) -> None:
        self._format = format
        self._decoder = format.decoder
        numbers = format.wire.column_numbers
        self._data = numbers[format.data]
        self._beside = {name: numbers[name] for name in self._decoder.needs}
        self._kept = [] if format.is_flat else [each for each in request.projection.projected if each != self._data]
        self._looked_up = format.wire.looked_up_columns.intersection(self._kept)
        self._has_offsets = request.projection.has_offsets
        self._range_begin, self._range_stop = request.byte_range or (0, -1)
        self._readers = readers
        self._report = scan.report
        self._note = scan.note

    def events(self, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
        """Yield the events that replace those of the rows with bytes."""
        with closing(events):
            for event in events:
                if isinstance(event, Rows):
                    yield from self._decoded(event)
                else:
                    yield event
        self._report.damaged[:] = in_order(self._report.damaged)

    def _decoded(self, event: Rows) -> Iterator[Event]:
        """Yield the rows of an event, and between them its damaged ranges and those of values."""
        first, last = event.first, event.last
        assert event.offsets is not None
        starts = event.offsets
        begins, ends = offsets_of(starts), ends_of(event, starts)
        arrays = {number: each.slice(first, last - first) for number, each in event.arrays.items()}
        beside = {name: arrays[number] for name, number in self._beside.items()}
        found = self._decoder.decode(arrays[self._data], beside, self._readers.root)
        self._report.rows -= last - first
        breaks: list[tuple[int, RowDamage, str | None]] = [
            (bisect_left(begins, each.begin), each, None) for each in event.damages if self._is_here(each)
        ]
        for number, error in found.problems:
            # Rows of a compressed block begin where it does.
            begin = begins[first + number]
            end = ends[bisect_right(begins, begin) - 1].as_py()
            reason = LIMIT if isinstance(error, ValueLimitError) else REASON
            breaks.append((first + number, RowDamage(begin, end, -1, reason), error.message))
        places = [0, *accumulate(found.counts)]
        row = first
        for at, damage, sentence in sorted(breaks, key=lambda each: each[1].begin):
            until = min(max(first, at), last)
            yield from self._rows(event, found, arrays, places, row - first, until - first)
            content = bytes(event.content[damage.begin - event.base : damage.end - event.base][:CONTENT])
            is_noted = sentence is None or self._note(damage, content, sentence)
            yield DamagedRange(damage, content, sentence, null_row=is_noted)
            row = max(row, until + (sentence is not None))
        yield from self._rows(event, found, arrays, places, row - first, last - first)

    def _is_here(self, damage: RowDamage) -> bool:
        """Return whether damage belongs to the byte range."""
        return damage.begin >= self._range_begin and not 0 <= self._range_stop <= damage.begin

    def _rows(
        self,
        event: Rows,
        found: DecodedValues,
        arrays: Mapping[int, pa.Array],
        places: Sequence[int],
        begin: int,
        end: int,
    ) -> Iterator[Rows]:
        """Yield the rows of the values ``begin`` … ``end``. ``places``: where the objects of each begin."""
        first, last = places[begin], places[end]
        if first == last:
            return
        assert event.offsets is not None
        items, offsets = found.items.slice(first, last - first), event.offsets.slice(event.first + begin, end - begin)
        made = {number: arrays[number].slice(begin, end - begin) for number in self._kept}
        made.update((number, decoded(made[number])) for number in self._looked_up)
        counts = found.counts[begin:end]
        if any(each != 1 for each in counts) and (made or self._has_offsets):
            numbers = chain.from_iterable(repeat(number, count) for number, count in enumerate(counts))
            rows = value_array(list(numbers), pa.int32())
            made = {number: each.take(rows) for number, each in made.items()}
            offsets = offsets.take(rows)
        if not self._format.is_flat:
            made[self._data] = items
        elif pa.types.is_struct(items.type):
            made.update(enumerate(items.flatten()))
        else:
            made[0] = items
        self._report.rows += last - first
        kept = offsets if self._has_offsets else None
        yield Rows(last - first, made, kept, (), event.content, event.base, event.end, 0, last - first)
