"""One new package for all tests of this folder, and its installation."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from wireloom.codegen.starting.package import start

from .installing import install


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a new package ``door_log``."""
    return start("door_log", tmp_path_factory.mktemp("new")).folder


@pytest.fixture(scope="session")
def installed(made: Path, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Return the same, with ``target``: the folder in which it was installed."""
    target = tmp_path_factory.mktemp("target")
    install(made, target)
    return SimpleNamespace(folder=made, target=target)
