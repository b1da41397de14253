"""Streaming reads without Spark: logs that are rotated or cut while they are followed."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import zstandard
from wireloom.base.errors import WireloomError
from wireloom.spark.stream_identity import original

from ..storage_server import BUCKET, Store
from .stream_driver import LOG, WAL, Query, age, first_version, payloads, together, write

NAMES = [(LOG, {}), ("word_stuffed_log", {}), (WAL, {"tail": "true"})]
"""Formats with delimiters, and one without."""


def numbered(text: str, count: int = 4) -> list[str]:
    return [f"{text} {number}" for number in range(count)]


def rotate(path: Path, name: str) -> None:
    """As most programs do it: the log gets another name, and the next record begins a new one."""
    path.rename(path.with_name(name))


def copy_and_cut(path: Path, name: str) -> None:
    """As logrotate does it for programs that know nothing of it."""
    shutil.copyfile(path, path.with_name(name))
    os.truncate(path, 0)


def lost(query: Query) -> int:
    """How many files the query has counted."""
    found: int = json.loads(query.offset)["lost"]
    return found


@pytest.fixture(params=NAMES, ids=[name for name, _ in NAMES])
def format(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """A format, and the options with which its files grow."""
    found: tuple[str, dict[str, str]] = request.param
    return found


def following(format: tuple[str, dict[str, str]], path: Path | str, **options: Any) -> Query:
    return Query(format[0], path=path, **format[1], **options)


def append(format: tuple[str, dict[str, str]], path: Path, *texts: str) -> None:
    write(format[0], path, *texts, codec="none")


Format = tuple[str, dict[str, str]]


# Cut ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restarted", [False, True])
def test_a_log_that_is_cut_to_nothing_stops_the_query(format: Format, restarted: bool, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert together(query) == numbered("old")
    os.truncate(log, 0)
    with pytest.raises(WireloomError, match=r"app\.log: the file had \d+ bytes when it was read, and became shorter s"):
        query.plan()
    query.restart(failOnDataLoss="false")
    for text in numbered("new", 8):
        append(format, log, text)
        if restarted:
            query.restart()
        assert together(query) == [text]
    assert lost(query) == 1


def test_a_log_that_is_cut_and_outgrows_its_old_size(format: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert together(query) == numbered("old")
    os.truncate(log, 0)
    append(format, log, *numbered("new", 6))
    with pytest.raises(WireloomError, match=r"app\.log: the file was read up to byte \d+, and is another one since"):
        query.plan()
    query.restart(failOnDataLoss="false")
    assert together(query) == numbered("new", 6)
    assert lost(query) == 1
    query.restart(failOnDataLoss="true")
    append(format, log, "next")
    assert together(query) == ["next"]


def test_a_delimiter_has_to_stand_where_reading_goes_on(tmp_path: Path) -> None:
    """The bytes that were read are there, and what follows belongs to a row that begins among them."""
    log = tmp_path / "app.log"
    content = write(LOG, log, "one", "two")
    query = Query(LOG, path=tmp_path)
    assert together(query) == ["one", "two"]
    log.write_bytes(content[:-1] + b"x" + content)
    with pytest.raises(WireloomError, match=r"app\.log: the file was read up to byte \d+, and no delimiter stands"):
        query.plan()


def test_a_whole_file_without_its_last_delimiter_cannot_be_tailed_on(tmp_path: Path) -> None:
    content = write(LOG, tmp_path / "log", "one", "two")
    (tmp_path / "log").write_bytes(content[:-1])
    query = Query(LOG, path=tmp_path, tail="false")
    assert together(query) == ["one", "two"]
    (tmp_path / "log").write_bytes(content[:-1] + b"\1" + content)
    query.restart(tail="true")
    with pytest.raises(WireloomError, match="no delimiter stands there"):
        query.plan()


# Rotated --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["", "*.log", "app.log"])
@pytest.mark.parametrize("restarted", [False, True])
def test_a_renamed_log_is_followed(format: Format, pattern: str, restarted: bool, tmp_path: Path) -> None:
    """Also under names that the pattern leaves out, and while its program still writes to it."""
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path / pattern)
    assert together(query) == numbered("old")
    append(format, log, "late")
    rotate(log, "app.log.1")
    append(format, tmp_path / "app.log.1", "later")
    append(format, log, *numbered("new", 3))
    if restarted:
        query.restart()
    assert sorted(together(query)) == sorted(["late", "later", *numbered("new", 3)])
    append(format, tmp_path / "app.log.1", "last")
    append(format, log, "newest")
    if restarted:
        query.restart()
    assert sorted(together(query)) == ["last", "newest"]
    assert lost(query) == 0
    assert query.next() is None


def test_names_move_on(format: Format, tmp_path: Path) -> None:
    """Several rotations between two looks, the oldest log is removed."""
    log = tmp_path / "app.log"
    query = following(format, tmp_path)
    expected = []
    for number in range(6):
        for generation in (3, 2, 1):
            if (tmp_path / f"app.log.{generation}").exists():
                rotate(tmp_path / f"app.log.{generation}", f"app.log.{generation + 1}")
        if log.exists():
            append(format, log, f"late {number}")
            expected.append(f"late {number}")
            rotate(log, "app.log.1")
        append(format, log, f"new {number}")
        expected.append(f"new {number}")
        if number % 2:
            assert sorted(together(query)) == sorted(expected)
            expected = []
            query.restart()
    assert lost(query) == 0


def test_a_log_that_was_removed_and_begun_again(format: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert together(query) == numbered("old")
    log.unlink()
    assert query.next() is None
    append(format, log, *numbered("new", 6))
    with pytest.raises(WireloomError, match="is another one since, or was cut and written again"):
        query.plan()
    query.restart(failOnDataLoss="false")
    assert together(query) == numbered("new", 6)
    assert lost(query) == 1


@pytest.mark.parametrize("pattern", ["", "*.log"])
@pytest.mark.parametrize("size", [1, 9])
def test_a_log_that_is_copied_and_cut_is_followed(format: Format, pattern: str, size: int, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path / pattern)
    assert together(query) == numbered("old")
    append(format, log, "late")
    copy_and_cut(log, "app.log.1")
    append(format, log, *numbered("new", size))
    assert sorted(together(query)) == sorted(["late", *numbered("new", size)])
    rotate(tmp_path / "app.log.1", "app.log.2")
    append(format, log, "late again")
    copy_and_cut(log, "app.log.1")
    assert together(query) == ["late again"]
    append(format, log, "end")
    query.restart()
    assert together(query) == ["end"]
    assert lost(query) == 0


def test_a_copy_is_not_read_while_the_log_is_there(format: Format, tmp_path: Path) -> None:
    """Between the copy, which takes its time, and the cut."""
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert together(query) == numbered("old")
    append(format, log, "late")
    content = log.read_bytes()
    for size in (3, len(content) // 2, len(content)):
        (tmp_path / "app.log.1").write_bytes(content[:size])
        assert payloads(query.next()) == (["late"] if size == 3 else [])
        assert query.reader.reportLatestOffset()["waitingFiles"] == 1
        query.restart()
    os.truncate(log, 0)
    append(format, log, *numbered("new", 9))
    assert together(query) == numbered("new", 9)
    assert lost(query) == 0


def compress(path: Path, name: str, codec: str = "gzip") -> None:
    """As logrotate does it: the file goes when the compressed one is there."""
    content = path.read_bytes()
    packed = gzip.compress(content) if codec == "gzip" else zstandard.compress(content)
    path.with_name(name).write_bytes(packed)
    path.unlink()


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
@pytest.mark.parametrize("late", [[], ["late", "x" * 9000]])
@pytest.mark.parametrize("pattern", ["", "*.log"])
def test_a_log_that_is_compressed_at_once(
    format: Format, codec: str, late: list[str], pattern: str, tmp_path: Path
) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path / pattern, maxFilesPerTrigger=1)
    assert together(query) == numbered("old")
    append(format, log, *late)
    compress(log, "app.log.1.gz" if codec == "gzip" else "app.log.1.zst", codec)
    append(format, log, *numbered("new", 9))
    query.restart()
    assert sorted(together(query)) == sorted([*late, *numbered("new", 9)])
    again = [text for number in range(1, len(query.batches)) for text in payloads(query.read(number))]
    assert sorted(again) == sorted([*late, *numbered("new", 9)])
    assert query.next() is None
    assert lost(query) == 0


@pytest.mark.parametrize("pattern", ["", "*.log"])
def test_logs_that_are_compressed_again_and_again(format: Format, pattern: str, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    query = following(format, tmp_path / pattern)
    for number in range(4):
        append(format, log, f"new {number}")
        assert sorted(together(query)) == [*([f"late {number - 1}"] if number else []), f"new {number}"]
        append(format, log, f"late {number}")
        for generation in (2, 1):
            if (tmp_path / f"app.log.{generation}.gz").exists():
                rotate(tmp_path / f"app.log.{generation}.gz", f"app.log.{generation + 1}.gz")
        compress(log, "app.log.1.gz")
    assert lost(query) == 0


def test_a_log_that_is_compressed_later(format: Format, tmp_path: Path) -> None:
    """And the names move on."""
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert together(query) == numbered("old")
    rotate(log, "app.log.1")
    append(format, log, "new")
    assert together(query) == ["new"]
    append(format, tmp_path / "app.log.1", "late")
    compress(tmp_path / "app.log.1", "app.log.2.gz")
    rotate(log, "app.log.1")
    append(format, log, "newest")
    assert sorted(together(query)) == ["late", "newest"]
    compress(tmp_path / "app.log.1", "app.log.1.gz")
    rotate(tmp_path / "app.log.2.gz", "app.log.3.gz")
    query.restart()
    assert together(query) == []
    assert lost(query) == 0


def test_a_log_is_being_compressed(format: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old", 900))
    query = following(format, tmp_path)
    assert together(query) == numbered("old", 900)
    packed = gzip.compress(log.read_bytes())
    for size in (len(packed) // 2, len(packed)):
        (tmp_path / "app.log.gz").write_bytes(packed[:size])
        assert query.next() is None
        assert query.reader.reportLatestOffset()["waitingFiles"] == 1
    log.unlink()
    append(format, log, "new")
    assert together(query) == ["new"]
    assert lost(query) == 0


def test_a_compressed_file_that_is_no_copy_is_read(format: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    append(format, tmp_path / "gone.log", "gone")
    query = following(format, tmp_path)
    assert sorted(together(query)) == ["gone", *numbered("old")]
    (tmp_path / "gone.log").unlink()
    append(format, tmp_path / "other", "other", "one")
    compress(tmp_path / "other", "app.log.gz")
    assert together(query) == ["other", "one"]


def test_a_log_that_begins_like_another_is_no_copy(format: Format, tmp_path: Path) -> None:
    append(format, tmp_path / "worker", "started", "one")
    query = following(format, tmp_path)
    assert together(query) == ["started", "one"]
    append(format, tmp_path / "worker-2", "started", "two")
    append(format, tmp_path / "other", "started", "one")
    assert sorted(together(query)) == ["one", "started", "started", "two"]


def test_a_log_that_is_copied_into_place_is_read_on(format: Format, tmp_path: Path) -> None:
    """As rsync does it: a new file each time, with what was in the old one and more."""
    (tmp_path / "in").mkdir()
    query = following(format, tmp_path / "in")
    for text in numbered("row"):
        append(format, tmp_path / "source", text)
        shutil.copyfile(tmp_path / "source", tmp_path / "in" / ".part")
        (tmp_path / "in" / ".part").rename(tmp_path / "in" / "app.log")
        assert together(query) == [text]
    shutil.copyfile(tmp_path / "source", tmp_path / "in" / "app.log.1")
    append(format, tmp_path / "new", "new")
    os.replace(tmp_path / "new", tmp_path / "in" / "app.log")
    assert together(query) == ["new"]
    assert lost(query) == 0


def test_a_link_to_the_log_of_the_day(format: Format, tmp_path: Path) -> None:
    """As container runtimes lay them out: links in one folder, logs and what they are rotated to in another."""
    (tmp_path / "pods").mkdir()
    (tmp_path / "in").mkdir()
    log, link = tmp_path / "pods" / "0.log", tmp_path / "in" / "app.log"
    append(format, log, *numbered("old"))
    link.symlink_to(log)
    query = following(format, tmp_path / "in")
    assert together(query) == numbered("old")
    append(format, log, "late")
    rotate(log, "0.log.20260301")
    append(format, log, *numbered("new", 9))
    assert sorted(together(query)) == ["late", *numbered("new", 9)]
    assert lost(query) == 0


def test_a_link_beside_the_log_of_the_day(format: Format, tmp_path: Path) -> None:
    link = tmp_path / "current.log"
    append(format, tmp_path / "1.log", "old")
    link.symlink_to(tmp_path / "1.log")
    query = following(format, tmp_path)
    assert together(query) == ["old", "old"], "a file with two names is read under both"
    append(format, tmp_path / "2.log", "new")
    link.unlink()
    link.symlink_to(tmp_path / "2.log")
    assert together(query) == ["new", "new"]
    assert lost(query) == 0


def test_a_whole_file_is_not_read_again_under_a_new_name(tmp_path: Path) -> None:
    write(WAL, tmp_path / "a.wal", "one")
    write(WAL, tmp_path / "b.wal", "two")
    query = Query(WAL, path=tmp_path)
    assert sorted(together(query)) == ["one", "two"]
    (tmp_path / "done").mkdir()
    (tmp_path / "a.wal").rename(tmp_path / "done" / "a.wal")
    query.restart()
    assert query.next() is None
    write(WAL, tmp_path / "a.wal", "three")
    assert together(query) == ["three"]
    query.restart()
    assert query.next() is None


def test_a_file_whose_rest_cannot_be_read_stays_so_under_a_new_name(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    write(WAL, log, "one", "x" * 3000, "three", codec="none")
    query = Query(WAL, "payload BINARY, _error STRING", path=tmp_path, tail="true", maxRecord=1000)
    assert together(query) == ["one"]
    rotate(log, "app.log.1")
    write(WAL, log, "new", codec="none")
    query.restart()
    assert together(query) == ["new"]
    assert lost(query) == 0


# A batch that is run again --------------------------------------------------------------------------------------------


def test_a_planned_batch_is_not_read_from_a_longer_replacement(format: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert query.plan()
    log.unlink()
    append(format, log, *numbered("new", 9))
    query.restart()
    with pytest.raises(WireloomError, match=r"app\.log: the file is another one since it was to be read up to byte \d"):
        query.read()
    query.restart(failOnDataLoss="false")
    assert payloads(query.read()) == []
    assert together(query) == numbered("new", 9)
    assert lost(query) == 1


@pytest.mark.parametrize("how", [rotate, copy_and_cut])
def test_a_planned_batch_is_read_from_the_rotated_log(format: Format, how: Any, tmp_path: Path) -> None:
    """With the path that it was planned with: it is the same batch."""
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = Query(format[0], "payload BINARY, _path STRING, _offset LONG", path=tmp_path, **format[1])
    before = query.next()
    append(format, log, "late")
    assert query.plan()
    how(log, "app.log.1")
    append(format, log, *numbered("new", 9))
    query.restart()
    assert payloads(query.read()) == ["late"]
    assert query.read(0).equals(before)
    assert together(query) == numbered("new", 9)
    assert lost(query) == 0


def test_a_log_that_is_rotated_while_it_is_read(format: Format, tmp_path: Path) -> None:
    """Between the looks of a task before and behind."""
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert query.plan()
    before, behind = (json.loads(each) for each in query.batches[0])
    [partition] = query.reader.partitions(before, behind)
    batches = query.reader.read(partition)
    found = [next(batches)]
    rotate(log, "app.log.1")
    append(format, log, "new")
    assert sum(each.num_rows for each in [*found, *batches]) == 4
    query.read()
    assert together(query) == ["new"]


def test_a_log_that_is_cut_while_it_is_read(format: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert query.plan()
    [partition] = query.reader.partitions(*(json.loads(each) for each in query.batches[0]))
    batches = query.reader.read(partition)
    next(batches)
    os.truncate(log, 0)
    append(format, log, *numbered("new", 9))
    with pytest.raises(WireloomError, match="is another one since it was to be read"):
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


# What waits -----------------------------------------------------------------------------------------------------------


def test_a_log_that_waits_may_be_renamed(format: Format, tmp_path: Path) -> None:
    for number, name in enumerate(("a.log", "b.log")):
        append(format, tmp_path / name, name)
        age(tmp_path / name, number)
    query = following(format, tmp_path / "*.log", maxFilesPerTrigger=1)
    assert payloads(query.next()) == ["a.log"]
    rotate(tmp_path / "b.log", "b.log.1")
    append(format, tmp_path / "b.log", "new")
    assert sorted(together(query)) == ["b.log", "new"]


def test_a_log_that_waits_and_is_replaced_is_lost(format: Format, tmp_path: Path) -> None:
    for number, name in enumerate(("a.log", "b.log")):
        append(format, tmp_path / name, *numbered(name))
        age(tmp_path / name, number)
    query = following(format, tmp_path, maxFilesPerTrigger=1)
    assert payloads(query.next()) == numbered("a.log")
    append(format, tmp_path / "other", "new")
    os.replace(tmp_path / "other", tmp_path / "b.log")
    with pytest.raises(WireloomError, match=r"b\.log: another file came in the place of one that was not read yet"):
        query.plan()


def test_the_rest_of_a_log_vanishes(format: Format, tmp_path: Path) -> None:
    append(format, tmp_path / "app.log", *numbered("row"))
    query = following(format, tmp_path, maxBytesPerTrigger=1)
    append(format, tmp_path / "other.log", *numbered("other"))
    assert payloads(query.next()) in (["row 0"], ["other 0"])
    (tmp_path / "app.log").unlink()
    (tmp_path / "other.log").unlink()
    with pytest.raises(WireloomError, match=r"\.log: the file vanished before it was read"):
        query.plan()


def test_available_now_and_a_rotation(format: Format, tmp_path: Path) -> None:
    """The files are those that were there when the query began, under whatever names they have meanwhile."""
    for number, name in enumerate(("a.log", "b.log", "c.log")):
        append(format, tmp_path / name, name)
        age(tmp_path / name, number)
    query = following(format, tmp_path, maxFilesPerTrigger=1)
    query.reader.prepareForTriggerAvailableNow()
    found = payloads(query.next())
    rotate(tmp_path / "b.log", "b.log.1")
    append(format, tmp_path / "b.log", "new")
    found += together(query)
    query.restart()
    assert sorted(found + together(query)) == ["a.log", "b.log", "c.log", "new"]
    append(format, tmp_path / "d.log", "d")
    query.reader.prepareForTriggerAvailableNow()
    (tmp_path / "d.log").unlink()
    with pytest.raises(WireloomError, match=r"d\.log: the file vanished before it was read"):
        query.plan()


# Checkpoints of the first version -------------------------------------------------------------------------------------


def test_a_checkpoint_of_the_first_version_is_read_on(format: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(format, log, *numbered("old"))
    query = following(format, tmp_path)
    assert together(query) == numbered("old")
    query.batches = [(before, first_version(behind)) for before, behind in query.batches]
    assert payloads(query.read()) == numbered("old")
    append(format, log, "next")
    query.restart()
    assert together(query) == ["next"]
    rotate(log, "app.log.1")
    append(format, log, *numbered("new", 9))
    assert together(query) == numbered("new", 9)
    assert lost(query) == 0


def test_names_of_rotated_logs() -> None:
    assert [original(each) for each in ("app.log.1", "app-20260301.log", "app.1.log", "app.log.2026-03-01_12")] == [
        "app.log"
    ] * 4
    assert original("app.log.old") == "app.log"
    assert [original(each) for each in ("app.log", "app", "2026", ".1", "app.log.gz")] == [None] * 5


def test_an_object_that_was_replaced_in_the_same_second(object_store: Store, tmp_path: Path) -> None:
    content = [write(LOG, tmp_path / text, text) for text in ("one", "two")]
    address = object_store.put(f"{tmp_path.name}/in/a.log", content[0])
    place = {"endpoint": object_store.endpoint, "region": "us-east-1"}
    query = Query(LOG, path=address.rpartition("/")[0], **place)
    assert together(query) == ["one"]
    query.restart()
    assert payloads(query.read()) == ["one"]
    object_store.put(f"{tmp_path.name}/in/a.log", content[1])
    with pytest.raises(
        WireloomError, match=r"a\.log: the file, of \d+ bytes, was replaced by another of the same size"
    ):
        query.read()


def test_an_object_that_grows(object_store: Store, tmp_path: Path) -> None:
    """Each time there is a new object under its key, with what was in the old one and more."""
    place = {"endpoint": object_store.endpoint, "region": "us-east-1", "tail": "true"}
    query = Query(LOG, path=f"s3://{BUCKET}/{tmp_path.name}/in", **place)
    for text in numbered("row"):
        object_store.put(f"{tmp_path.name}/in/a.log", write(LOG, tmp_path / "log", text))
        assert together(query) == [text]
        assert payloads(query.read()) == [text]
    object_store.put(f"{tmp_path.name}/in/a.log", write(LOG, tmp_path / "other", *numbered("other", 9)))
    with pytest.raises(WireloomError, match="the file is another one since it was to be read"):
        query.read()
    with pytest.raises(WireloomError, match="is another one since, or was cut and written again"):
        query.plan()
