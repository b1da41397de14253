"""A truncated row in a growing input: the claimed size is not allocated, whatever the reader."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .children import MEGABYTE, measured_reads, needs_proc

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


CONTENTS = (
    (ITEMS, b"\x01\0\0\0\0\xff\xff\xff", "1", "growing"),
    (ITEMS, b"\x01\0\0\0\0\xff\xff\xff\xff" + b"\x01a" * 8000, "1", "growing"),
    (SIZED, b"\x01\0\0\0\0\0\0\0\x02", "1", "growing"),
    (SIZED, b"\x01\0\0\0\0\0\0\0\x05", "1", "limit"),
)
"""The types of a spec, an input, and the rows and the tail that are found."""


@pytest.mark.parametrize("engine", ["", "objects"])
def test_what_a_row_claims_is_not_made(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = []
    for number, (types, content, _, _) in enumerate(CONTENTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "growing.ksy").write_text(HEAD + types)
        (folder / "log").write_bytes(content)
        files.append((folder / "growing.ksy", folder / "log", "tail=growing"))
    if engine:
        monkeypatch.setitem(os.environ, "WIRELOOM_ENGINE", engine)
    found, grown = measured_reads(*files)
    assert [(each[0], each[2]) for each in found] == [(rows, tail) for _, _, rows, tail in CONTENTS]
    assert grown < 150 * MEGABYTE
