"""Streaming reads without Spark: copies of followed logs, compressed and uncompressed, which are not read again."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest
from wireloom import WireloomError, codecs

from .rotating import Format, append, compress, copy_and_cut, following, lost, numbered, packed, rotate
from .stream_driver import LOG, Query, age, payloads, together


def waiting(query: Query) -> int:
    """Return how many files wait."""
    found: int = query.reader.reportLatestOffset()["waitingFiles"]
    return found


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
@pytest.mark.parametrize("late", [[], ["late", "x" * 9000]])
@pytest.mark.parametrize("pattern", ["", "*.log"])
def test_a_log_that_is_compressed_at_once(
    tailed: Format, codec: str, late: list[str], pattern: str, tmp_path: Path
) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path / pattern, maxFilesPerTrigger=1)
    assert together(query) == numbered("old")
    append(tailed, log, *late)
    compress(log, "app.log.1.gz" if codec == "gzip" else "app.log.1.zst", codec)
    append(tailed, log, *numbered("new", 9))
    query.restart()
    assert sorted(together(query)) == sorted([*late, *numbered("new", 9)])
    again = [text for number in range(1, len(query.batches)) for text in payloads(query.read(number))]
    assert sorted(again) == sorted([*late, *numbered("new", 9)])
    assert query.next() is None
    assert lost(query) == 0


@pytest.mark.parametrize("pattern", ["", "*.log"])
def test_logs_that_are_compressed_again_and_again(tailed: Format, pattern: str, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    query = following(tailed, tmp_path / pattern)
    for number in range(4):
        append(tailed, log, f"new {number}")
        assert sorted(together(query)) == [*([f"late {number - 1}"] if number else []), f"new {number}"]
        append(tailed, log, f"late {number}")
        for generation in (2, 1):
            if (tmp_path / f"app.log.{generation}.gz").exists():
                rotate(tmp_path / f"app.log.{generation}.gz", f"app.log.{generation + 1}.gz")
        compress(log, "app.log.1.gz")
    assert lost(query) == 0


def test_a_log_that_is_compressed_later(tailed: Format, tmp_path: Path) -> None:
    """The names are shifted too."""
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    query = following(tailed, tmp_path)
    assert together(query) == numbered("old")
    rotate(log, "app.log.1")
    append(tailed, log, "new")
    assert together(query) == ["new"]
    append(tailed, tmp_path / "app.log.1", "late")
    compress(tmp_path / "app.log.1", "app.log.2.gz")
    rotate(log, "app.log.1")
    append(tailed, log, "newest")
    assert sorted(together(query)) == ["late", "newest"]
    compress(tmp_path / "app.log.1", "app.log.1.gz")
    rotate(tmp_path / "app.log.2.gz", "app.log.3.gz")
    query.restart()
    assert together(query) == []
    assert lost(query) == 0


def test_a_log_is_being_compressed(tailed: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old", 900))
    query = following(tailed, tmp_path)
    assert together(query) == numbered("old", 900)
    whole = gzip.compress(log.read_bytes())
    for size in (len(whole) // 2, len(whole)):
        (tmp_path / "app.log.gz").write_bytes(whole[:size])
        assert query.next() is None
        assert query.reader.reportLatestOffset()["waitingFiles"] == 1
    log.unlink()
    append(tailed, log, "new")
    assert together(query) == ["new"]
    assert lost(query) == 0


def test_a_compressed_file_that_is_no_copy_is_read(tailed: Format, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    append(tailed, log, *numbered("old"))
    append(tailed, tmp_path / "gone.log", "gone")
    query = following(tailed, tmp_path)
    assert sorted(together(query)) == ["gone", *numbered("old")]
    (tmp_path / "gone.log").unlink()
    append(tailed, tmp_path / "other", "other", "one")
    compress(tmp_path / "other", "app.log.gz")
    assert together(query) == ["other", "one"]


def test_a_log_that_begins_like_another_is_no_copy(tailed: Format, tmp_path: Path) -> None:
    append(tailed, tmp_path / "worker", "started", "one")
    query = following(tailed, tmp_path)
    assert together(query) == ["started", "one"]
    append(tailed, tmp_path / "worker-2", "started", "two")
    append(tailed, tmp_path / "other", "started", "one")
    assert sorted(together(query)) == ["one", "started", "started", "two"]


def test_a_log_that_is_copied_into_place_is_read_on(tailed: Format, tmp_path: Path) -> None:
    """As by rsync: a new file each time, with the content of the old one and more."""
    (tmp_path / "in").mkdir()
    query = following(tailed, tmp_path / "in")
    for text in numbered("row"):
        append(tailed, tmp_path / "source", text)
        shutil.copyfile(tmp_path / "source", tmp_path / "in" / ".part")
        (tmp_path / "in" / ".part").rename(tmp_path / "in" / "app.log")
        assert together(query) == [text]
    shutil.copyfile(tmp_path / "source", tmp_path / "in" / "app.log.1")
    append(tailed, tmp_path / "new", "new")
    os.replace(tmp_path / "new", tmp_path / "in" / "app.log")
    assert together(query) == ["new"]
    assert lost(query) == 0


@pytest.mark.parametrize("name", ["app.log", "app-1.log"])
@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_a_new_log_and_its_copy(tailed: Format, known: bool, restarted: bool, name: str, tmp_path: Path) -> None:
    """The query sees both for the first time, before the log is truncated."""
    log = tmp_path / name
    query = following(tailed, tmp_path)
    if known:
        append(tailed, log, "older")
        assert together(query) == ["older"]
        copy_and_cut(log, f"{name}.1")
        assert together(query) == []
        rotate(tmp_path / f"{name}.1", f"{name}.2")
    append(tailed, log, *numbered("old"))
    shutil.copyfile(log, tmp_path / f"{name}.1")
    assert together(query) == numbered("old")
    assert waiting(query) == 1
    append(tailed, log, "late")
    shutil.copyfile(log, tmp_path / f"{name}.1")
    os.truncate(log, 0)
    append(tailed, log, *numbered("new", 9))
    if restarted:
        query.restart()
    assert sorted(together(query)) == ["late", *numbered("new", 9)]
    assert lost(query) == 0


@pytest.mark.parametrize("share", [0.1, 0.5, 1])
@pytest.mark.parametrize("ending", ["gz", "zst", "xz", "bz2", "lz4", "sz", "zip"])
@pytest.mark.parametrize("rotated", ["app.log", "app.log.1"])
def test_a_new_log_that_is_being_compressed(
    tailed: Format, rotated: str, ending: str, share: float, tmp_path: Path
) -> None:
    append(tailed, tmp_path / rotated, *numbered("old", 900))
    append(tailed, tmp_path / "other.log", "other")
    archive = tmp_path / f"app.log.1.{ending}"
    whole = packed((tmp_path / rotated).read_bytes(), str(codecs.by_suffix(archive.name)))
    archive.write_bytes(whole[: int(share * len(whole))])
    query = following(tailed, tmp_path)
    assert sorted(together(query)) == sorted([*numbered("old", 900), "other"])
    assert waiting(query) == 1
    archive.write_bytes(whole)
    (tmp_path / rotated).unlink()
    query.restart()
    assert together(query) == []
    assert lost(query) == 0


def test_an_archive_that_cannot_be_decompressed_is_reported(tmp_path: Path) -> None:
    append((LOG, {}), tmp_path / "app.log", "one")
    (tmp_path / "app.log.1.gz").write_bytes(gzip.compress(b"")[:10] + b"\xff" * (codecs.HEAD))
    query = Query(LOG, path=tmp_path, mode="failfast")
    with pytest.raises(WireloomError, match=r"app\.log\.1\.gz"):
        together(query)


def test_an_archive_that_is_completed_after_it_was_listed(tmp_path: Path) -> None:
    """Its log is gone when the batch is planned."""
    log, archive = tmp_path / "app.log.1", tmp_path / "app.log.1.gz"
    append((LOG, {}), log, *numbered("old", 900))
    query = Query(LOG, path=tmp_path)
    assert together(query) == numbered("old", 900)
    whole = gzip.compress(log.read_bytes())
    archive.write_bytes(whole[: len(whole) // 2])
    query.restart()
    query.reader.prepareForTriggerAvailableNow()
    archive.write_bytes(whole)
    log.unlink()
    assert together(query) == []
    query.restart()
    assert together(query) == []
    assert lost(query) == 0


@pytest.mark.parametrize("listed", [False, True])
def test_a_log_is_replaced_by_its_copy_whose_number_a_copy_gets(tailed: Format, listed: bool, tmp_path: Path) -> None:
    """The file that had the number is kept, as that of the copy."""
    log = tmp_path / "in" / "app.log"
    log.parent.mkdir()
    append(tailed, log, *numbered("old"))
    age(log, 0)
    query = following(tailed, log.parent)
    assert together(query) == numbered("old")
    log.rename(tmp_path / "first")
    shutil.copyfile(tmp_path / "first", log)
    age(log, 1)
    if listed:
        assert together(query) == []
        query.restart()
    (tmp_path / "first").rename(log.parent / "app.log.1")
    age(log.parent / "app.log.1", 2)
    if listed:
        age(log, 3)
    assert together(query) == []
    assert waiting(query) == 1
    query.restart()
    os.truncate(log, 0)
    append(tailed, log, "new")
    assert together(query) == ["new"]
    assert lost(query) == 0


def test_a_log_that_is_replaced_by_its_copy_after_it_was_listed(tailed: Format, tmp_path: Path) -> None:
    log = tmp_path / "in" / "app.log"
    log.parent.mkdir()
    append(tailed, log, *numbered("old"))
    query = following(tailed, log.parent)
    query.reader.prepareForTriggerAvailableNow()
    log.rename(tmp_path / "first")
    shutil.copyfile(tmp_path / "first", log)
    assert together(query) == []
    query.restart()
    assert together(query) == numbered("old")
    assert lost(query) == 0
