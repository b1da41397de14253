"""Records that are written in pieces, as in LevelDB's logs."""

import io
import struct
import zlib
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
import wireloom

from ...writing import bytes_of
from ..specs import format_of
from .running import ROW_READERS, read
from .samples import in_blocks

BLOCK = 32
HEADER = 6
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4
SPEC = """
meta:
  id: pieces
  endian: le
  -wireloom:
    rows: blocks.records
    columns: [data]
    fragments: {kind: kind, data: data, full: [1, 11], first: 2, middle: 3, last: 4}
seq:
  - {id: blocks, type: block, repeat: eos, size: '_io.size - _io.pos < 32 ? _io.size - _io.pos : 32'}
types:
  block:
    seq:
      - {id: records, type: record, repeat: until, repeat-until: _io.size - _io.pos < 6}
      - {id: padding, size-eos: true}
  record:
    seq:
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [kind, data]}}}
      - {id: len_data, type: u1}
      - {id: kind, type: u1}
      - {id: data, size: len_data}
"""
SIMPLE = """
meta:
  id: simple
  -wireloom: {rows: records, columns: [data], fragments: {kind: kind, data: data, first: 2, middle: 3, last: 4}}
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: kind, type: u1, valid: {max: 10}}
      - {id: len_data, type: u1}
      - {id: data, size: len_data}
"""


def piece(kind: int, data: bytes) -> bytes:
    return struct.pack("<IBB", zlib.crc32(bytes([kind]) + data), len(data), kind) + data


def log_of(records: list[bytes]) -> bytes:
    kinds = (FULL, FIRST, MIDDLE, LAST)
    return in_blocks(records, BLOCK, HEADER, lambda kind, _, data: piece(kinds[kind], data))


@pytest.fixture
def format() -> wireloom.Format:
    return format_of(SPEC)


@pytest.fixture
def simple() -> wireloom.Format:
    return format_of(SIMPLE)


RECORDS = [Random(size).randbytes(size) for size in (3, 0, 40, 100, 7, 26, 20, 300, 1)]
LOG = log_of(RECORDS)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("batch_rows", [1, 3, 1000])
def test_pieces_are_put_together(row_reader: str, batch_rows: int, format: wireloom.Format) -> None:
    table, report = read(row_reader, format, LOG, batch_rows=batch_rows, columns=["data", "kind", "_offset"])
    assert table["data"].to_pylist() == RECORDS
    kinds = [FIRST if len(log_of([each])) > BLOCK else FULL for each in RECORDS]
    assert [a for a, b in zip(table["kind"].to_pylist(), kinds, strict=True) if b == FIRST] == [FIRST] * kinds.count(2)
    assert all(LOG[begin + 5] in (FULL, FIRST) for begin in table["_offset"].to_pylist())
    assert (report["tail"], report["damaged"], report["rows"]) == ("clean", [], len(RECORDS))


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_other_columns_than_the_data(row_reader: str, format: wireloom.Format) -> None:
    table, _ = read(row_reader, format, LOG, columns=["len_data"])
    assert table.column_names == ["len_data"]
    assert table.num_rows == len(RECORDS)


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_any_flipped_byte_costs_one_record_or_the_rest_of_its_block(row_reader: str, format: wireloom.Format) -> None:
    columns = ["data", "_error", "_corrupt_record", "_offset"]
    for at in range(0, len(LOG), 5):
        bad = bytearray(LOG)
        bad[at] ^= 0x40
        table, report = read(row_reader, format, bytes(bad), columns=columns, batch_rows=7)
        rows = table.to_pylist()
        good = [row["data"] for row in rows if row["_error"] is None]
        damaged = [row for row in rows if row["_error"] is not None]
        assert report["rows"] == len(good)
        assert len(damaged) == len(report["damaged"])
        assert [row["_offset"] for row in damaged] == [begin for begin, _, _ in report["damaged"]]
        assert report["damaged"] == sorted(report["damaged"])
        if at % BLOCK < BLOCK - HEADER or good != RECORDS:
            assert all(each in RECORDS for each in good)
        for row, (begin, size, reason) in zip(damaged, report["damaged"], strict=True):
            assert row["_error"].startswith(f"{reason}: ")
            assert row["_corrupt_record"] == bad[begin : begin + size]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_pieces_without_the_others_are_damage(row_reader: str, simple: wireloom.Format) -> None:
    def made(*kinds: int) -> bytes:
        return b"".join(bytes([kind, 1, 96 + at]) for at, kind in enumerate(kinds, 1))

    cases = {
        (2, 4): ([b"ab"], [], "clean"),
        (2, 3, 3, 4, 2, 4): ([b"abcd", b"ef"], [], "clean"),
        (4, 2, 4): ([b"bc"], [[0, 3, "fragment"]], "clean"),
        (3, 3, 2, 4): ([b"cd"], [[0, 3, "fragment"], [3, 3, "fragment"]], "clean"),
        (2, 3, 2, 4): ([b"cd"], [[0, 6, "fragment"]], "clean"),
        (2, 9, 4): ([], [[0, 3, "fragment"], [3, 3, "value"], [6, 3, "fragment"]], "clean"),
        (2, 11, 4, 2, 4): ([b"de"], [[0, 3, "fragment"], [3, 3, "value"], [6, 3, "fragment"]], "clean"),
        (2, 4, 2, 3): ([b"ab"], [], "truncated"),
        (2,): ([], [], "truncated"),
    }
    for kinds, (rows, damaged, tail) in cases.items():
        for batch_rows in (1, 2, 100):
            for recover in (False, True):
                table, report = read(row_reader, simple, made(*kinds), batch_rows=batch_rows, recover=recover)
                assert (table["data"].to_pylist(), report["damaged"], report["tail"]) == (rows, damaged, tail), kinds
                if tail == "truncated":
                    assert (report["tail_offset"], report["tail_size"]) == (
                        3 * len(rows) * 2,
                        3 * (len(kinds) - 2 * len(rows)),
                    )


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_kinds_that_are_skipped(row_reader: str) -> None:
    format = format_of(SIMPLE.replace("last: 4", "last: 4, skip: [5, 6]"))
    for batch_rows in (1, 2, 100):
        table, report = read(row_reader, format, b"\5\1?\2\1a\4\1b\6\1?\5\0\2\0\4\1c\7\0", batch_rows=batch_rows)
        assert table["data"].to_pylist() == [b"ab", b"c"]
        assert (report["damaged"], report["rows"]) == ([[19, 2, "value"]], 2)


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_records_are_written_in_pieces(rows: int) -> None:
    format = format_of(SPEC.replace("last: 4", "last: 4, block: 32"))
    assert not format.read_only
    table = pa.table({"data": RECORDS})
    assert bytes_of(format, pa.Table.from_batches(table.to_batches(rows))) == LOG
    assert bytes_of(format, wireloom.read(format, LOG, columns=["data", "kind", "_offset"])) == LOG
    with pytest.raises(wireloom.WireloomError, match=r"row 2 has 40 bytes, more than max_record \(39\)"):
        wireloom.write(format, table, io.BytesIO(), max_record=39)
    with pytest.raises(wireloom.WireloomError, match="without the column data"):
        wireloom.write(format, pa.table({"kind": [1]}), io.BytesIO())


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_record_is_bounded(row_reader: str, simple: wireloom.Format) -> None:
    data = b"\2\5abcde" + b"\3\5abcde" * 20 + b"\4\0" + b"\2\1x\4\1y"
    table, report = read(row_reader, simple, data, max_record=60, batch_rows=4)
    assert table["data"].to_pylist() == [b"xy"]
    assert {reason for _, _, reason in report["damaged"]} == {"limit", "fragment"}
    assert report["damaged"][0] == [0, 63, "limit"]


def test_failfast_names_the_first_piece(simple: wireloom.Format) -> None:
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read(simple, b"\2\1a\4\1b\2\1c\2\1d\4\1e", mode="failfast")
    assert (caught.value.reason, caught.value.offset) == ("fragment", 6)
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read(simple, b"\2\1a\4\1b\2\1c", mode="failfast")
    assert (caught.value.reason, caught.value.offset) == ("truncated", 6)


def test_what_such_formats_do_not_have(simple: wireloom.Format, tmp_path: Path) -> None:
    with pytest.raises(wireloom.UnsupportedError, match="joined from fragments"):
        wireloom.scan(simple, b"", byte_range=(0, 5))
    with pytest.raises(wireloom.UnsupportedError, match="fragmented"):
        wireloom.write(simple, wireloom.read(simple, b"\2\1a\4\1b"), tmp_path / "out")


REUSED = """
meta:
  id: reused
  -wireloom:
    rows: pieces
    columns: [data]
    fragments: {kind: kind, data: data, full: [1, 5], first: 6, last: 8, log: log}
seq:
  - {id: pieces, type: piece, repeat: eos}
types:
  piece:
    seq:
      - {id: kind, type: u1, valid: {max: 9}}
      - {id: log, type: u1, if: kind > 4}
      - {id: len, type: u1}
      - {id: data, size: len}
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("batch_rows", [1, 1000])
def test_what_is_left_of_an_older_log_has_no_rows(row_reader: str, batch_rows: int) -> None:
    format = format_of(REUSED)
    log = b"\x01\x03any" + b"\x05\x07\x03new" + b"\x06\x07\x02lo" + b"\x08\x07\x02ng"
    table, report = read(row_reader, format, log, batch_rows=batch_rows)
    assert table["data"].to_pylist() == [b"any", b"new", b"long"]
    old = b"\x08\x06\x02of" + b"\x05\x06\x03old" + b"\x06\x06\x03old"
    for whole in (log + old, log + old + b"\x01\x01x"):
        table, report = read(row_reader, format, whole, batch_rows=batch_rows)
        assert table["data"].to_pylist()[:3] == [b"any", b"new", b"long"]
        assert table.num_rows == 3 + whole.endswith(b"x")
        assert (report["damaged"], report["tail"]) == ([], "clean")


SUMMED = """
meta:
  id: summed
  endian: le
  -wireloom:
    rows: records
    columns: [data]
    fragments: {kind: kind, data: data, full: 1, first: 2, middle: 3, last: 4}
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [kind, data]}}}
      - {id: len_data, type: u1}
      - {id: kind, type: u1}
      - {id: data, size: len_data}
"""


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [None, 1, 7, 20, 64])
def test_a_piece_whose_length_reaches_beyond_the_end_costs_its_record_alone(reader: str, chunk: int | None):
    format = format_of(SUMMED)
    whole, first, broken = piece(FULL, b"whole"), piece(FIRST, b"first" * 3), bytearray(piece(MIDDLE, b"middle"))
    broken[4] = 255
    data = whole + first + bytes(broken) + whole + whole
    options = {} if chunk is None else {"chunk": chunk, "streamed": True}
    table, report = read(reader, format, data, recover=True, **options)
    assert table["data"].to_pylist() == [b"whole"] * 3
    begin = len(whole) + len(first)
    assert report["damaged"] == [
        [len(whole), len(first), "fragment"],
        [begin, len(broken), "truncated"],
    ]
    assert (report["tail"], report["rows"]) == ("clean", 3)
    # Without a valid record after it, the tail begins with the record's first piece.
    table, report = read(reader, format, whole + first + bytes(broken), recover=True, **options)
    assert (report["tail"], report["tail_offset"], report["damaged"]) == ("truncated", len(whole), [])


def simple_piece(kind: int, data: bytes) -> bytes:
    return bytes([kind, len(data)]) + data


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [None, 1, 2, 3, 7])
def test_damage_is_the_same_in_windows_of_any_size(row_reader: str, chunk: int | None) -> None:
    format = format_of(SIMPLE.replace("last: 4}", "last: 4, full: 1, skip: 9}"))
    pieces = [
        (FULL, b"a"),
        (FIRST, b"bcd"),
        (MIDDLE, b"e"),
        (9, b"zz"),
        (FULL, b"f"),
        (7, b"g"),
        (9, b"y"),
        (FULL, b"h"),
    ]
    log = b"".join(simple_piece(*each) for each in pieces)
    columns = ["data", "_corrupt_record"]
    table, report = read(row_reader, format, log, chunk=chunk, streamed=chunk is not None, columns=columns)
    assert table["data"].to_pylist() == [b"a", None, b"f", None, b"h"]
    # The bytes of the first piece may have left the window, and pieces without rows belong to no record.
    assert table["_corrupt_record"].to_pylist() == [None, log[3:11], None, log[18:21], None]
    assert report["damaged"] == [[3, 8, "fragment"], [18, 3, "value"]]


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [None, 3])
def test_the_first_damage_is_the_error(row_reader: str, chunk: int | None, simple: wireloom.Format) -> None:
    """A record without its end precedes the piece that is invalid by itself."""
    log = b"".join(simple_piece(*each) for each in [(FIRST, b"a"), (FIRST, b"b"), (11, b"c"), (LAST, b"d")])
    with pytest.raises(wireloom.DamagedInputError) as caught:
        read(row_reader, simple, log, chunk=chunk, streamed=chunk is not None, mode="failfast")
    assert (caught.value.offset, caught.value.reason) == (0, "fragment")
    with pytest.raises(wireloom.DamagedInputError) as caught:
        read(row_reader, simple, log[6:], chunk=chunk, streamed=chunk is not None, mode="failfast")
    assert (caught.value.offset, caught.value.reason) == (0, "value")
