"""Single rows of large sorted logs, without an index: a binary search over the bytes of a log whose rows are delimited.

Reading can begin at any byte of such a log: the reader skips to the next delimiter, and the row after it is the first
one at or after that byte. Each step of the search reads one row and halves the range of bytes, so it reads a few
kilobytes per step, whatever the size of the log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from .. import codecs
from ..base.arguments import check_callable, shown
from ..base.dataclass import dataclass, fields, replace
from ..base.errors import UnsupportedError, WireloomError
from ..base.options import documented
from ..base.text import unknown
from ..format import registry
from ..format.columns import OFFSET
from ..format.description import Format
from ..input import expansion
from ..input.inputs import Input, Location, Stream
from ..input.stored import Stored
from ..rows.selected_columns import Projection
from .batching import batches_of
from .input_scan import InputScan
from .options import ScanOptions
from .request import request_of
from .scan_readers import ScanReaders

BLOCK = 16 * 1024
"""Number of bytes that are read at once when searching for one row."""
LINEAR = 32 * 1024
"""Size in bytes of a range that is read row by row."""
OPTIONS = (
    "columns",
    "verify",
    "max_record",
    "allow_modules",
    "region",
    "endpoint",
    "anonymous",
    "profile",
    "filesystem",
)
"""The options of both functions."""

Key = str | Callable[[dict[str, Any]], Any]
"""The sort key of rows: the name of a column, or a function of a row (a mapping by column)."""


@dataclass(frozen=True)
class FoundRow:
    """A row: its offset in the log, and its values by column name, as Python's own types."""

    offset: int
    values: dict[str, Any]


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    - ``row``: the first row whose key is not less than the value; ``None`` if there is none.
    - ``begin``: the offset from which to read: ``byte_range=(begin, …)`` returns all rows whose keys are not less.
    - ``probes``: the number of offsets at which a row was read.
    - ``bytes_read``: the total number of bytes read from the file or object; ``largest_read``: the maximum for one
      probe. Both are 0 for bytes in memory.
    """

    row: FoundRow | None
    begin: int
    probes: int
    bytes_read: int
    largest_read: int


def first_row(format: str | Path | Format, source: Any, at: int = 0, **options: Any) -> FoundRow | None:
    """Return the first valid row that begins at byte ``at`` or later; ``None`` if there is none.

    ``source``: one log, not compressed, that can be read from any byte.

    {options}

    Raises ``UnknownNameError`` for a name that does not exist, and ``UnsupportedError`` for a format whose rows are not
    delimited, for a log that is compressed and for one that can only be read from its beginning.
    """
    if isinstance(at, bool) or not isinstance(at, int) or at < 0:
        raise WireloomError(f"at must be a byte offset in the log, not {shown(at)}")
    log = Log(format, source, _options("first_row", options, ("at",)))
    found = log.first(at, log.size)
    return None if found is None else log.without_extra(found)


def search(
    format: str | Path | Format, source: Any, value: Any, *, key: Key, disorder: int = 0, **options: Any
) -> SearchResult:
    """Find the first row whose ``key`` is ``value`` or greater, in a log that is sorted by it.

    - ``value``: the key to look for, comparable with the keys of rows.
    - ``key``: the name of a column, or a function of a row (a mapping of ``columns``).
    - ``disorder``: the maximum number of rows by which a row may be away from its sorted place, as in a log with
      several writers. ``begin`` is then early enough that no row with a key from ``value`` on is missed.

    Null keys sort before all others. Damaged rows and holes are skipped.

    {options}

    A search reads at O(log n) offsets, less than 64 KiB at each where valid rows of a few kilobytes are near. Raises as
    ``first_row``.
    """
    if isinstance(disorder, bool) or not isinstance(disorder, int) or disorder < 0:
        raise WireloomError(f"disorder must be a number of rows of at least 0, not {shown(disorder)}")
    if not isinstance(key, str):
        check_callable("key", key, "the name of a column or a function of a row")
    general = _options("search", options, ("value", "key", "disorder"))
    extra = [key] if isinstance(key, str) else []
    if isinstance(key, str):
        usual = _usual(Projection.of(registry.get(format, general.allow_modules), [key]).schema.field(0).type)
        if usual is not None:
            # Raised before anything is opened, even if there is no row to compare with.
            _is_less(usual, value)
    log = Log(format, source, general, extra)
    key_of = (lambda values: values[key]) if isinstance(key, str) else key

    def is_less(row: FoundRow) -> bool:
        found = key_of(row.values)
        if found is None:
            return True
        return _is_less(found, value, path=log.path, offset=row.offset)

    found = _lower_bound(log, is_less)
    begin = log.size if found is None else found.offset
    if disorder:
        # Where the search ends, rows are up to ``disorder`` away from their sorted place on either side.
        begin = _rows_before(log, begin, 2 * disorder)
    row = None if found is None else log.without_extra(found)
    return SearchResult(row, begin, log.probes, log.bytes_read, log.largest_read)


def _options(function: str, given: dict[str, Any], own: Sequence[str]) -> ScanOptions:
    """Return the options of a search. Raises ``UnknownNameError`` for options that the function does not have."""
    for name in given:
        if name not in OPTIONS:
            raise unknown(f"option of {function}", name, [*own, *OPTIONS])
    return ScanOptions(**given)


documented(first_row, ScanOptions, OPTIONS)
documented(search, ScanOptions, OPTIONS)


def _is_less(found: Any, value: Any, *, path: str | None = None, offset: int | None = None) -> bool:
    """Return whether a key is less than the value. Raises ``WireloomError`` if they cannot be compared."""
    try:
        return bool(found < value)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise WireloomError(
            f"value is {shown(value)}, which cannot be compared with a key such as {shown(found)}: {error}",
            path=path,
            offset=offset,
        ) from error


def _usual(kind: pa.DataType) -> Any:
    """Return an example of the values of a type, as Python's own type; ``None`` for types without an order."""
    for value in (b"", "", 0, False):
        try:
            return pa.scalar(value, kind).as_py()
        except (pa.ArrowException, TypeError, ValueError):
            continue
    return None


def _lower_bound(log: Log, is_less: Callable[[FoundRow], bool]) -> FoundRow | None:
    """Return the first row that is not less, given that all rows that are less precede it."""
    low, high = 0, log.size
    found: FoundRow | None = None
    while high - low > LINEAR:
        middle = (low + high) // 2
        row = log.first(middle, high)
        if row is None:
            high = middle
        elif is_less(row):
            low = row.offset + 1
        else:
            high, found = middle, row
    return next((row for row in log.rows(low, high) if not is_less(row)), found)


def _rows_before(log: Log, offset: int, count: int) -> int:
    """Return the offset of the row that is ``count`` rows before ``offset``, or of the first row of the log."""
    distance = LINEAR
    while True:
        begin = max(0, offset - distance)
        offsets = [each.offset for each in log.rows(begin, offset)]
        if len(offsets) >= count:
            return offsets[-count]
        if not begin:
            return offsets[0] if offsets else offset
        distance *= 4


class Log:
    """A log from which single rows are read. ``probes``, ``bytes_read`` and ``largest_read`` as in ``SearchResult``."""

    def __init__(
        self, format: str | Path | Format, source: Any, options: ScanOptions, extra: Sequence[str] = ()
    ) -> None:
        found = registry.get(format, options.allow_modules)
        if not found.splittable or found.has_prologue or found.in_pieces:
            why = "they are joined from fragments" if found.in_pieces else "nothing delimits them"
            raise UnsupportedError(
                f"rows of {found.name} cannot be found from the middle of a file, since {why}: read it with scan"
            )
        self._names = Projection.of(found, options.columns).schema.names
        read = list(dict.fromkeys((*self._names, *extra, OFFSET)))
        checked = request_of(found, replace(options, columns=read, prefetch=False, codec="none"), {})
        self._request = replace(checked, chunk=BLOCK)
        self._readers = ScanReaders(self._request)
        self._counter = _Counter()
        self._input = _CountedInput.of(_log_input(source, options.location, found), self._counter)
        self.path = self._input.path
        self.size = self._input.size or 0
        self.probes = 0
        self.largest_read = 0

    @property
    def bytes_read(self) -> int:
        """Return the number of bytes that were read from a file or object."""
        return self._counter.bytes_read

    def first(self, begin: int, end: int) -> FoundRow | None:
        """Return the first valid row that begins in ``begin`` … ``end``; ``None`` if there is none."""
        return next(self.rows(begin, end, batch_rows=1), None)

    def rows(self, begin: int, end: int, batch_rows: int = 256) -> Iterator[FoundRow]:
        """Yield the valid rows that begin in ``begin`` … ``end``."""
        if begin >= end:
            return
        self.probes += 1
        before = self.bytes_read
        begin = min(self._after_hole(begin), end)
        request = replace(self._request, byte_range=(begin, end), batch_rows=batch_rows)
        scan = InputScan(request, self._input, self._readers)
        batches = batches_of(scan.events(), request, scan.report)
        try:
            for batch in batches:
                self.largest_read = max(self.largest_read, self.bytes_read - before)
                for values in batch.to_pylist():
                    yield FoundRow(values[OFFSET], values)
            if scan.report.error is not None:
                raise WireloomError(scan.report.error, path=self._input.path, reason="missing")
        finally:
            batches.close()
            self.largest_read = max(self.largest_read, self.bytes_read - before)

    def _after_hole(self, begin: int) -> int:
        """Return the offset at which data begins at or after ``begin``, without reading the zeros of a hole. The byte
        before the data is included, since a zero may be a delimiter."""
        if not self._input.sparse:
            return begin
        stored = Stored(self._input.open(), self.size)
        try:
            stored.seek(begin)
            return begin + stored.skip_hole(1)
        finally:
            stored.close()

    def without_extra(self, row: FoundRow) -> FoundRow:
        """Return the row with only the columns that the caller asked for."""
        return FoundRow(row.offset, {name: row.values[name] for name in self._names})


class _Counter:
    """Counts the bytes read by all streams of an input."""

    def __init__(self) -> None:
        self.bytes_read = 0


@dataclass(frozen=True, kw_only=True)
class _CountedInput(Input):
    """An input whose streams count the bytes that are read."""

    inner: Input
    counter: _Counter

    @classmethod
    def of(cls, inner: Input, counter: _Counter) -> _CountedInput:
        """Wrap an input."""
        facts = {each.name: getattr(inner, each.name) for each in fields(Input)}
        return cls(**facts, inner=inner, counter=counter)

    def within(self, begin: int, end: int) -> Input:
        return self

    def open(self) -> Stream:
        return _CountedStream(self.inner.open(), self.counter, self.sparse)


class _CountedStream:
    """A stream that counts the bytes read. Holes of a sparse file return zeros without being read or counted."""

    def __init__(self, inner: Stream, counter: _Counter, sparse: bool) -> None:
        self._inner = inner
        self._counter = counter
        self._sparse = sparse
        self._position = 0
        self.close = inner.close

    def seek(self, offset: int, /) -> int:
        self._position = self._inner.seek(offset)
        return self._position

    def fileno(self) -> int:
        return self._inner.fileno()  # type: ignore[attr-defined,no-any-return]  # sparse inputs are files, which have it

    def readinto(self, buffer: memoryview, /) -> int:
        size = self._in_hole(len(buffer)) if self._sparse else 0
        if size:
            buffer[:size] = bytes(size)
            self.seek(self._position + size)
            return size
        size = self._inner.readinto(buffer)
        self._counter.bytes_read += size
        self._position += size
        return size

    def _in_hole(self, most: int) -> int:
        """Return how many of the next bytes are in a hole that ends before the file does, at most ``most``."""
        if not hasattr(os, "SEEK_DATA"):
            return 0
        try:
            data = os.lseek(self.fileno(), self._position, os.SEEK_DATA)
        except OSError:
            # No data follows, or the file system does not support holes.
            data = self._position
        os.lseek(self.fileno(), self._position, os.SEEK_SET)
        return min(most, data - self._position)


def _log_input(source: Any, location: Location, format: Format) -> Input:
    """Return the single input that ``source`` names. Raises ``UnsupportedError`` if it cannot be read from the
    middle."""
    found = list(expansion.inputs_of(source, location))
    if len(found) != 1:
        raise WireloomError(f"a search needs exactly one log, found {len(found)}: name one of them")
    log = found[0]
    if not log.seekable or log.size is None:
        raise UnsupportedError("the log is not seekable: save it as a file", path=log.path)
    stream = Stored(log.open(), log.size)
    try:
        codec = codecs.detect(stream.peek(codecs.HEAD), log.name, format.codec, format.own_magic)
    finally:
        stream.close()
    if codec != "none":
        raise UnsupportedError(
            f"the log is compressed ({codec}), so it is not seekable: decompress it first",
            path=log.path,
        )
    return log
