"""Fixtures of the tests of limits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from wireloom.codegen.backends.columns import node_budget, state


@pytest.fixture(scope="module")
def low_limits() -> Iterator[None]:
    """Lower the limits at which the engine's program is given up: work up to them is the same for all numbers of
    levels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_budget, "MAX_NODES", node_budget.MAX_NODES // 10)
        patch.setattr(state, "MOST_STEPS", state.MOST_STEPS // 10)
        yield
