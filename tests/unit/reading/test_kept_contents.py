"""Contents of compressed blocks that are kept while units are read again."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
import wireloom
import zstandard
from wireloom import engine
from wireloom.rows import block_decompression

from ..specs import format_of

SPEC = """
meta: {id: kept, endian: le, -wireloom: {rows: units.blocks.body.rows, unit: units}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: count, type: u1}
      - {id: blocks, type: block, repeat: expr, repeat-expr: count}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [count, blocks]}}}
  block:
    seq:
      - {id: len, type: u4}
      - {id: body, type: body, size: len, -wireloom: {codec: zstd}}
  body: {seq: [{id: rows, type: row, repeat: eos}]}
  row: {seq: [{id: number, type: u8}, {id: text, size: 92}]}
"""
ROWS = 1000
"""Number of rows of a block, whose content has 100,000 bytes."""


def block(number: int) -> bytes:
    content = b"".join(struct.pack("<Q", number * ROWS + row) + b"." * 92 for row in range(ROWS))
    stored = zstandard.ZstdCompressor().compress(content)
    return struct.pack("<I", len(stored)) + stored


def unit(first: int, blocks: int) -> bytes:
    data = bytes([blocks]) + b"".join(block(first + each) for each in range(blocks))
    return data + struct.pack("<I", zlib.crc32(data))


@pytest.mark.parametrize("blocks", [1, 4, 8])
def test_units_that_are_read_again(blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit that does not fit into a batch is read again: its blocks are decompressed twice at most."""
    expanded, expand = [], block_decompression.expand_block

    def counted(*arguments: Any) -> Any:
        expanded.append(arguments)
        return expand(*arguments)

    monkeypatch.setattr(block_decompression, "expand_block", counted)
    data = b"".join(unit(first, blocks) for first in range(0, 24, blocks))
    table = wireloom.read(format_of(SPEC), data, batch_rows=700, prefetch=False)
    assert table["number"].to_pylist() == list(range(24 * ROWS))
    assert not engine.available or 24 <= len(expanded) <= (24 if blocks == 1 else 48)


def test_few_contents_are_kept_until_units_are_read_again() -> None:
    contents = block_decompression.BlockCache(block_decompression.FEW_KEPT)
    content = bytes(100_000)

    def kept(*positions: int) -> int:
        for each in positions:
            contents.keep((each,), content)
        return sum(contents.get((each,)) is not None for each in range(50))

    assert kept(*range(50)) == 2
    assert kept(*range(20)) == 22
    contents.read_on(40)
    assert kept() == 2
    contents.forget()
    assert kept(*range(50)) == 2
