"""Blocks of a fixed size, of which the last one may be shorter: large files, and byte ranges that begin anywhere."""

from __future__ import annotations

import io
import struct
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import Format, UnsupportedError

from ..specs import format_of

VECTORS = Path(__file__).parents[2] / "vectors"
END = 1 << 40

PIECES = """
meta:
  id: pieces
  endian: le
  -wireloom:
    tables:
      records:
        rows: blocks.records
        columns: [data]
        fragments: {kind: kind, data: data, full: [1, 5], first: [2, 6], middle: [3, 7], last: [4, 8], skip: 9,
          log: log, block: 32, codec: {switch-on: packed, cases: {0: none, 7: zlib}}}
      letters: {rows: blocks.records.data.as<text>.letters, columns: [letter]}
seq:
  - {id: blocks, type: block, repeat: eos, size: '_io.size - _io.pos < 32 ? _io.size - _io.pos : 32'}
types:
  block:
    seq:
      - {id: records, type: record, repeat: until, repeat-until: '_io.size == 32 ? _io.size - _io.pos < 4 : _io.eof'}
      - {id: padding, size-eos: true}
  record:
    seq:
      - {id: kind, type: u1, valid: {min: 1}}
      - {id: len, type: u1}
      - {id: crc, type: u1, -wireloom: {checksum: {algorithm: crc-8/autosar, over: data}}}
      - {id: log, type: u1, if: kind >= 5 and kind <= 8}
      - {id: packed, type: u1, if: kind == 9}
      - {id: data, size: len}
  text:
    seq: [{id: letters, type: letter, repeat: eos}]
  letter:
    seq: [{id: letter, type: str, size: 1, encoding: ASCII}]
"""


@pytest.fixture(scope="module")
def pieces() -> Format:
    return format_of(PIECES)


@pytest.fixture(scope="module")
def log(pieces: Format, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return records without bytes, of a few, of exactly a block, and of many blocks."""
    sizes = (3, 0, 28, 1, 200, 24, 24, 0, 90, 5)
    path = tmp_path_factory.mktemp("logs") / "some.log"
    wireloom.write(pieces, [{"data": bytes([65 + n]) * size} for n, size in enumerate(sizes)], path)
    return path.read_bytes()


def read(format: str | Format, source: Any, **how: Any) -> tuple[list[str], list[list[Any]], dict[str, Any]]:
    """Return the rows, as text since a NaN does not equal itself, the damage and how the file ends."""
    table, report = wireloom.read_with_report(format, source, check_format=False, **how)
    file = report.to_dict()["files"][0]
    return [str(each) for each in table.to_pylist()], file["damaged"], file


def in_ranges(format: str | Format, source: Any, points: list[int], **how: Any) -> tuple[list[str], list[list[Any]]]:
    rows, damaged = [], []
    for begin, end in zip([0, *points], [*points, END], strict=True):
        some, ranges, _ = read(format, source, byte_range=(begin, end), **how)
        rows += some
        damaged += ranges
    return rows, damaged


def test_a_record_begins_in_its_range(pieces: Format, log: bytes) -> None:
    whole = wireloom.read(pieces, log, columns=["_offset"])["_offset"].to_pylist()
    found = wireloom.read(pieces, log, columns=["_offset"], byte_range=(33, 300))["_offset"].to_pylist()
    assert found == [each for each in whole if 33 <= each < 300]


@pytest.mark.slow
@pytest.mark.parametrize("format", ["leveldb_log", "prometheus_wal"])
def test_logs_of_others_are_read_in_ranges(format: str) -> None:
    files = [each for each in (VECTORS / format).iterdir() if each.suffix not in (".jsonl", ".py", ".go", ".java")]
    tables = ("records", "changes") if format == "leveldb_log" else ("samples", "raw_records", "series")
    for path in files:
        size = path.stat().st_size
        for table in tables:
            whole, ranges, _ = read(format, path, table=table)
            assert in_ranges(format, path, [size // 7, size // 3, 32768, 40_000], table=table)[0] == whole
            assert in_ranges(format, path, list(range(32768, size, 32768)), table=table) == (whole, ranges)


@pytest.fixture
def unchecked() -> Format:
    return format_of("".join(each for each in PIECES.splitlines(keepends=True) if "crc" not in each))


def block(*pieces: bytes) -> bytes:
    """Return a block of 32 bytes, padded with a piece without rows."""
    content = b"".join(pieces)
    rest = 32 - len(content)
    return content + (struct.pack("<BBB", 9, rest - 3, 7) + bytes(rest - 3) if rest >= 4 else bytes(rest))


def test_what_the_first_block_says_holds_in_all_ranges(unchecked: Format) -> None:
    """The log that the file contains, and how its records are compressed."""
    packed = [zlib.compress(bytes([each]) * 9) for each in b"abc"]
    own = [struct.pack("<BBB", 5, len(each), 3) + each for each in packed]
    old = struct.pack("<BBB", 5, len(packed[0]), 2) + packed[0]
    content = block(struct.pack("<BBB", 9, 0, 7), own[0]) + block(own[1]) + block(old) + block(own[2])
    whole, damaged, _ = read(unchecked, content)
    assert whole == [str({"data": bytes([each]) * 9}) for each in b"abc"]
    assert damaged == [[64, len(old), "fragment"]]
    for points in ([32], [64, 96], [40, 70, 100]):
        assert in_ranges(unchecked, content, points) == (whole, damaged)


def test_a_file_whose_records_say_something_else_later_has_no_ranges(unchecked: Format) -> None:
    plain = struct.pack("<BBB", 9, 0, 0) + struct.pack("<BB", 1, 25) + bytes(25)
    content = block(struct.pack("<BBB", 9, 0, 7)) + plain + bytes(2) + plain + bytes(2)
    assert len(read(unchecked, content)[0]) == 2
    with pytest.raises(UnsupportedError, match="not compressed with the codec of the first ones"):
        read(unchecked, content, byte_range=(32, END))


def test_a_log_may_be_larger_than_any_record(pieces: Format, log: bytes, tmp_path: Path) -> None:
    wireloom.write("leveldb_log", [{"data": bytes(90_000)}] * 40, tmp_path / "large.log")
    table, report = wireloom.read_with_report("leveldb_log", tmp_path / "large.log", max_record=100_000)
    assert table.num_rows == 40
    assert report.clean
    _, damaged, _ = read(pieces, log, max_record=100)
    assert damaged[0][2] == "limit"


@pytest.mark.slow
def test_a_record_of_many_blocks_is_written_and_read(tmp_path: Path) -> None:
    """Its pieces are assembled once, and not together with everything before."""
    wireloom.write("leveldb_log", [{"data": bytes(10_000_000)}, {"data": b"x"}], tmp_path / "large.log")
    table, report = wireloom.read_with_report("leveldb_log", tmp_path / "large.log")
    assert report.clean
    assert [len(each) for each in table["data"].to_pylist()] == [10_000_000, 1]


@pytest.mark.slow
def test_a_log_that_grows_ends_before_what_is_not_complete(pieces: Format, log: bytes) -> None:
    offsets = wireloom.read(pieces, log, columns=["_offset"])["_offset"].to_pylist()
    for content in (log, log + bytes(200)):
        for size in range(1, len(log) + 1, 3):
            rows, damaged, file = read(
                pieces, content[:size].ljust(len(content) - len(log) + size, b"\0"), tail="growing"
            )
            assert not damaged
            assert file["tail"] in ("clean", "growing")
            complete = [begin for begin, end in zip(offsets, [*offsets[1:], len(log)], strict=True) if end <= size]
            assert len(rows) >= len(complete)
            assert all(offset >= file["tail_offset"] for offset in offsets[len(rows) :])


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_ranges_of_compressed_logs(codec: str, tmp_path: Path) -> None:
    """They are those of the decompressed content."""
    rows = [{"data": bytes([number]) * size} for number, size in enumerate((10, 40_000, 7, 70_000, 32_754, 3))]
    for name, each in (("plain", "none"), ("packed", codec)):
        wireloom.write("leveldb_log", rows, tmp_path / name, codec=each)
    size = (tmp_path / "plain").stat().st_size
    for begin, end in pairwise([0, 10, 32_768, 40_100, 98_304, size - 1, 1 << 63]):
        plain, packed = (
            wireloom.read("leveldb_log", tmp_path / each, byte_range=(begin, end), columns=["_offset", "data"])
            for each in ("plain", "packed")
        )
        assert packed.equals(plain)


def test_a_pipe_has_no_ranges() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    content = io.BytesIO()
    wireloom.write("leveldb_log", [{"data": b"one"}], content)
    with pytest.raises(UnsupportedError, match="not seekable"):
        wireloom.read("leveldb_log", Pipe(content.getvalue()), byte_range=(10, 20))


def test_columns_that_are_looked_up_need_the_whole_file() -> None:
    path = VECTORS / "prometheus_wal" / "none"
    with pytest.raises(UnsupportedError, match="looked up"):
        wireloom.read("prometheus_wal", path, columns=["labels"], byte_range=(0, 10))


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("repeat: eos, size:", "repeat: eos, if: true, size:"),
        ("size - _io.pos : 32'", "size - _io.pos : 33'"),
        ("< 32 ? _io.size - _io.pos : 32", "< 67108865 ? _io.size - _io.pos : 67108865"),
        ("{id: data, size: len}", "{id: data, size: '_root.blocks.size > 1 ? len : len'}"),
        ("{id: data, size: len}", "{id: data, size: '_parent._parent._io.pos > 32 ? len : len'}"),
    ],
)
def test_blocks_that_depend_on_the_file_are_read_as_a_whole(change: str, to: str, tmp_path: Path, log: bytes) -> None:
    assert change in PIECES
    path = tmp_path / "pieces.ksy"
    path.write_text(PIECES.replace(change, to))
    with pytest.raises(UnsupportedError, match="read as a whole"):
        wireloom.read(path, log, byte_range=(0, 10))
