"""Rows inside records that are assembled from pieces, and compressed records."""

import struct
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import zstandard
from wireloom import DamagedInputError, UnsupportedError
from wireloom.reading import reassembled_records as module

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: inside
  endian: le
  -wireloom:
    tables:
      values:
        rows: pieces.data.as<record>.body.as<values>.values
        columns: [name, value]
        look-ups: {text: {table: names, key: name, match: number, value: text, default: false}}
      large:
        rows: pieces.data.as<record>.body.as<values>.values
        where: value > 100
        unit: pieces
        columns: [value]
      names:
        rows: pieces.data.as<record>.body.as<name>
        columns: [number, text]
      records:
        rows: pieces
        columns: [data]
        fragments:
          kind: kind
          data: data
          full: 1
          first: 2
          middle: 3
          last: 4
          skip: 9
          codec: {switch-on: codec, cases: {0: none, 7: zstd}, max-expanded: 5000}
seq:
  - {id: pieces, type: piece, repeat: eos}
types:
  piece:
    seq:
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [kind, data]}}}
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: codec, type: u1, if: kind == 9}
      - {id: data, size: len}
  record:
    seq:
      - {id: type, type: u1}
      - {id: body, size-eos: true, type: {switch-on: type, cases: {1: values, 2: name}}}
  values:
    seq:
      - {id: count, type: u1, valid: {max: 200}}
      - {id: values, type: value, repeat: expr, repeat-expr: count}
  value:
    seq:
      - {id: name, type: u1, valid: {max: 9}}
      - {id: value, type: u2}
  name:
    seq:
      - {id: number, type: u1}
      - {id: text, type: str, size-eos: true, encoding: UTF-8}
"""
PIECE = 40


def piece(kind: int, data: bytes, codec: bytes = b"") -> bytes:
    covered = bytes([kind, len(data)]) + codec + data
    return struct.pack("<I", zlib.crc32(covered)) + covered


def record(data: bytes) -> bytes:
    """Return its pieces."""
    parts = [data[begin : begin + PIECE] for begin in range(0, len(data), PIECE)] or [b""]
    if len(parts) == 1:
        return piece(1, data)
    return piece(2, parts[0]) + b"".join(piece(3, each) for each in parts[1:-1]) + piece(4, parts[-1])


def values(*pairs: tuple[int, int]) -> bytes:
    return bytes([1, len(pairs)]) + b"".join(struct.pack("<BH", *each) for each in pairs)


def name(number: int, text: str) -> bytes:
    return bytes([2, number]) + text.encode()


MANY = [(index % 3, 7 * index) for index in range(100)]
RECORDS = [name(0, "zero"), values((0, 5), (1, 300)), name(1, "öne" * 30), values(*MANY), b"\7other", values()]
LOG = b"".join(map(record, RECORDS))
ROWS = [(0, 5), (1, 300), *MANY]
BEGINS = [len(b"".join(map(record, RECORDS[:number]))) for number in range(len(RECORDS))]


@pytest.fixture
def format() -> wireloom.Format:
    return format_of(SPEC)


def pairs(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(each.values()) for each in table.to_pylist()]


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
@pytest.mark.parametrize("at_once", [1, 100, module.AT_ONCE])
def test_rows_inside_of_records(
    row_reader: str, batch_rows: int, at_once: int, format: wireloom.Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    for ways in ({}, {"streamed": True, "chunk": 5}):
        columns = ["name", "value", "_offset"]
        table, report = read(row_reader, format, LOG, batch_rows=batch_rows, columns=columns, **ways)
        begins = [BEGINS[1]] * 2 + [BEGINS[3]] * len(MANY)
        assert pairs(table) == [(*row, begin) for row, begin in zip(ROWS, begins, strict=True)]
        assert (report["rows"], report["damaged"], report["tail"]) == (len(ROWS), [], "clean")


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_other_tables_of_the_same_records(row_reader: str, format: wireloom.Format) -> None:
    assert pairs(read(row_reader, format, LOG, table="names")[0]) == [(0, "zero"), (1, "öne" * 30)]
    assert pairs(read(row_reader, format, LOG, table="large")[0]) == [(value,) for _, value in ROWS if value > 100]
    assert pairs(read(row_reader, format, LOG, table="records")[0]) == [(each,) for each in RECORDS]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_is_looked_up_in_other_records(row_reader: str, format: wireloom.Format) -> None:
    texts = {0: "zero", 1: "öne" * 30}
    for batch_rows in (1, 1000):
        table, _ = read(row_reader, format, LOG, columns=["name", "text"], batch_rows=batch_rows)
        expected = [(0, "zero"), (1, None), *((name, texts.get(name)) for name, _ in MANY)]
        assert pairs(table) == expected


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize(
    ("broken", "reason", "kept"),
    [
        (values((0, 1), (1, 2))[:-1], "length", [(0, 1)]),
        (values((0, 1), (12, 2), (3, 4)), "value", [(0, 1), (3, 4)]),
        (b"\1\xff", "length", []),
        (b"", "length", []),
    ],
)
def test_damage_inside_of_a_record_costs_none_of_the_others(
    row_reader: str, broken: bytes, reason: str, kept: list[Any], format: wireloom.Format
) -> None:
    before, after = record(values((4, 4))), record(values((5, 5)))
    log = before + record(broken) + after
    table, report = read(row_reader, format, log)
    assert (pairs(table)[0], pairs(table)[-1]) == ((4, 4), (5, 5))
    assert [row for row in kept if row not in pairs(table)] == []
    damaged = [len(before), len(record(broken)), reason]
    assert (report["damaged"], report["tail"]) == ([damaged], "clean")
    shown, _ = read(row_reader, format, log, columns=["value", "_offset", "_error", "_corrupt_record"])
    [lost] = [row for row in shown.to_pylist() if row["_error"] is not None]
    assert lost["_error"].startswith(reason)
    assert (lost["_offset"], lost["_corrupt_record"]) == (len(before), record(broken))
    with pytest.raises(DamagedInputError, match=reason) as error:
        read(row_reader, format, log, mode="failfast")
    assert (error.value.offset, error.value.reason) == (len(before), reason)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_record_as_the_unit(row_reader: str, format: wireloom.Format) -> None:
    log = record(values((1, 200), (12, 200))) + record(values((1, 300)))
    assert pairs(read(row_reader, format, log, table="large")[0]) == [(200,), (300,)]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_piece_that_is_damaged(row_reader: str, format: wireloom.Format) -> None:
    log = bytearray(LOG)
    log[BEGINS[3] + 3 * (PIECE + 6) + 20] ^= 1
    table, report = read(row_reader, format, bytes(log), columns=["name", "value"])
    assert pairs(table) == ROWS[:2]
    assert {each[2] for each in report["damaged"]} == {"checksum", "fragment"}


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_records_are_compressed_from_the_one_that_says_so(row_reader: str, format: wireloom.Format) -> None:
    packed = zstandard.ZstdCompressor().compress(values(*MANY))
    large = zstandard.ZstdCompressor().compress(bytes(5001))
    log = [record(values((0, 1))), piece(9, b"", b"\7"), record(packed), record(packed[:-3]), record(large)]
    log += [piece(9, b"..", b"\0"), record(values((0, 2))), piece(9, b"", b"\5"), record(values((0, 3)))]
    log += [piece(9, b"", b"\7"), record(packed)]
    places = [len(b"".join(log[:number])) for number in range(len(log))]
    for batch_rows in (1, 1000):
        table, report = read(row_reader, format, b"".join(log), batch_rows=batch_rows, columns=["name", "value"])
        assert pairs(table) == [(0, 1), *MANY, (0, 2), *MANY]
        # The record that declares that it has no rows, and belongs to the bytes up to the next record.
        damaged = [(places[3], "codec"), (places[4], "limit"), (places[8], "unsupported")]
        assert [(begin, reason) for begin, _, reason in report["damaged"]] == damaged
        assert report["unsupported"] == "the codec 5 is not supported, expected none or zstd"
    with pytest.raises(wireloom.DamagedInputError, match="the codec 5 is not supported, expected none or zstd"):
        read(row_reader, format, b"".join(log[6:]), mode="failfast", columns=["name", "value"])


@pytest.mark.slow
def test_what_such_tables_are_not(format: wireloom.Format, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="cannot be read in byte ranges: records are joined from fragments"):
        wireloom.read(format, LOG, table="names", byte_range=(0, 10))
    sentence = "rows inside of records of inside cannot be written: make objects of these"
    with pytest.raises(UnsupportedError, match=sentence):
        wireloom.write(format, [{"name": 1, "value": 2}], tmp_path / "log")
