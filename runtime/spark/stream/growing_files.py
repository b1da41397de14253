"""Growing files: determines which files grow, and the offset up to which their rows are complete. Runs on
the driver."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing

from ...base.dataclass import dataclass, replace
from ...format.decoded import DecodedFormat
from ...format.description import Format
from ...input.inputs import Stream
from ...reading.opening import is_uncompressed
from ...reading.options import COMPLETE, GROWING
from ..options import ReadOptions, StreamOptions, can_grow
from ..read.split_planning import LAST
from .file_identity import read_at
from .listing import FileCache, ListedFile

HEADER = 64
"""Maximum number of bytes from the start of a row to the end of its length. If only zeros follow them, the length may
be incomplete."""


@dataclass(frozen=True)
class CompleteRows:
    """Rows are complete up to ``end``; ``last``: the bytes after it can never be read; ``more``: complete rows may
    follow."""

    end: int
    last: bool = False
    more: bool = False


class GrowingFiles:
    """The contents of growing files; results are cached while the query runs."""

    def __init__(self, format: Format, options: ReadOptions, stream: StreamOptions, columns: Collection[str]) -> None:
        self._format = format.wire if isinstance(format, DecodedFormat) else format
        self._options = options
        self._can_grow = can_grow(format, columns)
        self._tail = stream.tail
        self._plain: FileCache[None, bool] = FileCache()
        self._complete: FileCache[tuple[int, int | None], CompleteRows] = FileCache()
        self._unread: FileCache[tuple[int, bool], tuple[int, int]] = FileCache()

    def grows(self, file: ListedFile) -> bool:
        """Return whether more rows may be appended to the file."""
        if self._tail == COMPLETE:
            return False
        return (self._tail == GROWING or bool(self._format.delimiter and file.is_local)) and self.may_grow(file)

    def may_grow(self, file: ListedFile) -> bool:
        """Return whether ``tail=true`` would read rows that are appended to the file."""
        codec = str(self._options.scan.codec)
        return self._can_grow and self._plain.get(file, None, lambda: is_uncompressed(self._format, file.input, codec))

    def complete(self, file: ListedFile, begin: int, most: int | None) -> CompleteRows:
        """Return the offset up to which the rows after ``begin`` are complete: at most ``most`` bytes further, but at
        least one row further if there is a complete one; otherwise ``begin``."""
        wanted = file.size if most is None else min(file.size, begin + most)
        find = self._delimited if self._format.delimiter else self._back_to_back
        return self._complete.get(file, (begin, most), lambda: find(file, begin, wanted))

    def unread(self, file: ListedFile, position: int, *, more: bool) -> tuple[int, int]:
        """Return where the last complete row after a position ends, and the number of bytes after it without space that
        is set apart. ``more``: complete rows may follow; where they end is not determined if there are no delimiters,
        since that takes reading them."""
        return self._unread.get(file, (position, more), lambda: self._rest(file, position, more=more))

    def turn(self) -> None:
        """Remove the cached results that were not needed since the last call."""
        self._plain.turn()
        self._complete.turn()
        self._unread.turn()

    def _rest(self, file: ListedFile, position: int, *, more: bool) -> tuple[int, int]:
        delimiter = self._format.delimiter
        with closing(file.input.open()) as stream:
            begins = bool(delimiter) and read_at(stream, position, position + len(delimiter)) == delimiter
            begin = position + len(delimiter) if begins else position
            end = start_of_zeros(stream, begin, file.size)
        rows = end if more and not delimiter else position
        if delimiter and end > begin:
            rows = self._delimited(file, position, file.size).end
        return rows, end - position if end > begin else 0

    def _delimited(self, file: ListedFile, begin: int, wanted: int) -> CompleteRows:
        """Return the complete rows between delimiters: a row begins at the delimiter before it, and ends where the next
        one begins.

        If delimiters are zeros, they cannot be told from space that a writer has preallocated at the end of a file: the
        last row ends with the first zero, and the next row will overwrite the others.
        """
        delimiter = self._format.delimiter
        zeros = not any(delimiter)
        with closing(file.input.open()) as stream:
            end = find_last(stream, delimiter, begin + 1, min(file.size, wanted + len(delimiter)))
            if end is not None and zeros:
                end = start_of_zeros(stream, begin, end)
            if end in (None, begin) and wanted < file.size:
                start = max(begin + 1, wanted - len(delimiter))
                end = find_first(
                    stream, delimiter, find_nonzero(stream, start, file.size) if zeros else start, file.size
                )
        return CompleteRows(begin if end is None else end, more=wanted < file.size)

    def _back_to_back(self, file: ListedFile, begin: int, wanted: int) -> CompleteRows:
        """Return the complete rows of a format without delimiters, by reading them.

        Damaged rows that reach into the zeros at the end of the file have not been written completely, or not at all.
        """
        from ...reading.request import request_of
        from ...reading.scanning import Scanner

        options = self._options
        wanted_scan = replace(
            options.scan,
            columns=["_offset", "_error"],
            mode="permissive",
            byte_range=(begin, LAST),
            prefetch=False,
            tail=GROWING,
        )
        with closing(file.input.open()) as stream:
            zeros = start_of_zeros(stream, begin, file.size)
        end, damaged, unwritten = begin, False, file.size
        with Scanner(request_of(self._format, wanted_scan, options.own), [file.input]) as scanner:
            for batch in scanner:
                for offset, error in zip(*(batch.column(each).to_pylist() for each in range(2)), strict=True):
                    unwritten = min(unwritten, end) if damaged and offset > zeros else file.size
                    if offset > wanted and end > begin:
                        return CompleteRows(min(end, unwritten), more=True)
                    end, damaged = max(end, offset), error is not None
        report = scanner.report.files[0]
        if damaged and report.tail_offset > zeros:
            return CompleteRows(min(end, unwritten))
        if end > begin and report.tail_offset > wanted:
            return CompleteRows(end, more=True)
        if report.tail in ("clean", "growing"):
            return CompleteRows(max(begin, report.tail_offset))
        # The row at tail_offset is incomplete: either only preallocated space follows, possibly with a part of the
        # length, or, with recover, a later row may be found in data that is still to be appended.
        end = max(begin, report.tail_offset)
        recovers = options.scan.recover or self._format.has_marker
        with closing(file.input.open()) as stream:
            header = end + HEADER if end + HEADER < file.size else end
            return CompleteRows(end, last=not recovers and find_nonzero(stream, header, file.size) < file.size)


BLOCK = 256 * 1024
"""Number of bytes that are searched at a time."""


def find_last(stream: Stream, delimiter: bytes, begin: int, end: int) -> int | None:
    """Return the offset of the last delimiter within ``begin`` … ``end``; ``None`` if there is none."""
    while end - begin >= len(delimiter):
        start = max(begin, end - BLOCK)
        found = read_at(stream, start, end).rfind(delimiter)
        if found >= 0:
            return start + found
        if start == begin:
            break
        end = start + len(delimiter) - 1
    return None


def find_first(stream: Stream, delimiter: bytes, begin: int, end: int) -> int | None:
    """Return the offset of the first delimiter within ``begin`` … ``end``; ``None`` if there is none."""
    while end - begin >= len(delimiter):
        stop = min(end, begin + BLOCK)
        found = read_at(stream, begin, stop).find(delimiter)
        if found >= 0:
            return begin + found
        if stop == end:
            break
        begin = stop - len(delimiter) + 1
    return None


def start_of_zeros(stream: Stream, begin: int, end: int) -> int:
    """Return the start of the run of zeros that ends at ``end``, but not less than ``begin``."""
    while end > begin:
        start = max(begin, end - BLOCK)
        found = len(read_at(stream, start, end).rstrip(b"\0"))
        if found:
            return start + found
        end = start
    return begin


def find_nonzero(stream: Stream, begin: int, end: int) -> int:
    """Return the offset of the first byte that is not zero within ``begin`` … ``end``; ``end`` if there is none."""
    while begin < end:
        found = read_at(stream, begin, min(end, begin + BLOCK))
        rest = len(found.lstrip(b"\0"))
        if rest or not found:
            return begin + len(found) - rest if rest else end
        begin += len(found)
    return end
