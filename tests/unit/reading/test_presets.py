"""Rows that need what is before them: integers of objects, and what instances of the outermost type compute."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: made
  -wireloom: {rows: rows, columns: [value, unit, size], parent-columns: [version]}
seq:
  - {id: head, type: head}
  - {id: rows, type: row, repeat: eos}
instances:
  unit: {value: 'head.name == "ms" ? 1000 : 1000 / head.inner.divisor'}
  version: {value: head.inner.version}
types:
  head:
    seq:
      - {id: name, type: str, size: 2, encoding: ASCII}
      - {id: inner, type: inner}
  inner:
    seq: [{id: divisor, type: u1}, {id: version, type: u1}]
  row:
    seq: [{id: raw, size: _root.head.inner.version}]
    instances:
      value: {value: raw.size * _root.unit}
      unit: {value: _root.unit}
      size: {value: _root.head.inner.version + 1}
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_is_before_the_rows(row_reader: str) -> None:
    format = format_of(SPEC)
    assert format.program is not None
    for head, unit in ((b"ms\0\2", 1000), (b"s \4\2", 250)):
        table, report = read(row_reader, format, head + b"abcd", batch_rows=1)
        row = {"value": 2 * unit, "unit": unit, "size": 3, "version": 2}
        assert table.to_pylist() == [row, row]
        assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_cannot_be_computed_is_the_same_for_both_readers(row_reader: str, tmp_path: Path) -> None:
    path = tmp_path / "made.ksy"
    path.write_text(SPEC)
    files = []
    for name, content in {"a": b"s \0\2abcd", "b": b"s \1\2ab"}.items():
        (tmp_path / name).write_bytes(content)
        table, report = read(row_reader, path, tmp_path / name)
        files.append((table["unit"].to_pylist(), report["damaged"], report["rows"]))
    assert files == [([], [[4, 2, "value"], [6, 2, "value"]], 0), ([1000], [], 1)]


AHEAD = """
meta:
  id: made
  -wireloom: {rows: rows}
seq:
  - {id: magic, contents: M}
  - {id: rows, type: row, repeat: eos}
instances:
  at: {pos: 2, type: u1}
  kind: {pos: at, type: u1}
types:
  row:
    seq: [{id: len, type: u1}, {id: raw, size: len}, {id: more, type: u1, if: _root.kind == 1}]
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_is_ahead_of_the_rows(row_reader: str) -> None:
    format = format_of(AHEAD)
    assert format.program is not None
    assert "positions" in format.read_only
    for kind, more in ((0, b""), (1, b"!")):
        content = b"M\x0a\x0b" + bytes(8) + bytes([kind]) + more + b"\1x" + more
        for way in ({}, {"streamed": True, "chunk": 1}):
            table, report = read(row_reader, format, content, columns=["raw", "more"], **way)
            rows = [(each["raw"][-1:], each["more"]) for each in table.to_pylist()]
            last = 33 if kind else None
            assert rows == [(bytes([kind]), last), (b"x", last)]
            assert report["tail"] == "clean"
    # Too far away, or missing.
    for content in (b"M\2\xff\0", b"M\2\xff"):
        table, report = read(row_reader, format, content)
        assert (table.num_rows, bool(report["damaged"]) or report["tail"] != "clean") == (0, True)
