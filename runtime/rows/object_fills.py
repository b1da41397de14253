"""Fills of the object row reader: consecutive rows, and rows between delimiters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ..input.window import Window
from ..objects.errors import StuffingError
from ..objects.row_log import LoggedRow
from ..objects.streams import MemoryStream
from ..objects.stuffing import unstuff
from .numbers import value_array
from .object_rows import STRETCH, BrokenError, IncompleteError, LostError, ObjectRows
from .reader import BATCH_BYTES, FEW_DAMAGES, NO_UNIT, FillResult, LastUnit, RowDamage, Status


class _Rows:
    """The rows and damages so far. Indices refer to the view of the window."""

    def __init__(self, row_reader: ObjectRows, window: Window, capacity: int, stop: int) -> None:
        self.row_reader = row_reader
        self.window = window
        self.base = window.base
        self.end = len(window.view)
        self.stop = stop
        self._capacity = capacity
        self._most_damages = max(capacity, FEW_DAMAGES)
        self._full = row_reader.computing.total + BATCH_BYTES
        self._rows: list[list[Any] | None] = []
        self._offsets: list[int] = []
        self._damages: list[RowDamage] = []
        self._last_unit: tuple[int, int, int] = NO_UNIT
        self._has_units = bool(row_reader.format.rows_path)
        self._bounds: list[tuple[int, int]] = []
        self.has_empty_frames = False

    def is_stopped(self, index: int) -> bool:
        """Return whether a row at that index is no longer wanted."""
        return self.stop >= 0 and self.base + index >= self.stop

    def is_full(self, index: int) -> bool:
        """Return whether a row at that index must be left for the next batch."""
        if len(self._damages) >= self._most_damages:
            return True
        if self.row_reader.computing.total >= self._full and self._rows:
            return True
        return len(self._rows) == self._capacity or index - self.window.begin >= BATCH_BYTES

    def add(self, begin: int, row: Any, stream_end: int) -> str | None:
        """Append a valid row of the table; ``stream_end``: the position of its own stream at its end. Return the
        reason if one of its values cannot be stored."""
        values, refused = self.row_reader.values_at(row, stream_end)
        if values is not None:
            self._rows.append(values)
            self._offsets.append(self.base + begin)
        return refused

    def add_all(self, logged: Sequence[LoggedRow], frame: tuple[int, int] | None = None) -> None:
        """Append the rows of a unit. ``frame``: the beginning and end of its frame, which are then those of its
        rows."""
        for each in logged:
            begin, end = frame or (each.begin - self.base, each.end - self.base)
            refused = each.refused or self.add(begin, each.row, each.stream_end)
            if refused is not None:
                self.damage(begin, end, refused, inside=each.inside)

    def add_unit(self, begin: int, end: int, logged: Sequence[LoggedRow]) -> None:
        """Append the rows of a complete unit."""
        self._bound(begin, end)
        rows, damages = len(self._rows), len(self._damages)
        self.add_all(logged)
        after = self.base + begin - self.row_reader.settings.padding
        is_next = 0 < damages == len(self._damages) and self._damages[-1].inconclusive_end == after
        if is_next and self.row_reader.is_inconclusive():
            # The unit is trusted only if the end of the damage directly before it is.
            self._damages[-1] = self._damages[-1]._replace(inconclusive_end=self.base + end)
        else:
            self._last_unit = begin, rows, damages

    def add_sound(self, begin: int, logged: Sequence[LoggedRow], broken: BrokenError | None) -> int:
        """Append the rows that are valid although their unit, which begins at index ``begin``, is incomplete. Return
        the index after them."""
        before = len(self._rows), len(self._damages)
        self.add_all(logged)
        if before == (len(self._rows), len(self._damages)):
            return begin
        sound = (logged[-1].end if broken is None else broken.sound) - self.base
        self._bound(begin, sound)
        return sound

    def add_frame(self, begin: int, end: int, logged: Sequence[LoggedRow]) -> None:
        """Append the rows of a unit between delimiters."""
        self._bound(begin, end)
        self.add_all(logged, (begin, end))

    def _bound(self, begin: int, end: int) -> None:
        if self._has_units:
            self._bounds.append((self.base + begin, self.base + end))

    def damage(self, begin: int, end: int, reason: str, *, inside: bool = False) -> None:
        """Record a range without a row."""
        number, before = -1, len(self._rows)
        if self.row_reader.settings.null_rows:
            number = before
            self._rows.append(None)
            self._offsets.append(self.base + begin)
        begin, end = self.base + begin, self.base + end
        self._damages.append(RowDamage(begin, end, number, reason, inside, before, end))

    def done(
        self,
        status: Status,
        consumed: int,
        position: int | None = None,
        reason: str = "none",
        error: str | None = None,
    ) -> FillResult:
        """Return the result of the fill; ``position`` is an index too."""
        return FillResult(
            len(self._rows),
            self.row_reader.arrays(self._rows),
            value_array(self._offsets, pa.uint64()) if self.row_reader.settings.offsets else None,
            self._damages,
            consumed,
            status,
            0 if position is None else self.base + position,
            reason,
            error,
            LastUnit(*self._last_unit),
            has_empty_frames=self.has_empty_frames,
            bounds=self._bounds,
        )


def fill_rows(row_reader: ObjectRows, window: Window, capacity: int, stop: int) -> FillResult:
    """Read consecutive rows, with the same padding after each."""
    rows = _Rows(row_reader, window, capacity, stop)
    limit, padding = row_reader.settings.max_record, row_reader.settings.padding
    base, end, begin = rows.base, rows.end, window.begin
    is_whole = not row_reader.format.streaming
    taken, stretch_end = end - begin if is_whole else STRETCH, begin
    stream = MemoryStream(b"", base + begin)
    while True:
        if rows.is_stopped(begin):
            return rows.done(Status.END, begin)
        if is_whole and not window.at_end:
            return rows.done(Status.NEED_INPUT, begin)
        if begin == end:
            return rows.done(Status.END if window.at_end else Status.NEED_INPUT, begin)
        if rows.is_full(begin):
            return rows.done(Status.BATCH_FULL, begin)
        if begin >= stretch_end:
            stretch_end = min(end, begin + taken)
            stream = MemoryStream(bytes(window.view[begin:stretch_end]), base + begin)
        stream.seek(base + begin)
        # Bytes beyond the largest record must not influence the row, however large the window is.
        stream.end = min(len(stream.data), stream.position + limit)
        stream.saw_end = False
        is_last = window.at_end and stretch_end == end and stream.end == len(stream.data)
        stream.ends_input = is_whole and is_last and not (row_reader.format.positions or row_reader.format.block)
        broken: BrokenError | None = None
        try:
            logged = row_reader.take(stream, row_reader.settings.verify)
        except BrokenError as error:
            logged, broken = error.rows, error
        is_truncated = isinstance(broken, IncompleteError)
        # If a row extends to the end of the available bytes, that must be the end of the input.
        if is_truncated or (stream.saw_end and not (window.at_end and stream.size() == base + end)):
            if stretch_end < min(end, begin + limit):
                # The row extends beyond the stretch: take it again from its first byte, with more bytes if it began
                # there already.
                taken = 2 * taken if stretch_end - begin >= taken else taken
                stretch_end = begin
                continue
            is_large = end - begin >= limit
            if not is_large and not window.at_end:
                return rows.done(Status.NEED_INPUT, begin, begin)
            # A row that has asked for the end of the input may be another one if there is more.
            sound = begin if broken is None and not is_whole else rows.add_sound(begin, logged, broken)
            if is_large:
                return rows.done(Status.LOST, sound, sound, "limit")
            return rows.done(Status.TRUNCATED, sound, sound)
        if isinstance(broken, LostError):
            sound = rows.add_sound(begin, logged, broken)
            return rows.done(Status.LOST, sound, sound, broken.reason, broken.sentence)
        following = stream.pos() - base
        if is_whole:
            # Its rows may all be at explicit positions: the unit has no bytes then.
            rows.add_unit(begin, following, logged)
            return rows.done(Status.END, following)
        if following == begin:
            return rows.done(Status.LOST, begin, begin, "length")
        if end - following < padding and not window.at_end:
            return rows.done(Status.NEED_INPUT, begin)
        rows.add_unit(begin, following, logged)
        begin = following + min(padding, end - following)
        taken = STRETCH


def fill_frames(row_reader: ObjectRows, window: Window, capacity: int, stop: int, at_start: bool) -> FillResult:
    """Read rows between delimiters and pass over empty frames; ``consumed`` is the index of the delimiter before the
    next row."""
    rows = _Rows(row_reader, window, capacity, stop)
    delimiter, end = row_reader.format.delimiter, rows.end
    search = _Search(window, delimiter)
    if at_start:
        position = window.begin
        content = position + (len(delimiter) if search.stands_at(position) else 0)
    else:
        if rows.is_stopped(window.begin):
            return rows.done(Status.END, window.begin)
        found = search.find(window.begin)
        if found < 0:
            # The last bytes may be the beginning of a delimiter.
            kept = 0 if window.at_end else min(len(delimiter) - 1, end - window.begin)
            return rows.done(Status.END if window.at_end else Status.NEED_INPUT, end - kept)
        position, content = found, found + len(delimiter)
    while True:
        if rows.is_stopped(position):
            return rows.done(Status.END, position)
        if content == end and window.at_end:
            return rows.done(Status.END, end)
        if rows.is_full(position):
            return rows.done(Status.BATCH_FULL, position)
        following = search.find(content)
        if following == content:
            rows.has_empty_frames = True
            position, content = following, following + len(delimiter)
            continue
        doubt = len(delimiter) - 1 if following < 0 and not window.at_end else 0
        frame_end = end if following < 0 else following
        if frame_end - content - doubt > row_reader.settings.max_record:
            return rows.done(Status.OVERSIZE, frame_end - doubt, position, "limit")
        if following < 0 and not window.at_end:
            return rows.done(Status.NEED_INPUT, position)
        damage = _take(rows, search.between(content, frame_end), position, frame_end)
        if damage is not None:
            if following < 0:
                return rows.done(Status.TRUNCATED, position, position)
            rows.damage(position, frame_end, damage)
        if following < 0:
            return rows.done(Status.END, end)
        position, content = following, following + len(delimiter)


def _take(rows: _Rows, frame: bytes, position: int, end: int) -> str | None:
    """Append the rows of a frame; return the reason if there is none."""
    row_reader = rows.row_reader
    try:
        stream = MemoryStream(unstuff(frame, row_reader.format.stuffing))
        logged = row_reader.take(stream, row_reader.settings.verify)
    except StuffingError:
        return "stuffing"
    except IncompleteError:
        return "length"
    except LostError as error:
        return error.reason
    if len(logged) != 1 or logged[0].inside:
        rows.add_frame(position, end, logged)
        return None
    return logged[0].refused or rows.add(position, logged[0].row, logged[0].stream_end)


class _Search:
    """Finds delimiters in a window. Bytes are copied in stretches, since a view cannot be searched."""

    def __init__(self, window: Window, delimiter: bytes) -> None:
        self._view = window.view
        self._delimiter = delimiter
        self._data = b""
        self._begin = 0

    def _take(self, begin: int, size: int) -> None:
        self._begin = begin
        self._data = bytes(self._view[begin : begin + size])

    def find(self, begin: int) -> int:
        """Return the index of the first delimiter at or after ``begin``, -1 if there is none. The stretch then extends
        to it."""
        size = STRETCH
        if not self._begin <= begin < self._begin + len(self._data):
            self._take(begin, size)
        while True:
            found = self._data.find(self._delimiter, begin - self._begin)
            if found >= 0:
                return self._begin + found
            if self._begin + len(self._data) >= len(self._view):
                return -1
            size = 2 * max(size, self._begin + len(self._data) - begin)
            self._take(begin, size)

    def stands_at(self, index: int) -> bool:
        """Return whether there is a delimiter at the index."""
        return bytes(self._view[index : index + len(self._delimiter)]) == self._delimiter

    def between(self, begin: int, end: int) -> bytes:
        """Return the bytes of a frame."""
        if begin < self._begin or end > self._begin + len(self._data):
            return bytes(self._view[begin:end])
        return self._data[begin - self._begin : end - self._begin]
