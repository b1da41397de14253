"""The content of a report besides the records of a session: how it ended, heartbeats, tails, advice, and gaps in its
numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ..format.description import Format
from ..rows.messages.decoding import Decoded
from ..units.framing import Units
from .frames import RECONNECT_ADVISED, Terminal

MOST_LISTED = 1000
"""Tails and gaps that a report lists; more are counted."""


class _Tail(NamedTuple):
    unit: int
    seq_num: int
    timestamp: int


class Observed:
    """Notes, in the order of the session. ``terminal``: its terminal message, once there was one."""

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
        """The flag byte of a regular frame."""
        self._reconnect_advised = self._reconnect_advised or bool(flag & RECONNECT_ADVISED)

    def decoded(self, units: Units, decoded: Decoded) -> None:
        """Note the batches of messages that were decoded; damaged ones are left out."""
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
        """Compare each record's number with the one before it, and each heartbeat's tail: it says which one is next, so
        that records between the two do not come any more."""
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
        """Records ``begin`` to ``end``, between which no heartbeat stands. Only the first one, jumps, the records
        before them, and the last one are looked at one by one."""
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
        """The number of a record or of a tail, and the offset of its frame."""
        if self._next is not None and found != self._next:
            self._gaps.add({"offset": offset, "expected": self._next, "found": found})

    def facts(self) -> dict[str, Any]:
        """As a report takes it.

        ``terminal``: ``{status, body}`` or null; ``reconnect_advised``: whether any frame had the flag; and for batches
        of records ``heartbeats``: how many had no records; ``tails``: ``{offset, seq_num, timestamp}`` of each message
        that had one, by the offset of its frame, at most 1000, ``last_tail`` the last one; ``gaps``: ``{offset,
        expected, found}`` where the sequence number of a record, or of a heartbeat's tail, was not the next one, at
        most 1000. ``unlisted_tails`` and ``unlisted_gaps`` count the others, where there are any.
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
    """A list that does not grow forever."""

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
        """Count more items without listing them."""
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
    """Numbers of the rows whose number is not one more than that before them."""
    if len(numbers) < 2:
        return []
    steps = pc.subtract(numbers.slice(1), numbers.slice(0, len(numbers) - 1))
    odd = pc.indices_nonzero(pc.not_equal(steps, pa.scalar(1, pa.uint64())))
    return [each + 1 for each in odd.to_pylist()]
