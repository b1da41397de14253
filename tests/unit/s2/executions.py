"""Tables are made by the engine and by the objects: their tests run with both."""

import pytest
import wireloom.engine

EXECUTIONS = ("columns", "objects")


@pytest.fixture(params=EXECUTIONS)
def execution(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Select which of the two runs."""
    name: str = request.param
    if name == "objects":
        monkeypatch.setattr(wireloom.engine, "available", False)
    return name
