"""Runs of zero bytes at the beginning of an invalid row: preallocated space, or a wiped block.

A run is reported as one damaged range, not as thousands of damaged rows of zeros.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from enum import Enum

from ..input.window import MemoryWindow, Window
from .reader import FillResult, RowDamage, RowReader, Status

FRAME_ZEROS = 3
"""Maximum number of zero bytes at the beginning of a record that follows such zeros."""
NOT_ZERO = re.compile(rb"[^\0]")


def skip_zeros(row_reader: RowReader, window: Window) -> int:
    """Move ``window.begin`` from the first byte of a file to its first row after zeros, if there are any and no row is
    valid with them; return the number of bytes skipped."""
    if not window.view:
        window.extend()
    if not window.view or window.view[0] or is_valid_frame(row_reader, window):
        return 0
    start = window.base + window.begin
    while (found := NOT_ZERO.search(window.view, window.begin)) is None:
        window.begin = max(window.begin, len(window.view) - FRAME_ZEROS)
        window.skip_hole(FRAME_ZEROS)
        if not window.extend():
            window.begin = len(window.view)
            return window.base + window.begin - start
    zeros = min(FRAME_ZEROS, found.start() - window.begin)
    window.begin = found.start() - zeros
    # With these bytes the whole frame is in the window, and each of the offsets can be tried in it.
    is_valid_frame(row_reader, window)
    first = window.begin
    # No longer extended, since that would release bytes that are still to be tried.
    near = MemoryWindow(window.view)
    near.base, near.at_end = window.base, window.at_end
    for own in range(zeros + 1):
        window.begin = near.begin = first + zeros - own
        if is_valid_frame(row_reader, near):
            return window.base + window.begin - start
    window.begin = first + zeros
    return window.base + window.begin - start


def is_valid_frame(row_reader: RowReader, window: Window) -> bool:
    """Return whether the first frame at ``window.begin`` is a valid row; extend the window to the end of the frame."""
    while True:
        filled = row_reader.fill(window, capacity=1, at_start=True)
        if filled.status is not Status.NEED_INPUT or filled.rows or filled.damages or not window.extend():
            return filled.rows == 1 and not filled.damages


LEAST = 64
"""Minimum number of zero bytes of a run. The row after it is searched for within as many bytes of the run's end."""
AFTER = 64 * 1024
"""Number of bytes after a run within which a row must end to determine where it begins."""

SECTOR = 512
"""Storage is wiped, or not written, in multiples of this size in bytes."""
BETWEEN = 8
"""Maximum number of zero bytes between two invalid rows of one run inside units, such as the padding at the end of a
block."""
OWN_ZEROS = 8
"""Fewer zero bytes than this count as the beginning of a row at a sector boundary."""

Fill = Callable[[int], FillResult]
"""Fills from the beginning of the window up to the row at an offset."""


def end_at_zeros(filled: FillResult, window: Window, fill: Fill) -> tuple[FillResult, int]:
    """End a fill at its first invalid row that begins a run of zeros at least as long as the row. Return the fill and
    the size of that row in bytes: 0 if it is unknown, -1 if there is no such row."""
    for damage in filled.damages:
        if damage.inside:
            # The end of the unit is known: reading continues there.
            continue
        size = damage.end - damage.begin
        zeros = _begin_at(window, damage.begin, size)
        if zeros is False:
            continue
        before = fill_before(damage, window, fill, is_lost=bool(zeros))
        return before, size if before.status is Status.LOST else -1
    if filled.status is Status.LOST and filled.reason != "limit":
        zeros = _begin_at(window, filled.position, 0)
        if zeros is None:
            return dataclasses.replace(filled, status=Status.NEED_INPUT), -1
        return filled, 0 if zeros else -1
    return filled, -1


def fill_before(damage: RowDamage, window: Window, fill: Fill, *, is_lost: bool) -> FillResult:
    """Read again, up to where a damaged row begins, and return that fill, with the status ``LOST`` if ``is_lost``,
    otherwise with ``NEED_INPUT``."""
    before = fill(damage.begin)
    if before.status is not Status.END or window.base + before.consumed != damage.begin:
        return before
    status = Status.LOST if is_lost else Status.NEED_INPUT
    return dataclasses.replace(before, status=status, position=damage.begin, reason=damage.reason)


def _begin_at(window: Window, offset: int, size: int) -> bool | None:
    """Return whether a run of zeros of at least ``size`` bytes begins at the offset; ``None``: more input is needed."""
    begin, needed = offset - window.base, max(size, LEAST)
    there = window.view[begin : begin + needed]
    if not there or there[0] or NOT_ZERO.search(there):
        return False
    if len(there) < needed:
        return False if window.at_end else None
    return True


class ZeroRuns:
    """Joins the damaged ranges of one input that belong to the same run of zeros. Only those ``inside`` of units are
    considered, since reading continues after each of them."""

    _end = _reach = -1
    """The end of the last run so far, and of the zeros after it that were in memory."""

    def continue_at(self, offset: int) -> None:
        """Let a range that begins at the offset continue a run that ends there."""
        self._end = self._reach = offset

    def joined(self, damages: Sequence[RowDamage], view: memoryview, base: int) -> list[RowDamage]:
        """Return the damaged ranges with one range, of the reason ``zeros``, for each run. A range that continues a run
        of an earlier call begins where that one ended. ``view``: bytes of the input, the first one at the offset
        ``base``."""
        made: list[RowDamage] = []
        for damage in damages:
            begin, end = damage.begin - base, damage.end - base
            if not damage.inside or begin == end or NOT_ZERO.search(view, begin, end):
                made.append(damage)
                continue
            goes_on = self._end <= damage.begin <= self._reach
            if not goes_on and (len(view) < begin + LEAST or NOT_ZERO.search(view, begin, begin + LEAST)):
                made.append(damage)
                continue
            first = self._end if goes_on else damage.begin
            if goes_on and made and made[-1].end == first and made[-1].reason == "zeros":
                made[-1] = made[-1]._replace(end=damage.end)
            else:
                made.append(damage._replace(begin=first, reason="zeros"))
            found = NOT_ZERO.search(view, end, end + BETWEEN)
            self._end = damage.end
            self._reach = base + (found.start() if found else min(end + BETWEEN, len(view)))
        return made


def is_wiped(window: Window, offset: int) -> bool:
    """Return whether the run of zeros at an offset ends at a sector boundary, or not within the available bytes: zeros
    that belong to a row hardly ever do."""
    found = NOT_ZERO.search(window.view, offset - window.base)
    return found is None or (window.base + found.start()) % SECTOR < OWN_ZEROS


class AfterZeros(Enum):
    """The content after a run of zeros."""

    NOTHING = 0
    ROW = 1
    UNKNOWN = 2
    """No valid row."""


def pass_zeros(row_reader: RowReader, window: Window, size: int, *, fixed: bool, guess: bool) -> AfterZeros:
    """Move ``window.begin`` from the beginning of a run to the row after it, or to the end of the run.

    ``size``: the size of each row in the run in bytes, 0 if unknown. The row after the run is the one in step with it
    if that is valid or sizes are ``fixed``; otherwise the first valid one within ``LEAST`` bytes of the end of the run;
    otherwise, with ``guess``, the one in step.
    """
    start = window.base + window.begin
    kept = max(size, LEAST)
    while (found := NOT_ZERO.search(window.view, window.begin)) is None:
        window.begin = max(window.begin, len(window.view) - kept)
        window.skip_hole(kept)
        if not window.extend():
            window.begin = len(window.view)
            return AfterZeros.NOTHING
    end = window.base + found.start()
    window.begin = max(start, end - kept) - window.base
    while window.base + len(window.view) < end + AFTER and window.extend():
        pass
    candidates = [end - (end - start) % size] if size else []
    if fixed:
        window.begin = candidates[0] - window.base
        return AfterZeros.ROW
    in_step = candidates[0] if size and guess else -1
    near = MemoryWindow(window.view[: end + AFTER - window.base])
    near.base, near.at_end = window.base, window.at_end and len(near.view) == len(window.view)
    candidates += range(max(start + 1, end - LEAST + 1), end + 1)
    valid_at = next((each for each in candidates if _is_valid_unit(row_reader, near, each - near.base)), in_step)
    window.begin = (end if valid_at < 0 else valid_at) - window.base
    return AfterZeros.UNKNOWN if valid_at < 0 else AfterZeros.ROW


def _is_valid_unit(row_reader: RowReader, near: MemoryWindow, begin: int) -> bool:
    near.begin = begin
    filled = row_reader.fill(near, capacity=1)
    # A unit may have any number of rows; an incomplete one is invalid, even if it has some.
    is_broken = filled.status in (Status.LOST, Status.TRUNCATED) and filled.position - near.base == begin
    return filled.consumed > begin and not filled.damages and not is_broken
