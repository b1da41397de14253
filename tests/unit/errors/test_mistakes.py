"""What is printed for each of the mistakes of the table, word for word."""

from __future__ import annotations

import pytest

from .table import TABLE, mistakes, table


def test_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """``python -m tests.unit.errors.table`` writes the table; its changes are reviewed like code."""
    for name, value in {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert len(mistakes()) >= 50
    assert table() == TABLE.read_text("utf-8")
