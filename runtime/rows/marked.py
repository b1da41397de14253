"""Units that end with a marker, whose bytes are before them in the input: the next unit follows the next marker."""

from __future__ import annotations

import re
import sys
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from ..input.window import Window
from .reader import FEW_DAMAGES, Filled, RowDamage, RowReader
from .zero_runs import fill_before

if TYPE_CHECKING:
    from ..objects.structs import Struct
    from .unit_states import ReaderState


class MarkedRows:
    """Reads units that end with a marker. ``name``: the field of the root that is the marker."""

    def __init__(self, name: str, root: Struct | None, row_reader: RowReader) -> None:
        self._marker_of = attrgetter(name)
        self._row_reader = row_reader
        self._capacity = sys.maxsize
        self._look_for(self._marker_of(root))

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``."""
        self._row_reader.begin(root)
        self._look_for(self._marker_of(root))

    def _look_for(self, marker: bytes) -> None:
        self._size = len(marker)
        self._marker = re.compile(re.escape(marker))

    def state(self, offset: int) -> ReaderState:
        """Implement ``RowReader.state``."""
        return self._row_reader.state(offset)

    def resume(self, offset: int, state: ReaderState) -> None:
        """Implement ``RowReader.resume``."""
        self._row_reader.resume(offset, state)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, chooses: bool = False
    ) -> Filled:
        """Implement ``RowReader.fill``. A damaged unit is lost if its length leads past the next marker."""
        # What is read after a lost unit is read again, so the next fill is small.
        capacity = min(capacity, self._capacity)
        self._capacity = min(2 * self._capacity, sys.maxsize)
        fill = partial(self._row_reader.fill, window, capacity=capacity, at_start=at_start, chooses=chooses)
        filled = fill(stop=stop)
        for damage in filled.damages:
            if not damage.inside and (is_past := self._is_past_marker(window, damage)) is not False:
                self._capacity = FEW_DAMAGES
                return fill_before(damage, window, lambda end: fill(stop=end), is_lost=is_past is True)
        return filled

    def _is_past_marker(self, window: Window, damage: RowDamage) -> bool | None:
        """Return whether a damaged unit does not end with its marker, and the next one begins in it or right after it;
        ``None``: more input is needed. If it begins later, the marker of the unit itself may be damaged."""
        begin, end = damage.begin - window.base, damage.end - window.base
        if end - self._size >= begin and self._marker.match(window.view, end - self._size):
            return False
        if self._marker.search(window.view, begin, end + self._size):
            return True
        return False if window.at_end or len(window.view) >= end + self._size else None

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``: the next unit begins after the next marker, as for byte ranges, whether it is
        valid or not, unless the input ends there. The byte before ``begin`` may be the first one of the marker."""
        found = self._marker.search(window.view, max(window.begin, begin - 1))
        if found and found.end() < len(window.view):
            return True, found.end()
        if found and not window.at_end:
            return False, found.start()
        return False, max(window.begin, len(window.view) - self._size + 1)
