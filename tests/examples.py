"""How many examples a test uses: few in ``make quick``, a tenth in ``make test``, all in ``make thorough``."""

from __future__ import annotations

import os

PROFILE = os.environ.get("WIRELOOM_HYPOTHESIS", "suite")
"""``quick``, ``suite``, ``thorough`` or ``fuzz``, whose examples are new in every run."""

QUICK = 10


def examples(count: int) -> int:
    """Return how many of ``count`` examples this run uses; if there are few, all of them."""
    if PROFILE == "quick":
        return min(count, QUICK)
    return max(count // 10, min(count, QUICK)) if PROFILE == "suite" else count


def spread(values: range) -> range:
    """Return ``values``, such as all sizes of an input; in ``make quick`` about ten of them, evenly spread."""
    return values[:: max(1, len(values) // QUICK)] if PROFILE == "quick" else values


def strided(values: range, step: int, begin: int = 0) -> range:
    """Return every ``step``-th of ``values``, from the one with the index ``begin``; in ``make thorough`` all."""
    return values if PROFILE == "thorough" else values[begin::step]
