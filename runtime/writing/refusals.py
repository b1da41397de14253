"""Errors for objects whose values cannot be written, or are missing."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa

from ..base.errors import RoutineError, UnsupportedError, WireloomError
from ..format.description import Column, Format
from ..objects import UNSET, ConsistencyError, KaitaiStructError, Struct
from ..objects.errors import NoObjectError, UnsetError
from ..objects.messages.objects import Message
from ..rows.distinct_rows import MOST_ROWS, is_compared, row_digests
from .remaining_rows import RemainingRows, key_of

REFUSALS = (
    KaitaiStructError,
    ConsistencyError,
    WireloomError,
    struct.error,
    ValueError,
    TypeError,
    OverflowError,
    AttributeError,
)
NOT_IN_TABLE = "the condition of the table, 'where', is false for it, so that a reader would not find it"
REPEATED = "the table has each row once ('distinct'), so that a reader would not find it"
UNWRITTEN = (
    "it has a value, but the condition of the attribute is false or no case matches: only null can be written there"
)


class RowError(WireloomError):
    """An error of a single row, which occurs in units of any number of rows."""


class MisplacedError(WireloomError):
    """A given value of a row that differs from the value that would be written.

    ``before``: number of earlier rows in the same object, without which it may be different.
    """

    def __init__(self, row: int, before: int, untrue: str) -> None:
        super().__init__(f"row {row} cannot be written: {untrue}")
        self.before = before


@contextmanager
def row_errors(what: str) -> Iterator[None]:
    """Raise errors of writing as ``RowError``: fewer rows would have the same error. ``what``: what is written."""
    try:
        yield
    except (UnsupportedError, RoutineError):
        raise
    except REFUSALS as error:
        raise RowError(f"{what} cannot be written: {error}") from error


def without_rows(format: Format, error: Exception) -> RowError:
    """Return the error for a file without rows whose beginning cannot be written because of ``error``."""
    sources = ", ".join(each.name for each in format.columns if each.required_for_defaults)
    unset = f"it has a value of {error.name!r}, which is that of the rows" if isinstance(error, UnsetError) else error
    why = f"it begins with values of {sources}; write one row with these and no content" if sources else unset
    return RowError(f"{format.name} cannot be written without a row: {why}")


def rows_before(error: Exception) -> int:
    """Return the number of rows before the one with the error that can be written without it; 0 if unknown."""
    return error.before if isinstance(error, MisplacedError) else 0


def untrue(made: Any, names: Sequence[str]) -> str:
    """Return a message about the first value instance that a reader would compute differently from the given value; ''
    if there is none."""
    for name in names:
        value, found = made._given[name], getattr(made, name)
        if found != value:
            return f"column {name} is {value!r:.40}, and what is written says {found!r:.40}"
    return ""


def may_leave_out(format: Format, column: Column) -> bool:
    """Return whether a value of a column, or one inside it, is written only if a condition is true."""
    inner = {format.class_of(name) for _, name in column.structs}
    annotations = (each for kind in inner if not issubclass(kind, Message) for each in kind.__annotations__.values())
    return column.optional or any("None" in str(each) for each in annotations)


def left_out(value: Any, written: Any) -> str | None:
    """Return the part of a value that has not been written, as a suffix of its name: empty for the whole value,
    ``.name`` or ``[0].name`` for an attribute inside it; ``None`` if nothing is missing.
    """
    if value is None or written is None:
        return None if value is None else ""
    parts: list[tuple[str, Any, Any]] = []
    if isinstance(value, list) and isinstance(written, list):
        parts = [(f"[{number}]", *both) for number, both in enumerate(zip(value, written, strict=False))]
    elif isinstance(value, Struct) and not isinstance(value, Message):
        parts = [(f".{name}", getattr(value, name, None), getattr(written, name, None)) for name in value._fields]
    for part, mine, other in parts:
        if (inner := left_out(mine, other)) is not None:
            return part + inner
    return None


def explained(error: Exception, values: Iterable[tuple[str, Any]]) -> str:
    """Return a description of an error of writing a row: the column that is null, or the error and the row's values.

    ``values``: the values of the row's attributes, by column name.
    """
    row = list(values)
    part = next((found for name, value in row if (found := _missing(name, value, error)) is not None), None)
    if part is not None:
        return f"column {part} is null, but the format has no null: give a value"
    needed = next((name for name, value in row if value is None and str(error) == f"{name} is absent"), None)
    if needed is not None:
        return f"column {needed} is null, but the condition of the attribute is true, or a case matches: give a value"
    return f"{error} ({', '.join(f'{name}={value!r:.40}' for name, value in row)})"


def _missing(name: str, value: Any, error: Exception) -> str | None:
    """Return the path to the null part of a column's value, such as ``headers[1].key``, if it caused an error; else
    ``None``.

    ``value``: the object or list created from the value of the column.
    """
    if isinstance(error, UnsetError) and value is error.obj:
        return f"{name}.{error.name}"
    if isinstance(value, list):
        if isinstance(error, NoObjectError) and None in value:
            return f"{name}[{value.index(None)}]"
        parts = ((f"{name}[{place}]", each) for place, each in enumerate(value))
    elif isinstance(value, Struct):
        # Attributes that were not given have no value at all.
        given = ((each, getattr(value, each, UNSET)) for each in value._fields)
        parts = ((f"{name}.{each}", part) for each, part in given if isinstance(part, list | Struct))
    else:
        return None
    return next((found for part, each in parts if (found := _missing(part, each, error)) is not None), None)


def refuse_repeated(format: Format, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the batches. Raises ``WireloomError`` before one with a row that readers leave out, since it equals one of
    the last rows of a table with distinct rows."""
    if not format.distinct:
        yield from batches
        return
    known: dict[bytes, int] = {}
    first = 0
    for batch in batches:
        compared = [each.name for each in format.columns if is_compared(each) and each.name in batch.schema.names]
        digests = row_digests([batch.column(name) for name in compared]) if compared else ()
        for number, digest in enumerate(digests, first):
            if digest in known:
                raise WireloomError(f"row {number} cannot be written: it equals row {known[digest]}, and {REPEATED}")
            known[digest] = number
            if len(known) > MOST_ROWS:
                del known[next(iter(known))]
        first += batch.num_rows
        yield batch


def refuse_changes(rows: RemainingRows, count: int) -> None:
    """Raise ``RowError`` if two of the first rows, ``count`` of them, look up different values with one key: the rows
    of the other table come before the object with all of them."""
    changed = next((place for place in range(1, count) if rows.changes(place)), None)
    if changed is not None:
        what = f"row {rows.first + changed} cannot be written: it looks up other values than an earlier row with the"
        raise RowError(f"{what} same key, and both belong to one object")


def several(
    format: Format, names: Sequence[Sequence[str]], rows: RemainingRows, place: int, first: Attempt | None = None
) -> WireloomError:
    """Return the error for a row that needs another object than earlier rows, if only one is allowed.

    ``names``: those of the attributes of each level. ``first``: the attempt after which fewer rows were tried, whose
    error says more."""
    if first is not None:
        return RowError(refusal(first, first, 0, format).message)
    row, before = rows.at(place), rows.at(place - 1)
    number = rows.first + place
    assert row is not None
    assert before is not None
    levels = format.levels
    single = next((depth for depth, each in enumerate(levels, 1) if each.repeated), len(levels))
    for attributes, mine, others in zip(names[:single], row.values, before.values, strict=False):
        for name, value, other in zip(attributes, mine, others, strict=True):
            if key_of(value) != key_of(other):
                what = f"row {number}, column {name}: {value!r} after {other!r}"
                return RowError(f"{what}, and a file has one value of it")
    return RowError(f"row {number} has no room in a file of {format.name} that has {place} rows already")


class Attempt(NamedTuple):
    """The error of an attempt to write rows in one object. ``size``: the number of rows."""

    error: Exception
    size: int


def refusal(first: Attempt, last: Attempt, begin: int, format: Format) -> WireloomError:
    """Return the error for the rows from ``begin`` on: that of the fewest rows, or of all rows if fewer rows do not
    match a given count or size.
    """
    if isinstance(last.error, RowError | MisplacedError):
        return last.error
    error, count = first if isinstance(last.error, ConsistencyError) else last
    what = format.name if not count else f"row {begin}" if count == 1 else f"rows {begin} to {begin + count - 1}"
    reason = error.reason if isinstance(error, WireloomError) else None
    return WireloomError(f"{what} cannot be written: {error}", reason=reason)
