"""Zeros at the beginning of a file of delimited rows: what is left of a log that was truncated in place.

The first frame of such a file begins somewhere after them, without a delimiter before it. A record may begin with
zero bytes of its own, so they count as zeros before it only where it does not hold with them.
"""

from __future__ import annotations

import re

from ..input.window import MemoryWindow, Window
from .reader import RowReader, Status

OWN_ZEROS = 3
"""Most zero bytes that a record is taken to begin with after zeros that are not its own."""
NOT_ZERO = re.compile(rb"[^\0]")


def skip_zeros(row_reader: RowReader, window: Window) -> int:
    """Move ``window.begin`` from a file's first byte to its first row after zeros, where there are any and no row
    holds as it stands; returns the number of bytes passed over."""
    if not window.view:
        window.extend()
    if not window.view or window.view[0] or _holds(row_reader, window):
        return 0
    start = window.base + window.begin
    while (found := NOT_ZERO.search(window.view, window.begin)) is None:
        window.begin = max(window.begin, len(window.view) - OWN_ZEROS)
        window.skip_hole(OWN_ZEROS)
        if not window.extend():
            window.begin = len(window.view)
            return window.base + window.begin - start
    zeros = min(OWN_ZEROS, found.start() - window.begin)
    window.begin = found.start() - zeros
    # With these bytes the frame comes whole into the window, and each of the places can be tried in it.
    _holds(row_reader, window)
    first = window.begin
    # Not extended any more: that would let go of bytes that come to be tried later.
    near = MemoryWindow(window.view)
    near.base, near.at_end = window.base, window.at_end
    for own in range(zeros + 1):
        window.begin = near.begin = first + zeros - own
        if _holds(row_reader, near):
            return window.base + window.begin - start
    window.begin = first + zeros
    return window.base + window.begin - start


def _holds(row_reader: RowReader, window: Window) -> bool:
    """Return whether the first frame at ``window.begin`` is a row; extends the window to the frame's end."""
    while True:
        filled = row_reader.fill(window, capacity=1, at_start=True)
        if filled.status is not Status.NEED_INPUT or filled.rows or filled.damages or not window.extend():
            return filled.rows == 1 and not filled.damages
