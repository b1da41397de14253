"""How many examples a property test takes."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int) -> int:
    """``count``, or those of the profile ``quick`` where that is fewer."""
    most: int = settings.get_profile("quick").max_examples
    return min(count, most) if settings.get_current_profile_name() == "quick" else count
