"""Rows inside records in pieces: tables of the logs of Prometheus and LevelDB, and maps that are looked up."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom

from ..vectors.peers import plain
from .driver import read

VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.mark.parametrize(
    ("format", "file", "table"),
    [
        ("prometheus_wal", "snappy", "samples"),
        ("prometheus_wal", "large", "series"),
        ("prometheus_wal", "none", "histograms"),
        ("prometheus_wal", "zstd", "records"),
        ("leveldb_log", "kinds.log", "changes"),
        ("leveldb_log", "compressed.log", "changes"),
        ("leveldb_log", "rocks.log", "records"),
    ],
)
def test_tables(format: str, file: str, table: str) -> None:
    path = VECTORS / format / file
    expected = wireloom.read(format, path, table=table, mode="failfast")
    found = read(format, path=path, table=table)
    assert found.num_rows == expected.num_rows > 0
    assert plain(found.to_pylist()) == plain(expected.to_pylist())


def test_labels_that_are_looked_up() -> None:
    path = VECTORS / "prometheus_wal" / "none"
    rows = read("prometheus_wal", "ref LONG", path=path).to_pylist()
    labels = read("prometheus_wal", path=path, columns="ref,labels").to_pylist()
    assert [each["ref"] for each in labels] == [each["ref"] for each in rows]
    assert dict(labels[0]["labels"])["job"] == "ü"
