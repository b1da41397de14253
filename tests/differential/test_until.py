"""Rows in loops that end at a value, with computed sizes: rows that are read in blocks equal those of objects."""

from __future__ import annotations

import random

import pytest

from ..unit.columns_backend.specs import format_of
from .agreement import agreed

SPEC = """
meta: {id: made_up, endian: le, -wireloom: {rows: blocks.content.rows, columns: [kind, number, body, at]}}
seq: [{id: blocks, type: block, repeat: eos}]
types:
  block:
    seq:
      - {id: len, type: u2}
      - {id: content, type: content, size: len}
  content:
    seq:
      - {id: rows, type: row, repeat: until, repeat-until: '_.kind == 9 or _io.size - _io.pos < 4'}
      - {id: padding, size-eos: true}
  row:
    seq:
      - {id: len, type: u1}
      - {id: kind, type: u1, valid: {max: 9}}
      - {id: number, type: u2, if: kind == 2 or kind == 5}
      - {id: body, size: 'len - (kind == 3 ? 2 : 0)'}
      - {id: rest, size: 2, if: kind == 3}
    instances: {at: {value: len * 3 + kind}}
"""


def content(chance: random.Random, rows: int, *, sentinel: bool) -> bytes:
    made = bytearray()
    for number in range(rows):
        kind = 9 if sentinel and number == rows - 1 else chance.randrange(9)
        size = chance.randrange(2, 12)
        made += bytes([size, kind])
        made += chance.randbytes(2) if kind in (2, 5) else b""
        made += chance.randbytes(size)
    return bytes(made) + bytes(chance.randrange(4))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rows", [1, 3, 40, 300])
def test_rows_up_to_a_sentinel_or_the_rest_of_a_block(seed: int, rows: int) -> None:
    chance = random.Random(seed)
    blocks = [content(chance, rows, sentinel=bool(seed % 2)) for _ in range(5)]
    data = bytearray(b"".join(len(each).to_bytes(2, "little") + each for each in blocks))
    format = format_of(SPEC)
    found, _ = agreed(format, bytes(data))
    assert found["kind"]
    for _ in range(3):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        agreed(format, bytes(data))
