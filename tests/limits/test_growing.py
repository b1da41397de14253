"""A truncated row in a growing input: the claimed size is not allocated, whatever the reader."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .children import MEGABYTE, READ, measured, needs_proc

pytestmark = needs_proc
HEAD = """meta: {id: growing, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
"""
ITEMS = """  row: {seq: [{id: n, type: u4}, {id: items, type: item, repeat: expr, repeat-expr: n}]}
  item: {seq: [{id: k, type: u1}, {id: v, type: str, size: k, encoding: UTF-8}]}
"""
SIZED = """  row: {seq: [{id: n, type: u4}, {id: s, size: n, type: body}]}
  body: {seq: [{id: k, type: strz, encoding: UTF-8, repeat: eos}]}
"""


@pytest.mark.parametrize("engine", ["", "objects"])
@pytest.mark.parametrize(
    ("types", "content", "rows", "tail"),
    [
        (ITEMS, b"\x01\0\0\0\0\xff\xff\xff", "1", "growing"),
        (ITEMS, b"\x01\0\0\0\0\xff\xff\xff\xff" + b"\x01a" * 30_000, "1", "growing"),
        (SIZED, b"\x01\0\0\0\0\0\0\0\x02", "1", "growing"),
        (SIZED, b"\x01\0\0\0\0\0\0\0\x05", "1", "limit"),
    ],
)
def test_what_a_row_claims_is_not_made(
    engine: str, types: str, content: bytes, rows: str, tail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "growing.ksy").write_text(HEAD + types)
    (tmp_path / "log").write_bytes(content)
    if engine:
        monkeypatch.setitem(os.environ, "WIRELOOM_ENGINE", engine)
    words, peak = measured(READ, tmp_path / "growing.ksy", tmp_path / "log", "tail=growing")
    assert (words[0], words[2]) == (rows, tail)
    assert peak < 250 * MEGABYTE
