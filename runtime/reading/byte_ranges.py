"""Byte ranges of inputs without delimiters: each begins and ends where a unit is found by a search, or at a marker.

The result of a search does not depend on the bytes before its beginning, so that adjacent ranges contain each unit
once. Only units with checksums over some of their bytes are found. If bytes inside a unit look like a unit, the search
finds those; the range before it then ends elsewhere, which is an error.

If units end with a marker, the bytes before the units are read for every range. The assignment of units to ranges does
not depend on the content of earlier units, so that adjacent ranges contain each unit once, including damaged ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..base.errors import UnsupportedError
from ..input.window import MemoryWindow, Window
from ..rows.reader import RowDamage, RowReader
from . import row_resync
from .options import AS_A_WHOLE

if TYPE_CHECKING:
    from .request import ScanRequest

FIRST = 256 * 1024
"""Bytes that are searched at first; twice as many each time until a unit is found."""

MOST_SEARCHED = 4 * 1024 * 1024
"""Bytes without a unit after which byte ranges of a whole input are given up: it is read faster in order."""

Restart = Callable[[int], Window]
"""Returns a window of the input that begins at an offset and replaces the previous one."""


class SearchedRange:
    """The offset ``begin`` of the units of a byte range, and the offset ``stop`` of those of the next range. ``first``:
    offset of the input's first unit."""

    def __init__(self, restart: Restart, row_reader: RowReader, request: ScanRequest, first: int) -> None:
        assert request.byte_range is not None
        self._restart, self._row_reader, self._max_record = restart, row_reader, request.max_record
        self._first = first
        self._is_exact = request.exact_range
        begin, end = request.byte_range
        self.begin = self._place_after(begin)
        self._is_unit = False
        self.stop = max(self.begin, self._place_after(end))

    def _place_after(self, offset: int) -> int:
        """Return the first offset at or after ``offset`` at which a unit is found; the end of the input if there is
        none."""
        self._is_unit = False
        if offset <= self._first:
            return self._first
        window = self._restart(offset)
        found = self._unit_in(window)
        self._is_unit = found is not None
        return max(offset, window.base + len(window.view)) if found is None else found

    def _unit_in(self, window: Window) -> int | None:
        """Return the offset of the next unit of a window; ``None`` if there is none. Units that continue after the
        window are skipped if a later one is complete: arbitrary bytes often claim a unit of any size."""
        needed = FIRST
        while True:
            while len(window.view) - window.begin < needed and window.extend():
                pass
            near = MemoryWindow(window.view)
            near.base = window.base
            found, index = self._row_reader.resync(near, window.begin, proven=True)
            if found:
                return window.base + index
            if window.at_end:
                return None
            if self._is_exact and needed > MOST_SEARCHED:
                raise UnsupportedError("the next record is not found near the beginning of a byte range")
            last = window.view[max(window.begin, len(window.view) - row_resync.PROBE) :]
            if not any(last) and (refused := row_resync.zeros_refused(self._row_reader)) and window.skip_hole(refused):
                needed = FIRST
            elif needed < 2 * self._max_record:
                needed *= 2
            else:
                window.begin = len(window.view) - self._max_record

    def check(self, reached: int, path: str | None) -> None:
        """Raise ``UnsupportedError`` if the units of the range do not end where the next range begins, which would then
        return invalid rows."""
        if self._is_unit and reached > self.stop >= self.begin and reached > self.begin:
            raise UnsupportedError(
                f"{path or 'the input'}: bytes inside of a record, at offset {self.stop}, are also a valid"
                f" record, so the file cannot be read in byte ranges: leave recover out, {AS_A_WHOLE}"
            )

    def check_damages(self, damages: Iterable[RowDamage], path: str | None) -> None:
        """Raise ``UnsupportedError`` if a damaged unit of the range, whose length counts since a valid unit follows
        it, extends beyond the beginning of the next range."""
        for damage in damages:
            if damage.begin < self.stop:
                self.check(damage.end, path)


def marked_range(
    restart: Restart, marker: bytes, lead: int, first: int, byte_range: tuple[int, int]
) -> tuple[int, int]:
    """Return the offsets at which the units of a byte range begin and end. ``lead``: as ``Format.marker_lead``;
    ``first``: the offset of the first unit of the input."""
    to_unit = len(marker) if lead < 0 else -lead
    begin, stop = (_place_after(restart, marker, to_unit, first, each) for each in byte_range)
    return begin, stop


def check_end(reached: int, stop: int, path: str | None) -> None:
    """Raise ``UnsupportedError`` if a byte range has been read beyond the beginning ``stop`` of the next range: a
    marker, or what looks like a unit, is inside of a unit."""
    if reached > stop >= 0:
        raise UnsupportedError("the next byte range begins inside of a record", path=path, offset=stop)


def _place_after(restart: Restart, marker: bytes, to_unit: int, first: int, offset: int) -> int:
    """Return the first offset at or after ``offset`` at which a unit with a marker begins, ``to_unit`` bytes after the
    beginning of the marker; the end of the input if there is none."""
    if offset <= first:
        return first
    window = restart(max(first, offset - to_unit))
    pattern = re.compile(re.escape(marker))
    while True:
        found = pattern.search(window.view, window.begin)
        if found:
            return window.base + found.start() + to_unit
        window.begin = max(window.begin, len(window.view) - len(marker) + 1)
        if not window.extend():
            return max(offset, window.base + len(window.view))
