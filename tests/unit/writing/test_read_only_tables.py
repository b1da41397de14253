"""Tables that are read and not written: what is said, and that nothing is written."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import wireloom
from wireloom import UnsupportedError

INSIDE = """
meta: {id: inside, endian: le, -wireloom: {rows: batches.records}}
seq: [{id: batches, type: batch, repeat: eos}]
types:
  batch: {seq: [{id: n, type: u1}, {id: records, type: record, repeat: expr, repeat-expr: n}]}
  record: {seq: [{id: a, type: u2}]}
"""
CHOSEN = """
meta: {id: chosen, endian: le, -wireloom: {rows: records, columns: [kind, body]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record: {seq: [{id: kind, type: u1}, {id: body, size: 2, type: {switch-on: kind, cases: {1: one}}}]}
  one: {seq: [{id: a, type: u2}]}
"""
LISTS = """
meta: {id: lists, endian: le, -wireloom: {rows: records, columns: [number, values]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record: {seq: [{id: number, type: u2}, {id: n, type: u1}, {id: values, type: u2, repeat: expr, repeat-expr: n}]}
"""


@pytest.mark.parametrize(
    ("spec", "data", "reason"),
    [
        (INSIDE, b"\2\1\0\2\0\1\3\0", r"its rows are inside of other objects \(batches.records\)"),
        (CHOSEN, b"\1\1\0\2\1\0", "a switch chooses the type of body"),
    ],
    ids=["inside", "chosen"],
)
def test_what_cannot_be_written(tmp_path: Path, spec: str, data: bytes, reason: str) -> None:
    path = tmp_path / "some.ksy"
    path.write_text(spec)
    format = wireloom.load_spec(path)
    table = wireloom.read(format, data)
    assert table.num_rows > 1
    with pytest.raises(UnsupportedError, match=reason):
        wireloom.write(format, table, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_lists_are_written(tmp_path: Path) -> None:
    path = tmp_path / "lists.ksy"
    path.write_text(LISTS)
    format = wireloom.load_spec(path)
    data = b"\1\0\2\5\0\6\0" + b"\2\0\0"
    table = wireloom.read(format, data)
    assert table.to_pylist() == [{"number": 1, "values": [5, 6]}, {"number": 2, "values": []}]
    written = io.BytesIO()
    wireloom.write(format, table, written)
    assert written.getvalue() == data
