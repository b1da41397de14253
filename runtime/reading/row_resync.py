"""Resynchronisation after damage: the next valid row or delimiter, and whether the length of a damaged row is valid."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..input.window import MemoryWindow, Window
from ..rows.reader import FillResult, RowDamage, RowReader, Status

if TYPE_CHECKING:
    from ..rows.object_reader import ObjectRowReader
    from .events import Rows

DEFERRED_ROWS = 64
"""Maximum number of refused rows that are deferred together."""
RESYNC_BYTES = 1024 * 1024
"""Maximum number of bytes of rows that are deferred together, and number of those in which the next valid row is
searched for."""
CAPACITY = 2 * DEFERRED_ROWS
"""Number of rows of a batch that can contain all deferred rows, with more after them."""
PROBE = 64 * 1024
"""Number of zeros in which a row is searched for, to determine whether it could be in a hole."""
CONTENT = 1024 * 1024
"""Maximum number of bytes of a skipped range that are kept for ``_corrupt_record``."""


def defer_unverified(
    filled: FillResult, window: Window, padding: int, full: bool
) -> tuple[FillResult, RowDamage | None]:
    """Remove refused rows, with the inconclusive units after them, from the end of a fill until a later valid row
    confirms their lengths.

    The damage of such a row is in its content or in its length, and only the following bytes show which. The rows are
    read again once more input is available. If ``next_row`` then finds a valid row elsewhere, the damage begins with
    the first of them.

    Args:
        filled: The rows as they were read.
        window: The window from which they were read.
        padding: Number of unused bytes after each row.
        full: Whether the capacity of the fill was at least ``CAPACITY``. If all of such a batch would be removed,
            nothing is, so that reading goes on.

    Returns:
        The fill without these rows, at most ``DEFERRED_ROWS`` of them in ``RESYNC_BYTES`` but always one, and the
        damage of the first; or the fill itself and ``None`` if nothing is removed.
    """
    if filled.status is Status.END and window.at_end and filled.consumed == len(window.view):
        return filled, None
    following = window.base + filled.consumed
    damages = filled.damages
    if damages and damages[-1].inside and damages[-1].inconclusive_end == following:
        return _defer_unit(filled, window, full)
    first = len(damages)
    while first and len(damages) - first < DEFERRED_ROWS:
        last = damages[first - 1]
        if last.inside or following not in (last.inconclusive_end, last.inconclusive_end + padding):
            break
        if first < len(damages) and damages[-1].end - last.begin > RESYNC_BYTES:
            break
        first -= 1
        following = last.begin
    consumed = following - window.base
    if first == len(damages) or (filled.status is Status.BATCH_FULL and consumed == window.begin and full):
        return filled, None
    return _first(filled, damages[first].rows, first, consumed), damages[first]


def _defer_unit(filled: FillResult, window: Window, full: bool) -> tuple[FillResult, RowDamage | None]:
    """Do the same if the last unit ends with a sub-stream that has no row up to its end. The whole unit is read again;
    the rows before it remain valid."""
    unit, last = filled.last_unit, filled.damages[-1]
    if filled.status in (Status.TRUNCATED, Status.LOST):
        return _first(filled, last.rows, len(filled.damages) - 1, last.begin - window.base), last
    if filled.status is Status.BATCH_FULL and unit.begin == window.begin and full:
        return filled, None
    return _first(filled, unit.rows, unit.damages, unit.begin), last


def without_last(filled: FillResult, status: Status, base: int) -> FillResult:
    """Return a fill that ends, with a status, at the beginning of its last damaged row. ``base``: that of the
    window."""
    last = filled.damages[-1]
    first = _first(filled, last.rows, len(filled.damages) - 1, last.begin - base)
    return dataclasses.replace(first, status=status, position=last.begin)


def _first(filled: FillResult, rows: int, damages: int, consumed: int) -> FillResult:
    return dataclasses.replace(
        filled,
        rows=rows,
        arrays={number: array.slice(0, rows) for number, array in filled.arrays.items()},
        offsets=filled.offsets.slice(0, rows) if filled.offsets is not None else None,
        damages=filled.damages[:damages],
        consumed=consumed,
    )


def next_row(row_reader: RowReader, window: Window, begin: int, following: int) -> int | None:
    """Return the offset of the next valid row after the row at offset ``begin``; ``None`` if there is none up to
    ``RESYNC_BYTES`` after ``following``, the end of the rows that were read.

    If there is one, the length of the row at ``begin`` is damaged. ``window.begin``, which must not be after ``begin``,
    keeps its offset.
    """
    limit = following + RESYNC_BYTES
    while window.base + len(window.view) < limit and window.extend():
        pass
    # A row that is incomplete within these bytes is not waited for.
    near = MemoryWindow(window.view[: limit - window.base])
    near.base = window.base
    found, index = row_reader.resync(near, begin + 1 - window.base)
    return window.base + index if found else None


def never_complete(
    row_reader: RowReader, checker: ObjectRowReader, window: Window, begin: int, max_record: int
) -> str | None:
    """Return why the incomplete row at offset ``begin``, at the end of the input, cannot be completed by more input:
    ``length`` if a valid row begins inside it, ``limit`` if it is larger than ``max_record``; otherwise ``None``.

    ``checker``: reads rows as objects. Only the available bytes are read, and only few items of it.
    """
    # Each offset inside a row of many items would be read as objects up to the end of the available bytes.
    if next_row(checker if isinstance(row_reader, type(checker)) else row_reader, window, begin, begin) is not None:
        return "length"
    there = window.view[begin - window.base :]
    if len(there) > max_record:
        return "limit"
    needed = checker.bytes_needed(bytes(there), begin)
    return "limit" if needed is not None and needed > max_record else None


def accepts_row(row_reader: RowReader, window: Window, offset: int) -> bool | None:
    """Return whether a row reader accepts the row at an offset; ``None``: it may, but not within the next
    ``RESYNC_BYTES``."""
    limit = offset + RESYNC_BYTES
    while window.base + len(window.view) < limit and window.extend():
        pass
    near = MemoryWindow(window.view[: limit - window.base], offset - window.base)
    near.base = window.base
    filled = row_reader.fill(near, capacity=1)
    if filled.consumed > near.begin:
        # Units may have any number of rows, and contain damage without being invalid.
        return not any(each.begin == offset and not each.inside for each in filled.damages)
    return False if window.at_end and len(near.view) == len(window.view) else None


def drain(window: Window, most: int) -> None:
    """Skip the rest of the input if it has at most about ``most`` bytes."""
    limit = window.base + len(window.view) + most
    while window.base + len(window.view) < limit:
        window.begin = len(window.view)
        if not window.extend():
            return


class Skipped:
    """The first bytes of a range that is being skipped."""

    def __init__(self) -> None:
        self._content = bytearray()

    def add(self, content: memoryview) -> None:
        """Append the next bytes, up to the limit."""
        self._content += content[: CONTENT - len(self._content)]

    def add_zeros(self, count: int) -> None:
        """Append zeros, up to the limit."""
        self._content += bytes(min(count, CONTENT - len(self._content)))

    @property
    def content(self) -> bytes:
        """Return the bytes that were kept."""
        return bytes(self._content)


Content = Callable[[int, int], bytes | None]
"""Returns the first bytes of a range of the input, ``None`` if they are not in memory."""


class GrowingRange:
    """The first bytes of a range of the input that goes on: the window loses them before the end is known."""

    def __init__(self, content: Content) -> None:
        self._in_memory = content
        self._begin = self._end = -1
        self._content = bytearray()

    def add(self, begin: int, event: Rows) -> None:
        """Let the range at ``begin`` extend to the end of an event. Another range is dropped."""
        if begin != self._begin:
            self._begin = self._end = begin
            self._content.clear()
        first = self._end - event.base
        if first < 0:
            # A part of it was in no event.
            self._begin = -1
        else:
            last = min(event.end - event.base, first + CONTENT - len(self._content))
            self._content += event.content[first:last]
            self._end = max(self._end, event.end)

    def content(self, begin: int, end: int) -> bytes | None:
        """Return the first bytes of any range of the input; ``None`` if they are not in memory."""
        found = self._in_memory(begin, end)
        if found is not None or begin != self._begin:
            return found
        more = self._in_memory(self._end, end) if self._end < end else None
        return (bytes(self._content) + (more or b""))[: min(end - begin, CONTENT)]


def row_inside(row_reader: RowReader, window: Window, index: int) -> int | None:
    """Return the index of the first valid row after the one at an index of the view, which is incomplete; ``None`` if
    none is complete. Only bytes in memory are searched: rows that continue after them are passed over."""
    near = MemoryWindow(window.view)
    near.base = window.base
    found, first = row_reader.resync(near, index + 1)
    return first if found else None


class IncompleteRow:
    """The row at the beginning of a window that has not been read to its end. ``within``: number of bytes of it after
    which its length is doubted."""

    def __init__(self, within: int) -> None:
        self._within = within
        self._begin, self._size = -1, 0

    def row_inside(self, row_reader: RowReader, window: Window) -> int | None:
        """Return the index of a valid row inside of it, which shows that its length is damaged; ``None`` if there is
        none so far. Each search is among twice as many bytes as the one before."""
        begin, size = window.base + window.begin, len(window.view) - window.begin
        if begin != self._begin:
            self._begin, self._size = begin, self._within
        if size < self._size:
            return None
        self._size = 2 * size
        return row_inside(row_reader, window, window.begin)


def resync(
    row_reader: RowReader, window: Window, max_record: int, within: int, *, is_lost: bool = True
) -> tuple[bool, bytes]:
    """Move ``window.begin``, where a lost row begins, to the next valid row. Return whether there is one, and the first
    bytes before it; if there is none, the window is at the end of the input, and the bytes extend to it. ``is_lost``:
    false if the next row may also begin at ``window.begin``.

    The search does not wait for more than ``within`` bytes of a row that may begin somewhere if another one is found
    after it: arbitrary bytes often claim a row of any size.
    """
    skipped = Skipped()
    # The lost bytes may be the end of a unit whose rows extend to the end of the input.
    search = min(window.begin + is_lost, len(window.view))
    refused: int | None = None
    while True:
        last = window.at_end
        found, index = row_reader.resync(window, search)
        skipped.add(window.view[window.begin : index])
        window.begin = index
        if found:
            return True, skipped.content
        if last:
            skipped.add(window.view[index:])
            return False, skipped.content
        rest = window.view[index:]
        if len(rest) >= within and (inside := row_inside(row_reader, window, index)) is not None:
            skipped.add(window.view[index:inside])
            window.begin = inside
            return True, skipped.content
        if len(rest) <= PROBE and not any(rest):
            refused = zeros_refused(row_reader) if refused is None else refused
            if refused and (hole := window.skip_hole(refused)):
                skipped.add(rest)
                skipped.add_zeros(hole)
        # Each search costs as much as the size of the window, so the window at least doubles in between.
        needed = min(2 * (len(window.view) - index), 2 * max_record)
        while window.extend() and len(window.view) - window.begin < needed:
            pass
        search = window.begin


def zeros_refused(row_reader: RowReader) -> int:
    """Return the minimum number of zeros that prove that no valid row begins with them; 0 if there is none."""
    zeros = MemoryWindow(memoryview(bytes(PROBE)))
    # An incomplete row is not refused.
    zeros.at_end = False
    found, index = row_reader.resync(zeros, 0)
    return 0 if found or index == 0 else PROBE - index + 1


def skip_frame(window: Window, index: int, delimiter: bytes) -> bytes:
    """Move ``window.begin``, where an oversized frame begins, to the next delimiter at or after ``index``, or to the
    end of the input; return the first bytes before it."""
    skipped = Skipped()
    while True:
        found = _find(window.view, index, delimiter)
        end = found if found >= 0 else max(index, len(window.view) - len(delimiter) + 1)
        skipped.add(window.view[window.begin : end])
        window.begin = end
        if found >= 0:
            return skipped.content
        if 0 not in delimiter:
            rest = window.view[end:]
            if hole := window.skip_hole(0):
                skipped.add(rest)
                skipped.add_zeros(hole)
        if not window.extend():
            skipped.add(window.view[window.begin :])
            window.begin = len(window.view)
            return skipped.content
        index = window.begin


def skip_hole_before_delimiter(window: Window, delimiter: bytes) -> bool:
    """Skip a hole of a sparse file while searching for the first delimiter, if the delimiter cannot be in the hole.
    Return whether a hole was skipped."""
    if not delimiter or 0 in delimiter or len(window.view) - window.begin >= len(delimiter):
        return False
    return window.skip_hole(0) > 0


def _find(view: memoryview, begin: int, delimiter: bytes) -> int:
    from .. import engine

    if engine.available:
        return int(engine.find_delimiter(view, begin, len(view), delimiter))
    found = bytes(view[begin:]).find(delimiter)
    return begin + found if found >= 0 else -1
