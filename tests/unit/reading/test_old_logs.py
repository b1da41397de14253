"""Logs of RocksDB in files that were logs before: what is left of the old log is neither rows nor damage."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
import wireloom
from wireloom.checksums import algorithm, function
from wireloom.format.registry import get as format_of

from .running import ROW_READERS, read
from .samples import in_blocks

BLOCK, HEADER = 32768, 11
FORMAT = format_of("leveldb_log")
OLD = [bytes([number % 251]) * (900 + number * 700) for number in range(60)]


def piece(kind: int, number: int, data: bytes) -> bytes:
    covered = struct.pack("<BI", kind, number) + data
    checksum = function(algorithm("crc32c"))(covered)
    assert isinstance(checksum, int)
    masked = ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF
    return struct.pack("<IH", masked, len(data)) + covered


def log_of(number: int, records: list[bytes]) -> bytes:
    """A log whose records have the kinds that say to which log they belong."""
    return in_blocks(records, BLOCK, HEADER, lambda kind, _, data: piece(5 + kind, number, data))


def reused(count: int) -> tuple[bytes, list[bytes], int]:
    """A file with a new log of that many records at its beginning, these records, and the size of the new log."""
    records = [*(b"new" * (number * 97 % 900) for number in range(count)), b"end"]
    new, old = log_of(9, records), log_of(4, OLD)
    return new + old[len(new) :], records, len(new)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("count", [0, 3, 17, 30, 400])
def test_the_old_log_is_no_damage(row_reader: str, count: int) -> None:
    """The new log ends inside of a record of the old one, whose rest is no record."""
    data, records, _ = reused(count)
    for batch_rows in (7, 10_000):
        table, report = read(row_reader, FORMAT, data, batch_rows=batch_rows)
        assert table["data"].to_pylist() == records
        assert (report["damaged"], report["tail"]) == ([], "clean")
    table, report = read(row_reader, FORMAT, data, streamed=True, chunk=50_000)
    assert (table["data"].to_pylist(), report["damaged"]) == (records, [])
    assert wireloom.read("leveldb_log", data, mode="failfast").num_rows == len(records)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_the_old_log_ends_in_the_same_block(row_reader: str, subtests: pytest.Subtests) -> None:
    """Nothing of the old log that is a record follows, or its last one, or one of a log before that."""
    older = log_of(2, [b"older" * 300] * 8)
    old = log_of(4, [b"old" * 120] * 11)
    for more in (b"", older[len(old) :]):
        for count in (0, 1, 5, 6, 30):
            new = log_of(9, [b"n" * (number * 7) for number in range(count)] + [b"end"])
            for left in (old + more, old[: len(new) + HEADER], old[: len(new) + 40], bytes(len(new)) + b"\x05" * 900):
                data = new + left[len(new) :]
                with subtests.test(count=count, left=len(left)):
                    table, report = read(row_reader, FORMAT, data)
                    assert table.num_rows == count + 1
                    assert (report["damaged"], report["tail"]) == ([], "clean")
                    if not count:
                        continue
                    # A record of the new log whose header can still be read is damaged nevertheless.
                    _, report = read(row_reader, FORMAT, data[: len(new) - 1] + b"!" + data[len(new) :])
                    [(begin, _, reason)] = report["damaged"]
                    assert (begin, reason) == (len(new) - HEADER - 3, "checksum")


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("count", [3, 17, 400])
def test_damage_of_the_new_log_is_reported(row_reader: str, count: int) -> None:
    """Also in its last record, which is followed by the rest of the old log: its header has the number of the log."""
    data, records, size = reused(count)
    for place, lost in ((size - 1, len(records) - 1), (HEADER + len(records[0]) + 12, 1)):
        damaged = bytearray(data)
        damaged[place] ^= 1
        table, report = read(row_reader, FORMAT, bytes(damaged))
        assert table["data"].to_pylist() == [*records[:lost], *records[lost + 1 :]]
        [(begin, length, reason)] = report["damaged"]
        assert (begin <= place < begin + length, reason) == (True, "checksum")


def test_an_unfinished_record_of_the_new_log_is_its_tail() -> None:
    """The process ended between two pieces of a record."""
    new = log_of(9, [b"one", bytes(BLOCK)])[:BLOCK]
    old = log_of(4, OLD)
    table, report = wireloom.read_with_report("leveldb_log", new + old[len(new) :])
    assert table["data"].to_pylist() == [b"one"]
    [file] = report.to_dict()["files"]
    assert (file["damaged"], file["tail"], file["tail_offset"]) == ([], "truncated", HEADER + 3)


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 30])
def test_byte_ranges_agree(count: int, tmp_path: Path) -> None:
    data, records, size = reused(count)
    path = tmp_path / "reused.log"
    path.write_bytes(data)
    places = [0, 500, size - 3, size, size + 100, BLOCK, size - size % BLOCK + BLOCK, 3 * BLOCK + 7, len(data)]
    found = []
    for begin, end in zip(sorted(places), sorted(places)[1:], strict=False):
        table, report = wireloom.read_with_report("leveldb_log", path, byte_range=(begin, end))
        found += table["data"].to_pylist()
        assert report.to_dict()["files"][0]["damaged"] == []
    assert found == records


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_the_limit_on_records_is_not_for_the_old_log(row_reader: str) -> None:
    """The last record of the new log, which is in pieces, ends where its block does at the latest."""
    records = [b"ten bytes.", b"x" * 40_000]
    new, old = log_of(9, records), log_of(4, OLD * 2)
    table, report = read(row_reader, FORMAT, new + old[len(new) :], max_record=1 << 20)
    assert (table["data"].to_pylist(), report["damaged"], report["tail"]) == (records, [], "clean")
