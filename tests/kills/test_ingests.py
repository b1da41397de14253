"""An ingest that is killed, and completed by the next run; ``make kills`` kills any number."""

import random
from pathlib import Path

import pytest

from ..storage_server import Store
from .ingests import Subject, run


@pytest.mark.thorough
@pytest.mark.usefixtures("fork_server")
def test_every_record_is_there_once(store_apart: Store, tmp_path: Path) -> None:
    """Growing and damaged files, as a stream into a Delta table in an object store."""
    pytest.importorskip("deltalake", reason="the package deltalake is not installed")
    _, error = run(Subject(tmp_path, "delta", True, store_apart.endpoint), 1, random.Random(1), longest=3.0)
    assert not error
