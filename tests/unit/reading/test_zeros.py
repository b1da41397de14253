"""Files of delimited rows that begin with zeros."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import wireloom
import zstandard
from wireloom import Damage

from . import samples
from .running import ROW_READERS, read

LOG = samples.word_log([b"a", b"bb", b"ccc"])


OWN = samples.word_record(b"own", 657_117)
"""A record whose checksum begins with the delimiter, so that its first run is empty: one of a million does."""
assert OWN[0] == 0


def file(folder: Path, content: bytes) -> Path:
    path = folder / "a.log"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("zeros", [1, 2, 3, 4, 5, 600, 300_000, 2_200_000])
@pytest.mark.parametrize("own", [False, True])
def test_the_first_record_after_zeros(zeros: int, own: bool, row_reader: str, tmp_path: Path) -> None:
    first = OWN + b"\xfe\xfd" if own else b""
    path = file(tmp_path, bytes(zeros) + first + LOG)
    columns = ["_offset", "payload", "_error"]
    for max_record in (None, 1000):
        table, report = read(row_reader, "word_stuffed_log", path, columns=columns, max_record=max_record)
        good = [row["payload"] for row in table.to_pylist() if row["_error"] is None]
        assert good == ([b"own"] if own else []) + [b"a", b"bb", b"ccc"]
        assert report["damaged"] == [[0, zeros, "length"]]
        assert table["_offset"].to_pylist()[:2] == [0, zeros]
        assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_record_that_begins_with_zero_itself(row_reader: str, tmp_path: Path) -> None:
    path = file(tmp_path, OWN + b"\xfe\xfd" + LOG)
    table, report = read(row_reader, "word_stuffed_log", path, columns=["_offset", "payload"])
    assert table["payload"].to_pylist() == [b"own", b"a", b"bb", b"ccc"]
    assert table["_offset"][0].as_py() == 0
    assert report["damaged"] == []


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_stands_after_the_zeros_may_be_damaged_too(row_reader: str, tmp_path: Path) -> None:
    path = file(tmp_path, bytes(50) + b"rubbish\xfe\xfd" + LOG)
    table, report = read(row_reader, "word_stuffed_log", path)
    assert table.num_rows == 3
    assert report["damaged"] == [[0, 50, "length"], [50, 7, "stuffing"]]


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_nothing_but_zeros(row_reader: str, tmp_path: Path) -> None:
    for size in (1, 3, 100, 3_000_000):
        table, report = read(row_reader, "word_stuffed_log", file(tmp_path, bytes(size)))
        assert table.num_rows == 0
        assert report["damaged"] == [[0, size, "length"]]
        assert (report["tail"], report["tail_offset"]) == ("clean", size)


@pytest.mark.slow
@pytest.mark.parametrize("zeros", [5, 600, 200_000, 3_000_000])
def test_byte_ranges(zeros: int, tmp_path: Path) -> None:
    path = file(tmp_path, bytes(zeros) + LOG)
    table, report = wireloom.read_with_report("word_stuffed_log", path, columns=["_offset"])
    size = zeros + len(LOG)
    cuts = sorted({0, 1, 3, zeros // 2, zeros - 1, zeros, zeros + 1, zeros + 15, size})
    rows: list[int] = []
    damaged: list[Damage] = []
    for begin, end in pairwise(cuts):
        part, part_report = wireloom.read_with_report(
            "word_stuffed_log", path, columns=["_offset"], byte_range=(begin, end)
        )
        rows += part["_offset"].to_pylist()
        damaged += part_report.files[0].damaged
    assert rows == table["_offset"].to_pylist()
    assert rows[0] == zeros
    assert damaged == report.files[0].damaged == [Damage(0, zeros, "length")]


@pytest.mark.slow
def test_a_large_hole_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    hole = 1 << 40
    with path.open("wb") as sparse:
        sparse.seek(hole)
        sparse.write(LOG)
    options: dict[str, Any] = {"columns": ["_offset", "payload"]}
    table, report = wireloom.read_with_report("word_stuffed_log", path, **options)
    assert table["payload"].to_pylist() == [b"a", b"bb", b"ccc"]
    assert report.clean
    assert report.files[0].skipped == [Damage(0, hole, "hole")]
    for byte_range, rows in (((0, hole), 0), ((hole // 2, hole + 1), 1), ((hole + 1, hole + 100), 2)):
        part = wireloom.read("word_stuffed_log", path, byte_range=byte_range, **options)
        assert part.num_rows == rows


def test_bytes_and_compressed_files(tmp_path: Path) -> None:
    content = bytes(100) + LOG
    # In memory, the first frame is what is there, as in the reference.
    assert wireloom.read("word_stuffed_log", content).num_rows == 2
    path = tmp_path / "a.log.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(content))
    assert wireloom.read("word_stuffed_log", path).num_rows == 3


def test_zeros_are_delimiters_elsewhere(tmp_path: Path) -> None:
    table, report = wireloom.read_with_report("cobs_log", file(tmp_path, bytes(3) + samples.cobs_log([b"a"])))
    assert table["payload"].to_pylist() == [b"a"]
    assert report.clean
    assert report.files[0].skipped == [Damage(0, 2, "empty")]


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("after", [b"\xfe\xfd", b"\xfe\xfd\xfe\xfd", b"\xfe", b"\x01\xfe\xfd", LOG])
def test_ranges_that_end_where_the_zeros_do(after: bytes, row_reader: str, tmp_path: Path) -> None:
    # A block of the input ends with the range, in the middle of the delimiter or of the record after the zeros.
    path = file(tmp_path, bytes(535) + after)
    size = path.stat().st_size
    columns = ["_offset", "payload"]
    whole, _ = read(row_reader, "word_stuffed_log", path, columns=columns, codec="none")
    for cut in range(528, size + 1):
        parts = [
            read(row_reader, "word_stuffed_log", path, columns=columns, codec="none", byte_range=each)[0]
            for each in ((0, cut), (cut, size))
        ]
        assert [row for part in parts for row in part.to_pylist()] == whole.to_pylist()
