"""Sparse files: holes cost nothing, wherever a byte range begins or ends."""

from __future__ import annotations

import os
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom.input.window import CHUNK

from ..unit.reading.running import ROW_READERS, read
from ..unit.reading.samples import cobs_log, frames, payloads, word_log
from ..unit.specs import format_of
from ..writing import bytes_of
from .children import needs_engine
from .counting import count_reads

SIZE = 3_000_000_000
TEBIBYTE = 1 << 40
LOGS = {"cobs_log": cobs_log, "word_stuffed_log": word_log}
DELIMITERS = {"cobs_log": b"\0", "word_stuffed_log": b"\xfe\xfd"}


def islands(path: Path, name: str, *, first: int, randomness: random.Random) -> list[int]:
    """Write a log that consists mostly of holes; return where its islands begin and end."""
    edges, position = [], first
    with open(path, "wb") as file:
        file.truncate(SIZE)
        while position < SIZE - 2_000_000:
            file.seek(position)
            content = LOGS[name](payloads(randomness.randint(1, 60), seed=position))
            written = file.write((DELIMITERS[name] if position else b"") + content)
            edges += [position, position + written]
            position += written + randomness.randint(1, 700_000_000)
    if path.stat().st_blocks * 512 > SIZE // 2:
        pytest.skip("the file system has no holes")
    return edges


def rows(name: str, path: Path, **options: Any) -> list[tuple[int, bytes]]:
    found = wireloom.read(name, path, columns=["_offset", "payload"], max_record=100_000, **options)
    return list(zip(found["_offset"].to_pylist(), found["payload"].to_pylist(), strict=True))


@needs_engine
@pytest.mark.parametrize("first", [0, 800_000_000])
@pytest.mark.parametrize("name", LOGS)
def test_any_byte_ranges_of_a_log_with_holes(name: str, first: int, tmp_path: Path) -> None:
    path = tmp_path / "sparse.log"
    randomness = random.Random(name)
    edges = islands(path, name, first=first, randomness=randomness)
    whole = rows(name, path)
    assert len(whole) > 20
    for number in range(3):
        near = [max(1, edge + randomness.randint(-5000, 5000)) for edge in randomness.sample(edges, 3)]
        cuts = sorted({0, SIZE, *near, *(randomness.randrange(SIZE) for _ in range(number))})
        found = [row for begin, end in pairwise(cuts) for row in rows(name, path, byte_range=(begin, end))]
        assert found == whole


@needs_engine
def test_empty_frames_of_ranges_end_where_they_do(tmp_path: Path) -> None:
    """The zeros of a hole are empty frames: each range accounts for its own."""
    path = tmp_path / "sparse.log"
    islands(path, "cobs_log", first=100_000_000, randomness=random.Random(1))
    _, report = wireloom.read_with_report("cobs_log", path)
    accounted = report.files[0].skipped_bytes
    assert report.clean
    assert accounted > SIZE // 2
    cuts = [0, 50_000_000, 1_000_000_000, 1_500_000_001, SIZE]
    parts = [
        each
        for byte_range in pairwise(cuts)
        for each in wireloom.read_with_report("cobs_log", path, byte_range=byte_range)[1].files[0].skipped
    ]
    assert sum(each.length for each in parts) == accounted
    assert all(left.offset + left.length <= right.offset for left, right in pairwise(parts))


def punched(path: Path, content: bytes, begin: int, end: int) -> None:
    """Write a file with a hole as ``fallocate`` punches it: zeros in the blocks that are only partly in it."""
    content = content[:begin] + bytes(end - begin) + content[end:]
    with path.open("wb") as file:
        block = os.fstat(file.fileno()).st_blksize
        file.write(content[: begin + -begin % block])
        file.seek(end - end % block)
        file.write(content[end - end % block :])
        file.truncate(len(content))
    if path.stat().st_blocks * 512 >= len(content):
        pytest.skip("the file system has no holes")


PAYLOADS = [b"%03d" % number * 230 for number in range(60)]
WORDS = word_log(PAYLOADS)
PLACES = [0, *(len(word_log(PAYLOADS[:number])) - 2 for number in range(1, 60)), len(WORDS)]
HOLES: dict[str, tuple[int, int, list[list[Any]], int]] = {
    "a head, to a record": (0, PLACES[20], [], 20),
    "a head, to a block": (0, 16384, [], sum(place < 16384 for place in PLACES)),
    "after a delimiter": (PLACES[10] + 2, PLACES[40], [], 30),
    "to the end": (PLACES[30] + 2, PLACES[60], [], 30),
    "all": (0, PLACES[60], [], 60),
    "to a record without a delimiter": (
        PLACES[10] + 2,
        PLACES[40] + 2,
        [[PLACES[40] + 2, PLACES[41] - PLACES[40] - 2, "stuffing"]],
        31,
    ),
    "inside a record": (PLACES[10] + 20, PLACES[40] + 20, [[PLACES[10], PLACES[41] - PLACES[10], "stuffing"]], 31),
    "a record without its delimiter": (PLACES[10], PLACES[40], [[PLACES[9], PLACES[10] - PLACES[9], "checksum"]], 31),
}
"""Ranges of holes, the damage beside them, and the number of records that are lost."""


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_is_skipped_and_zeros_are_damage(row_reader: str, hole: str, tmp_path: Path) -> None:
    begin, end, damaged, lost = HOLES[hole]
    path = tmp_path / "punched.log"
    punched(path, WORDS, begin, end)
    zeros = tmp_path / "zeros.log"
    zeros.write_bytes(path.read_bytes())
    hows: list[dict[str, Any]] = [{}, {"chunk": 5000}, *([] if damaged else [{"mode": "failfast"}])]
    for how in hows:
        table, file = read(row_reader, "word_stuffed_log", path, columns=["payload", "_offset"], **how)
        rows = table["payload"].drop_null().to_pylist()
        assert len(rows) == 60 - lost
        assert rows == [each for each in PAYLOADS if each in rows]
        assert (file["tail"], file["damaged"]) == ("clean", damaged)
        if hole == "inside a record":
            assert "skipped" not in file
            continue
        [[first, size, reason]] = file["skipped"]
        assert (reason, file["skipped_bytes"]) == ("hole", size)
        assert begin - 2 <= first <= begin
        assert end <= first + size <= end + 720
    _, file = read(row_reader, "word_stuffed_log", zeros)
    assert (file["damaged"], file["tail"]) != ([], "clean")
    assert "skipped" not in file
    cuts = pairwise([0, 9000, 30000, 50000])
    parts = [read(row_reader, "word_stuffed_log", path, byte_range=each)[1] for each in cuts]
    assert sum(each["rows"] for each in parts) == 60 - lost
    assert [each for part in parts for each in part["damaged"]] == damaged


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_record_without_an_end_after_a_hole_is_the_tail(row_reader: str, tmp_path: Path) -> None:
    path = tmp_path / "punched.log"
    begin, end = PLACES[10], PLACES[50] + 2
    punched(path, WORDS[: PLACES[51]], begin + 2, end)
    table, file = read(row_reader, "word_stuffed_log", path, columns=["payload"])
    assert table["payload"].to_pylist() == PAYLOADS[:10]
    assert file["skipped"] == [[begin, end - begin, "hole"]]
    assert (file["damaged"], file["tail"], file["tail_offset"]) == ([], "truncated", end)


@needs_engine
@pytest.mark.parametrize("name", LOGS)
def test_holes_are_not_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sparse.log"
    edges = islands(path, name, first=800_000_000, randomness=random.Random(2))
    sizes = count_reads(monkeypatch)
    ranges: list[tuple[int, int] | None] = [None, (100_000_000, 700_000_000), (700_000_000, SIZE)]
    for byte_range in ranges:
        sizes.clear()
        rows(name, path, byte_range=byte_range)
        # A few blocks for each island, and for the beginning.
        assert sum(sizes) < (len(edges) + 4) * 4 * CHUNK


@needs_engine
def test_a_row_whose_delimiter_is_a_hole_s_last_byte(tmp_path: Path) -> None:
    """The bytes after a hole begin at a block of the file system."""
    path = tmp_path / "sparse.log"
    content = cobs_log(payloads(20))
    places = [0, 400 << 20, 900 << 20, 901 << 20]
    with open(path, "wb") as file:
        for place in places:
            file.seek(place)
            file.write(content)
    if path.stat().st_blocks * 512 > 100 << 20:
        pytest.skip("the file system has no holes")
    assert [payload for _, payload in rows("cobs_log", path)] == payloads(20) * len(places)
    begins = [begin for begin, _ in rows("cobs_log", path)][::20]
    # A row begins at the delimiter before it, except the very first one.
    assert begins == [0, *(place - 1 for place in places[1:])]


@needs_engine
def test_a_hole_that_is_cut_off_while_it_is_read_is_no_run_of_zeros(tmp_path: Path) -> None:
    path = tmp_path / "sparse.log"
    content = word_log(payloads(3000, largest=600))
    with path.open("wb") as file:
        file.write(content)
        file.truncate(SIZE)
    if path.stat().st_blocks * 512 > SIZE // 2:
        pytest.skip("the file system has no holes")
    cut = len(content) + 5_000_000
    with wireloom.scan("word_stuffed_log", path, batch_rows=100, prefetch=False, max_record=100_000) as scanner:
        rows = next(scanner).num_rows
        os.truncate(path, cut)
        rows += sum(batch.num_rows for batch in scanner)
    [file] = scanner.report.files
    assert rows == 3000
    assert file.tail == "truncated"
    assert file.error == f"the input ended at stored byte {cut}, but it had {SIZE} bytes when it was opened"


ZERO_HEADED = """
meta: {id: zero_headed, endian: le, -wireloom: {rows: rows, max-record: 1000}}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: reserved, contents: [0, 0, 0]}
      - {id: len, type: u2, valid: {min: 1}}
      - {id: payload, size: len}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: payload}}}
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_search_for_the_next_row_passes_over_holes(
    row_reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tebibyte that is not stored costs no reads, and the rows after it are found, even with zeros at their
    beginning."""
    own = format_of(ZERO_HEADED)
    data = bytes_of(own, pa.table({"payload": payloads(20)}))
    sizes = count_reads(monkeypatch)
    for format, content in ((own, data), ("edgemq_segment", frames(payloads(20)))):
        path = tmp_path / "sparse.log"
        after = TEBIBYTE - 4096 * 3
        with path.open("wb") as file:
            file.write(content + b"\xff" * 50)
            file.seek(after)
            file.write(content)
            file.truncate(TEBIBYTE)
        if path.stat().st_blocks * 512 > SIZE // 2:
            pytest.skip("the file system has no holes")
        sizes.clear()
        how = {"columns": ["_offset", "payload"], "max_record": 100_000}
        table, _ = read(row_reader, format, path, recover=True, **how)
        assert table["payload"].to_pylist() == payloads(20) * 2
        assert table["_offset"].to_pylist()[20] == after
        assert sum(sizes) < 20 * CHUNK
        path.unlink()
