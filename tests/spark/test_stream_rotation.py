"""Streaming reads without Spark: logs that are renamed or replaced while they are followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from wireloom import WireloomError
from wireloom.spark.stream.file_identity import original

from .rotating import Format, append, copy_and_cut, following, lost, numbered, rotate
from .stream_driver import WAL, Query, payloads, together, write


@pytest.mark.parametrize("pattern", ["", "*.log", "app.log"])
@pytest.mark.parametrize("restarted", [False, True])
def test_a_renamed_log_is_followed(tailed: Format, pattern: str, restarted: bool, tmp_path: Path) -> None:
    """Even under names that do not match the pattern, and while its program still writes to it."""
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path / pattern)
    assert together(query) == numbered("old")
    append(tailed, log, "late")
    rotate(log, "app.log.1")
    append(tailed, tmp_path / "app.log.1", "later")
    append(tailed, log, *numbered("new", 3))
    if restarted:
        query.restart()
    assert sorted(together(query)) == sorted(["late", "later", *numbered("new", 3)])
    append(tailed, tmp_path / "app.log.1", "last")
    append(tailed, log, "newest")
    if restarted:
        query.restart()
    assert sorted(together(query)) == ["last", "newest"]
    assert lost(query) == 0
    assert query.next() is None


def test_names_move_on(tailed: Format, tmp_path: Path) -> None:
    """Several rotations between two listings; the oldest log is removed."""
    log = tmp_path / "app.log"
    query = following(tailed, tmp_path)
    expected = []
    for number in range(6):
        for generation in (3, 2, 1):
            if (tmp_path / f"app.log.{generation}").exists():
                rotate(tmp_path / f"app.log.{generation}", f"app.log.{generation + 1}")
        if log.exists():
            append(tailed, log, f"late {number}")
            expected.append(f"late {number}")
            rotate(log, "app.log.1")
        append(tailed, log, f"new {number}")
        expected.append(f"new {number}")
        if number % 2:
            assert sorted(together(query)) == sorted(expected)
            expected = []
            query.restart()
    assert lost(query) == 0


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("planned", [False, True])
def test_a_rotated_file_that_is_read_as_a_whole_is_replaced_by_the_next(
    planned: bool, strict: bool, tmp_path: Path
) -> None:
    file = tmp_path / "app.log.2.gz"
    write(WAL, tmp_path / "app.log", "live")
    write(WAL, file, *numbered("old"), codec="gzip")
    query = Query(WAL, path=tmp_path / "*.gz", failOnDataLoss=strict)
    query.plan()
    if not planned:
        assert payloads(query.read()) == numbered("old")
        query.restart()
    file.unlink()
    write(WAL, file, "new", codec="gzip")
    if planned and strict:
        with pytest.raises(WireloomError, match="became shorter since"):
            query.read()
        return
    if planned:
        assert payloads(query.read()) == []
    assert together(query) == ["new"]
    assert lost(query) == planned


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("app.log.gz", ["app.log"]),
        ("app.log-20260301.gz", ["app.log"]),
        ("part.1.gz", ["part.2.gz"]),
    ],
)
def test_a_file_that_is_not_rotated_may_have_been_corrected(name: str, others: list[str], tmp_path: Path) -> None:
    write(WAL, tmp_path / name, *numbered("old"), codec="gzip")
    for each in others:
        write(WAL, tmp_path / each, "other")
    query = Query(WAL, path=tmp_path / name)
    assert together(query) == numbered("old")
    (tmp_path / name).unlink()
    write(WAL, tmp_path / name, "corrected", codec="gzip")
    with pytest.raises(WireloomError, match="became shorter since"):
        query.plan()


@pytest.mark.parametrize("change", ["touched", "grown", "a copy of another one"])
def test_a_rotated_file_with_content_that_was_read_is_not_the_next(change: str, tmp_path: Path) -> None:
    write(WAL, tmp_path / "app.log", "live")
    contents = [write(WAL, tmp_path / f"app.log.{each}.gz", f"old {each}", codec="gzip") for each in (1, 2)]
    query = Query(WAL, path=tmp_path / "*.gz")
    assert sorted(together(query)) == ["old 1", "old 2"]
    content = {"touched": contents[1], "grown": contents[1] * 2, "a copy of another one": contents[0]}[change]
    (tmp_path / "app.log.2.gz").write_bytes(content)
    with pytest.raises(WireloomError, match=r"app\.log\.2\.gz: the file (was replaced|had \d+ bytes)"):
        query.plan()


def test_a_log_that_was_removed_and_begun_again(tailed: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert together(query) == numbered("old")
    log.unlink()
    assert query.next() is None
    append(tailed, log, *numbered("new", 6))
    with pytest.raises(WireloomError, match="was then replaced, or truncated and written again"):
        query.plan()
    query.restart(failOnDataLoss="false")
    assert together(query) == numbered("new", 6)
    assert lost(query) == 1


@pytest.mark.parametrize("pattern", ["", "*.log"])
@pytest.mark.parametrize("size", [1, 9])
def test_a_log_that_is_copied_and_cut_is_followed(tailed: Format, pattern: str, size: int, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path / pattern)
    assert together(query) == numbered("old")
    append(tailed, log, "late")
    copy_and_cut(log, "app.log.1")
    append(tailed, log, *numbered("new", size))
    assert sorted(together(query)) == sorted(["late", *numbered("new", size)])
    rotate(tmp_path / "app.log.1", "app.log.2")
    append(tailed, log, "late again")
    copy_and_cut(log, "app.log.1")
    assert together(query) == ["late again"]
    append(tailed, log, "end")
    query.restart()
    assert together(query) == ["end"]
    assert lost(query) == 0


def test_a_copy_is_not_read_while_the_log_is_there(tailed: Format, tmp_path: Path) -> None:
    """Between the copy, which takes some time, and the truncation."""
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert together(query) == numbered("old")
    append(tailed, log, "late")
    content = log.read_bytes()
    for size in (3, len(content) // 2, len(content)):
        (tmp_path / "app.log.1").write_bytes(content[:size])
        assert payloads(query.next()) == (["late"] if size == 3 else [])
        assert query.reader.reportLatestOffset()["waitingFiles"] == 1
        query.restart()
    os.truncate(log, 0)
    append(tailed, log, *numbered("new", 9))
    assert together(query) == numbered("new", 9)
    assert lost(query) == 0


def test_names_of_rotated_logs() -> None:
    assert [original(each) for each in ("app.log.1", "app-20260301.log", "app.1.log", "app.log.2026-03-01_12")] == [
        "app.log"
    ] * 4
    assert original("app.log.old") == "app.log"
    assert [original(each) for each in ("app.log", "app", "2026", ".1", "app.log.gz")] == [None] * 5


def test_a_link_to_the_log_of_the_day(tailed: Format, tmp_path: Path) -> None:
    """As container runtimes do: links in one folder, logs and their rotated files in another."""
    (tmp_path / "pods").mkdir()
    (tmp_path / "in").mkdir()
    log, link = tmp_path / "pods" / "0.log", tmp_path / "in" / "app.log"
    append(tailed, log, *numbered("old"))
    link.symlink_to(log)
    query = following(tailed, tmp_path / "in")
    assert together(query) == numbered("old")
    append(tailed, log, "late")
    rotate(log, "0.log.20260301")
    append(tailed, log, *numbered("new", 9))
    assert sorted(together(query)) == ["late", *numbered("new", 9)]
    assert lost(query) == 0


def test_a_link_beside_the_log_of_the_day(tailed: Format, tmp_path: Path) -> None:
    link = tmp_path / "current.log"
    append(tailed, tmp_path / "1.log", "old")
    link.symlink_to(tmp_path / "1.log")
    query = following(tailed, tmp_path)
    assert together(query) == ["old", "old"], "a file with two names is read under both"
    append(tailed, tmp_path / "2.log", "new")
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
    query = Query(WAL, "payload BINARY", path=tmp_path, tail="true", maxRecord=1000)
    assert together(query) == ["one"]
    rotate(log, "app.log.1")
    write(WAL, log, "new", codec="none")
    query.restart()
    assert together(query) == ["new"]
    assert lost(query) == 0
