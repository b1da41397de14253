"""Streaming reads without Spark: offsets, which remain valid across versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from wireloom import WireloomError
from wireloom.spark.stream.offset import FilePart, FileProgress, OlderFiles, StreamOffset, fingerprint

from .stream_driver import LOG, WAL, Query, age, texts, together, write


def test_offsets_come_back_from_text() -> None:
    most = (1 << 64) - 1
    taken = (FilePart("/a/b", 0, 5, 5, 17, "whole", 9, most), FilePart("/a/c\udc80", 3, 4, 5, 18, "last"))
    waiting = FileProgress(3, 4, most, path="/a/b\udc80", ahead=7, unread=8, tentative=True)
    tracked = {
        5: FileProgress(7, 1, 2, 3),
        most: FileProgress((1 << 63) - 1, most, most, 0xFFFF, abandoned=True),
        fingerprint(waiting.path): waiting,
    }
    offset = StreamOffset(3, 2, 9, 1, taken, tracked, OlderFiles(4, "/a/a", 7, 99))
    text = json.dumps(offset.to_json())
    assert StreamOffset.from_json(json.loads(text)) == offset
    assert json.dumps(json.loads(text)) == text
    assert offset.known()[taken[1].fingerprint] == FileProgress(4, abandoned=True, path=taken[1].path)


def test_an_offset_of_the_first_version_is_understood_for_ever() -> None:
    """Existing checkpoints contain this text, so it must not be changed."""
    text = (
        '{"version": 1, "batch": 2, "files": 2, "bytes": 7, "lost": 0, "root": "/logs/", "taken": [["b.log", 0, 2, 3, '
        '1795242146809530, "part"]], "tracked": [1, "eJxTqPa1Nz41s5QBAlgBJdwDOA=="], "seal": [5, "/logs/a", 3, "0f"]}'
    )
    offset = StreamOffset.from_json(json.loads(text))
    assert offset.taken == (FilePart("/logs/b.log", 0, 2, 3, 1795242146809530, "part"),)
    assert list(offset.tracked.values()) == [FileProgress(5)]
    assert offset.older == OlderFiles(5, "/logs/a", 3, 15)


def test_an_offset_of_the_second_version_is_understood_for_ever() -> None:
    text = (
        '{"version": 2, "batch": 2, "files": 2, "bytes": 7, "lost": 0, "root": "/logs/", "taken": [["b.log", 0, 2, 3,'
        ' 1795242146809530, "part", "4d", "abcdef"]], "tracked": [2, "eJxjYAADZgEIzdAAodigXFYo7Q+l/aA0L5TmAWJOADDJAV4'
        '="], "seal": [5, "/logs/a", 3, "000000000000000f"]}'
    )
    offset = StreamOffset.from_json(json.loads(text))
    assert offset.taken == (FilePart("/logs/b.log", 0, 2, 3, 1795242146809530, "part", 77, 0xABCDEF),)
    assert offset.tracked == {1 << 60: FileProgress(5, 78, 12, 9), 3: FileProgress(6, 79, 13, 0, abandoned=True)}
    assert offset.older == OlderFiles(5, "/logs/a", 3, 15)


def test_an_offset_of_this_version_is_understood_for_ever() -> None:
    """Existing checkpoints will contain this text too."""
    text = (
        '{"version": 3, "batch": 2, "files": 2, "bytes": 7, "lost": 0, "root": "/logs/", "taken": [["b.log", 0, 2, 3,'
        ' 1795242146809530, "part", "4d", "abcdef"]], "tracked": [1, "eJwTYEABrFDaD0rzMHACAAYoAHk="], '
        '"followed": [34, "eJyLjlbSz8lPL9ZP1gNSSjpmOsY6JjpKJmlKOkopSjoGsbEAqRsI9g=="], '
        '"seal": [5, "/logs/a", 3, "000000000000000f"]}'
    )
    offset = StreamOffset.from_json(json.loads(text))
    assert offset.taken == (FilePart("/logs/b.log", 0, 2, 3, 1795242146809530, "part", 77, 0xABCDEF),)
    waiting = FileProgress(6, 79, 13, path="/logs/c.log", ahead=3, unread=4)
    assert offset.tracked == {1 << 60: FileProgress(5, 78, 12, 9), fingerprint(waiting.path): waiting}
    assert offset.older == OlderFiles(5, "/logs/a", 3, 15)
    assert json.dumps(offset.to_json()) == text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 4}, "written by a newer wireloom .offset version 4, this one supports 3."),
        ({"followed": [1, "eJwDAAAAAAE="]}, "offset is invalid"),
        ({"followed": [1 << 63, "eJwDAAAAAAE="]}, "offset is invalid"),
        ({"followed": None}, "offset is invalid"),
        ({"version": None}, "offset is invalid"),
        ({"tracked": [1, "eJwDAAAAAAE="]}, "offset is invalid"),
        ({"tracked": [1 << 60, "eJwDAAAAAAE="]}, "offset is invalid"),
        ({"taken": [["a", 0, 1, 2, 3, "other"]]}, "offset is invalid"),
        ({"taken": [["a", -1, 1, 2, 3, "part"]]}, "offset is invalid"),
        ({"taken": [["a", 0, 1 << 63, 2, 3, "part", "0", "0"]]}, "offset is invalid"),
        ({"taken": [["a", 0, 1, 2, 3, "part", "0"]]}, "offset is invalid"),
        ({"taken": [["a", 0, 1, 2, 3, "part", "0", "-1"]]}, "offset is invalid"),
        ({"taken": [["a", 0, 1, 2, 3, "part", "0", "10000000000000000"]]}, "offset is invalid"),
        ({"batch": "1"}, "offset is invalid"),
        ({"batch": 7}, "batch 7 does not follow batch 0"),
    ],
)
def test_offsets_that_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    reader = Query(LOG, path=tmp_path).reader
    with pytest.raises(WireloomError, match=message):
        reader.partitions(reader.initialOffset(), {**StreamOffset(batch=1).to_json(), **change})


def test_offsets_stay_small(tmp_path: Path) -> None:
    query = Query(WAL, path=tmp_path, maxTrackedFiles=20, maxFilesPerTrigger=10)
    for number in range(200):
        write(WAL, tmp_path / f"{number:03d}", str(number))
        age(tmp_path / f"{number:03d}", number)
    assert len(together(query)) == 200
    assert max(len(after) for _, after in query.batches) < 3000
    for number in range(100):
        (tmp_path / f"{number:03d}").unlink()
    query.restart()
    assert query.next() is None
    write(WAL, tmp_path / "late", "late")
    age(tmp_path / "late", 5)
    # Some files were removed, and one was added: only a process that has seen the others can know that it is new.
    assert texts(query) == [["late"]]
