"""Structs and lists of a table are written."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom
from wireloom import WireloomError

from ...writing import bytes_of
from ..specs import format_of

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


def test_what_is_chosen_by_a_switch_is_written(tmp_path: Path) -> None:
    path = tmp_path / "chosen.ksy"
    path.write_text(CHOSEN)
    data = b"\1\1\0\2\1\0"
    table = wireloom.read(path, data)
    assert table["body"].to_pylist() == [{"one": {"a": 1}, "raw": None}, {"one": None, "raw": b"\1\0"}]
    assert bytes_of(path, table) == data
    both = [{"kind": 1, "body": {"one": {"a": 1}, "raw": b"\1\0"}}]
    with pytest.raises(WireloomError, match=r"row 0, column body: .* more than one is present: one, raw"):
        wireloom.write(path, both, tmp_path / "out")
    with pytest.raises(WireloomError, match="field of column body"):
        wireloom.write(path, [{"kind": 1, "body": {"two": {"a": 1}}}], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_lists_are_written() -> None:
    format = format_of(LISTS)
    data = b"\1\0\2\5\0\6\0" + b"\2\0\0"
    table = wireloom.read(format, data)
    assert table.to_pylist() == [{"number": 1, "values": [5, 6]}, {"number": 2, "values": []}]
    assert bytes_of(format, table) == data
