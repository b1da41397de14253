"""Zeros at the beginning of a file of delimited rows, as in a log that was truncated in place.

The first frame of such a file begins somewhere after them, without a delimiter before it. A record may itself begin
with zero bytes, so zeros count as preceding it only if it is invalid with them.
"""

from __future__ import annotations

import re

from ..input.window import MemoryWindow, Window
from .reader import RowReader, Status

OWN_ZEROS = 3
"""Maximum number of zero bytes at the beginning of a record that follows such zeros."""
NOT_ZERO = re.compile(rb"[^\0]")


def skip_zeros(row_reader: RowReader, window: Window) -> int:
    """Move ``window.begin`` from the first byte of a file to its first row after zeros, if there are any and no row is
    valid with them; return the number of bytes skipped."""
    if not window.view:
        window.extend()
    if not window.view or window.view[0] or holds(row_reader, window):
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
    # With these bytes the whole frame is in the window, and each of the offsets can be tried in it.
    holds(row_reader, window)
    first = window.begin
    # No longer extended, since that would release bytes that are still to be tried.
    near = MemoryWindow(window.view)
    near.base, near.at_end = window.base, window.at_end
    for own in range(zeros + 1):
        window.begin = near.begin = first + zeros - own
        if holds(row_reader, near):
            return window.base + window.begin - start
    window.begin = first + zeros
    return window.base + window.begin - start


def holds(row_reader: RowReader, window: Window) -> bool:
    """Return whether the first frame at ``window.begin`` is a valid row; extend the window to the end of the frame."""
    while True:
        filled = row_reader.fill(window, capacity=1, at_start=True)
        if filled.status is not Status.NEED_INPUT or filled.rows or filled.damages or not window.extend():
            return filled.rows == 1 and not filled.damages
