"""Options of writers that are limits."""

from __future__ import annotations

from typing import Any

from ..base.arguments import shown
from ..base.errors import WireloomError
from ..base.limits import LARGEST_RECORD
from ..format.description import Format

UNIT_ROWS = 1000
"""Default maximum number of rows of an object that may be followed by another one."""
UNIT_BYTES = 1024 * 1024
"""Approximate maximum number of data bytes of such an object."""


def limit_of(value: Any, name: str = "max_record") -> int:
    """Return the value of a limit, given as a number or text, capped at ``LARGEST_RECORD``, the limit of readers.

    Raises ``WireloomError`` for any other value.
    """
    try:
        limit = int(value)
        whole = isinstance(value, str) or (limit == value and not isinstance(value, bool))
    except (TypeError, ValueError, OverflowError):
        limit, whole = 0, False
    if limit < 1 or not whole:
        of = "" if name == "unit_rows" else " of bytes"
        raise WireloomError(f"{name} must be a number{of} of at least 1, not {shown(value)}")
    return min(limit, LARGEST_RECORD)


def unit_options(format: Format) -> tuple[str, ...]:
    """Return the names of the options for the number of rows per unit; empty if there is no choice."""
    return ("unit_rows", "unit_bytes") if any(each.repeated for each in format.levels[1:]) else ()
