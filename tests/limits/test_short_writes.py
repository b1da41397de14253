"""A pipe accepts only a part of a write if a signal arrives: the rest follows."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom
from wireloom.writing import opened

from ..writing import bytes_of

ROWS = pa.table({"payload": pa.array([bytes([number % 251]) * 4000 for number in range(1500)], pa.binary())})


def write_rows(target: Path, content: bytes) -> None:
    wireloom.write("cobs_log", ROWS, target)


def write_at_once(target: Path, content: bytes) -> None:
    with opened(target) as file:
        assert file.write(content) == len(content)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers that send signals")
@pytest.mark.parametrize("write", [write_rows, write_at_once])
def test_all_is_written(write: Callable[[Path, bytes], None], tmp_path: Path) -> None:
    data = bytes_of("cobs_log", ROWS)
    path, found = tmp_path / "pipe", bytearray()
    os.mkfifo(path)

    def read() -> None:
        with path.open("rb", buffering=0) as pipe:
            while piece := pipe.read(1 << 16):
                found.extend(piece)
                time.sleep(0.002)

    reader = threading.Thread(target=read)
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    reader.start()
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        write(path, data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        reader.join()
    assert found == data
