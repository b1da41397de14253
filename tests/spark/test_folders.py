"""Folders that others modify at the same time."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import Any

import pyarrow.fs
import pytest
from wireloom import WireloomError
from wireloom.spark import folders


class Restless:
    """A local file system in which a folder changes while it is deleted: the first ``failures`` attempts fail."""

    def __init__(self, failures: int, *, gone: bool = False) -> None:
        self.store = pyarrow.fs.LocalFileSystem()
        self.failures = failures
        self.gone = gone

    def get_file_info(self, path: str) -> Any:
        return self.store.get_file_info(path)

    def delete_dir(self, path: str) -> None:
        if self.failures:
            self.failures -= 1
            if self.gone:
                self.store.delete_dir(path)
            raise FileNotFoundError(2, "Cannot get information for path")
        self.store.delete_dir(path)


def _folder(path: Path, store: Any) -> folders.Folder:
    (path / "inner").mkdir(parents=True)
    (path / "inner" / "file").write_bytes(b"content")
    return dataclasses.replace(folders.folder(str(path)), store=store)


@pytest.mark.parametrize("gone", [False, True])
def test_what_vanishes_during_a_deletion_is_no_failure(tmp_path: Path, gone: bool) -> None:
    place = _folder(tmp_path / "place", Restless(3, gone=gone))
    place.delete("inner")
    assert not (tmp_path / "place" / "inner").exists()
    _folder(tmp_path / "other", Restless(1, gone=gone)).remove()
    assert not (tmp_path / "other").exists()


def test_a_deletion_that_never_succeeds_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "DELETING_SECONDS", 0.1)
    place = _folder(tmp_path / "place", Restless(1_000_000))
    with pytest.raises(WireloomError, match="the folder cannot be used"):
        place.delete("inner")


def test_a_folder_is_deleted_while_files_come_and_go(tmp_path: Path) -> None:
    place = folders.folder(str(tmp_path / "place"))
    inner = tmp_path / "place" / "inner"
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for number in range(20):
                try:
                    unfinished = inner / f".{number}.tmp"
                    unfinished.write_bytes(b"")
                    unfinished.rename(inner / str(number))
                except FileNotFoundError:
                    pass

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(20):
            inner.mkdir(parents=True, exist_ok=True)
            place.delete("inner")
            assert not inner.exists()
    finally:
        stop.set()
        for writer in writers:
            writer.join()
