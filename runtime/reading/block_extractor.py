"""Inputs that consist of blocks of a fixed size, of which only the last one may be shorter.

The content of a block does not depend on its position, so any number of blocks can be read as a separate input: large
inputs piece by piece, and byte ranges starting at the block in which they begin.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import UnsupportedError
from ..base.limits import LARGEST_RECORD
from ..input.window import MemoryWindow, Window
from ..rows.engine_reader import EngineRowReader
from ..rows.leading_zeros import NOT_ZERO
from ..rows.numbers import constant
from ..rows.reader import Filled, RowDamage, RowReader, Status
from .damage_details import DamageDetails
from .damage_log import Detail
from .end_of_file import end_of_written, first_of_zeros, row_cut_off, skip_to_content, unwritten
from .events import DamagedRange, Rows
from .extraction import Ended, Extraction, Extractor, Lost, Next, ScannedInput
from .log_numbers import HEADER, MOST_SEARCHED, Kept, LogNumbers, NumberInHeader, RangesAfterLog, in_order
from .pieces_ahead import PieceFill, PiecesAhead
from .recovery import CONTENT
from .row_extractor import chosen_rows

if TYPE_CHECKING:
    from .opening import Opened

PIECE = 8 * 1024 * 1024
"""Maximum size in bytes of the blocks that are read at once, as far as they are available; a larger block is read
alone."""


class BlockWindow(MemoryWindow):
    """Whole blocks of an input as a separate input; ``offset``: their position in the input."""

    def __init__(self, content: memoryview, offset: int) -> None:
        super().__init__(content)
        self.offset = offset

    @property
    def is_done(self) -> bool:
        """Return whether all of it has been read."""
        return self.begin == len(self.view)

    def in_input(self, filled: Filled) -> Filled:
        """Return a fill with its offsets converted to those of the whole input."""
        offset = self.offset
        if not offset:
            return filled
        # Imported here: an input of a single piece needs no arithmetic.
        import pyarrow.compute as pc

        return replace(
            filled,
            offsets=None if filled.offsets is None else pc.add(filled.offsets, constant(offset, pa.uint64())),
            damages=[each._replace(begin=each.begin + offset, end=each.end + offset) for each in filled.damages],
            position=filled.position + offset,
        )


class BlockExtractor(DamageDetails, Extractor):
    """Implements ``Extractor``."""

    def __init__(self, scanned: ScannedInput) -> None:
        super().__init__(scanned)
        self._scanned = scanned
        self._block = scanned.request.format.block
        self._begin, self._stop = 0, -1
        self._written: int | None = None
        """The offset after the last byte that is not zero, of an input that grows."""
        self._zeros_at: int | None = None
        """The offset of zeros that may be the unwritten end of a preallocated input."""
        self._row_reader: RowReader
        self._piece: PieceFill[BlockWindow] | None = None
        self._ahead: PiecesAhead[BlockWindow] | None = None
        self._logs: LogNumbers | None = None
        self._header: NumberInHeader | None = None
        self._after_log = RangesAfterLog()
        self._searched = 0
        """The number of places at which a fragment has been searched for in damaged ranges."""

    def begin(self, opened: Opened) -> Extraction:
        """Implement ``Extractor.begin``."""
        yield from ()
        request = self._request
        self._readers.begin(None)
        settings = self.settings(
            wanted=request.read_columns,
            offsets=request.reads_offsets or request.byte_range is not None or request.mode == "failfast",
            null_rows=request.null_fill_rows,
            # The limit applies to a record, of which a block contains a part.
            max_record=LARGEST_RECORD,
            predicates=request.pushed.predicates,
        )
        self._row_reader = self._readers.rows(settings)
        joiner = self._scanned.joiner
        if joiner is not None and joiner.logs is not None:
            self._logs = LogNumbers(joiner.logs.column)
        if request.byte_range is not None:
            self._narrow(opened, *request.byte_range)
        if request.grows:
            self._written = end_of_written(opened)
        threads = settings.ahead and isinstance(self._row_reader, EngineRowReader)
        make = partial(self._readers.other, settings) if threads else None
        self._ahead = PiecesAhead(self._row_reader, make, self._fill)
        return Next.CALL

    def take(self, window: Window) -> Extraction:
        """Implement ``Extractor.take``."""
        if self._zeros_at is not None:
            begin, self._zeros_at = self._zeros_at, None
            return (yield from self._pass_zeros(window, begin))
        if self._piece is None or self._piece.window.is_done:
            self._piece = self._next(window)
        if self._piece is None:
            end = window.base + window.begin
            return self._unwritten_log() or Ended(end, is_read=True)
        piece = self._piece.window
        before = piece.begin
        filled = self._piece.take() or self._fill(self._piece.row_reader, piece)
        piece.begin = filled.consumed
        filled = piece.in_input(filled)
        zeros = None if self._request.format.preallocated is None else self._zeros_from(filled, window)
        self._learn_log(filled, piece)
        unfinished = self._unfinished(filled, piece)
        if unfinished is None:
            unfinished = self._zeros_at = zeros
        if unfinished is None:
            unfinished = self._cut_off(filled, window, self._stop)
            if unfinished is not None and self._is_complete(piece, unfinished):
                unfinished = None
        window.begin = piece.offset + piece.begin - window.base
        self._scanned.count(window)
        if unfinished is not None:
            filled = replace(filled, damages=[each for each in filled.damages if each.begin < unfinished])
        earlier, filled = self._of_log(filled, piece, piece.offset + before)
        yield from self._damaged(earlier)
        event = self._rows(filled, piece, before, unfinished)
        if event.rows or event.damages or event.chosen:
            yield event
        if self._zeros_at is not None:
            assert self._ahead is not None
            self._ahead.clear()
            piece.begin, window.begin = len(piece.view), self._zeros_at - window.base
            return Next.CALL
        if unfinished is not None:
            if self._header is not None and self._header.is_at(piece.view, unfinished - piece.offset):
                yield from self._damaged(self._after_log.take())
            self.close()
            return self._unwritten_log() or Lost(unfinished, "truncated", "truncated", is_read=True)
        if filled.status in (Status.TRUNCATED, Status.LOST):
            yield from self._skip_block(filled, piece)
            window.begin = piece.offset + piece.begin - window.base
        if 0 <= self._stop <= window.base + window.begin:
            is_read = window.begin == len(window.view) and not window.extend()
            if not is_read:
                # The next byte range begins with a record of the log.
                yield from self._damaged(self._after_log.take())
            return Ended(window.base + window.begin, is_read=is_read)
        return Next.CALL

    # Pieces ----------------------------------------------------------------------------------------------------------

    def _next(self, window: Window) -> PieceFill[BlockWindow] | None:
        """Return the next piece; ``None`` at the end of the input."""
        assert self._ahead is not None
        return self._ahead.next(self._piece, self._following(window, self._ahead.last))

    def _following(self, window: Window, last: BlockWindow | None) -> Iterator[BlockWindow]:
        """Yield the pieces after ``last``, as far as the window has them. It is extended if there is no last one."""
        if last is None:
            self._extend(window)
            begin = window.begin
        else:
            begin = last.offset + len(last.view) - window.base
        while len((piece := self._piece_at(window, begin, PIECE)).view):
            yield piece
            begin += len(piece.view)

    def _extend(self, window: Window) -> None:
        """Extend the window until it has a block to read, if the input has."""
        while len(window.view) - window.begin < self._block and window.extend():
            pass

    def _piece_at(self, window: Window, begin: int, size: int) -> BlockWindow:
        """Return the available blocks from an index on, of about ``size`` bytes at most; empty if there are none."""
        most = max(size - size % self._block, self._block)
        if self._stop >= 0:
            left = max(self._stop - window.base - begin, 0)
            most = min(most, left + -left % self._block)
        found = min(len(window.view) - begin, most)
        if not window.at_end or found == most:
            found -= found % self._block
        return BlockWindow(window.view[begin : begin + max(found, 0)], window.base + begin)

    def close(self) -> None:
        """Implement ``Extractor.close``."""
        self._piece = None
        if self._ahead is not None:
            self._ahead.clear()

    def _fill(self, row_reader: RowReader, piece: BlockWindow) -> Filled:
        """Return the next rows of a piece."""
        request = self._request
        fill = partial(row_reader.fill, piece, capacity=request.batch_rows)
        chooses = bool(request.pushed.predicates) and request.byte_range is None and not request.grows
        return chosen_rows(fill, chooses=chooses)

    def _skip_block(self, filled: Filled, piece: BlockWindow) -> Iterator[DamagedRange]:
        """Continue after the block in which rows were lost."""
        place = filled.position - piece.offset
        piece.begin = min(place - place % self._block + self._block, len(piece.view))
        content = bytes(piece.view[place : piece.begin][:CONTENT])
        # Zeros that reach to the end of what is in memory are the same.
        is_unwritten = self._request.format.preallocated is not None and not NOT_ZERO.search(content)
        reason = "zeros" if is_unwritten else filled.reason
        damage = RowDamage(filled.position, piece.offset + piece.begin, -1, reason)
        yield from self._damaged(self._between(damage, content, piece))

    def _zeros_from(self, filled: Filled, window: Window) -> int | None:
        """Return the offset in the byte range from which on the window has only zeros, and a fill no rows; ``None`` if
        there is none."""
        begin = first_of_zeros(filled, window)
        if begin is None or 0 <= self._stop <= begin:
            return None
        return max(begin, self._begin)

    def _pass_zeros(self, window: Window, begin: int) -> Extraction:
        """Continue at the block with the next content after zeros, or end where they begin if there is none."""
        has_more = skip_to_content(window, self._block)
        if not has_more and window.error is None:
            is_read = not 0 <= self._stop < window.base + len(window.view)
            ended = unwritten(begin, self._report, grows=self._request.grows, is_read=is_read)
            return self._unwritten_log() or ended
        end = window.base + window.begin
        if 0 <= self._stop < end:
            end = self._stop
        damage, content = RowDamage(begin, end, -1, "zeros"), bytes(min(end - begin, CONTENT))
        yield from self._damaged(self._between(damage, content, None))
        self._zeros.continue_at(end)
        if end < self._stop or self._stop < 0:
            return Next.CALL
        yield from self._damaged(self._after_log.take())
        return Ended(end, is_read=False)

    def _unfinished(self, filled: Filled, piece: BlockWindow) -> int | None:
        """Return the offset, in an input that grows, of a row that has not been written completely; ``None`` if there
        is none."""
        written = self._written
        if written is None:
            return None
        begins = (each.begin for each in filled.damages if each.end >= written)
        return next((each for each in begins if not self._is_complete(piece, each)), None)

    def _cut_off(self, filled: Filled, window: Window, stop: int) -> int | None:
        """Return the offset, before ``stop`` (-1: no limit), of a row that is cut off; ``None`` if there is none."""
        begin = row_cut_off(
            filled, window, self._block, lambda: self._readers.rows(self.settings(max_record=LARGEST_RECORD))
        )
        return None if begin is None or begin < self._begin or 0 <= stop <= begin else begin

    def _rows(self, filled: Filled, piece: BlockWindow, begin: int, unfinished: int | None) -> Rows:
        """Return the event of a fill that began at index ``begin`` of the piece; its damage is recorded."""
        stop = self._stop if unfinished is None else unfinished
        if stop >= 0 or self._begin:
            filled = _within(filled, self._begin, stop)

        def details(damage: RowDamage) -> Detail:
            inside = damage._replace(begin=damage.begin - piece.offset, end=damage.end - piece.offset)
            found = self.of_fill(piece, inside, begin, at_start=True)
            # How many records the fragments before it form is found later.
            return found._replace(record=None) if self._scanned.joiner is not None else found

        made = self.event(filled, piece.view, piece.offset, details)
        if stop >= 0:
            made.end = min(made.end, stop)
        return made

    # Files that are used again ---------------------------------------------------------------------------------------

    def _learn_log(self, filled: Filled, piece: BlockWindow) -> None:
        """Determine the log from the first block of fragments with numbers."""
        logs, joiner = self._logs, self._scanned.joiner
        if logs is None or joiner is None or joiner.logs is None or logs.number is not None or not filled.rows:
            return
        assert filled.offsets is not None
        numbers = filled.arrays[logs.column]
        first = numbers.is_valid().index(True).as_py()
        if first < 0:
            return
        begin = filled.offsets[first].as_py() - piece.offset
        found = self._fragments_at(piece.view, begin - begin % self._block, capacity=self._block)
        assert found.offsets is not None
        logs.advance(found.arrays)
        joiner.logs.number = logs.number
        [(number, place), *_] = [
            (each, place)
            for each, place in zip(found.arrays[logs.column].to_pylist(), found.offsets.to_pylist(), strict=True)
            if each == logs.number
        ]
        begin += place - begin % self._block
        self._header = NumberInHeader(number, numbers.type.bit_width // 8, bytes(piece.view[begin : begin + HEADER]))

    def _fragments_at(self, view: memoryview, begin: int, *, capacity: int) -> Filled:
        """Return the first valid fragments from an index to the end of its block."""
        assert self._logs is not None
        settings = self.settings(wanted=(self._logs.column,), offsets=True, verify=True, max_record=LARGEST_RECORD)
        window = MemoryWindow(view[begin : begin - begin % self._block + self._block])
        return self._readers.rows(settings).fill(window, capacity=capacity)

    def _is_complete(self, piece: BlockWindow, offset: int) -> bool:
        """Return whether a damaged fragment at an offset is none of the log of which the rest is missing: its header
        has another number, or ends before it after what is left of an older log, or fragments of the log follow."""
        begin, header = offset - piece.offset, self._header
        if header is None or header.place < 0:
            return False
        if header.is_at(piece.view, begin):
            return self._has_fragment(piece.view, begin, len(piece.view))
        return len(piece.view) >= begin + header.end or self._after_log.begin is not None

    def _of_log(self, filled: Filled, piece: BlockWindow, first: int) -> tuple[list[Kept], Filled]:
        """Return the damage before a fill that begins at the offset ``first``, which is known by a fragment of the log
        in it; and the fill with the damage among its own fragments, as far as another one of them follows."""
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
        filled = replace(filled, damages=self._zeros.joined(filled.damages, piece.view, piece.offset))
        found: list[Kept] = []
        for each, row in in_order(filled, own):
            if row < 0 or each.reason:
                if each.end < 0:
                    each = each._replace(end=piece.offset + filled.consumed)
                begin = each.begin - piece.offset
                content = bytes(piece.view[begin : each.end - piece.offset][:CONTENT])
                found += self._between(each, content, piece if row < 0 else None)
            elif numbers[row] is not None:
                if number is not None and numbers[row] > number and self._after_log.begin is None:
                    # A range has bytes: the last one of the older log.
                    self._after_log.add(RowDamage(each.begin - 1, each.begin, -1, "fragment"), b"")
                number = numbers[row]
                found += self._after_log.take()
        damages = [damage for damage, _ in found if damage.begin >= first]
        return [each for each in found if each[0].begin < first], replace(filled, damages=damages)

    def _between(self, damage: RowDamage, content: bytes, piece: BlockWindow | None) -> list[Kept]:
        """Return the ranges up to a damaged one that are damage: those after the last fragment of the log are kept.
        ``piece``: that of the range, if fragments of the log may be inside of it."""
        header = self._header
        if header is None:
            return [(damage, content)]
        self._after_log.add(damage, content)
        if piece is None:
            return []
        begin = damage.begin - piece.offset
        if header.is_at(piece.view, begin) or self._has_fragment(piece.view, begin, damage.end - piece.offset):
            return self._after_log.take()
        return []

    def _has_fragment(self, view: memoryview, begin: int, end: int) -> bool:
        """Return whether a fragment of the log begins inside of a damaged range of a block."""
        assert self._header is not None
        assert self._logs is not None
        for place in self._header.places(bytes(view[begin : end + self._header.end])):
            if place > 0 and begin + place < end:
                self._searched += 1
                if self._searched > MOST_SEARCHED:
                    return True
                found = self._fragments_at(view, begin + place, capacity=1)
                own = found.offsets is not None and found.rows and found.offsets[0].as_py() == 0
                if own and found.arrays[self._logs.column][0].as_py() == self._logs.number:
                    return True
        return False

    def _damaged(self, found: list[Kept]) -> Iterator[DamagedRange]:
        for damage, content in found:
            yield DamagedRange(damage, content, shown=self.note(damage, content))

    def _unwritten_log(self) -> Lost | None:
        """Return the end of a log to which more may be added, before what is left of an older one; ``None`` if there is
        nothing left."""
        begin = self._after_log.begin if self._request.grows else None
        return None if begin is None else Lost(begin, "truncated", "truncated", is_read=True)

    # Byte ranges -----------------------------------------------------------------------------------------------------

    def _narrow(self, opened: Opened, begin: int, stop: int) -> None:
        """Begin with the first block of a byte range. A range has the records that begin in it; if
        records are fragmented, it ends at the beginning of the first record after it."""
        path = self._scanned.source.path
        if opened.begin_at is None:
            raise UnsupportedError("is compressed or not seekable: it cannot be read in byte ranges", path=path)
        if self._scanned.joiner is not None:
            self._learn(opened)
        self._begin, self._stop = self._beginning(opened, begin), self._beginning(opened, stop)
        self._log.narrow(self._begin, self._stop)
        self._scanned.start = self._begin
        opened.restart(self._begin - self._begin % self._block)

    def _learn(self, opened: Opened) -> None:
        """Determine what the records of the first block say about all others."""
        assert self._scanned.joiner is not None
        for filled in self._blocks_from(opened, 0):
            if filled.rows:
                self._scanned.joiner.learn(filled.arrays)
                window = opened.window
                at = filled.offsets[0].as_py() if filled.offsets is not None else 0
                begin = at - at % self._block
                block = window.view[begin - window.base : begin - window.base + self._block]
                self._learn_log(filled, BlockWindow(block, begin))
                return

    def _beginning(self, opened: Opened, offset: int) -> int:
        """Return the offset of the first record at or after an offset, or the offset itself if a record ends there; the
        end of the input if there is none. Damage belongs to the range in which it begins."""
        if offset == 0:
            return 0
        joiner = self._scanned.joiner
        is_after_record = False
        for filled in self._blocks_from(opened, offset - 1 - (offset - 1) % self._block):
            starts: list[int] = filled.offsets.to_pylist() if filled.offsets is not None else []
            records, ends = set(starts), set(starts)
            if joiner is not None and filled.rows:
                assert filled.offsets is not None
                records = set(filled.offsets.take(joiner.beginnings(filled.arrays)).to_pylist())
                ends = set(filled.offsets.take(joiner.ends(filled.arrays)).to_pylist())
            places = starts + [each.begin for each in filled.damages]
            if filled.status in (Status.TRUNCATED, Status.LOST):
                places.append(filled.position)
            for place in sorted(places):
                if place >= offset and (place in records or (place == offset and is_after_record)):
                    return place
                is_after_record = place in ends
        return max(offset, opened.window.base + len(opened.window.view))

    def _blocks_from(self, opened: Opened, offset: int) -> Iterator[Filled]:
        """Yield the rows of each block from an offset on, until there are none."""
        window = opened.restart(offset)
        if window.base + window.begin < offset:
            return
        while True:
            skip_to_content(window, self._block)
            self._extend(window)
            piece = self._piece_at(window, window.begin, self._block)
            if not len(piece.view):
                return
            self._row_reader.begin(None)
            while not piece.is_done:
                filled = self._row_reader.fill(piece, capacity=self._request.batch_rows)
                yield piece.in_input(filled)
                if filled.status in (Status.TRUNCATED, Status.LOST):
                    break
                piece.begin = filled.consumed
            window.begin += len(piece.view)


def _within(filled: Filled, begin: int, stop: int) -> Filled:
    """Return the rows and the damage of a fill that begin in a byte range; ``stop``: -1 for no end."""
    offsets = memoryview(filled.offsets.buffers()[1]).cast("B").cast("Q") if filled.offsets is not None else ()
    first = bisect_left(offsets, begin, 0, filled.rows) if filled.rows else 0
    last = bisect_left(offsets, stop, first, filled.rows) if filled.rows and stop >= 0 else filled.rows
    damages = [
        each._replace(row=each.row if each.row < 0 else each.row - first)
        for each in filled.damages
        if begin <= each.begin and (stop < 0 or each.begin < stop)
    ]
    return replace(
        filled,
        rows=last - first,
        arrays={number: array.slice(first, last - first) for number, array in filled.arrays.items()},
        offsets=None if filled.offsets is None else filled.offsets.slice(first, last - first),
        damages=damages,
    )
