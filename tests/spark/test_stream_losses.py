"""Streaming reads without Spark: files that disappear, shrink or are replaced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wireloom import WireloomError

from .stream_driver import LOG, WAL, Query, age, first_version, payloads, texts, together, write


@pytest.mark.parametrize("name", [LOG, WAL])
def test_files_that_vanish_before_they_are_read(name: str, tmp_path: Path) -> None:
    for each in "abc":
        write(name, tmp_path / each, each)
        age(tmp_path / each, ord(each))
    query = Query(name, path=tmp_path, maxFilesPerTrigger=1)
    query.plan()
    (tmp_path / "a").unlink()
    with pytest.raises(WireloomError, match=r"/a: the file vanished before it was read: \d+ bytes are lost; failOn"):
        query.read()
    query.restart(failOnDataLoss="false")
    assert payloads(query.read()) == []
    query.restart(failOnDataLoss="true")
    assert payloads(query.next()) == ["b"]
    (tmp_path / "b").unlink()
    (tmp_path / "c").unlink()
    with pytest.raises(WireloomError, match="/c: the file vanished before it was read"):
        query.plan()


def test_logs_that_become_shorter(tmp_path: Path) -> None:
    write(LOG, tmp_path / "log", "one", "two")
    query = Query(LOG, path=tmp_path)
    assert texts(query) == [["one", "two"]]
    (tmp_path / "log").unlink()
    assert query.next() is None
    write(LOG, tmp_path / "log", "new")
    with pytest.raises(WireloomError, match=r"/log: the file had \d bytes when it was read, and became shorter"):
        query.plan()
    query.restart(failOnDataLoss="false")
    assert texts(query) == [["new"]]
    assert query.reader.reportLatestOffset()["lostFiles"] == 1


def test_a_file_that_changes_between_planning_and_reading(tmp_path: Path) -> None:
    content = write(WAL, tmp_path / "a", "one", "two", codec="none")
    query = Query(WAL, path=tmp_path)
    query.plan()
    (tmp_path / "a").write_bytes(content + content)
    with pytest.raises(WireloomError, match="when its read was planned, and grew since"):
        query.read()
    (tmp_path / "a").write_bytes(content[:-1])
    with pytest.raises(WireloomError, match="when its read was planned, and became shorter since"):
        query.read()


@pytest.mark.parametrize("between", ["batches", "planning and reading"])
def test_a_file_that_is_replaced_by_another_of_the_same_size(between: str, tmp_path: Path) -> None:
    for number, name in enumerate("ab"):
        write(WAL, tmp_path / name, name, codec="none")
        age(tmp_path / name, number)
    query = Query(WAL, path=tmp_path, maxFilesPerTrigger=1)
    if between == "batches":
        assert together(query) == ["a", "b"]
        query.restart()
    else:
        assert query.plan()
    (tmp_path / "a").unlink()
    write(WAL, tmp_path / "a", "c", codec="none")
    age(tmp_path / "a", 5)
    with pytest.raises(WireloomError, match=r"a: the file.* was replaced by another of the same size.*failOnDataLoss"):
        query.read() if between != "batches" else query.plan()
    query.restart(failOnDataLoss="false")
    if between != "batches":
        assert payloads(query.read()) == ["c"]
        return
    query.plan()
    assert payloads(query.read()) == []
    assert json.loads(query.offset)["lost"] == 1
    write(WAL, tmp_path / "d", "d")
    query.restart(failOnDataLoss="true")
    assert together(query) == ["d"], "it is told once"


def test_a_checkpoint_without_times_is_read_on(tmp_path: Path) -> None:
    for name in "ab":
        write(WAL, tmp_path / name, name)
    query = Query(WAL, path=tmp_path, maxFilesPerTrigger=1)
    assert sorted(together(query)) == ["a", "b"]
    before, after = query.batches[-1]
    older = json.loads(first_version(after))
    del older["marks"]
    query.batches[-1] = before, json.dumps(older)
    query.restart()
    age(tmp_path / "a", 7)
    age(tmp_path / "b", 7)
    with pytest.raises(WireloomError, match="b: the file was replaced"):
        query.plan()
    age(tmp_path / "b", older["taken"][0][4] / 1e6 - 1_767_225_600)
    write(WAL, tmp_path / "c", "c")
    assert together(query) == ["c"]


def test_files_that_may_not_have_been_read_are_counted_without_a_batch_of_others(tmp_path: Path) -> None:
    query = Query(WAL, path=tmp_path, maxTrackedFiles=4, maxFilesPerTrigger=2)
    for number in range(10):
        write(WAL, tmp_path / f"{number}", str(number))
        age(tmp_path / f"{number}", number + 10)
    assert len(together(query)) == 10
    query.restart()
    for number in range(2):
        write(WAL, tmp_path / f"late {number}", "late")
        age(tmp_path / f"late {number}", number)
    with pytest.raises(WireloomError, match="2 or more files with times before that of this file appeared"):
        query.plan()
    with pytest.raises(WireloomError, match="2 or more files with times before that of this file appeared"):
        query.plan()
    query.restart(failOnDataLoss="false")
    assert together(query) == []
    assert json.loads(query.offset)["lost"] == 2


@pytest.mark.parametrize("name", [LOG, WAL])
def test_a_log_that_was_read_vanishes_with_half_a_record(name: str, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    size = len(write(name, log, "one", codec="none"))
    query = Query(name, path=tmp_path, tail="growing")
    assert together(query) == ["one"]
    content = write(name, log, "two", codec="none")
    log.write_bytes(content[: (size + len(content)) // 2])
    assert together(query) == []
    assert query.reader.reportLatestOffset()["waitingFiles"] == 1
    log.unlink()
    query.restart()
    with pytest.raises(WireloomError, match="vanished before it was read to its end"):
        query.plan()


@pytest.mark.parametrize("begun", [0, 3])
def test_a_log_without_a_byte_of_a_record_is_replaced(begun: int, tmp_path: Path) -> None:
    """Only preallocated space was seen, and the zeros with which its first record begins."""
    record = write(WAL, tmp_path / "other", "one", codec="none")
    (tmp_path / "in").mkdir()
    segment = tmp_path / "in" / "app.wal"
    segment.write_bytes(record[:begun] + bytes(8192 - begun))
    query = Query(WAL, path=tmp_path / "in", tail="growing")
    assert together(query) == []
    (tmp_path / "new").write_bytes(record + bytes(8192 - len(record)))
    (tmp_path / "new").replace(segment)
    query.restart()
    assert together(query) == ["one"]


def test_a_compressed_file_that_waits_is_cut(tmp_path: Path) -> None:
    write(LOG, tmp_path / "a", "one")
    write(LOG, tmp_path / "b.gz", *map(str, range(50)), codec="gzip")
    age(tmp_path / "a", 0)
    query = Query(LOG, path=tmp_path, maxFilesPerTrigger=1)
    assert payloads(query.next()) == ["one"]
    with (tmp_path / "b.gz").open("r+b") as file:
        file.truncate(30)
    with pytest.raises(WireloomError, match=r"a file that was not read yet was replaced by another one: \d+ bytes"):
        query.plan()
