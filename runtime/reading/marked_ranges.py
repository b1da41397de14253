"""Byte ranges of inputs whose units end with a marker: each of them begins and ends where one ends.

What is before the units is read for every range. Which units belong to a range does not depend on what the units before
it hold, so that ranges that are next to each other have each unit once, damaged ones too.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..input.window import Window

Restart = Callable[[int], Window]
"""Returns a window of the input that begins at an offset, in place of the one before it."""


def marked_range(restart: Restart, marker: bytes, first: int, wanted: tuple[int, int]) -> tuple[int, int]:
    """Return where the units of a byte range begin and end. ``first``: where the first unit of the input begins."""
    begin, stop = (_place_after(restart, marker, first, each) for each in wanted)
    return begin, stop


def _place_after(restart: Restart, marker: bytes, first: int, offset: int) -> int:
    """Return the first place at or after an offset at which a unit begins; the end of the input if there is none."""
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
