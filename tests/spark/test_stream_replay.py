"""Streaming reads without Spark: batches that are run again, old checkpoints, and logs that wait and are rotated."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from wireloom import WireloomError

from .rotating import Format, append, copy_and_cut, following, lost, numbered, rotate
from .stream_driver import WAL, Query, age, first_version, payloads, together, write


def test_a_planned_batch_is_not_read_from_a_longer_replacement(tailed: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert query.plan()
    log.unlink()
    append(tailed, log, *numbered("new", 9))
    query.restart()
    with pytest.raises(
        WireloomError, match=r"app\.log: after its read up to byte \d+ was planned, the file was replaced"
    ):
        query.read()
    query.restart(failOnDataLoss="false")
    assert payloads(query.read()) == []
    assert together(query) == numbered("new", 9)
    assert lost(query) == 1


@pytest.mark.parametrize("how", [rotate, copy_and_cut])
def test_a_planned_batch_is_read_from_the_rotated_log(tailed: Format, how: Any, tmp_path: Path) -> None:
    """With the path with which it was planned: it is the same batch."""
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = Query(tailed[0], "payload BINARY, _path STRING, _offset LONG", path=tmp_path, **tailed[1])
    before = query.next()
    append(tailed, log, "late")
    assert query.plan()
    how(log, "app.log.1")
    append(tailed, log, *numbered("new", 9))
    query.restart()
    assert payloads(query.read()) == ["late"]
    assert query.read(0).equals(before)
    assert together(query) == numbered("new", 9)
    assert lost(query) == 0


def test_a_log_that_is_rotated_while_it_is_read(tailed: Format, tmp_path: Path) -> None:
    """Between the checks of a task before and after reading."""
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert query.plan()
    before, after = (json.loads(each) for each in query.batches[0])
    [partition] = query.reader.partitions(before, after)
    batches = query.reader.read(partition)
    found = [next(batches)]
    rotate(log, "app.log.1")
    append(tailed, log, "new")
    assert sum(each.num_rows for each in [*found, *batches]) == 4
    query.read()
    assert together(query) == ["new"]


def test_a_log_that_is_cut_while_it_is_read(tailed: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert query.plan()
    [partition] = query.reader.partitions(*(json.loads(each) for each in query.batches[0]))
    batches = query.reader.read(partition)
    next(batches)
    os.truncate(log, 0)
    append(tailed, log, *numbered("new", 9))
    with pytest.raises(WireloomError, match="was planned, the file was replaced"):
        list(batches)


def test_a_whole_file_that_was_replaced_in_the_same_instant(tmp_path: Path) -> None:
    for between in ("planning and reading", "batches"):
        path = tmp_path / between
        write(WAL, path, "one", codec="none")
        age(path, 1)
        query = Query(WAL, path=path)
        query.plan()
        if between == "batches":
            query.read()
        write(WAL, tmp_path / "other", "two", codec="none")
        os.replace(tmp_path / "other", path)
        age(path, 1)
        with pytest.raises(WireloomError, match="was replaced by another of the same size"):
            query.read() if between != "batches" else query.plan()


def test_a_log_that_waits_may_be_renamed(tailed: Format, tmp_path: Path) -> None:
    for number, name in enumerate(("a.log", "b.log")):
        append(tailed, tmp_path / name, name)
        age(tmp_path / name, number)
    query = following(tailed, tmp_path / "*.log", maxFilesPerTrigger=1)
    assert payloads(query.next()) == ["a.log"]
    rotate(tmp_path / "b.log", "b.log.1")
    append(tailed, tmp_path / "b.log", "new")
    assert sorted(together(query)) == ["b.log", "new"]


def test_a_log_that_waits_and_is_replaced_is_lost(tailed: Format, tmp_path: Path) -> None:
    for number, name in enumerate(("a.log", "b.log")):
        append(tailed, tmp_path / name, *numbered(name))
        age(tmp_path / name, number)
    query = following(tailed, tmp_path, maxFilesPerTrigger=1)
    assert payloads(query.next()) == numbered("a.log")
    append(tailed, tmp_path / "other", "new")
    os.replace(tmp_path / "other", tmp_path / "b.log")
    with pytest.raises(WireloomError, match=r"b\.log: a file that was not read yet was replaced by another one"):
        query.plan()


def test_the_rest_of_a_log_vanishes(tailed: Format, tmp_path: Path) -> None:
    append(tailed, tmp_path / "app.log", *numbered("row"))
    query = following(tailed, tmp_path, maxBytesPerTrigger=1)
    append(tailed, tmp_path / "other.log", *numbered("other"))
    assert payloads(query.next()) in (["row 0"], ["other 0"])
    (tmp_path / "app.log").unlink()
    (tmp_path / "other.log").unlink()
    with pytest.raises(WireloomError, match=r"\.log: the file vanished before it was read to its end: \d+ bytes from"):
        query.plan()


def test_available_now_and_a_rotation(tailed: Format, tmp_path: Path) -> None:
    """The files are those that existed when the query began, whatever their names are in the meantime."""
    for number, name in enumerate(("a.log", "b.log", "c.log")):
        append(tailed, tmp_path / name, name)
        age(tmp_path / name, number)
    query = following(tailed, tmp_path, maxFilesPerTrigger=1)
    query.reader.prepareForTriggerAvailableNow()
    found = payloads(query.next())
    rotate(tmp_path / "b.log", "b.log.1")
    append(tailed, tmp_path / "b.log", "new")
    found += together(query)
    query.restart()
    assert sorted(found + together(query)) == ["a.log", "b.log", "c.log", "new"]
    append(tailed, tmp_path / "d.log", "d")
    query.reader.prepareForTriggerAvailableNow()
    (tmp_path / "d.log").unlink()
    with pytest.raises(WireloomError, match=r"d\.log: the file vanished before it was read"):
        query.plan()


def test_a_checkpoint_of_the_first_version_is_read_on(tailed: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert together(query) == numbered("old")
    query.batches = [(before, first_version(after)) for before, after in query.batches]
    assert payloads(query.read()) == numbered("old")
    append(tailed, log, "next")
    query.restart()
    assert together(query) == ["next"]
    rotate(log, "app.log.1")
    append(tailed, log, *numbered("new", 9))
    assert together(query) == numbered("new", 9)
    assert lost(query) == 0
