"""The option ``max_record`` of writers."""

from __future__ import annotations

from typing import Any

from ..base.arguments import shown
from ..base.errors import WireloomError
from ..base.limits import LARGEST_RECORD


def limit_of(value: Any) -> int:
    """A number of bytes, also from text, and not more than a reader takes. Raises ``WireloomError``."""
    try:
        limit = int(value)
        whole = isinstance(value, str) or (limit == value and not isinstance(value, bool))
    except (TypeError, ValueError, OverflowError):
        limit, whole = 0, False
    if limit < 1 or not whole:
        raise WireloomError(f"max_record is a number of bytes, at least 1, not {shown(value)}")
    return min(limit, LARGEST_RECORD)
