"""What a session shows besides its records: how it ended, heartbeats, tails, advice, and gaps in its numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ..format import Format
from ..messages.decoding import Decoded
from ..messages.framing import Units
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
        """Messages, and what came of them. Damaged ones say nothing."""
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
        """Compares each record's number with the one before it. A heartbeat says which one is next."""
        rows: pa.Array | None = None
        if numbers.null_count:
            rows = pc.indices_nonzero(numbers.is_valid())
            numbers = numbers.drop_null()
        if not len(numbers):
            self._next = heartbeats[-1].seq_num if heartbeats else self._next
            return
        ends = list(accumulate(counts))

        def unit_of(place: int) -> int:
            return bisect_right(ends, place if rows is None else rows[place].as_py())

        # Only jumps, the records before them, and the last one are looked at one by one.
        jumps = _jumps(numbers)
        self._compare(units, numbers[0].as_py(), unit_of(0), -1, self._next, heartbeats)
        listed = jumps[: self._gaps.room + len(heartbeats)]
        for place in listed:
            previous, found = numbers[place - 1].as_py(), numbers[place].as_py()
            self._compare(units, found, unit_of(place), unit_of(place - 1), previous + 1, heartbeats)
        self._gaps.skip(len(jumps) - len(listed))
        last = len(numbers) - 1
        self._next = _announced(heartbeats, unit_of(last), len(counts), numbers[last].as_py() + 1)

    def _compare(
        self, units: Units, found: int, unit: int, after: int, expected: int | None, heartbeats: list[_Tail]
    ) -> None:
        """A record's number, its unit and that of the record before it."""
        expected = _announced(heartbeats, after, unit, expected)
        if expected is not None and found != expected:
            self._gaps.add({"offset": units.offsets[unit], "expected": expected, "found": found})

    def facts(self) -> dict[str, Any]:
        """As a report takes it.

        ``terminal``: ``{status, body}`` or null; ``reconnect_advised``: whether any frame had the flag; and for batches
        of records ``heartbeats``: how many had no records; ``tails``: ``{offset, seq_num, timestamp}`` of each message
        that had one, by the offset of its frame, at most 1000, ``last_tail`` the last one; ``gaps``: ``{offset,
        expected, found}`` where a sequence number was not the next one, at most 1000. ``unlisted_tails`` and
        ``unlisted_gaps`` count the others, where there are any.
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
    """A list that does not grow for ever."""

    def __init__(self) -> None:
        self._items: list[dict[str, int]] = []
        self._unlisted = 0

    @property
    def room(self) -> int:
        """How many more it lists."""
        return MOST_LISTED - len(self._items)

    def add(self, item: dict[str, int]) -> None:
        if self.room:
            self._items.append(item)
        else:
            self._unlisted += 1

    def skip(self, count: int) -> None:
        """More, which are counted alone."""
        self._unlisted += count

    def facts(self, name: str) -> dict[str, Any]:
        return {name: self._items} | ({f"unlisted_{name}": self._unlisted} if self._unlisted else {})


def _tails_of(decoded: Decoded) -> list[_Tail]:
    """The tails of the messages that have one."""
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
    steps = pc.subtract(numbers.slice(1), numbers.slice(0, len(numbers) - 1))
    odd = pc.indices_nonzero(pc.not_equal(steps, pa.scalar(1, pa.uint64())))
    return [each + 1 for each in odd.to_pylist()]


def _announced(heartbeats: list[_Tail], after: int, before: int, otherwise: int | None) -> int | None:
    """The number that the last heartbeat between two units has announced. ``heartbeats`` are in order."""
    place = bisect_left(heartbeats, before, key=_unit)
    if place and heartbeats[place - 1].unit > after:
        return heartbeats[place - 1].seq_num
    return otherwise


def _unit(tail: _Tail) -> int:
    return tail.unit
