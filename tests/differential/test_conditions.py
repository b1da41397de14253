"""Parts of rows that one byte selects: many rows with each of them, so that the engine reads them in blocks."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import wireloom

from .agreement import agreed

SPEC = """
meta: {id: conditions, endian: le, -wireloom: {rows: rows, columns: [at, kind, more, body, maybe]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: at, type: u8}
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: more, type: pair, if: kind < 2}
      - {id: body, type: {switch-on: kind, cases: {0: pair, 1: byte}}}
      - {id: maybe, size: len, if: kind != 1}
  pair:
    seq: [{id: a, type: u2}, {id: b, type: s4}]
  byte:
    seq: [{id: c, type: u1}]
"""


def test_structs_and_bytes_that_only_some_rows_have(tmp_path: Path) -> None:
    path = tmp_path / "conditions.ksy"
    path.write_text(SPEC)
    format = wireloom.load_spec(path)
    chance = random.Random(5)
    rows = []
    for number in range(1000):
        kind, size = chance.randrange(4), chance.randrange(6)
        parts = {0: 12 + size, 1: 7}.get(kind, size)
        rows.append(struct.pack("<QBB", number, kind, size) + chance.randbytes(parts))
    found, files = agreed(format, b"".join(rows))
    assert len(found["at"]) == 1000
    assert not files[0]["damaged"]
    assert any(found["more"])
    assert None in found["more"]
