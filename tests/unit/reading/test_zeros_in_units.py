"""Runs of zeros inside units are one damaged range, in streams, in inputs read as a whole and in fragments."""

import struct
import zlib
from typing import Any

import pytest

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: blocks
  endian: le
  -wireloom: {{rows: blocks.records, columns: [data]{fragments}}}
seq:
  - {{id: blocks, type: block, repeat: eos, size: {size}}}
types:
  block:
    seq:
      - {{id: records, type: record, repeat: until, repeat-until: _io.size - _io.pos < 7}}
      - {{id: padding, size-eos: true}}
  record:
    seq:
      - {{id: crc, type: u4, -wireloom: {{checksum: {{algorithm: crc32, over: [kind, data]}}}}}}
      - {{id: len_data, type: u2}}
      - {{id: kind, type: u1}}
      - {{id: data, size: len_data}}
"""
BLOCK = 256
SIZES = {"stream": "256", "whole": "'_io.size - _io.pos < 256 ? _io.size - _io.pos : 256'"}
FRAGMENTS = ", fragments: {kind: kind, data: data, full: 1, first: 2, last: 4}"


def record(data: bytes, kind: int = 1) -> bytes:
    return struct.pack("<IHB", zlib.crc32(bytes([kind]) + data), len(data), kind) + data


FULL = record(b"f" * (BLOCK - 7))
HALF = record(b"h" * 93) + bytes(BLOCK - 100)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("fragments", ["", FRAGMENTS])
@pytest.mark.parametrize("options", [{}, {"batch_rows": 3}, {"chunk": 4096, "streamed": True}])
def test_a_run_is_one_range_and_the_rows_after_it_are_read(
    row_reader: str, kind: str, fragments: str, options: dict[str, Any]
) -> None:
    format = format_of(SPEC.format(size=SIZES[kind], fragments=fragments), "blocks")
    for blocks in (0, 40):
        data = FULL + HALF + bytes(BLOCK * blocks) + FULL * 2
        columns = ["data", "_offset", "_error", "_corrupt_record"]
        table, report = read(row_reader, format, data, columns=columns, **options)
        [(begin, size, reason)] = report["damaged"]
        # The last bytes of a block are less than a record: its padding.
        assert (begin, reason) == (356, "zeros")
        assert 2 * BLOCK + BLOCK * blocks - 7 < begin + size <= 2 * BLOCK + BLOCK * blocks
        assert table["data"].to_pylist() == [b"f" * 249, b"h" * 93, None, b"f" * 249, b"f" * 249]
        assert table["_offset"].to_pylist() == [0, 256, 356, 512 + BLOCK * blocks, 768 + BLOCK * blocks]
        assert table["_error"].to_pylist()[2].startswith("zeros: ")
        assert set(table["_corrupt_record"].to_pylist()[2]) == {0}
        assert (report["rows"], report["tail"], report["tail_offset"]) == (4, "clean", len(data))
        without, same = read(row_reader, format, data, **options)
        assert (without["data"].to_pylist(), same["damaged"]) == (
            [b"f" * 249, b"h" * 93, b"f" * 249, b"f" * 249],
            report["damaged"],
        )


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_zeros_of_a_kind_that_is_no_piece_are_one_range(row_reader: str) -> None:
    data = FULL + record(b"h" * 93, 2) + bytes(BLOCK - 100) + bytes(BLOCK * 9) + FULL
    table, report = read(
        row_reader, format_of(SPEC.format(size=SIZES["stream"], fragments=FRAGMENTS)), data, verify=False
    )
    assert table["data"].to_pylist() == [b"f" * 249] * 2
    assert report["damaged"] == [[256, 100, "fragment"], [356, BLOCK * 10 - 100, "zeros"]]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_few_zeros_are_rows_of_their_own(row_reader: str) -> None:
    data = record(b"f" * 200) + bytes(14) + record(b"l" * 28) + FULL
    table, report = read(row_reader, format_of(SPEC.format(size=SIZES["stream"], fragments="")), data)
    assert table.num_rows == 3
    assert report["damaged"] == [[207, 7, "checksum"], [214, 7, "checksum"]]
