"""Property tests take the same examples at every run of the suite; ``make fuzz`` is what looks for new ones."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from .storage_server import Store, running

settings.register_profile("suite", derandomize=True, database=None, deadline=None, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("WIRELOOM_HYPOTHESIS", "suite"))


@pytest.fixture(scope="session")
def object_store() -> Iterator[Store]:
    """An S3 server on this machine."""
    with running() as store:
        yield store
