"""etcd's write-ahead logs: messages in frames, several tables, a preallocated file with a torn end."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom

from .driver import read

VECTORS = Path(__file__).parents[1] / "vectors/etcd_wal"


@pytest.mark.parametrize("table", ["entries", "records", "states", "snapshots", "metadata"])
def test_tables_are_those_of_wireloom(table: str) -> None:
    path = VECTORS / "every.wal"
    expected = wireloom.read("etcd_wal", path, table=table)
    assert expected.num_rows
    rows = read("etcd_wal", path=path, table=table)
    assert sorted(rows.to_pylist(), key=str) == sorted(expected.to_pylist(), key=str)
