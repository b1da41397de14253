"""Growing files: determines which files grow, and the offset up to which their rows are complete. Runs on
the driver."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, replace

from ...base.addresses import is_remote
from ...format.description import Format
from ...reading.options import GROWING
from ..options import ReadOptions
from ..read.file_listing import is_uncompressed
from ..read.split_planning import LAST
from .delimiter_search import find_first, find_last, find_nonzero, read_at, start_of_zeros
from .listing import ListedFile
from .options import StreamOptions, can_grow

LEAST_HEAD = 4
"""Minimum number of bytes from which a compressed file can be recognised."""

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


@dataclass(frozen=True)
class Unread:
    """The content of a growing file after the position up to which it was read, without space that is set apart:
    ``rows``, where the last complete row ends, and ``size``, its number of bytes."""

    rows: int
    size: int = 0


class GrowingFiles:
    """The contents of growing files; results are cached while the query runs."""

    def __init__(self, format: Format, options: ReadOptions, stream: StreamOptions, columns: Collection[str]) -> None:
        self._format = format
        self._options = options
        self._columns = columns
        self._tail = stream.tail
        self._raw: dict[tuple[str, int], bool] = {}
        self._seen: dict[str, tuple[tuple[int, int, int, int, int | None], CompleteRows]] = {}
        self._unread: dict[str, tuple[tuple[int, int, int, int, bool], Unread]] = {}

    def grows(self, file: ListedFile) -> bool:
        """Return whether more rows may be appended to the file."""
        if self._tail is False:
            return False
        if self._tail is None and (not self._format.delimiter or is_remote(file.path)):
            return False
        return self.may_grow(file)

    def may_grow(self, file: ListedFile) -> bool:
        """Return whether ``tail=true`` would read rows that are appended to the file."""
        if not can_grow(self._format, self._columns):
            return False
        key = file.path, file.file_id
        found = self._raw.get(key)
        if found is None:
            found = is_uncompressed(self._format, file.input, self._options.scan.codec)
            if file.size >= LEAST_HEAD:
                self._raw[key] = found
        return found

    def complete(self, file: ListedFile, begin: int, most: int | None) -> CompleteRows:
        """Return the offset up to which the rows after ``begin`` are complete: at most ``most`` bytes further, but at
        least one row further if there is a complete one; otherwise ``begin``."""
        known = (file.file_id, file.size, file.modified, begin, most)
        if file.path not in self._seen or self._seen[file.path][0] != known:
            wanted = file.size if most is None else min(file.size, begin + most)
            if self._format.delimiter:
                found = self._delimited(file, begin, wanted)
            else:
                found = self._back_to_back(file, begin, wanted)
            self._seen[file.path] = known, found
        return self._seen[file.path][1]

    def unread(self, file: ListedFile, position: int, *, more: bool) -> Unread:
        """Return what follows the position up to which a file was read. ``more``: complete rows may follow; where they
        end is not determined if there are no delimiters, since that takes reading them."""
        known = (file.file_id, file.size, file.modified, position, more)
        if file.path not in self._unread or self._unread[file.path][0] != known:
            delimiter = self._format.delimiter
            with closing(file.input.open()) as stream:
                begins = bool(delimiter) and read_at(stream, position, position + len(delimiter)) == delimiter
                begin = position + len(delimiter) if begins else position
                end = start_of_zeros(stream, begin, file.size)
            rows = end if more and not delimiter else position
            if delimiter and end > begin:
                rows = self._delimited(file, position, file.size).end
            self._unread[file.path] = known, Unread(rows, end - position if end > begin else 0)
        return self._unread[file.path][1]

    def forget(self, keep: set[str]) -> None:
        """Remove the cached results of all other files."""
        self._raw = {key: found for key, found in self._raw.items() if key[0] in keep}
        self._seen = {path: found for path, found in self._seen.items() if path in keep}
        self._unread = {path: found for path, found in self._unread.items() if path in keep}

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
        """Return the complete rows of a format without delimiters, by reading them."""
        from ...reading.request import request_of
        from ...reading.scanning import Scanner

        options = self._options
        wanted_scan = replace(
            options.scan,
            columns=["_offset", "_error"],
            mode="dropmalformed" if options.scan.mode == "dropmalformed" else "permissive",
            byte_range=(begin, LAST),
            prefetch=False,
            tail=GROWING,
        )
        end = begin
        with Scanner(request_of(self._format, wanted_scan, options.own), [file.input]) as scanner:
            for batch in scanner:
                for place in batch.column("_offset").to_pylist():
                    if place > wanted and end > begin:
                        return CompleteRows(end, more=True)
                    end = max(end, place)
        report = scanner.report.files[0]
        if end > begin and report.tail_offset > wanted:
            return CompleteRows(end, more=True)
        if report.tail in ("clean", "growing"):
            return CompleteRows(max(begin, report.tail_offset))
        # The row at tail_offset is incomplete: either only preallocated space follows, possibly with a part of the
        # length, or, with recover, a later row may be found in data that is still to be appended.
        end = max(begin, report.tail_offset)
        recovers = options.scan.recover or bool(self._format.marker)
        with closing(file.input.open()) as stream:
            header = end + HEADER if end + HEADER < file.size else end
            return CompleteRows(end, last=not recovers and find_nonzero(stream, header, file.size) < file.size)
