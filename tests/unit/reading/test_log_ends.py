"""Logs of all kinds of fragments that are cut, changed or mixed with older ones: what is lost is reported."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

import pytest
from wireloom.checksums import algorithm, function
from wireloom.format.registry import get as format_of

from .running import ROW_READERS, read

BLOCK = 32768
FORMAT = format_of("leveldb_log")
COLUMNS = ["_offset", "data"]
CHECKSUM = function(algorithm("crc32c"))
SIZES = (0, 2, 7, 40, 300, 3000, 32000, 40_000)


@dataclass
class Log:
    """A log and its records, each with the ranges of its fragments."""

    content: bytes
    records: dict[int, tuple[bytes, list[tuple[int, int]]]]


def log_of(style: str, number: int, data: list[bytes]) -> Log:
    """``style``: LevelDB's kinds, the recyclable ones of RocksDB, or Pebble's "WAL sync" kinds."""
    out, records = bytearray(), {}
    size = {"leveldb": 7, "recyclable": 11, "sync": 19}[style]
    for each in data:
        rest, places = each, list[tuple[int, int]]()
        while not places or rest:
            if BLOCK - len(out) % BLOCK < size:
                out += bytes(-len(out) % BLOCK)
            here = rest[: BLOCK - len(out) % BLOCK - size]
            rest = rest[len(here) :]
            kind = (3 if rest else 4) if places else (2 if rest else 1)
            if style == "recyclable":
                covered = struct.pack("<BI", kind + 4, number)
            elif style == "sync":
                covered = struct.pack("<BIQ", kind + 8, number, len(out))
            else:
                covered = bytes([kind])
            checksum = CHECKSUM(covered + here)
            assert isinstance(checksum, int)
            masked = ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF
            places.append((len(out), len(out) + size + len(here)))
            out += struct.pack("<IH", masked, len(here)) + covered + here
        records[places[0][0]] = each, places
    return Log(bytes(out), records)


def changed(source: random.Random, log: Log, old: bytes, how: str) -> bytes:
    """Return the log after one accident, which leaves its first fragment as it was. What is left of the old log
    follows, unless it is cut."""
    data = bytearray(log.content + old[len(log.content) :])
    first = log.records[0][1][0][1]
    place = source.randrange(first, len(log.content))
    if how == "cut":
        del data[len(log.content) - source.randrange(1, min(4000, len(log.content) - first)) :]
    elif how == "bit":
        begin = source.choice(list(log.records)[1:])
        place = min(begin + source.randrange(20), len(log.content) - 1)
        data[place] ^= 1 << source.randrange(8)
    else:
        begin = max(place - place % 512, first)
        end = min(begin + 512 * source.choice([1, 8, 64]), len(log.content))
        data[begin:end] = (old if how == "stale" else b"").ljust(end, b"\0")[begin:end]
    return bytes(data)


@pytest.mark.parametrize("how", ["cut", "bit", "stale", "zeros"])
@pytest.mark.parametrize("style", ["leveldb", "recyclable", "sync"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_lost_is_reported(style: str, how: str, seed: int) -> None:
    source = random.Random(f"{seed} {style} {how}")
    log, old = (
        log_of(style, number, [name + source.randbytes(source.choice(SIZES)) for _ in range(source.randrange(3, 16))])
        for name, number in ((b"new", 9), (b"old", 5))
    )
    left = old.content if style != "leveldb" and source.random() < 0.7 else b""
    data = changed(source, log, left, how)
    table, report = read(None, FORMAT, data, columns=COLUMNS)
    found = dict(zip(*(table[name].to_pylist() for name in COLUMNS), strict=True))
    assert all(log.records.get(offset, (b"",))[0] == row for offset, row in found.items() if row[:3] == b"new")
    assert all(row[:3] == b"new" for row in found.values())
    tail = len(data) if report["tail"] == "clean" else report["tail_offset"]
    ranges = [(begin, begin + length) for begin, length, _ in report["damaged"]] + [(tail, len(data))]
    for offset, (_, places) in log.records.items():
        is_whole = all(log.content[begin:end] == data[begin:end] for begin, end in places)
        if is_whole and offset not in found:
            assert all(any(begin <= each[0] < end for begin, end in ranges) for each in places)
    for streamed in (False, True):
        other, again = read(None, FORMAT, data, columns=COLUMNS, batch_rows=2, streamed=streamed, chunk=5000)
        assert (other.to_pylist(), again["damaged"]) == (table.to_pylist(), report["damaged"])
        assert (again["tail"], again["tail_offset"]) == (report["tail"], report["tail_offset"])


@pytest.mark.parametrize("style", ["recyclable", "sync"])
@pytest.mark.parametrize("size", [2000, BLOCK])
def test_fragments_of_an_older_log_before_those_of_a_newer_one(style: str, size: int) -> None:
    """If they are all of the first block, it is not known before the second one which log it is."""
    log, old = (
        log_of(style, number, [b"%s%02d" % (name, each) + bytes(900) for each in range(90)])
        for name, number in ((b"new", 9), (b"old", 5))
    )
    table, report = read(None, FORMAT, old.content[:size] + log.content[size:], columns=COLUMNS)
    found = dict(zip(*(table[name].to_pylist() for name in COLUMNS), strict=True))
    later = {offset: row for offset, (row, places) in log.records.items() if places[0][0] >= size + 1000}
    assert later.items() <= found.items()
    assert any(begin <= size < begin + length + 1000 for begin, length, _ in report["damaged"])
    if size < BLOCK:
        assert all(row.startswith(b"new") for row in found.values())
        assert report["damaged"][0][0] == 0


@pytest.mark.parametrize("style", ["recyclable", "sync"])
def test_the_damaged_last_record_of_a_newer_log_is_known_by_its_number(style: str) -> None:
    """The first block is all of an older log, so the number that headers have changes inside of the input."""
    log, old = (log_of(style, number, [bytes(900)] * 90) for number in (9, 5))
    *_, last = log.records
    data = bytearray(old.content[:BLOCK] + log.content[BLOCK:] + old.content[len(log.content) :])
    data[last + 100] ^= 1
    assert [last, "checksum"] in [each[::2] for each in read(None, FORMAT, bytes(data))[1]["damaged"]]


@pytest.mark.parametrize("tail", ["complete", "growing"])
@pytest.mark.parametrize("padding", [None, 0, 1, 6])
@pytest.mark.parametrize("style", ["leveldb", "recyclable", "sync"])
def test_a_log_that_is_cut_ends_where_its_last_record_begins(style: str, padding: int | None, tail: str) -> None:
    """``padding``: number of bytes of padding before the block in which the last record is alone."""
    log = log_of(style, 9, [b"some record of a log"] * 3)
    sizes = [] if padding is None else [BLOCK - len(log.content) - (len(log.content) // 3 - 20) - padding]
    log = log_of(style, 9, [b"some record of a log"] * 3 + [bytes(size) for size in sizes] + [b"the last record"])
    *_, last = log.records
    for size in range(last + 1, len(log.content)):
        table, report = read(None, FORMAT, log.content[:size], tail=tail)
        assert (table.num_rows, report["damaged"], report["tail_offset"]) == (3 + len(sizes), [], last)
        assert report["tail"] == ("growing" if tail == "growing" else "truncated")


@pytest.mark.parametrize("style", ["recyclable", "sync"])
def test_no_bit_of_a_header_loses_later_records_silently(style: str) -> None:
    """Also in a block that is the last one, which a damaged length exceeds."""
    log = log_of(style, 9, [b"some record of a log"] * 9)
    _, begin, *later = log.records
    for bit in range(8 * begin):
        data = bytearray(log.content)
        data[begin + bit // 8] ^= 1 << bit % 8
        table, report = read(None, FORMAT, bytes(data), columns=["_offset"])
        lost = {begin, *later} - set(table["_offset"].to_pylist())
        ranges = [(first, first + length) for first, length, _ in report["damaged"]]
        assert all(any(first <= each < last for first, last in ranges) for each in lost)
        assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("style", ["recyclable", "sync"])
def test_pieces_with_wrong_checksums_count_without_verification(style: str, row_reader: str) -> None:
    """The number of a log is that of its valid pieces, which there are none."""
    log = log_of(style, 7, [b"one", b"two", b"three"])
    data = bytearray(log.content)
    for begin in log.records:
        data[begin] ^= 1
    table, report = read(row_reader, FORMAT, bytes(data), columns=["data"], verify=False)
    assert (table["data"].to_pylist(), report["damaged"]) == ([b"one", b"two", b"three"], [])
    assert read(row_reader, FORMAT, bytes(data))[1]["damaged"] == [
        [begin, places[0][1] - begin, "checksum"] for begin, (_, places) in log.records.items()
    ]
