"""An ingest that is killed, and completed by the next run; ``make kills`` kills as many as wanted."""

import random
from pathlib import Path

import pytest

from .ingests import Subject, run, store


def test_every_record_is_there_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Growing and damaged files, as a stream into a Delta table in an object store."""
    pytest.importorskip("deltalake", reason="the package deltalake is not installed")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with store() as endpoint:
        _, error = run(Subject(tmp_path, "delta", True, endpoint), 1, random.Random(1), longest=3.0)
    assert not error
