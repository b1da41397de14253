"""Rows read by the generated classes: the same results as with the engine, for every format and without a compiler."""

from __future__ import annotations

import re

from ..input.window import Window
from ..objects.computing import ItemCounter, SearchCounter
from ..objects.kaitai import EndOfStreamError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from .object_fills import fill_frames, fill_rows
from .object_rows import IncompleteError, LostError, ObjectRows
from .reader import FillResult

FEW_ITEMS = 32
"""Number of items of a row, and of characters of text that it computes, with which every offset is tried at first."""
DEEPER = 8
"""Factor by which the number of items grows with each retry of an offset."""
ITEMS_PER_BYTE = 32
"""Number of items that each searched byte adds to the allowance."""
ALLOWANCE = 4_000_000
"""Number of additional items for all searches of an input."""
ENOUGH = 3
"""Number of consecutive rows that are accepted without a checksum."""
MOST = 16
"""Number of consecutive rows that are read for that, of which some may prove nothing."""
STRETCH = 4096
"""Number of offsets that are decided before later ones are examined."""


class ObjectSearch:
    """Searches for rows with generated classes. ``allowance``: the number of items left for retries."""

    def __init__(self, row_reader: ObjectRows) -> None:
        self.allowance = ALLOWANCE
        self._row_reader = row_reader
        self._proven = False
        self._run = 0, 0
        """The begin and end of the last run of equal bytes."""

    def resync(self, window: Window, begin: int, proven: bool) -> tuple[bool, int]:
        """Implement ``RowReader.resync``. Checksums are computed regardless of the settings, since only they
        distinguish a row from garbage."""
        self._proven = proven
        self._row_reader.begin_search(window.base + begin)
        data = bytes(window.view[begin:])
        self._run = 0, 0
        stream = MemoryStream(data, window.base + begin)
        index = 0
        while index < len(data):
            end = min(index + STRETCH, len(data))
            self.allowance += ITEMS_PER_BYTE * (end - index)
            is_row, index = self._settle(stream, index, end, window.at_end)
            if is_row is not False:
                return is_row is True, begin + index
        return False, len(window.view)

    def _settle(self, stream: MemoryStream, index: int, end: int, at_end: bool) -> tuple[bool | None, int]:
        """Return the first index of a stretch at which a row is valid (``True``), or at which more bytes are needed
        (``None``); if there is none, the index to continue with."""
        found: bool | None = False
        undecided: list[int] = []
        while index < end and found is False:
            found, seen, more = self._try(stream, index, at_end, FEW_ITEMS)
            if more:
                undecided.append(index)
            if found is False:
                index = index + 1 if more else self._after(stream.data, index, seen)
        most, items = self._row_reader.settings.max_computed, FEW_ITEMS
        while undecided and items < most and self.allowance > 0:
            items = min(DEEPER * items, most)
            tried, undecided = undecided, []
            for each in tried:
                if self.allowance <= 0:
                    break
                before = self._row_reader.computing.total
                is_row, _, more = self._try(stream, each, at_end, items)
                self.allowance -= self._row_reader.computing.total - before
                if more:
                    undecided.append(each)
                elif is_row is not False:
                    # An undecided offset before it may be valid too.
                    found, index = is_row, each
                    break
        return found, index

    def _try(self, stream: MemoryStream, index: int, at_end: bool, items: int) -> tuple[bool | None, int, bool]:
        """Return whether a trustworthy row begins at index ``index`` (``None``: more bytes are needed), the number of
        bytes on which the answer depends, and whether more of its items would have to be read."""
        computing, limit = self._row_reader.computing, self._row_reader.settings.max_computed
        computing.limit, computing.exceeded = min(items, limit), False
        try:
            is_row, least = self._judged(stream, index, at_end)
        finally:
            computing.limit = limit
        more = computing.exceeded and is_row is False
        return is_row, max(least, stream.pos() - stream.base - index), more

    def _after(self, data: bytes, index: int, seen: int) -> int:
        """Return the next index to examine, after the row at ``index`` was refused after ``seen`` bytes.

        If these bytes and the following ones are all equal, as in a run of zeros, every index that sees only that byte
        is refused too.
        """
        if seen < 1 or index + seen > len(data):
            return index + 1
        if not self._run[0] <= index < self._run[1]:
            other = re.compile(b"[^" + re.escape(data[index : index + 1]) + b"]", re.DOTALL).search(data, index)
            self._run = index, other.start() if other else len(data)
        return max(index + 1, self._run[1] - seen + 1)

    def _judged(self, stream: MemoryStream, index: int, at_end: bool) -> tuple[bool | None, int]:
        settings = self._row_reader.settings
        base, size = stream.base, len(stream.data)
        begin, least, conclusive = index, 0, 0
        self._row_reader.begin_states()
        for _ in range(MOST):
            stream.seek(base + begin)
            stream.end = min(size, begin + settings.max_record)
            stream.saw_end = False
            stream.counter = SearchCounter(base + begin + settings.max_record)
            row = None
            try:
                row, refused = self._row_reader.parse(stream, verify=True, whole=False)
            except IncompleteError:
                return (False if at_end or size - begin >= settings.max_record else None), least
            except LostError:
                refused = "lost"
            if stream.saw_end and not (at_end and stream.end == size):
                return (False if size - begin >= settings.max_record else None), least
            end = stream.pos() - base
            if refused is not None or end == begin:
                return False, least
            conclusive += not self._row_reader.is_inconclusive(verify=True, searching=True)
            if conclusive == ENOUGH or getattr(row, "_covers_bytes", False):
                return True, least
            if self._proven or not conclusive:
                return False, least
            # A row whose checksums cover nothing proves little: the rows after it must be valid too. One that could be
            # any bytes is no beginning, and does not count.
            if size - end <= settings.padding:
                return (True if at_end else None), least
            begin = end + settings.padding
            # The answer depends on the input not ending after the row.
            least = begin + 1 - index
        return False, least


class ObjectRowReader(ObjectRows):
    """Implements ``RowReader``."""

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``. The allowance of searches is reset."""
        super().begin(root)
        self.search = ObjectSearch(self)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, filtered: bool = False
    ) -> FillResult:
        """Implement ``RowReader.fill``."""
        if self.format.delimiter:
            return fill_frames(self, window, capacity, stop, at_start)
        self.begin_states(window.base + window.begin)
        filled = fill_rows(self, window, capacity, stop)
        self.keep_states(filled, window.base)
        return filled

    def bytes_needed(self, data: bytes, base: int) -> int | None:
        """Return the minimum number of bytes of a row that begins with ``data``; ``None`` if it is unknown before more
        than ``max_computed`` items are read. ``base``: the offset of the row in the input."""
        stream = MemoryStream(data, base)
        stream.counter = ItemCounter()
        try:
            self.parse(stream, verify=False)
        except IncompleteError as error:
            if isinstance(error.__cause__, EndOfStreamError):
                return stream.pos() - base + error.__cause__.bytes_needed
        except LostError:
            return None
        return None

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``."""
        return self.search.resync(window, begin, proven)
