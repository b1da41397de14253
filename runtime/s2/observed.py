"""Contents of a session's report besides its records: how it ended, heartbeats, tails, advice, and gaps
in the sequence numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ..format.description import Format
from ..rows.messages.decoding import Decoded
from ..rows.numbers import number_scalar
from ..units.units import Units
from .frames import RECONNECT_ADVISED, Terminal

MOST_LISTED = 1000
"""Maximum number of tails and gaps that a report lists; further ones are counted."""


class _Tail(NamedTuple):
    unit: int
    seq_num: int
    timestamp: int


class Observed:
    """Observations, in the order of the session. ``terminal``: its terminal message, once it has been read."""

    def __init__(self, format: Format) -> None:
        names = [each.name for each in format.columns]
        self._batches = "seq_num" in names
        self._number = names.index("seq_num") if self._batches else -1
        self._next: int | None = None
        self._reconnect_advised = False
        self._heartbeats = 0
        self._tails = _Listed()
        self._last_tail: dict[str, int] | None = None
        self._gaps = _Listed()
        self.terminal: Terminal | None = None

    def flag(self, flag: int) -> None:
        """Record the flag byte of a regular frame."""
        self._reconnect_advised = self._reconnect_advised or bool(flag & RECONNECT_ADVISED)

    def decoded(self, units: Units, decoded: Decoded) -> None:
        """Record decoded batches of messages; damaged ones are left out."""
        if not self._batches:
            return
        damaged = {each.unit for each in decoded.problems}
        tails = [each for each in _tails_of(decoded) if each.unit not in damaged]
        for tail in tails:
            self._last_tail = {
                "offset": units.offsets[tail.unit],
                "seq_num": tail.seq_num,
                "timestamp": tail.timestamp,
            }
            self._tails.add(self._last_tail)
        counts: list[int] = decoded.counts.to_pylist()
        empty = {unit for unit, count in enumerate(counts) if not count and unit not in damaged}
        self._heartbeats += len(empty)
        heartbeats = [each for each in tails if each.unit in empty]
        if self._number in decoded.arrays:
            self._follow(units, decoded.arrays[self._number], counts, heartbeats)

    def _follow(self, units: Units, numbers: pa.Array, counts: list[int], heartbeats: list[_Tail]) -> None:
        """Compare each record's number with the one before it, and with each heartbeat's tail, which is the next
        number: missing records before it will not be received."""
        rows: list[int] | None = None
        if numbers.null_count:
            rows = pc.indices_nonzero(numbers.is_valid()).to_pylist()
            numbers = numbers.drop_null()
        ends = list(accumulate(counts))

        def offset_of(place: int) -> int:
            offset: int = units.offsets[bisect_right(ends, place if rows is None else rows[place])]
            return offset

        jumps = _jumps(numbers)
        begin = 0
        for heartbeat in heartbeats:
            row = ends[heartbeat.unit]
            end = row if rows is None else bisect_left(rows, row)
            self._records(numbers, begin, end, jumps, offset_of)
            begin = end
            self._compare(units.offsets[heartbeat.unit], heartbeat.seq_num)
            self._next = heartbeat.seq_num
        self._records(numbers, begin, len(numbers), jumps, offset_of)

    def _records(
        self, numbers: pa.Array, begin: int, end: int, jumps: list[int], offset_of: Callable[[int], int]
    ) -> None:
        """Compare records ``begin`` to ``end``, without a heartbeat between them. Only the first, the last, and those
        next to jumps are examined individually."""
        if begin == end:
            return
        self._compare(offset_of(begin), numbers[begin].as_py())
        inner = jumps[bisect_right(jumps, begin) : bisect_left(jumps, end)]
        listed = inner[: self._gaps.room]
        for place in listed:
            self._next = numbers[place - 1].as_py() + 1
            self._compare(offset_of(place), numbers[place].as_py())
        self._gaps.skip(len(inner) - len(listed))
        self._next = numbers[end - 1].as_py() + 1

    def _compare(self, offset: int, found: int) -> None:
        """Compare the number of a record or a tail with the expected one. ``offset``: that of its frame."""
        if self._next is not None and found != self._next:
            self._gaps.add({"offset": offset, "expected": self._next, "found": found})

    def facts(self) -> dict[str, Any]:
        """Return the observations for a report.

        ``terminal``: ``{status, body}`` or null; ``reconnect_advised``: whether any frame had the flag; and for batches
        of records ``heartbeats``: number of batches without records; ``tails``: ``{offset, seq_num, timestamp}`` of
        each message with a tail, where ``offset`` is that of its frame, at most 1000; ``last_tail``: the last tail;
        ``gaps``: ``{offset, expected, found}`` wherever the sequence number of a record, or of a heartbeat's tail, was
        not the expected one, at most 1000. ``unlisted_tails`` and ``unlisted_gaps``: number of further ones, if any.
        """
        terminal = self.terminal
        facts: dict[str, Any] = {
            "terminal": None if terminal is None else {"status": terminal.status, "body": terminal.body},
            "reconnect_advised": self._reconnect_advised,
        }
        if self._batches:
            facts["heartbeats"] = self._heartbeats
            facts["last_tail"] = self._last_tail
            facts |= self._tails.facts("tails") | self._gaps.facts("gaps")
        return facts


class _Listed:
    """A list with a limited length."""

    def __init__(self) -> None:
        self._items: list[dict[str, int]] = []
        self._unlisted = 0

    @property
    def room(self) -> int:
        """Return the number of items that can still be listed."""
        return MOST_LISTED - len(self._items)

    def add(self, item: dict[str, int]) -> None:
        if self.room:
            self._items.append(item)
        else:
            self._unlisted += 1

    def skip(self, count: int) -> None:
        """Count further items without listing them."""
        self._unlisted += count

    def facts(self, name: str) -> dict[str, Any]:
        return {name: self._items} | ({f"unlisted_{name}": self._unlisted} if self._unlisted else {})


def _tails_of(decoded: Decoded) -> list[_Tail]:
    """Return the tails of the messages that have one."""
    if not decoded.unit_arrays:
        return []
    tails = decoded.unit_arrays[0]
    if tails.null_count == len(tails):
        return []
    present = pc.indices_nonzero(tails.is_valid())
    return [
        _Tail(unit, tail["seq_num"], tail["timestamp"])
        for unit, tail in zip(present.to_pylist(), tails.take(present).to_pylist(), strict=True)
    ]


def _jumps(numbers: pa.Array) -> list[int]:
    """Return the indexes of rows whose number is not the previous number plus one."""
    if len(numbers) < 2:
        return []
    steps = pc.subtract(numbers.slice(1), numbers.slice(0, len(numbers) - 1))
    odd = pc.indices_nonzero(pc.not_equal(steps, number_scalar(1, pa.uint64())))
    return [each + 1 for each in odd.to_pylist()]
