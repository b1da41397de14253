"""The errors of writing an object whose values cannot be written, or are not all there."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..base.errors import WireloomError
from ..format.description import Column, Format
from ..objects import UNSET, ConsistencyError, KaitaiStructError, Struct
from ..objects.errors import NoObjectError, UnsetError
from ..objects.messages.objects import Message

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
UNWRITTEN = (
    "it has a value, but the condition of the attribute is false or no case matches: only null can be written there"
)


class RowError(WireloomError):
    """An error of one row, which fewer rows in a unit do not avoid."""


class MisplacedError(WireloomError):
    """A value that a row is given does not come of what is written. ``before``: how many rows are in the same object
    in front of it, without which it may be another."""

    def __init__(self, row: int, before: int, untrue: str) -> None:
        super().__init__(f"row {row} cannot be written: {untrue}")
        self.before = before


def rows_before(error: Exception) -> int:
    """Return how many rows in front of the one that an error is about could be written without it; 0 if that is not
    known."""
    return error.before if isinstance(error, MisplacedError) else 0


def untrue(made: Any, names: Sequence[str]) -> str:
    """Return what a reader would find in the place of a value that an object was given for one of these value
    instances; empty if all are as given."""
    for name in names:
        value, found = made._given[name], getattr(made, name)
        if found != value:
            return f"column {name} is {value!r:.40}, and what is written says {found!r:.40}"
    return ""


def may_leave_out(format: Format, column: Column) -> bool:
    """Return whether a value of a column, or one inside of it, is only written if a condition holds."""
    inner = {format.class_of(name) for _, name in column.structs}
    annotations = (each for kind in inner if not issubclass(kind, Message) for each in kind.__annotations__.values())
    return column.optional or any("None" in str(each) for each in annotations)


def left_out(value: Any, written: Any) -> str | None:
    """Return which part of a value is not in what was written, as what follows the name of the value: empty for all of
    it, ``.name`` or ``[0].name`` for an attribute inside; ``None`` if all is there."""
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
    """Return what an error of writing a row is about: the column that is null, or the error and the row's values.
    ``values``: what the row's attributes hold, by the names of their columns."""
    row = list(values)
    part = next((found for name, value in row if (found := _missing(name, value, error)) is not None), None)
    if part is not None:
        return f"column {part} is null, and the format has no null: give a value"
    return f"{error} ({', '.join(f'{name}={value!r:.40}' for name, value in row)})"


def _missing(name: str, value: Any, error: Exception) -> str | None:
    """Return the path to the part of a column's value that is null, if that is what an error of writing is about, such
    as ``headers[1].key``. ``value``: the object or list that was made of the column's value."""
    if isinstance(error, UnsetError) and value is error.obj:
        return f"{name}.{error.name}"
    if isinstance(value, list):
        if isinstance(error, NoObjectError) and None in value:
            return f"{name}[{value.index(None)}]"
        parts = ((f"{name}[{place}]", each) for place, each in enumerate(value))
    elif isinstance(value, Struct):
        # What was not given has no value at all.
        given = ((each, getattr(value, each, UNSET)) for each in value._fields)
        parts = ((f"{name}.{each}", part) for each, part in given if isinstance(part, list | Struct))
    else:
        return None
    return next((found for part, each in parts if (found := _missing(part, each, error)) is not None), None)


class Attempt(NamedTuple):
    """The error of an attempt to write some rows in one object. ``size``: how many rows."""

    error: Exception
    size: int


def refusal(first: Attempt, last: Attempt, begin: int, format: Format) -> WireloomError:
    """Return the error for the rows from ``begin`` on: that of the fewest rows, or of all of them where fewer do
    not have a count or size that is given."""
    if isinstance(last.error, RowError | MisplacedError):
        return last.error
    error, count = first if isinstance(last.error, ConsistencyError) else last
    what = format.name if not count else f"row {begin}" if count == 1 else f"rows {begin} to {begin + count - 1}"
    reason = error.reason if isinstance(error, WireloomError) else None
    return WireloomError(f"{what} cannot be written: {error}", reason=reason)
