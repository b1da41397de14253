"""Damage of inputs whose rows are inside units: its effect, and that the next unit is found."""

import itertools
import struct
import zlib
from typing import Any

import pytest
import wireloom

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: made
  endian: be
  -wireloom: {rows: batches.body.records, columns: [shard, kind, text]}
seq:
  - {id: batches, type: batch, repeat: eos}
types:
  batch:
    seq:
      - {id: len, type: u4}
      - {id: shard, type: u2}
      CHECKSUM
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: records, type: record, repeat: until, repeat-until: _.kind == 0}
  record:
    seq:
      - {id: kind, type: u1, valid: {max: 5}}
      - {id: len_text, type: u2}
      - {id: text, size: len_text, type: str, encoding: UTF-8}
"""
CHECKSUM = "- {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: body}}}"


def record(kind: int, text: bytes) -> bytes:
    return struct.pack(">BH", kind, len(text)) + text


def batch(shard: int, *records: bytes, checked: bool = False) -> bytes:
    body = b"".join(records)
    crc = struct.pack(">I", zlib.crc32(body)) if checked else b""
    return struct.pack(">IH", len(body), shard) + crc + body


def unit(shard: int, *, checked: bool) -> bytes:
    return batch(shard, record(1, b"abc"), record(2, b""), record(0, b"end"), checked=checked)


@pytest.fixture(params=[False, True], ids=["unchecked", "checked"])
def checked(request: Any) -> bool:
    return bool(request.param)


@pytest.fixture
def format(checked: bool) -> wireloom.Format:
    return format_of(SPEC.replace("CHECKSUM", CHECKSUM if checked else ""))


def covered(report: dict[str, Any]) -> list[tuple[int, int]]:
    """Return adjacent ranges of damage joined to one."""
    ranges: list[tuple[int, int]] = []
    for begin, size, _ in report["damaged"]:
        assert size
        first = ranges.pop()[0] if ranges and ranges[-1][1] == begin else begin
        ranges.append((first, begin + size))
    return ranges


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("zeros", [4, 8, 16, 40, 60, 64, 65, 72, 100, 200, 1000])
def test_units_after_zeros_are_kept(row_reader: str, zeros: int, checked: bool, format: wireloom.Format) -> None:
    units = [unit(each, checked=checked) for each in range(1, 5)]
    first = len(units[0] + units[1])
    data = units[0] + units[1] + bytes(zeros) + units[2] + units[3]
    for how in ({}, {"chunk": 64, "streamed": True}, {"batch_rows": 2}):
        table, report = read(row_reader, format, data, recover=True, **how)
        assert table["shard"].to_pylist() == [each for each in range(1, 5) for _ in range(3)]
        assert covered(report) == [(first, first + zeros)]
        assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_length_is_doubted_where_no_unit_follows(row_reader: str, format: wireloom.Format, checked: bool) -> None:
    units = [unit(each, checked=checked) for each in range(5)]
    data = bytearray(b"".join(units))
    begin = len(units[0])
    # Without a checksum nothing refutes a sub-stream that ends later than its rows do.
    for size in (2, 2000, *([len(units[1]) + 3] if checked else [])):
        data[begin : begin + 4] = struct.pack(">I", size)
        table, report = read(row_reader, format, bytes(data), recover=True)
        shards = [shard for shard, _ in itertools.groupby(table["shard"].to_pylist())]
        assert [each for each in shards if each != 1] == [0, 2, 3, 4]
        assert report["tail"] == "clean"
        assert all(first < begin + len(units[1]) for first, _, _ in report["damaged"])


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_unit_that_gives_nothing_is_damaged_from_its_first_byte(
    row_reader: str, format: wireloom.Format, checked: bool
) -> None:
    good, empty = unit(1, checked=checked), batch(2, checked=checked)
    _, report = read(row_reader, format, good + empty + good)
    assert report["damaged"] == [[len(good), len(empty), "length"]]
