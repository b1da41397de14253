"""The errors of writing an object whose values cannot be written, or are not all there."""

from __future__ import annotations

import struct
from typing import NamedTuple

from ..base.errors import WireloomError
from ..format.description import Format
from ..objects import ConsistencyError, KaitaiStructError

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


class Attempt(NamedTuple):
    """The error of an attempt to write some rows in one object. ``size``: how many rows."""

    error: Exception
    size: int


def refusal(first: Attempt, last: Attempt, begin: int, format: Format) -> WireloomError:
    """Return the error for the rows from ``begin`` on: that of the fewest rows, or of all of them where fewer do
    not have a count or size that is given."""
    if isinstance(last.error, RowError):
        return last.error
    error, count = first if isinstance(last.error, ConsistencyError) else last
    what = format.name if not count else f"row {begin}" if count == 1 else f"rows {begin} to {begin + count - 1}"
    reason = error.reason if isinstance(error, WireloomError) else None
    return WireloomError(f"{what} cannot be written: {error}", reason=reason)
