"""Files that cannot be written: each is a ``WireloomError`` with its path, and nothing is left of it."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import WireloomError
from wireloom.append import publish

UNPRIVILEGED = 65534


def written(path: Any) -> None:
    wireloom.write("cobs_log", [{"payload": b"a"}], path)


def published(path: Any) -> None:
    with publish(path, "cobs_log") as log:
        log.append(payload=b"a")


BOTH = pytest.mark.parametrize("make", [written, published])


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that every user may access; those above ``tmp_path`` belong to the test."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def refusal(make: Callable[[Path], None], path: Path) -> str:
    """Return the message of the ``WireloomError`` for a user without special rights."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(UNPRIVILEGED)
                os.setuid(UNPRIVILEGED)
            make(path)
            text = "nothing was raised"
        except WireloomError as error:
            text = str(error)
        except BaseException as error:
            text = f"a bare {error!r}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading, "rb") as file:
        return file.read().decode()


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("mode", [0o555, 0o444, 0o000])
def test_a_folder_without_rights(mode: int, make: Callable[[Any], None], open_folder: Path, tmp_path: Path) -> None:
    make(tmp_path / "warm")
    folder = open_folder / "folder"
    folder.mkdir()
    folder.chmod(mode)
    path = folder / "a.log"
    assert refusal(make, path) == f"{path}: cannot be written: Permission denied"
    folder.chmod(0o755)
    assert os.listdir(folder) == []


@pytest.mark.slow
@BOTH
def test_a_read_only_file_in_a_folder_that_may_be_written(
    make: Callable[[Any], None], open_folder: Path, tmp_path: Path
) -> None:
    make(tmp_path / "warm")
    open_folder.chmod(0o777)
    path = open_folder / "a.log"
    path.write_bytes(b"precious")
    path.chmod(0o444)
    assert refusal(make, path) == f"{path}: cannot be written: Permission denied"
    assert (path.read_bytes(), os.listdir(open_folder)) == (b"precious", ["a.log"])


@BOTH
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("n" * 256, "cannot be written: File name too long"),
        ("folder", "cannot be written: it is a folder; give the name of a file"),
        ("missing/a.log", "cannot be written: No such file or directory; make its folder first"),
        ("file/a.log", "cannot be written: Not a directory"),
        ("circle", "cannot be written: Too many levels of symbolic links"),
    ],
)
def test_what_cannot_be_written(name: str, message: str, make: Callable[[Any], None], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "circle").symlink_to("circle")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(WireloomError) as caught:
        make(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: {message}"
    assert sorted(os.listdir(tmp_path)) == before


@BOTH
def test_a_nul_in_the_name(make: Callable[[Any], None]) -> None:
    with pytest.raises(WireloomError, match=r"the path contains a NUL character") as caught:
        make("a\0b")
    assert caught.value.path == r"a\0b"


@BOTH
@pytest.mark.parametrize("name", ["n" * 255, "ä" * 127])
def test_names_as_long_as_they_may_be(name: str, make: Callable[[Any], None], tmp_path: Path) -> None:
    make(tmp_path / name)
    assert os.listdir(tmp_path) == [name]
    assert wireloom.read("cobs_log", tmp_path / name)["payload"].to_pylist() == [b"a"]


@BOTH
def test_an_address(make: Callable[[Any], None], tmp_path: Path) -> None:
    make(f"file://{tmp_path}/a%20b")
    assert os.listdir(tmp_path) == ["a b"]


def test_a_device_is_not_replaced() -> None:
    written("/dev/null")
    with pytest.raises(WireloomError, match="it is a pipe or a device"):
        published("/dev/null")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (None, "cannot write to NoneType: give a path or a binary file object"),
        (b"a.log", "cannot write to bytes: give a path or a binary file object"),
        (5, "cannot write to int: give a path or a binary file object"),
        (io.StringIO(), "the file object takes text: open it in binary mode"),
    ],
)
def test_what_is_no_binary_file(target: Any, message: str) -> None:
    with pytest.raises(WireloomError, match=f"^{message}"):
        written(target)


def test_file_objects_that_take_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"old")
    with path.open("rb") as file, pytest.raises(WireloomError, match="open for reading only: open it for writing"):
        written(file)
    with pytest.raises(WireloomError, match="the file object is closed") as caught:
        written(file)
    assert caught.value.path == str(path)
    assert path.read_bytes() == b"old"
