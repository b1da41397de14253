"""A file or a published log is on the disk before it gets its name."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import wireloom
from wireloom.append import AppendError, AppendWriter, SystemCalls, publish

EVENTS = [{"fmt": 0, "tenant": 1, "ts_millis": 5, "payload": b"abc"}] * 100


def written(path: Path) -> None:
    wireloom.write("edgemq_segment", EVENTS, path)


def published(path: Path, **options: int) -> None:
    with publish(path, "cobs_log", **options) as writer:
        for number in range(100):
            writer.append(payload=b"%d" % number)


def buffered(path: Path) -> None:
    published(path, buffer=1 << 20)


WRITERS = [written, published, buffered]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("before", [None, b"what was there before"])
def test_the_disk_has_all_of_a_file_before_its_name_is_given(
    write: Callable[[Path], None], before: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "complete")
    complete = (tmp_path / "complete").read_bytes()
    (tmp_path / "complete").unlink()
    final = tmp_path / "a.log"
    if before is not None:
        final.write_bytes(before)
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def watched_fsync(descriptor: int) -> None:
        # All of it exists, under another name.
        assert os.fstat(descriptor).st_size == len(complete)
        assert [each.name for each in tmp_path.iterdir() if each != final] != []
        assert not final.exists() if before is None else final.read_bytes() == before
        fsync(descriptor)
        done.append("fsync")

    def watched_replace(source: Path, target: Path) -> None:
        assert Path(source).read_bytes() == complete
        assert (Path(source).parent, Path(source).name[:1]) == (tmp_path, ".")
        replace(source, target)
        done.append("replace")

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "replace", watched_replace)
    write(final)
    assert done == ["fsync", "replace"]
    assert os.listdir(tmp_path) == ["a.log"]
    assert final.read_bytes() == complete


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(5, "the disk is gone"), KeyboardInterrupt()])
def test_a_file_that_does_not_get_so_far(
    write: Callable[[Path], None], call: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    final = tmp_path / "a.log"
    final.write_bytes(b"before")

    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, call, failing)
    with pytest.raises((OSError, wireloom.WireloomError, KeyboardInterrupt)):
        write(final)
    assert os.listdir(tmp_path) == ["a.log"]
    assert final.read_bytes() == b"before"


def test_permissions_stay(tmp_path: Path) -> None:
    final = tmp_path / "a.log"
    final.write_bytes(b"before")
    final.chmod(0o600)
    written(final)
    assert final.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "there")
    for write in WRITERS:
        write(tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "there").is_file()
        (tmp_path / "there").unlink()


class Noted(SystemCalls):
    """Records the system calls, by name."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def write(self, descriptor: int, data: bytes) -> int:
        self.done.append("write")
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self.done.append("sync")
        super().sync(descriptor)


@pytest.mark.parametrize("sync", ["always", 3600])
@pytest.mark.parametrize("end", ["close", "sync"])
def test_what_is_buffered_is_written_before_the_disk_has_to_have_it(sync: str | int, end: str, tmp_path: Path) -> None:
    calls = Noted()
    with AppendWriter(tmp_path / "a.log", "cobs_log", buffer=1 << 20, sync=sync, begin=False, calls=calls) as writer:
        writer.append(payload=b"one")
        assert calls.done == []
        if end == "sync":
            writer.sync()
    assert calls.done[:2] == ["write", "sync"]
    assert "write" not in calls.done[2:]


class Locked(SystemCalls):
    """Checks the end of a file only while it has the file's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.looked = 0

    def tail(self, descriptor: int, size: int) -> bytes | None:
        self.looked += 1
        with self._path.open("rb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return super().tail(descriptor, size)


def test_two_writers_do_not_complete_the_same_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"\xfe")
    calls = Locked(path)
    with AppendWriter(path, "word_stuffed_log", calls=calls) as writer:
        writer.begin()
        with path.open("rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert calls.looked > 0
    assert path.read_bytes() == b"\xfe\xfd"


class Failing(SystemCalls):
    """A disk that is no longer available."""

    def sync(self, descriptor: int) -> None:
        raise OSError(5, "the disk is gone")


def test_a_failed_background_sync_is_raised_by_the_next_call(tmp_path: Path) -> None:
    writer = AppendWriter(tmp_path / "a.log", "cobs_log", sync=3600, begin=False, calls=Failing())
    writer.append(payload=b"one")
    # What the timer does.
    writer._on_time()
    with pytest.raises(AppendError, match="may not be on the disk"):
        writer.append(payload=b"two")
    with pytest.raises(AppendError, match="may not be on the disk"):
        writer.close()
