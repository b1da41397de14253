"""Both decoders of units: the engine's and that of the classes."""

from __future__ import annotations

import pytest
from wireloom import engine


@pytest.fixture(params=["columns", "objects"])
def decoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Select what reads units in the test."""
    name: str = request.param
    if name == "columns" and not engine.available:
        pytest.skip("the engine is not there")
    monkeypatch.setattr(engine, "available", name == "columns")
    return name
