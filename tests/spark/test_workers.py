"""What Spark's Python processes do once."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from wireloom.spark.read.reader import keep_imported


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    keep_imported.cache_clear()
    yield
    gc.unfreeze()
    keep_imported.cache_clear()


def test_what_was_imported_is_no_garbage_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REUSE_WORKER", "1")
    # The suite freezes what exists before its tests.
    gc.unfreeze()
    keep_imported()
    kept = gc.get_freeze_count()
    assert kept > 10_000
    keep_imported()
    assert gc.get_freeze_count() <= kept


def test_elsewhere_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_REUSE_WORKER", raising=False)
    before = gc.get_freeze_count()
    keep_imported()
    assert gc.get_freeze_count() == before
