"""How many rows prove where reading continues after damage, if they have no checksums."""

import zlib

import pytest
import wireloom

from ..specs import format_of
from .running import ROW_READERS, read

PLAIN = """
meta: {id: plain_rows, endian: le, -wireloom: {rows: rows, columns: [data]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: kind, type: u1, valid: {max: 9}}, {id: len, type: u2}, {id: data, size: len}]
"""
CHAINED = PLAIN.replace("{id: len, type: u2}", "{id: len, type: u2}, {id: crc, type: u4, CHECKSUM}").replace(
    "CHECKSUM", "-wireloom: {checksum: {algorithm: crc32, over: data, continues: _}}"
)
LOST = b"\x01\xff\xff" + b"\xff" * 20
"""A row whose length leads beyond the end."""


def rows_read(row_reader: str, format: wireloom.Format, data: bytes) -> tuple[list[bytes], list[list[object]]]:
    table, report = read(row_reader, format, data, recover=True)
    return table["data"].to_pylist(), report["damaged"]


def row(data: bytes) -> bytes:
    return b"\x01" + len(data).to_bytes(2, "little") + data


def entry(data: bytes, before: int) -> tuple[bytes, int]:
    crc = zlib.crc32(data, before)
    return b"\x01" + len(data).to_bytes(2, "little") + crc.to_bytes(4, "little") + data, crc


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_three_rows_or_those_up_to_the_end(row_reader: str, count: int) -> None:
    format, good = format_of(PLAIN), [b"good %d" % number for number in range(count)]
    first, there = row(b"first"), b"".join(map(row, good))
    at_the_end = first + LOST + there
    place = len(first)
    assert rows_read(row_reader, format, at_the_end) == ([b"first", *good], [[place, len(LOST), "truncated"]])
    cut_off = [b"first", *good] if count == 3 else [b"first"]
    assert rows_read(row_reader, format, at_the_end + LOST)[0] == cut_off


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("count", [1, 2])
def test_a_checksum_that_continues_the_one_before_is_a_proof(row_reader: str, count: int) -> None:
    format, data, crc = format_of(CHAINED), b"", 0
    names = [b"one", b"lost", *(b"good %d" % number for number in range(count))]
    for name in names:
        each, crc = entry(name, crc)
        data += each if name != b"lost" else LOST
    # The first one of them continues what is lost.
    assert rows_read(row_reader, format, data + LOST)[0] == ([b"one", *names[2:]] if count == 2 else [b"one"])
