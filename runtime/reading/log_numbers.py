"""Files that are used again for another log: fragments have the number of their log, and numbers only grow.

A new log ends somewhere inside a record of the old one, and no byte says where. The log ends with its last valid
fragment, or with a damaged one whose header has its number. What follows is left of older logs, or cannot be read; what
is between two fragments of the log is damage, also valid fragments of an older log. Both are the same until the next
fragment of the log, or the end of the input, has been read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from ..rows.reader import FillResult, RowDamage

MOST_RANGES = 64
"""Maximum number of ranges that are kept; the last one includes all later ones."""
MOST_SEARCHED = 10_000
"""Maximum number of places in an input at which a fragment is searched for in damaged ranges."""
Kept = tuple[RowDamage, bytes]
"""A range and its first bytes."""


class LogNumbers:
    """The log to which the fragments of one input belong: that of the first one, until one of a newer log follows.
    ``column``: the number of the column that identifies it."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.number: int | None = None
        """The largest number so far; in an input of blocks, at first that of the first block with numbers."""

    def own(self, arrays: Mapping[int, pa.Array]) -> pa.Array | None:
        """Return a mask of the fragments that are not of an older log; ``None`` if none has a number."""
        logs = arrays[self.column]
        if logs.null_count == len(logs):
            return None
        number = logs.drop_null()[0].as_py() if self.number is None else self.number
        reached = pa.scalar(number, logs.type)
        if pc.max(logs).as_py() > number:
            reached = pc.cumulative_max(logs.fill_null(reached), start=reached)
        return pc.or_kleene(pc.equal(logs, reached), pc.is_null(logs))

    def advance(self, arrays: Mapping[int, pa.Array]) -> None:
        """Set ``number`` to the largest one of some fragments, if it is larger."""
        largest = pc.max(arrays[self.column]).as_py()
        if largest is not None:
            self.number = max(largest, -1 if self.number is None else self.number)


class NumberInHeader:
    """The number of a log in the header of its fragments. ``field``: its offset, its size in bytes and its byte order
    (``Fragments.log_field``)."""

    def __init__(self, number: int, field: tuple[int, int, str]) -> None:
        self.offset, size, order = field
        self.pattern = (number % (1 << 8 * size)).to_bytes(size, "big" if order == "big" else "little")

    @property
    def end(self) -> int:
        """Return the number of bytes of a header up to the end of the number."""
        return self.offset + len(self.pattern)

    def is_at(self, view: memoryview, begin: int) -> bool:
        """Return whether a fragment that begins at an index has the number."""
        return view[begin + self.offset : begin + self.end] == self.pattern

    def indexes(self, content: bytes) -> Iterator[int]:
        """Yield the indices at which a fragment with the number may begin."""
        found = content.find(self.pattern, self.offset + 1)
        while found >= 0:
            yield found - self.offset
            found = content.find(self.pattern, found + 1)


class RangesAfterLog:
    """The damaged ranges and the fragments of other logs after the last fragment of the log so far."""

    def __init__(self) -> None:
        self._ranges: list[Kept] = []

    @property
    def begin(self) -> int | None:
        """Return where they begin; ``None`` if there is none."""
        return self._ranges[0][0].begin if self._ranges else None

    def add(self, damage: RowDamage, content: bytes) -> None:
        """Add a range after the others; consecutive fragments of other logs, or zeros, are one range."""
        last = self._ranges[-1] if self._ranges else None
        is_run = last is not None and last[0].reason == damage.reason and damage.reason in ("fragment", "zeros")
        if last is not None and (is_run or len(self._ranges) == MOST_RANGES):
            self._ranges[-1] = last[0]._replace(end=damage.end), last[1]
        else:
            self._ranges.append((damage, content))

    def take(self) -> list[Kept]:
        """Return the ranges, which are damage since a fragment of the log follows, and remove them."""
        found, self._ranges = self._ranges, []
        return found


def in_order(filled: FillResult, own: pa.Array | None) -> Iterator[tuple[RowDamage, int]]:
    """Yield the rows and the damaged ranges of a fill by offset: the bytes of each, and the number of the row, -1 for
    damage. ``own``: as ``LogNumbers.own``; the other rows have the reason ``fragment``."""
    offsets = filled.offsets.to_pylist() if filled.offsets is not None else []
    masked = own.to_pylist() if own is not None else [True] * len(offsets)
    found = [
        (RowDamage(offset, -1, -1, "" if is_own else "fragment"), number)
        for number, (offset, is_own) in enumerate(zip(offsets, masked, strict=True))
    ]
    found += [(damage, -1) for damage in filled.damages]
    found.sort(key=lambda each: each[0].begin)
    for index, (damage, number) in enumerate(found):
        if number >= 0:
            later = found[index + 1][0].begin if index + 1 < len(found) else -1
            damage = damage._replace(end=later)
        yield damage, number
