"""Byte ranges of inputs whose units are found by a search: each range begins and ends where a unit is found.

The result of a search does not depend on the bytes before its beginning, so that adjacent ranges contain each unit
once. If bytes inside of a unit look like a unit, the search finds those; the range before it then ends elsewhere, which
is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..base.errors import UnsupportedError
from ..input.window import Window
from ..rows.reader import RowReader
from . import recovery

if TYPE_CHECKING:
    from .request import ScanRequest

Restart = Callable[[int], Window]
"""Returns a window of the input that begins at an offset and replaces the previous one."""


class SearchedRange:
    """The offset ``begin`` of the units of a byte range, and the offset ``stop`` of those of the next range."""

    def __init__(self, restart: Restart, row_reader: RowReader, request: ScanRequest) -> None:
        assert request.byte_range is not None
        self._restart, self._row_reader, self._max_record = restart, row_reader, request.max_record
        begin, end = request.byte_range
        self.begin = self._place_after(begin)
        self._is_unit = False
        self.stop = max(self.begin, self._place_after(end))

    def _place_after(self, offset: int) -> int:
        """Return the first offset at or after ``offset`` at which a unit is found; the end of the input if there is
        none."""
        self._is_unit = False
        if offset == 0:
            return 0
        window = self._restart(offset - 1)
        if window.base + window.begin < offset - 1:
            # The offset is after the end of the input.
            return offset
        self._is_unit, _ = recovery.resync(self._row_reader, window, self._max_record)
        return window.base + window.begin if self._is_unit else max(offset, window.base + len(window.view))

    def check(self, reached: int, path: str | None) -> None:
        """Raise ``UnsupportedError`` if the units of the range do not end where the next range begins, which would then
        return invalid rows."""
        if self._is_unit and reached > self.stop >= self.begin and reached > self.begin:
            raise UnsupportedError(
                f"{path or 'the input'}: bytes inside of a record, at offset {self.stop}, are a record themselves, so"
                " that the file cannot be read in byte ranges: leave recover out, or make maxPartitionBytes larger"
                " than the file"
            )
