"""Byte ranges of inputs whose units end with a marker: each range begins and ends at the end of a unit.

The bytes before the units are read for every range. The assignment of units to ranges does not depend on the content of
earlier units, so that adjacent ranges contain each unit once, including damaged ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..input.window import Window

Restart = Callable[[int], Window]
"""Returns a window of the input that begins at an offset and replaces the previous one."""


def marked_range(restart: Restart, marker: bytes, first: int, wanted: tuple[int, int]) -> tuple[int, int]:
    """Return the offsets at which the units of a byte range begin and end. ``first``: the offset of the first unit of
    the input."""
    begin, stop = (_place_after(restart, marker, first, each) for each in wanted)
    return begin, stop


def _place_after(restart: Restart, marker: bytes, first: int, offset: int) -> int:
    """Return the first offset at or after ``offset`` at which a unit begins; the end of the input if there is none."""
    if offset <= first:
        return first
    window = restart(max(first, offset - len(marker)))
    wanted = re.compile(re.escape(marker))
    while True:
        found = wanted.search(window.view, window.begin)
        if found:
            return window.base + found.end()
        window.begin = max(window.begin, len(window.view) - len(marker) + 1)
        if not window.extend():
            return max(offset, window.base + len(window.view))
