"""Single rows from large sorted logs."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import zstandard
from wireloom.reading.binary_search import LINEAR, Log
from wireloom.reading.options import ScanOptions

from ...examples import examples
from ...writing import bytes_of

DELIMITERS = {"word_stuffed_log": b"\xfe\xfd", "cobs_log": b"\0"}
NUMBER = struct.Struct(">Q")


def log(keys: Sequence[int], format: str = "word_stuffed_log", size: int = 150) -> bytes:
    """Return records that begin with their keys."""
    payloads = [NUMBER.pack(key) + b"x" * size for key in keys]
    columns: dict[str, Any] = {"payload": pa.array(payloads, pa.binary())}
    if format == "word_stuffed_log":
        columns["generation"] = pa.array([key % 1000 for key in keys], pa.uint32())
    return bytes_of(format, pa.table(columns))


def key_of(row: dict[str, Any]) -> int:
    return int(NUMBER.unpack(row["payload"][:8])[0])


def offsets(format: str, content: bytes) -> list[int]:
    found: list[int] = wireloom.read(format, content, columns=["_offset"])["_offset"].to_pylist()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("format", ["word_stuffed_log", "cobs_log"])
def test_every_key_is_found(format: str, tmp_path: Path) -> None:
    keys = list(range(0, 3000, 3))
    content = log(keys, format)
    path = tmp_path / "sorted.log"
    path.write_bytes(content)
    places = offsets(format, content)
    for value in [*range(0, 3000, 150), 2997, 2998, 10_000]:
        at = -(-value // 3)
        for source in (content, path):
            found = wireloom.search(format, source, value, key=key_of)
            if at < len(keys):
                assert found.row is not None
                assert (key_of(found.row.values), found.row.offset) == (keys[at], places[at])
                assert found.begin == places[at]
                rest = wireloom.read(format, source, byte_range=(found.begin, len(content)))
                assert rest.num_rows == len(keys) - at
            else:
                assert (found.row, found.begin) == (None, len(content))


def test_the_first_row_at_or_after_an_offset(tmp_path: Path) -> None:
    content = log(range(50))
    path = tmp_path / "a.log"
    path.write_bytes(content)
    places = offsets("word_stuffed_log", content)
    for before, place in pairwise([-1, *places]):
        for at in {before + 1, place - 1, place} - {-1}:
            found = wireloom.first_row("word_stuffed_log", path, at, columns=["generation"])
            expected = places.index(place if at > before else before)
            assert found == wireloom.FoundRow(places[expected], {"generation": expected})
    assert wireloom.first_row("word_stuffed_log", path, places[-1] + 1) is None
    assert wireloom.first_row("word_stuffed_log", b"") is None


@pytest.mark.slow
def test_damaged_rows_are_passed_over(tmp_path: Path) -> None:
    content = bytearray(log(range(5000)))
    places = offsets("word_stuffed_log", bytes(content))
    hit = range(2000, 3000)
    for number in hit:
        content[places[number] + 60] ^= 1
    path = tmp_path / "damaged.log"
    path.write_bytes(content)
    for value in (0, 1999, 2000, 2500, 2999, 3000, 4999):
        found = wireloom.search("word_stuffed_log", path, value, key=key_of)
        assert found.row is not None
        assert key_of(found.row.values) == (3000 if value in hit else value)


def test_a_column_is_the_key_and_need_not_be_shown() -> None:
    content = log(range(900))
    found = wireloom.search("word_stuffed_log", content, 700, key="generation", columns=["payload"])
    assert found.row is not None
    assert list(found.row.values) == ["payload"]
    assert key_of(found.row.values) == 700
    with pytest.raises(wireloom.UnknownNameError, match="did you mean 'generation'"):
        wireloom.search("word_stuffed_log", content, 1, key="generatoin")


def sparse(path: Path, format: str, size: int, randomness: random.Random) -> int:
    """Write a sorted log of that size that consists mostly of holes; return the key after the last one. Every second
    number is a key."""
    key, position = 0, 0
    with open(path, "wb") as file:
        file.truncate(size)
        while position < size - 1_000_000:
            count = randomness.randint(1, 200)
            file.seek(position)
            content = log(range(key, key + 2 * count, 2), format)
            position += file.write(DELIMITERS[format] + content + DELIMITERS[format])
            position += randomness.randint(1, size // 33)
            key += 2 * count
    if path.stat().st_blocks * 512 > size // 2:
        pytest.skip("the file system has no holes")
    return key


@pytest.mark.slow
@pytest.mark.parametrize("format", DELIMITERS)
def test_ten_gigabytes_with_holes(format: str, tmp_path: Path) -> None:
    """One place is examined for each halving, and little is read there."""
    path = tmp_path / "sparse.log"
    randomness = random.Random(5)
    last = sparse(path, format, 10_000_000_000, randomness)
    for _ in range(examples(20)):
        value = randomness.randrange(last - 1)
        found = wireloom.search(format, path, value, key=key_of)
        assert found.row is not None
        assert key_of(found.row.values) == value + value % 2
        assert found.probes <= 34
        assert found.largest_read < 64 * 1024
        assert found.bytes_read < 34 * 64 * 1024


@pytest.mark.slow
@pytest.mark.parametrize("format", DELIMITERS)
def test_the_first_row_after_any_byte_of_ten_gigabytes(format: str, tmp_path: Path) -> None:
    """One place is examined, however far the next row is."""
    path = tmp_path / "sparse.log"
    randomness = random.Random(6)
    size = 10_000_000_000
    sparse(path, format, size, randomness)
    for _ in range(examples(20)):
        at = randomness.randrange(size // 2)
        opened = Log(format, path, ScanOptions())
        row = opened.first(at, size)
        assert row is not None
        assert row.offset >= at
        assert wireloom.first_row(format, path, at) == wireloom.FoundRow(row.offset, opened.without_extra(row).values)
        assert (opened.probes, opened.largest_read) == (1, opened.bytes_read)
        assert opened.bytes_read < 64 * 1024


@pytest.mark.slow
def test_zeros_before_a_row_are_not_read_far_beyond(tmp_path: Path) -> None:
    """Each of them is a delimiter without a frame."""
    path = tmp_path / "zeros.log"
    with open(path, "wb") as file:
        file.truncate(10_000_000)
        file.seek(5_000_000)
        file.write(bytes(20_000) + log(range(2000), "cobs_log"))
    for at in (0, 5_000_000, 5_010_000):
        opened = Log("cobs_log", path, ScanOptions())
        row = opened.first(at, opened.size)
        assert row is not None
        assert key_of(row.values) == 0
        assert opened.bytes_read < 64 * 1024


@pytest.mark.slow
@pytest.mark.parametrize("format", DELIMITERS)
@pytest.mark.parametrize("rows", [300, 3_000, 30_000])
def test_places_looked_at_grow_with_the_logarithm(format: str, rows: int, tmp_path: Path) -> None:
    path = tmp_path / "sorted.log"
    content = log(range(rows), format, size=500)
    path.write_bytes(content)
    most = max(0, math.ceil(math.log2(len(content) / LINEAR))) + 2
    for value in random.Random(rows).sample(range(rows), 30):
        found = wireloom.search(format, path, value, key=key_of)
        assert found.row is not None
        assert key_of(found.row.values) == value
        assert found.probes <= most
        assert found.largest_read < 64 * 1024
        assert found.bytes_read <= found.probes * found.largest_read


@pytest.mark.slow
def test_a_column_as_the_key_of_a_large_log(tmp_path: Path) -> None:
    path = tmp_path / "sorted.log"
    generations = pa.array([number // 7 for number in range(50_000)], pa.uint32())
    payloads = pa.array([b"x" * 300] * len(generations), pa.binary())
    wireloom.write("word_stuffed_log", pa.table({"generation": generations, "payload": payloads}), path)
    for value in (0, 1, 3_456, 7_142):
        found = wireloom.search("word_stuffed_log", path, value, key="generation")
        assert found.row is not None
        assert found.row.values["generation"] == value
        before = wireloom.read("word_stuffed_log", path, byte_range=(0, found.begin))
        assert before.num_rows == 7 * value
        assert found.probes <= 12
        assert found.largest_read < 64 * 1024


@pytest.mark.slow
@pytest.mark.parametrize("disorder", [1, 5, 100])
def test_rows_that_are_nearly_sorted(disorder: int) -> None:
    randomness = random.Random(disorder)
    # Rows that are sorted by their place plus less than the disorder are at most that far from their sorted place.
    keys = sorted(range(5_000), key=lambda number: number + randomness.random() * disorder)
    assert max(abs(number - key) for number, key in enumerate(keys)) <= disorder
    content = log(keys, size=20)
    for value in randomness.sample(range(5_000), 20):
        found = wireloom.search("word_stuffed_log", content, value, key=key_of, disorder=disorder)
        rest = wireloom.read("word_stuffed_log", content, byte_range=(found.begin, len(content)))
        after = {NUMBER.unpack(each[:8])[0] for each in rest["payload"].to_pylist()}
        assert after >= set(range(value, 5_000))
        assert len(after) <= 5_000 - value + 5 * disorder + 5


def test_what_cannot_be_searched(tmp_path: Path) -> None:
    with pytest.raises(wireloom.UnsupportedError, match="nothing delimits them: read it with scan"):
        wireloom.first_row("edgemq_segment", b"")
    compressed = tmp_path / "a.log.zst"
    compressed.write_bytes(zstandard.compress(log(range(10))))
    with pytest.raises(wireloom.UnsupportedError, match="decompress it first"):
        wireloom.search("word_stuffed_log", compressed, 1, key=key_of)
    with pytest.raises(wireloom.WireloomError, match="name one of them"):
        wireloom.search("word_stuffed_log", [log([1]), log([2])], 1, key=key_of)
    with pytest.raises(wireloom.WireloomError, match="a number of rows of at least 0, not -1"):
        wireloom.search("word_stuffed_log", log([1]), 1, key=key_of, disorder=-1)
    with pytest.raises(wireloom.WireloomError, match="must be a byte offset in the log, not -1"):
        wireloom.first_row("word_stuffed_log", log([1]), -1)


def test_a_log_that_ends_early_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(log(range(4000)))
    opened = Log("word_stuffed_log", path, ScanOptions())
    path.write_bytes(log(range(10)))
    with pytest.raises(wireloom.WireloomError, match=r"it had .* when it was opened"):
        list(opened.rows(0, opened.size))
