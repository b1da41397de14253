"""Parts of an input with the damage in each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from ..base.report import FileReport
from ..rows.reader import RowDamage


class InputPart(NamedTuple):
    """A part of an input, its ``number``, and the damaged ranges in which some of its bytes are; or
    (-1) a damaged range in which there is no part."""

    begin: int
    end: int
    damages: tuple[RowDamage, ...]
    number: int = -1


def arranged(bounds: Sequence[tuple[int, int]], damages: Sequence[RowDamage]) -> list[InputPart]:
    """Return the parts between these ``bounds`` and the damaged ranges without one. Parts in a run of zeros are left
    out.

    >>> [(each.begin, len(each.damages)) for each in arranged([(0, 3), (6, 9)], [RowDamage(2, 4, -1, "value")])]
    [(0, 1), (6, 0)]
    """
    begins, ends = [each.begin for each in damages], [each.end for each in damages]
    found: list[InputPart] = []
    used: set[int] = set()
    for index, (begin, end) in enumerate(bounds):
        first = bisect_right(ends, begin)
        last = bisect_left(begins, max(end, begin + 1), first)
        if last == first + 1 and damages[first].reason == "zeros" and begins[first] <= begin and end <= ends[first]:
            continue
        used.update(range(first, last))
        found.append(InputPart(begin, end, tuple(damages[first:last]), index))
    if len(used) < len(damages):
        found += [InputPart(*each[:2], (each,)) for number, each in enumerate(damages) if number not in used]
        found.sort(key=lambda each: each.begin)
    return found


def shows_tail(begin: int, end: int, report: FileReport) -> bool:
    """Return whether the bytes ``[begin, end)`` of a tail are shown that are in no part. A tail without bytes is, if
    the input ends where more of a unit had to be."""
    return begin < end or (report.tail == "truncated" and report.tail_offset == end)
