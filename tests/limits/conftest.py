"""Fixtures of the tests of limits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from wireloom.codegen.backends.columns import lowering_context, node_budget


@pytest.fixture(scope="module")
def low_limits() -> Iterator[None]:
    """Lower the limits at which the engine's program is given up: work up to them is the same for all numbers of
    levels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_budget, "MAX_NODES", node_budget.MAX_NODES // 10)
        patch.setattr(lowering_context, "MOST_STEPS", lowering_context.MOST_STEPS // 10)
        yield
