"""Streaming reads without Spark: offsets, which outlive versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from wireloom.errors import WireloomError
from wireloom.spark.stream_offset import GIVEN_UP, Seal, StreamOffset, Taken

from .stream_driver import LOG, WAL, Query, age, texts, together, write


def test_offsets_come_back_from_text() -> None:
    taken = (Taken("/a/b", 0, 5, 5, 17, "whole"), Taken("/a/c\udc80", 3, 4, 5, 18, "last"))
    offset = StreamOffset(3, 2, 9, 1, taken, {5: 7, 1 << 63: GIVEN_UP}, Seal(4, "/a/a", 7, 99))
    text = json.dumps(offset.to_json())
    assert StreamOffset.from_json(json.loads(text)) == offset
    assert json.dumps(json.loads(text)) == text
    assert offset.positions()[taken[1].fingerprint] == GIVEN_UP


def test_an_offset_of_this_version_is_understood_for_ever() -> None:
    """What is in checkpoints out there; this text is not to be changed."""
    text = (
        '{"version": 1, "batch": 2, "files": 2, "bytes": 7, "lost": 0, "root": "/logs/", "taken": [["b.log", 0, 2, 3, '
        '1795242146809530, "part"]], "tracked": [1, "eJxTqPa1Nz41s5QBAlgBJdwDOA=="], "seal": [5, "/logs/a", 3, "0f"]}'
    )
    offset = StreamOffset.from_json(json.loads(text))
    assert offset.taken == (Taken("/logs/b.log", 0, 2, 3, 1795242146809530, "part"),)
    assert list(offset.tracked.values()) == [5]
    assert offset.seal == Seal(5, "/logs/a", 3, 15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "written by a newer wireloom .offset version 2, this one knows 1."),
        ({"version": None}, "cannot be understood"),
        ({"tracked": [1, "eJwDAAAAAAE="]}, "cannot be understood"),
        ({"tracked": [1 << 60, "eJwDAAAAAAE="]}, "cannot be understood"),
        ({"taken": [["a", 0, 1, 2, 3, "other"]]}, "cannot be understood"),
        ({"taken": [["a", -1, 1, 2, 3, "part"]]}, "cannot be understood"),
        ({"batch": "1"}, "cannot be understood"),
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
    assert max(len(behind) for _, behind in query.batches) < 2000
    for number in range(100):
        (tmp_path / f"{number:03d}").unlink()
    query.restart()
    assert query.next() is None
    write(WAL, tmp_path / "late", "late")
    age(tmp_path / "late", 5)
    # Files have gone, and one has come: that it is new can only be known to a process that has seen the others.
    assert texts(query) == [["late"]]
