"""The end of a log in blocks, in a file that may have been used for other logs before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from ..base.limits import LARGEST_RECORD
from ..input.window import MemoryWindow
from ..rows.numbers import constant
from ..rows.reader import FillResult, RowDamage
from .events import DamagedRange
from .extraction import Extractor, Lost, ScannedInput
from .log_numbers import MOST_SEARCHED, Kept, LogNumbers, NumberInHeader, RangesAfterLog, in_order
from .row_events import RowEvents
from .row_resync import CONTENT


class BlockWindow(MemoryWindow):
    """Whole blocks of an input as a separate input; ``offset``: their position in the input."""

    def __init__(self, content: memoryview, offset: int) -> None:
        super().__init__(content)
        self.offset = offset

    @property
    def is_done(self) -> bool:
        """Return whether all of it has been read."""
        return self.begin == len(self.view)

    def in_input(self, filled: FillResult) -> FillResult:
        """Return a fill with its offsets converted to those of the whole input."""
        offset = self.offset
        if not offset:
            return filled
        # Imported here: an input of a single extent needs no arithmetic.
        import pyarrow.compute as pc

        return replace(
            filled,
            offsets=None if filled.offsets is None else pc.add(filled.offsets, constant(offset, pa.uint64())),
            damages=[each._replace(begin=each.begin + offset, end=each.end + offset) for each in filled.damages],
            position=filled.position + offset,
        )


class LogExtractor(RowEvents, Extractor):
    """Determines which damage of an input of blocks belongs to its log."""

    def __init__(self, scanned: ScannedInput) -> None:
        super().__init__(scanned)
        self._scanned = scanned
        self._block = scanned.request.format.block
        self._logs: LogNumbers | None = None
        self._header: NumberInHeader | None = None
        self._after_log = RangesAfterLog()
        self._searched = 0
        """The number of indexes at which a fragment has been searched for in damaged ranges."""

    def _learn_log(self, filled: FillResult, extent: BlockWindow) -> None:
        """Determine the log from the first block of fragments with numbers."""
        logs, joiner = self._logs, self._scanned.joiner
        if logs is None or joiner is None or joiner.logs is None or logs.number is not None or not filled.rows:
            return
        assert filled.offsets is not None
        numbers = filled.arrays[logs.column]
        first = numbers.is_valid().index(True).as_py()
        if first < 0:
            return
        begin = filled.offsets[first].as_py() - extent.offset
        found = self._fragments_at(extent.view, begin - begin % self._block, capacity=self._block)
        logs.advance(found.arrays)
        joiner.logs.number = logs.number
        self._know(logs.number)

    def _know(self, number: int | None) -> None:
        """Look for the number of the log in headers from now on."""
        fragments = self._request.format.fragments
        if number is not None and fragments is not None and fragments.log_field is not None:
            self._header = NumberInHeader(number, fragments.log_field)

    def _fragments_at(self, view: memoryview, begin: int, *, capacity: int) -> FillResult:
        """Return the first valid fragments from an index to the end of its block."""
        assert self._logs is not None
        settings = self.settings(projected=(self._logs.column,), offsets=True, verify=True, max_record=LARGEST_RECORD)
        window = MemoryWindow(view[begin : begin - begin % self._block + self._block])
        return self._readers.rows(settings).fill(window, capacity=capacity)

    def _is_complete(self, extent: BlockWindow, offset: int) -> bool:
        """Return whether nothing of the log is missing at a damaged fragment at an offset: its header has the number of
        another log, or is incomplete after the rest of an older log, or a later fragment of the log follows. Otherwise
        it may be a fragment of the log that the end of the input truncates."""
        begin, header = offset - extent.offset, self._header
        if header is None:
            return False
        if header.is_at(extent.view, begin):
            return self._has_fragment(extent.view, begin, len(extent.view))
        return len(extent.view) >= begin + header.end or self._after_log.begin is not None

    def _of_log(self, filled: FillResult, extent: BlockWindow, first: int) -> tuple[list[Kept], FillResult]:
        """Divide the damage at a fill that begins at the offset ``first``. Return the earlier ranges that a fragment of
        the log in the fill confirms as damage; and the fill, with only the damage that a later fragment of the log in
        it confirms."""
        logs, header = self._logs, self._header
        if logs is None or header is None:
            return [], filled
        number, own = logs.number, logs.own(filled.arrays) if filled.rows else None
        if filled.rows:
            logs.advance(filled.arrays)
        is_plain = logs.number == number and (own is None or pc.all(own).as_py())
        if is_plain and not filled.damages and (own is None or self._after_log.begin is None):
            return [], filled
        numbers = filled.arrays[logs.column].to_pylist() if filled.rows else []
        filled = replace(filled, damages=self._zeros.joined(filled.damages, extent.view, extent.offset))
        found: list[Kept] = []
        for each, row in in_order(filled, own):
            if row < 0 or each.reason:
                if each.end < 0:
                    each = each._replace(end=extent.offset + filled.consumed)
                begin = each.begin - extent.offset
                content = bytes(extent.view[begin : each.end - extent.offset][:CONTENT])
                found += self._between(each, content, extent if row < 0 else None)
            elif numbers[row] is not None:
                if number is not None and numbers[row] > number and self._after_log.begin is None:
                    # A range has bytes: the last one of the older log.
                    self._after_log.add(RowDamage(each.begin - 1, each.begin, -1, "fragment"), b"")
                if numbers[row] != number:
                    number = numbers[row]
                    self._know(number)
                found += self._after_log.take()
        damages = [damage for damage, _ in found if damage.begin >= first]
        return [each for each in found if each[0].begin < first], replace(filled, damages=damages)

    def _between(self, damage: RowDamage, content: bytes, extent: BlockWindow | None) -> list[Kept]:
        """Return the ranges up to a damaged one that are damage: those after the last fragment of the log are kept.
        ``extent``: that of the range, if fragments of the log may be inside of it."""
        header = self._header
        if header is None:
            return [(damage, content)]
        self._after_log.add(damage, content)
        if extent is None:
            return []
        begin = damage.begin - extent.offset
        if header.is_at(extent.view, begin) or self._has_fragment(extent.view, begin, damage.end - extent.offset):
            return self._after_log.take()
        return []

    def _has_fragment(self, view: memoryview, begin: int, end: int) -> bool:
        """Return whether a fragment of the log begins inside of a damaged range of a block."""
        assert self._header is not None
        assert self._logs is not None
        for index in self._header.indexes(bytes(view[begin : end + self._header.end])):
            if index > 0 and begin + index < end:
                self._searched += 1
                if self._searched > MOST_SEARCHED:
                    return True
                found = self._fragments_at(view, begin + index, capacity=1)
                own = found.offsets is not None and found.rows and found.offsets[0].as_py() == 0
                if own and found.arrays[self._logs.column][0].as_py() == self._logs.number:
                    return True
        return False

    def _damaged(self, found: list[Kept]) -> Iterator[DamagedRange]:
        for damage, content in found:
            yield DamagedRange(damage, content, null_row=self.note(damage, content))

    def _unwritten_log(self) -> Lost | None:
        """Return the end of a log to which more may be added, before what is left of an older one; ``None`` if there is
        nothing left."""
        begin = self._after_log.begin if self._request.grows else None
        return None if begin is None else Lost(begin, "truncated", "truncated", is_read=True)
