"""Files of every format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom

ROWS = 300
LONG_ROWS = 6000


@dataclass(frozen=True)
class Sample:
    """The files of a format: one of them, the folder that contains them all, and the content of that file."""

    format: str
    file: Path
    folder: Path
    table: pa.Table


def rows_of(name: str) -> pa.Table:
    """Return rows of a format, with payloads of 0 … 299 bytes that also contain delimiters."""
    columns = {"payload": pa.array([(b"\xfe\xfd\0" + bytes([n % 256]) * n)[:n] for n in range(ROWS)], pa.binary())}
    if name == "word_stuffed_log":
        columns = {"generation": pa.array(range(ROWS), pa.uint32()), **columns}
    if name == "edgemq_segment":
        columns = {
            "fmt": pa.array([n % 3 for n in range(ROWS)], pa.uint8()),
            "tenant": pa.array([(1 << 32) - 1 - n for n in range(ROWS)], pa.uint32()),
            "ts": pa.array([1_790_000_000_000 + n for n in range(ROWS)], pa.timestamp("ms", "UTC")),
            **columns,
        }
    return pa.table(columns)


NAMES = ("edgemq_segment", "word_stuffed_log", "cobs_log")


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sample]:
    """Return files of every format."""
    found = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        inner = folder / "prod" / "eu-west-1" / "i-7" / "1" / "segments"
        inner.mkdir(parents=True)
        ending = ".wal.zst" if name == "edgemq_segment" else ".log"
        table = rows_of(name)
        for number in range(3):
            wireloom.write(name, table, inner / f"seg-{number:08d}{ending}")
        found[name] = Sample(name, inner / f"seg-00000000{ending}", folder, table)
    return found


@pytest.fixture(scope="session")
def long_segment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an EdgeMQ segment of ``LONG_ROWS`` rows, which form many batches; their ``tenant`` numbers them."""
    path = tmp_path_factory.mktemp("long") / "a.wal"
    rows = range(LONG_ROWS)
    columns = {
        "fmt": [1] * len(rows),
        "tenant": rows,
        "ts_millis": [0] * len(rows),
        "payload": [b"x" * 2500] * len(rows),
    }
    wireloom.write("edgemq_segment", columns, path)
    return path


TAILED = [("cobs_log", {}), ("word_stuffed_log", {}), ("edgemq_segment", {"tail": "true"})]
"""Formats with delimiters, and one without, each with the options with which its files grow."""


@pytest.fixture(params=TAILED, ids=[name for name, _ in TAILED])
def tailed(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """Return a format whose files grow, and its options."""
    found: tuple[str, dict[str, str]] = request.param
    return found
