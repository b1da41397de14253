"""Rows whose type is declared in an imported spec."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom
from wireloom import Format
from wireloom.codegen.loading import load_format

from ...differential.agreement import agreed, objects_only

OUTER = """
meta:
  id: outer
  endian: le
  imports: inner
  -wireloom: {rows: records.body, columns: [items, note]}
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: len, type: u1}
      - {id: body, type: inner::row, size: len}
"""
INNER = """
meta: {id: inner, endian: le}
types:
  row:
    seq:
      - {id: len_items, type: u1, valid: {expr: _ % 2 == 0}}
      - {id: items, size: len_items}
      - {id: note, type: u1, valid: {max: 9}}
"""
ROWS = [{"items": b"ab", "note": 1}, {"items": b"", "note": 9}]


@pytest.fixture
def format(tmp_path: Path) -> Format:
    (tmp_path / "inner.ksy").write_text(INNER)
    path = tmp_path / "outer.ksy"
    path.write_text(OUTER)
    return load_format(path)


@pytest.mark.parametrize("engine", [True, False])
def test_are_written(format: Format, tmp_path: Path, *, engine: bool) -> None:
    path = tmp_path / "rows"
    if engine:
        wireloom.write(format, ROWS, path)
    else:
        with objects_only():
            wireloom.write(format, ROWS, path)
    assert path.read_bytes() == b"\4\2ab\1" + b"\2\0\11"
    assert wireloom.read(format, path).to_pylist() == ROWS


def test_invalid_lengths_have_one_reason(format: Format) -> None:
    """The one that is the length of another attribute of the imported type is told from any other value."""
    data = b"\4\2ab\1" + b"\5\3abc\1" + b"\4\2ab\12" + b"\2\0\11"
    agreed(format, data)
    report = wireloom.read_with_report(format, data)[1].to_dict()["files"][0]
    assert report["damaged"] == [[5, 6, "length"], [11, 5, "value"]]
