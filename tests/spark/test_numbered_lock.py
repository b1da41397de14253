"""The lock of a folder in a store of fsspec: one process at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from wireloom import TemporaryError, UnsupportedError
from wireloom.spark.folders import Folder, folder
from wireloom.spark.ingest import numbered_lock
from wireloom.spark.ingest.lock import locked


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Folder]:
    """A folder in memory."""
    files = fsspec.filesystem("memory")
    yield folder(f"memory://{tmp_path.name}")
    files.rm(f"/{tmp_path.name}", recursive=True)


def locks(place: Folder) -> list[str]:
    return place.inside("_wireloom").names()


def test_one_at_a_time(place: Folder) -> None:
    with locked(place) as check:
        check()
        with pytest.raises(TemporaryError, match=r"another ingest writes to it: .*lock-000000001 is its lock"):
            locked(place).__enter__()
        check()
    with locked(place) as check:
        check()
        assert locks(place) == ["lock-000000002"], "nothing but the last number is left"


def test_a_dead_process_holds_nothing(place: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    with locked(place) as check:
        # As if nothing had been heard from this process for a long time.
        monkeypatch.setattr(numbered_lock, "LEASE", -1.0)
        with locked(place) as other:
            other()
            with pytest.raises(TemporaryError, match="another ingest has taken over the table"):
                check()
    assert locks(place) == ["lock-000000002"]


@pytest.mark.parametrize("content", [b"", b"{}", b'{"owner": 5}', b"\xff"])
def test_a_lock_that_says_nothing_expires(content: bytes, place: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    place.spec.pipe_file(f"{place.path}/_wireloom/lock-000000007", content)
    with pytest.raises(TemporaryError, match="another ingest writes to it"):
        locked(place).__enter__()
    monkeypatch.setattr(numbered_lock, "LEASE", -1.0)
    with locked(place):
        assert locks(place) == ["lock-000000008"]
        assert json.loads(place.inside("_wireloom").read("lock-000000008"))["owner"]


def test_the_next_number_is_taken_by_one(place: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    real = MemoryFileSystem.pipe_file

    def faster(self: Any, path: str, value: bytes, mode: str = "overwrite", **more: Any) -> None:
        if mode == "create" and "lock-" in path:
            real(self, path, b"{}")
        real(self, path, value, mode=mode, **more)

    monkeypatch.setattr(MemoryFileSystem, "pipe_file", faster)
    with pytest.raises(TemporaryError, match="another ingest has just started"):
        locked(place).__enter__()


def test_stores_that_cannot_refuse(place: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    real = MemoryFileSystem.pipe_file
    monkeypatch.setattr(MemoryFileSystem, "pipe_file", lambda self, path, value, **_: real(self, path, value))
    with pytest.raises(UnsupportedError, match="does not support creating a file only if it does not exist"):
        locked(place).__enter__()

    def unknown(self: Any, path: str, value: bytes, mode: str = "overwrite") -> None:
        raise ValueError(f"unsupported mode {mode}")

    monkeypatch.setattr(MemoryFileSystem, "pipe_file", unknown)
    with pytest.raises(UnsupportedError, match="unsupported mode create"):
        locked(place).__enter__()
    assert locks(place) == []


def test_a_store_without_folders(place: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without content does not exist."""
    real = MemoryFileSystem.ls

    def ls(self: Any, path: str, detail: bool = True, **more: Any) -> Any:
        found = real(self, path, detail=detail, **more)
        if not found:
            raise FileNotFoundError(path)
        return found

    monkeypatch.setattr(MemoryFileSystem, "ls", ls)
    with locked(place) as check:
        check()
    assert place.spec.ls(f"{place.path}/_wireloom", detail=False) == [f"{place.path}/_wireloom/lock-000000001"]


def test_stores_that_nothing_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.fs

    # Whether or not it is installed here.
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "gs", raising=False)
    # pyarrow's own file systems of stores have no spec.
    other = Folder("gs://bucket/table", "bucket/table", pyarrow.fs.LocalFileSystem())
    with pytest.raises(UnsupportedError, match=r"a table at gs:// is locked through fsspec .* gcsfs"):
        locked(other).__enter__()
