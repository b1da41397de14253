"""The output for each of the mistakes of the table, word for word."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wireloom

from . import calls, table


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.slow
def test_what_is_printed() -> None:
    """``python -m tests.unit.errors.table`` writes the table; its changes are reviewed like code."""
    assert len(table.mistakes()) >= 50
    assert table.table() == table.TABLE.read_text("utf-8")


@pytest.mark.slow
def test_what_is_raised() -> None:
    """``python -m tests.unit.errors.calls`` writes the table; its changes are reviewed like code."""
    assert calls.table() == calls.TABLE.read_text("utf-8")


@pytest.mark.slow
def test_an_engine_that_cannot_be_loaded(tmp_path: Path) -> None:
    """The input is read without it, which is reported."""
    folder = tmp_path / "wireloom"
    shutil.copytree(
        Path(wireloom.__file__).parent,
        folder,
        ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.c", "*.h", "__pycache__"),
    )
    (folder / "engine" / "_engine.abi3.so").write_bytes(b"\x7fELF cut off")
    program = "import wireloom.engine; print(wireloom.engine.available)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert "RuntimeWarning: the engine cannot be loaded, and" in done.stderr
    assert "pip install --force-reinstall wireloom" in done.stderr
