"""Logs that are renamed, removed or replaced while they are appended to."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest
import wireloom
from wireloom import WireloomError
from wireloom.append import AppendError, AppendWriter, SystemCalls


def payloads(path: Path) -> list[bytes]:
    found: list[bytes] = wireloom.read("cobs_log", path)["payload"].to_pylist()
    return found


@pytest.mark.parametrize("buffer", [0, 1000])
@pytest.mark.parametrize("torn_delimiter", ["complete", "separate"])
def test_a_renamed_log(torn_delimiter: str, buffer: int, tmp_path: Path) -> None:
    path, older = tmp_path / "app.log", tmp_path / "app.log.1"
    with AppendWriter(path, "cobs_log", buffer=buffer, torn_delimiter=torn_delimiter) as log:
        log.append(payload=b"before")
        log.flush()
        path.rename(older)
        log.append(payload=b"after")
        log.append_rows([{"payload": b"more"}])
    assert payloads(older) == [b"before"]
    assert payloads(path) == [b"after", b"more"]


def test_a_removed_log(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    with AppendWriter(path, "cobs_log") as log:
        for number in range(3):
            log.append(payload=b"%d" % number)
            path.unlink()
        log.append(payload=b"last")
        assert payloads(path) == [b"last"]


def test_a_log_in_whose_place_another_one_is(tmp_path: Path) -> None:
    """It was created by the tool that rotates, and its end is torn: the writer checks it like any other."""
    path = tmp_path / "app.log"
    with AppendWriter(path, "cobs_log") as log:
        log.append(payload=b"before")
        (tmp_path / "new").write_bytes(b"\x04tor")
        os.replace(tmp_path / "new", path)
        log.append(payload=b"after")
    assert payloads(path)[-1] == b"after"


def test_writers_of_one_log_follow_it_together(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    total, done = 400, threading.Barrier(3)

    def run(name: bytes) -> None:
        with AppendWriter(path, "cobs_log") as log:
            for number in range(total):
                log.append(payload=b"%s %d" % (name, number))
        done.wait()

    threads = [threading.Thread(target=run, args=(name,)) for name in (b"a", b"b")]
    for thread in threads:
        thread.start()
    rotated = 0
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            path.rename(tmp_path / f"app.log.{rotated}")
            rotated += 1
        if done.n_waiting == 2:
            done.wait()
    logs = [tmp_path / f"app.log.{number}" for number in range(rotated)] + [path] * path.exists()
    found = [payload for log in logs if log.stat().st_size for payload in payloads(log)]
    assert sorted(found) == sorted(b"%s %d" % (name, number) for name in (b"a", b"b") for number in range(total))


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    with AppendWriter("app.log", "cobs_log") as log:
        log.append(payload=b"a")
        monkeypatch.chdir(tmp_path / "other")
        log.append(payload=b"b")
        (tmp_path / "app.log").rename(tmp_path / "app.log.1")
        log.append(payload=b"c")
    assert payloads(tmp_path / "app.log.1") == [b"a", b"b"]
    assert payloads(tmp_path / "app.log") == [b"c"]
    assert os.listdir(tmp_path / "other") == []


def test_a_writer_that_stays_with_its_file(tmp_path: Path) -> None:
    path, older = tmp_path / "app.log", tmp_path / "app.log.1"
    with (
        AppendWriter(path, "cobs_log", reopen=False) as log,
        path.open("ab") as file,
        AppendWriter(file.fileno(), "cobs_log") as other,
    ):
        path.rename(older)
        log.append(payload=b"a")
        other.append(payload=b"b")
    assert payloads(older) == [b"a", b"b"]
    assert os.listdir(tmp_path) == ["app.log.1"]


def test_what_was_written_before_is_synced(tmp_path: Path) -> None:
    path, synced = tmp_path / "app.log", []

    class Noted(SystemCalls):
        def sync(self, descriptor: int) -> None:
            synced.append(os.fstat(descriptor).st_ino)

    with AppendWriter(path, "cobs_log", calls=Noted()) as log:
        log.append(payload=b"a")
        first = path.stat().st_ino
        path.rename(tmp_path / "app.log.1")
        log.append(payload=b"b")
        assert synced == [first]
        log.sync()
        assert synced == [first, path.stat().st_ino]


def test_a_name_that_may_not_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, older = tmp_path / "app.log", tmp_path / "app.log.1"

    def refused(path: str, **_: object) -> None:
        raise WireloomError("cannot be appended to: Permission denied", path=path)

    with AppendWriter(path, "cobs_log") as log:
        log.append(payload=b"a")
        path.rename(older)
        with monkeypatch.context() as patched:
            patched.setattr("wireloom.append.target.open_for_append", refused)
            log.append(payload=b"b")
            older.unlink()
            with pytest.raises(AppendError, match="its name cannot be appended to: Permission denied") as caught:
                log.append(payload=b"c")
            assert caught.value.path == str(path)
        log.append(payload=b"d")
    assert payloads(path) == [b"d"]


def test_a_compressed_log_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    content = gzip.compress(b"\x02a\0" * 100)
    with AppendWriter(path, "cobs_log", buffer=1000) as log:
        path.unlink()
        path.write_bytes(content)
        log.append(payload=b"a")
        with pytest.raises(AppendError, match="it contains a gzip stream"):
            log.flush()
        assert path.read_bytes() == content
        path.unlink()
        # It remained in the buffer.
    assert payloads(path) == [b"a"]


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    with AppendWriter(folder / "app.log", "cobs_log") as log:
        folder.rename(tmp_path / "older")
        log.append(payload=b"a")
        folder.mkdir()
        log.append(payload=b"b")
    assert payloads(tmp_path / "older" / "app.log") == [b"a"]
    assert payloads(folder / "app.log") == [b"b"]
