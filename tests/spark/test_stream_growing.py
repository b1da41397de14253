"""Streaming reads without Spark: files that grow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from wireloom import DamagedInputError, WireloomError

from .stream_driver import LOG, WAL, Query, age, payloads, texts, together, write


@pytest.mark.parametrize(("name", "options"), [(LOG, {}), (WAL, {"tail": "true"})])
def test_complete_rows_only(name: str, options: dict[str, str], tmp_path: Path) -> None:
    content = write(name, tmp_path / "source", "one", "two", "three", codec="none")
    (tmp_path / "source").unlink()
    path = tmp_path / "log"
    path.touch()
    query = Query(name, path=tmp_path, **options)
    found: list[str] = []
    for size in range(1, len(content) + 1):
        path.write_bytes(content[:size])
        if size % 7 == 0:
            query.restart()
        found += payloads(query.next())
        assert query.next() is None
    assert found == ["one", "two", "three"]
    assert json.loads(query.offset)["files"] == 1


@pytest.mark.parametrize("name", [LOG, "word_stuffed_log", WAL])
@pytest.mark.parametrize("most", [20, 1000])
def test_room_that_is_set_apart_is_no_content(name: str, most: int, tmp_path: Path) -> None:
    """A writer that first fills its file with zeros, and then overwrites them."""
    texts = [f"{number}" for number in range(10)]
    written = write(name, tmp_path / "source", *texts, codec="none")
    (tmp_path / "source").unlink()
    query = Query(name, path=tmp_path, tail="true", maxBytesPerTrigger=most)
    found: list[str] = []
    # Half a record can be distinguished from a whole one only if zeros cannot end a record.
    row = len(written) // 10
    for size in (0, 2, 13, 14, 16, 25, 60, 10 * row) if name == "word_stuffed_log" else (0, row, 4 * row, 10 * row):
        (tmp_path / "log").write_bytes(written[:size].ljust(600_000, b"\0"))
        age(tmp_path / "log", size)
        found += together(query)
    assert found == texts
    if name == LOG:
        write(name, tmp_path / "log", "after")
        assert together(query) == ["after"]


def test_a_large_log_is_read_piece_by_piece(tmp_path: Path) -> None:
    write(LOG, tmp_path / "log", *(f"{number:08d}" for number in range(100)), "x" * 700_000, "end")
    query = Query(LOG, path=tmp_path, maxBytesPerTrigger=100)
    batches = texts(query)
    assert [len(each) for each in batches] == [10] * 10 + [1, 1]
    assert batches[-1] == ["end"]


def test_whether_files_grow_can_be_said(tmp_path: Path) -> None:
    content = write(LOG, tmp_path / "log", "one", "two")
    (tmp_path / "log").write_bytes(content[:-1])
    query = Query(LOG, path=tmp_path, tail="false")
    assert texts(query) == [["one", "two"]]
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(
        WireloomError, match=r"log: the file had \d+ bytes when it was read, and grew since, to \d+; tail=true"
    ):
        query.plan()
    query.restart(failOnDataLoss="false")
    write(LOG, tmp_path / "new", "three")
    assert texts(query) == [["three"]]
    assert query.reader.reportLatestOffset()["lostFiles"] == 1


def test_a_file_that_was_tailed_is_not_one_that_grew(tmp_path: Path) -> None:
    content = write(LOG, tmp_path / "log", "one", "two") + b"\x05abc"
    (tmp_path / "log").write_bytes(content)
    query = Query(LOG, path=tmp_path, tail="true")
    assert together(query) == ["one", "two"]
    query.restart(tail="false")
    said = rf"log: the file was read up to byte \d+ of {len(content)}, and only whole files are read now; tail=true"
    with pytest.raises(WireloomError, match=said):
        query.plan()


def test_a_compressed_file_that_grew_cannot_be_tailed(tmp_path: Path) -> None:
    content = write(LOG, tmp_path / "log.gz", "one", codec="gzip")
    query = Query(LOG, path=tmp_path, tail="false")
    assert texts(query) == [["one"]]
    (tmp_path / "log.gz").write_bytes(content + content)
    with pytest.raises(WireloomError, match=r"grew since, to \d+; failOnDataLoss=false"):
        query.plan()


def test_compressed_files_are_read_as_a_whole(tmp_path: Path) -> None:
    write(LOG, tmp_path / "a.log.zst", "one", codec="zstd")
    write(LOG, tmp_path / "unnamed", "two", codec="gzip")
    query = Query(LOG, path=tmp_path, tail="true")
    assert sorted(together(query)) == ["one", "two"]
    assert {each[5] for each in json.loads(query.offset)["taken"]} == {"whole"}


def test_a_file_whose_rest_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    """The second record exceeds the maximum size, and where its end is cannot be trusted."""
    broken = write(WAL, tmp_path / "a", "one", "x" * 3000, "three", codec="none")
    options: dict[str, Any] = {"path": tmp_path, "tail": "true", "maxRecord": 1000}
    query = Query(WAL, "payload BINARY, _error STRING", **options)
    [rows] = query.rest()
    assert rows["payload"].to_pylist() == [b"one"]
    assert json.loads(query.offset)["taken"][0][5] == "last"
    (tmp_path / "a").write_bytes(broken + broken)
    query.restart()
    assert query.next() is None
    strict = Query(WAL, **options, mode="FAILFAST")
    strict.plan()
    with pytest.raises(DamagedInputError):
        strict.read()
