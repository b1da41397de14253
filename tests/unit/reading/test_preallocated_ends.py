"""Zeros at the end of a file: space that a writer has allocated and not written. What is right is what the readers of
the formats do: those of the formats here that allocate files end there without a report."""

from __future__ import annotations

import gzip
import itertools
import struct
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.checksums import algorithm, function
from wireloom.format.registry import get as format_of

from . import samples
from .running import ROW_READERS, read
from .samples import in_blocks

VECTORS = Path(__file__).parents[2] / "vectors"
BLOCK = 32768
ZEROS = [1, 7, 8, 4096, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK]
END = 1 << 40


def chunk(kind: int, header: bytes, data: bytes) -> bytes:
    covered = bytes([kind]) + header + data
    checksum = function(algorithm("crc32c"))(covered)
    assert isinstance(checksum, int)
    return struct.pack("<IH", ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF, len(data)) + covered


def wal_sync(number: int, records: list[bytes]) -> bytes:
    """Return a log of Pebble in its "WAL sync" format, where each chunk has the number of the log and an offset."""
    return in_blocks(records, BLOCK, 19, lambda kind, at, data: chunk(9 + kind, struct.pack("<IQ", number, at), data))


def trailer(number: int) -> bytes:
    """Return the chunk with which Pebble ends a log: empty, of the next log, and without a checksum."""
    return struct.pack("<IHBI", 0, 0, 5, number + 1)


def aligned(content: bytes) -> bytes:
    """Return the content with the padding after its last record."""
    return content + bytes(-len(content) % 8)


RECORDS = [b"one", b"", b"x" * 40_000, b"four", b"y" * (BLOCK - 19), b"z" * 70_001, b"seven bytes"]
ALLOCATED = {
    "leveldb_log": (VECTORS / "leveldb_log/level.log").read_bytes(),
    "leveldb_log of Pebble": wal_sync(7, RECORDS),
    "leveldb_log with a trailer": wal_sync(7, RECORDS[:2]) + trailer(7),
    "bitcoin_blocks": (VECTORS / "bitcoin_blocks/regtest.dat").read_bytes(),
    "kafka_log": (VECTORS / "kafka_log/gzip.log").read_bytes(),
    "etcd_wal": aligned((VECTORS / "etcd_wal/segment1.wal").read_bytes().rstrip(b"\0")),
}
"""Files of formats that allocate space."""
OTHERS = {
    "edgemq_segment": samples.frames([b"a", b"b"]),
    "mysql_binlog": (VECTORS / "mysql_binlog/row.bin").read_bytes(),
    "tfrecord": (VECTORS / "tfrecord/raw.tfrecord").read_bytes(),
    "avro_blocks": (VECTORS / "avro_blocks/null.avro").read_bytes(),
}
"""Files of formats in which no such zeros occur."""


def format_of_case(name: str) -> wireloom.Format:
    return format_of(name.partition(" ")[0])


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("name", ALLOCATED)
def test_unwritten_zeros_are_no_damage(name: str, row_reader: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    format, content = format_of_case(name), ALLOCATED[name]
    expected, file = read(row_reader, format, content)
    assert (file["damaged"], file["tail"], expected.num_rows > 1) == ([], "clean", True)
    for zeros in ZEROS:
        data, path = content + bytes(zeros), tmp_path / "a.log"
        path.write_bytes(data)
        ways = {"memory": (data, {}), "small windows": (data, {"streamed": True, "chunk": 1000})}
        more: dict[str, tuple[Any, dict[str, Any]]] = {
            "packed": (gzip.compress(data), {}),
            "file": (path, {}),
            "few rows": (data, {"streamed": True, "chunk": 50_000, "batch_rows": 2}),
            "recover": (data, {"recover": True}),
            "failfast": (data, {"mode": "failfast"}),
        }
        # What decides on the end knows nothing of these.
        for way, (source, options) in (ways | more if zeros in (7, BLOCK + 1) else ways).items():
            with subtests.test(zeros=zeros, way=way):
                table, file = read(row_reader, format, source, **options)
                assert table.equals(expected)
                assert (file["damaged"], file["tail"], file.get("tail_zeros")) == ([], "clean", True)
                assert (file["bytes"], file["tail_size"]) == (len(data), len(data) - file["tail_offset"])


@pytest.mark.parametrize("name", [each for each in ALLOCATED if each.startswith("leveldb_log")])
def test_byte_ranges_end_with_them_too(name: str, tmp_path: Path) -> None:
    format, content = format_of_case(name), ALLOCATED[name]
    expected = wireloom.read(format, content)
    path, size = tmp_path / "a.log", len(content)
    for zeros in (7, BLOCK + 1, 3 * BLOCK):
        path.write_bytes(content + bytes(zeros))
        points = sorted([0, size // 2, size - 3, size, size + 5, size + zeros // 2, size + zeros - 1, END])
        found = []
        for begin, end in itertools.pairwise(points):
            table, report = wireloom.read_with_report(format, path, byte_range=(begin, end))
            found += table["data"].to_pylist()
            assert report.clean
        assert found == expected["data"].to_pylist()


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("name", [each for each in ALLOCATED if "trailer" not in each])
def test_zeros_that_may_still_be_written_are_not_passed(name: str, row_reader: str, tmp_path: Path) -> None:
    format, content = format_of_case(name), ALLOCATED[name]
    path = tmp_path / "a.log"
    for zeros in (1, 4096, 2 * BLOCK):
        path.write_bytes(content + bytes(zeros))
        _, file = read(row_reader, format, path, tail="growing")
        assert (file["damaged"], file["tail"], file["tail_offset"]) == ([], "growing", len(content))


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_zeros_before_other_records_are_damage(row_reader: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """LevelDB and RocksDB go on at the next block without a word. What was there is not known, so it is reported."""
    format, content = format_of("leveldb_log"), wal_sync(7, RECORDS)
    more = wal_sync(7, [b"more records"])
    size, rows = len(content), [*RECORDS, b"more records"]
    for blocks in (1, 2, 300):
        begin = size - size % BLOCK + blocks * BLOCK
        data = content + bytes(begin - size) + more
        path = tmp_path / "a.log"
        path.write_bytes(data)
        ways = {"memory": data, "packed": gzip.compress(data), "file": path}
        for way, source in ways.items():
            with subtests.test(blocks=blocks, way=way):
                columns = ["data", "_error", "_offset"]
                table, file = read(row_reader, format, source, columns=columns)
                assert [each["data"] for each in table.to_pylist() if not each["_error"]] == rows
                assert [each["_offset"] for each in table.to_pylist() if each["_error"]] == [size]
                assert (file["damaged"], file["tail"]) == ([[size, begin - size, "zeros"]], "clean")
        with subtests.test(blocks=blocks, way="byte ranges"):
            found, lost = [], 0
            for first, last in ((0, size + 9), (size + 9, begin - 9), (begin - 9, END)):
                table, report = wireloom.read_with_report(format, path, byte_range=(first, last))
                found += table["data"].to_pylist()
                lost += sum(each.length for each in report.files[0].damaged)
            assert (found, lost) == (rows, begin - size)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_record_that_ends_in_zeros_is_truncated(row_reader: str) -> None:
    """The writer was stopped between two pieces: LevelDB reports "error in middle of record"."""
    content = wal_sync(7, [b"one", b"x" * BLOCK])[:BLOCK]
    for zeros in (7, BLOCK + 1):
        table, file = read(row_reader, format_of("leveldb_log"), content + bytes(zeros))
        assert table["data"].to_pylist() == [b"one"]
        assert (file["damaged"], file["tail"], file["tail_offset"]) == ([], "truncated", 22)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("name", OTHERS)
def test_zeros_of_other_formats_are_reported(name: str, row_reader: str) -> None:
    format, content = format_of(name), OTHERS[name]
    expected, _ = read(row_reader, format, content)
    for zeros in (1, 7, 4096, BLOCK + 1):
        table, file = read(row_reader, format, content + bytes(zeros))
        assert table.equals(expected)
        assert file["damaged"] or file["tail"] != "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_file_of_zeros_is_empty(row_reader: str) -> None:
    for name in ("leveldb_log", "bitcoin_blocks", "kafka_log", "etcd_wal"):
        table, file = read(row_reader, format_of(name), bytes(2 * BLOCK), check_format=True)
        assert (table.num_rows, file["damaged"], file["tail"]) == (0, [], "clean")
