"""An interrupt while small files are read together: all of them are closed, and it is raised as an interrupt."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import engine
from wireloom.reading import small_file_loading, small_files
from wireloom.reading.opening import Opened

from ..unit.reading.samples import frames, payloads
from .children import needs_proc
from .interrupting import interrupt, interrupted_everywhere, open_below

together = pytest.mark.skipif(not engine.available, reason="only the engine reads files together")


def three_files(folder: Path) -> Path:
    for number in range(3):
        (folder / f"{number}.wal").write_bytes(frames(payloads(5, seed=number)))
    return folder


@needs_proc
@together
def test_files_that_are_read_together(tmp_path: Path) -> None:
    three_files(tmp_path)

    def check() -> None:
        assert open_below(tmp_path) == []

    functions = [small_file_loading.Loads._load, small_file_loading.Loads.into]
    assert interrupted_everywhere(lambda: wireloom.read("edgemq_segment", tmp_path), functions, check) > 50


@together
def test_before_the_thread_that_loads_them_has_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    three_files(tmp_path)
    monkeypatch.setattr(small_files, "PLAIN_WORTH", 1)
    monkeypatch.setattr(threading.Thread, "start", interrupt)
    with pytest.raises(KeyboardInterrupt):
        wireloom.read("edgemq_segment", tmp_path)


@needs_proc
def test_closing_a_scanner_does_not_swallow_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.wal"
    path.write_bytes(frames(payloads(100)))
    scanner: Any = wireloom.scan("edgemq_segment", path, batch_rows=10)
    next(scanner)
    with monkeypatch.context() as patched:
        patched.setattr(Opened, "close", interrupt)
        with pytest.raises(KeyboardInterrupt):
            scanner.close()
    del scanner
    gc.collect()
    assert open_below(tmp_path) == []
