"""Indexes in inputs: with a filter, the parts of an input that have no rows for it are not read.

The class that writes the index of a file, the *indexer* of its format, also reads it: its function ``unread`` gets a
``StoredBytes`` and a ``Conditions``, and returns an ``Unread``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..format.columns import OFFSET
from ..format.routines import load
from ..input.gaps import Gap
from ..rows.predicates import Keys
from .pushed_filter import part_on, pushed

if TYPE_CHECKING:
    from ..format.description import Format
    from ..input.inputs import Input
    from ..input.stored import Stored
    from .request import ScanRequest


@dataclass(frozen=True)
class Unread:
    """The parts of an input that have no rows for a filter: ``gaps``, between two units, ascending and without overlap.
    ``known``: units with the rows of other tables that rows look up, in place of those in the gaps."""

    gaps: Sequence[Gap]
    known: bytes = b""


class StoredBytes:
    """The bytes of an input with ``size`` bytes, which are not compressed."""

    def __init__(self, stored: Stored, size: int) -> None:
        self._stored = stored
        self.size = size

    def read(self, begin: int, end: int) -> bytes:
        """Return the bytes of a range; fewer if they cannot be read."""
        self._stored.seek(begin)
        return self._stored.peek(end - begin)


class Conditions:
    """The conditions of a filter of a table's rows. ``filter``: an expression of pyarrow."""

    def __init__(self, format: Format, filter: Any) -> None:
        self._format, self._filter = format, filter
        self._predicates = {format.columns[each.column].name: each for each in pushed(format, filter).predicates}

    def may_hold(self, column: str, least: int, most: int) -> bool:
        """Return whether the filter may be true for a row in which the number of a column lies in a range; for a column
        of times, the number that is stored."""
        predicate = self._predicates.get(column)
        if predicate is None or predicate.nulls or predicate.keys is Keys.FLOAT or least > most:
            return True
        zero = 1 << 63 if predicate.keys is Keys.SIGNED else 0
        # A time out of the range of its type is null.
        return most >= 1 << 63 or any(first <= most + zero and least + zero <= last for first, last in predicate.ranges)

    def matching(self, columns: Mapping[str, Iterable[Any]]) -> set[int]:
        """Return the numbers of the rows, of which these columns are known, for which the filter may be true."""
        fields = {name: self._format.schema.field(name).type for name in columns}
        values = [pa.array(each, fields[name]) for name, each in columns.items()]
        count = len(values[0])
        part = part_on(self._filter, fields)
        if part is None:
            return set(range(count))
        rows = pa.table([*values, pa.array(range(count))], [*fields, OFFSET])
        return set(rows.filter(part)[OFFSET].to_pylist())


Function = Callable[["Format", StoredBytes, Conditions], "Unread | None"]


def reader_of(format: Format) -> Function | None:
    """Return the function that reads the index of the format's files, ``None`` if there is none."""
    place = format.levels[0].indexer if format.levels else ""
    try:
        return getattr(load(place), "unread", None) if place else None
    except WireloomError:
        # Only writers need the class.
        return None


def may_apply(request: ScanRequest) -> bool:
    """Return whether parts of inputs may be left out: there is a filter, and no option needs all of the input."""
    return (
        request.indexed_filter is not None
        and request.mode != "failfast"
        and not (request.grows or request.verify_sha256)
        and request.byte_range is None
        and request.resume is None
        and reader_of(request.format) is not None
    )


def unread(request: ScanRequest, source: Input, stored: Stored) -> Unread | None:
    """Return what need not be read of an input that is not compressed; ``None``: all of it is read. Seeks back to the
    first byte."""
    if source.size is None or not source.seekable or not may_apply(request):
        return None
    function = reader_of(request.format)
    assert function is not None
    conditions = Conditions(request.format, request.indexed_filter)
    try:
        found = function(request.format, StoredBytes(stored, source.size), conditions)
    except WireloomError:
        # Whoever reads the input reports the error, if it is still there.
        found = None
    stored.seek(0)
    return found if found is not None and found.gaps else None
