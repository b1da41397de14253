import io
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.input.expansion import expand
from wireloom.input.inputs import Input


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "b/2.bin",
        "a/10.bin",
        "a/9.bin",
        ".hidden",
        "_done",
        "_tmp/x.bin",
        "_a=1/part.bin",
        "a/.x.crc",
        "c.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return tmp_path


def names(found: list[Input], tree: Path) -> list[str]:
    return [os.path.relpath(str(each.path), tree) for each in found]


def test_a_file(tree: Path) -> None:
    [found] = expand(tree / "c.txt")
    assert (found.path, found.size, found.seekable, found.name) == (str(tree / "c.txt"), 5, True, "c.txt")
    assert found.modified is not None
    assert found.modified.timestamp() == pytest.approx((tree / "c.txt").stat().st_mtime)


def test_a_folder_is_walked_in_order_without_what_is_hidden(tree: Path) -> None:
    assert names(expand(str(tree)), tree) == ["_a=1/part.bin", "a/10.bin", "a/9.bin", "b/2.bin", "c.txt"]


def test_globs(tree: Path) -> None:
    assert names(expand(f"{tree}/*/*.bin"), tree) == ["_a=1/part.bin", "_tmp/x.bin", "a/10.bin", "a/9.bin", "b/2.bin"]
    assert names(expand(f"{tree}/**/9.bin"), tree) == ["a/9.bin"]
    assert names(expand(f"{tree}/[ab]"), tree) == ["a/10.bin", "a/9.bin", "b/2.bin"]
    assert names(expand(f"{tree}/*"), tree) == ["_a=1/part.bin", "a/10.bin", "a/9.bin", "b/2.bin", "c.txt"]
    assert names(expand(f"{tree}/_d*"), tree) == ["_done"]


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    (tmp_path / "a[1].bin").write_bytes(b"x")
    assert len(expand(str(tmp_path / "a[1].bin"))) == 1


def test_lists_keep_their_order(tree: Path) -> None:
    assert names(expand([tree / "c.txt", f"{tree}/a", str(tree / "b")]), tree) == [
        "c.txt",
        "a/10.bin",
        "a/9.bin",
        "b/2.bin",
    ]


def test_file_addresses(tree: Path) -> None:
    (tree / "with space.bin").write_bytes(b"1")
    [found] = expand(f"file://{tree}/with%20space.bin")
    assert found.path == str(tree / "with space.bin")


@pytest.mark.parametrize("content", [b"abc", bytearray(b"abc"), memoryview(b"abc")])
def test_bytes_are_not_copied(content: Any) -> None:
    [found] = expand(content)
    assert found.path is None
    assert found.content is not None
    assert found.content.obj is (content.obj if isinstance(content, memoryview) else content)
    stream = found.open()
    buffer = bytearray(2)
    assert (stream.readinto(memoryview(buffer)), buffer) == (2, b"ab")
    assert stream.seek(2) == 2
    assert stream.readinto(memoryview(buffer)) == 1
    stream.close()


class OnlyRead:
    def __init__(self, content: Any) -> None:
        self._content = content

    def read(self, size: int) -> Any:
        content, self._content = self._content, self._content[:0]
        return content


def test_file_objects() -> None:
    file = io.BytesIO(b"0123456789")
    file.seek(4)
    [found] = expand(file)
    assert (found.path, found.size) == (None, 6)
    buffer = bytearray(10)
    stream = found.open()
    assert stream.readinto(memoryview(buffer)) == 6
    stream.close()
    assert not file.closed
    [found] = expand(OnlyRead(b"abc"))
    assert found.size is None
    assert found.may_block
    assert found.open().readinto(memoryview(buffer)) == 3


def test_a_file_object_in_text_mode_is_refused() -> None:
    with pytest.raises(wireloom.WireloomError, match="binary mode"):
        expand(io.StringIO("abc"))
    [found] = expand(OnlyRead("abc"))
    with pytest.raises(wireloom.WireloomError, match="binary mode"):
        found.open().readinto(memoryview(bytearray(4)))


def test_a_file_object_that_has_nothing_now() -> None:
    class Waiting(io.RawIOBase):
        def readinto(self, _: Any) -> None:
            return None

    [found] = expand(Waiting())
    with pytest.raises(wireloom.WireloomError, match="non-blocking"):
        found.open().readinto(memoryview(bytearray(4)))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(b"abc")

    monkeypatch.setattr(sys, "stdin", Input())
    [found] = expand("-")
    assert (found.path, found.size, found.may_block) == ("-", None, True)
    assert found.open().readinto(memoryview(bytearray(9))) == 3


def test_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"abc",))
    writer.start()
    [found] = expand(str(path))
    assert (found.size, found.seekable, found.may_block) == (None, False, True)
    stream = found.open()
    assert stream.readinto(memoryview(bytearray(9))) == 3
    stream.close()
    writer.join()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere/x.bin", "no such file or folder: check the path"),
        ("nowhere/*.bin", "no file matches"),
        ([], "the list of sources is empty"),
        ("carrier://bucket/x", "cannot read or write carrier://"),
        (7, "cannot read from int"),
    ],
)
def test_what_is_not_there(source: Any, message: str) -> None:
    with pytest.raises(wireloom.WireloomError, match=message):
        expand(source)


def test_pipes_and_sockets_in_folders_are_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.log").write_bytes(b"a")
    os.mkfifo(tmp_path / "b.log")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as bound:
        # The path of a socket has at most about a hundred bytes.
        bound.bind("c.log")
        for source in (tmp_path, f"{tmp_path}/*.log"):
            assert [each.path for each in expand(source)] == [str(tmp_path / "a.log")]
    with pytest.raises(wireloom.WireloomError, match="no file matches"):
        expand(f"{tmp_path}/b*")


def test_what_has_gone_is_passed_over(tmp_path: Path) -> None:
    """Such as a broken link, and a file that is removed while its folder is listed."""
    (tmp_path / "a.log").write_bytes(b"a")
    (tmp_path / "b.log").symlink_to(tmp_path / "nowhere")
    for source in (tmp_path, f"{tmp_path}/*.log"):
        assert [each.path for each in expand(source)] == [str(tmp_path / "a.log")]
    (tmp_path / "a.log").unlink()
    with pytest.raises(wireloom.WireloomError, match="contains no files"):
        expand(tmp_path)
    with pytest.raises(wireloom.WireloomError, match="no file matches"):
        expand(f"{tmp_path}/*.log")


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / ".x").write_bytes(b"")
    with pytest.raises(wireloom.WireloomError, match="contains no files"):
        expand(str(tmp_path))


def test_a_file_that_goes_before_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "gone.bin"
    path.write_bytes(b"x")
    [found] = expand(path)
    path.unlink()
    with pytest.raises(wireloom.WireloomError, match="cannot be opened") as caught:
        found.open()
    assert caught.value.path == str(path)
