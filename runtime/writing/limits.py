"""Options of writers that are limits."""

from __future__ import annotations

from typing import Any

from ..base.arguments import shown
from ..base.errors import WireloomError
from ..base.limits import LARGEST_RECORD


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
