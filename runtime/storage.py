"""Where input comes from: paths, globs, folders, memory, open files, standard input, object stores."""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from .addresses import local_path, scheme_of
from .credentials import check_endpoint
from .errors import NothingThereError, WireloomError
from .listing import alternatives, hidden, in_order, walk

REMOTE_SCHEMES = ("s3", "s3a", "s3n")
STANDARD_INPUT = "-"
BLOCK = 512
"""Unit of a file's ``st_blocks``, whatever the file system."""
WILDCARDS = frozenset("*?[")
BYTES = ("B", "b", "c")
"""Formats of buffers that hold bytes and not, say, numbers."""


class Stream(Protocol):
    """What an input opens as; a binary file object that can fill a buffer."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Reads at most ``len(buffer)`` bytes and says how many; 0 at the end."""
        ...

    def seek(self, offset: int, /) -> int:
        """Goes to that byte. Only where the input is ``seekable``."""
        ...

    def close(self) -> None:
        """Lets go of it."""
        ...


@dataclass(frozen=True)
class Location:
    """How to reach an object store; ``None`` is what the environment says.

    ``profile``: a section of the files that Amazon's tools keep credentials in. ``verify_sha256``: an object's bytes
    are compared with the ``sha256`` in its metadata, where it has one, when all of them have been read."""

    region: str | None = None
    endpoint: str | None = None
    anonymous: bool = False
    profile: str | None = None
    verify_sha256: bool = False

    def __post_init__(self) -> None:
        check_endpoint(self.endpoint or "")


@dataclass(frozen=True)
class Input:
    """One thing to read. ``path`` is what reports show, ``None`` for memory; ``size`` is in bytes as stored."""

    path: str | None
    size: int | None = None
    modified: datetime | None = None
    seekable: bool = False
    sparse: bool = False
    """It has holes: bytes that take no room, and are zero."""

    @property
    def name(self) -> str:
        """The last part of the path; empty where there is none."""
        return (self.path or "").rsplit("/", 1)[-1]

    @property
    def is_file(self) -> bool:
        """Whether it is a file or an object, of which others may have cut off or zeroed parts."""
        return False

    @property
    def buffer(self) -> memoryview | None:
        """The bytes themselves where they are in memory already."""
        return None

    @property
    def patient(self) -> bool:
        """Whether a read may wait for long, as on a pipe."""
        return False

    def within(self, begin: int, end: int) -> Input:
        """The same input, of which only these stored bytes will be read, beside the first ones and those of the row
        that ends behind them. Where bytes cost nothing that makes no difference."""
        return self

    def open(self) -> Stream:
        """A new stream over the content. Raises ``WireloomError`` where that is not possible."""
        raise NotImplementedError


@dataclass(frozen=True)
class FileInput(Input):
    """A file of the local file system."""

    file_id: int = field(default=0, compare=False)
    """Its inode number; 0: it is not known."""

    @property
    def is_file(self) -> bool:
        """As ``Input.is_file``."""
        return True

    def open(self) -> Stream:
        """The file, unbuffered: whoever reads brings a buffer of its own."""
        assert self.path is not None
        try:
            return LocalStream(self.path, self.size)
        except FileNotFoundError:
            raise NothingThereError("cannot be opened: No such file or directory", path=self.path) from None
        except OSError as error:
            raise WireloomError(f"cannot be opened: {error.strerror}", path=self.path) from error


class LocalStream(io.FileIO):
    """A file of ``size`` bytes that may be cut off while it is read. ``None``: it is not known how many it had."""

    def __init__(self, path: str, size: int | None) -> None:
        super().__init__(path, "rb")
        self._size = size

    def readinto(self, buffer: Any, /) -> int:
        """As ``Stream.readinto``, without bytes that the file does not have any more.

        A read that runs while its file is cut off may go on behind the new end, and find zeros there (seen on ext4):
        they would be taken for content. The new size can be seen before the zeros are."""
        count = super().readinto(buffer)
        if count and self._size is not None:
            now = os.fstat(self.fileno()).st_size
            if now < self._size and self.tell() > now:
                behind = min(count, self.tell() - now)
                self.seek(-behind, os.SEEK_CUR)
                count -= behind
        return count


@dataclass(frozen=True)
class MemoryInput(Input):
    """Bytes of the caller, which are read where they are."""

    content: memoryview = field(default_factory=lambda: memoryview(b""), repr=False)

    @property
    def buffer(self) -> memoryview:
        """As ``Input.buffer``."""
        return self.content

    def open(self) -> Stream:
        """A stream over the bytes, for what cannot read them in place."""
        return _MemoryStream(self.content)


@dataclass(frozen=True)
class ObjectInput(Input):
    """A binary file object of the caller, read from where it stands; it is not closed."""

    file: Any = field(default=None, repr=False)
    pipe: bool = False

    @property
    def patient(self) -> bool:
        """As ``Input.patient``."""
        return self.pipe

    def open(self) -> Stream:
        """The caller's object behind the one method that is used."""
        return _ObjectStream(self.file, self.path)


class _MemoryStream:
    """``io.BytesIO`` would copy the bytes first."""

    def __init__(self, content: memoryview) -> None:
        self._content = content
        self._position = 0

    def readinto(self, buffer: memoryview, /) -> int:
        piece = self._content[self._position : self._position + len(buffer)]
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def seek(self, offset: int, /) -> int:
        self._position = offset
        return offset

    def close(self) -> None:
        self._content = memoryview(b"")


class _ObjectStream:
    """Any object with ``readinto`` or ``read``."""

    def __init__(self, file: Any, path: str | None) -> None:
        self._file = file
        self._path = path
        self._readinto = getattr(file, "readinto", None)

    def readinto(self, buffer: memoryview, /) -> int:
        if self._readinto is not None:
            count = self._readinto(buffer)
            if count is None:
                raise WireloomError("the file object is in non-blocking mode and has nothing now", path=self._path)
            return int(count)
        data = self._file.read(len(buffer))
        if not isinstance(data, bytes | bytearray | memoryview):
            raise WireloomError(f"the file object gives {type(data).__name__}: open it in binary mode", path=self._path)
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, /) -> int:
        raise io.UnsupportedOperation("seek")

    def close(self) -> None:
        self._readinto = None


def expand(
    source: Any,
    *,
    region: str | None = None,
    endpoint: str | None = None,
    anonymous: bool = False,
    profile: str | None = None,
    verify_sha256: bool = False,
) -> list[Input]:
    """Every input that ``source`` names, in a stable order: lists in their own, folders and globs sorted by path.

    ``source``: a path, glob, folder (walked; names that begin with ``.`` or ``_`` are left out), ``file://`` or
    ``s3://`` address, ``-`` for standard input (from where the process has it; for what Python's buffer has read ahead
    of that, give ``sys.stdin.buffer``), a list of those, bytes (also a ``pyarrow.Buffer``), or a binary file
    object. The options are for object stores (see ``Location``). Raises ``WireloomError`` where nothing is found.
    """
    location = Location(region, endpoint, anonymous, profile, verify_sha256)
    return list(_expand(source, location))


def _expand(source: Any, location: Location) -> Iterator[Input]:
    content = _bytes_of(source)
    if content is not None:
        yield MemoryInput(None, len(content), seekable=True, content=content)
    elif isinstance(source, str | os.PathLike):
        yield from _named(os.fspath(source), location)
    elif isinstance(source, Input):
        yield source
    elif hasattr(source, "read") or hasattr(source, "readinto"):
        yield _file_object(source)
    elif isinstance(source, Iterable):
        each = list(source)
        if not each:
            raise WireloomError("no input: the list of sources is empty")
        for one in each:
            yield from _expand(one, location)
    else:
        raise WireloomError(
            f"cannot read from {type(source).__name__}: give a path, a list of paths, bytes or a binary file object"
        )


def _bytes_of(source: Any) -> memoryview | None:
    """The bytes of a ``pyarrow.Buffer`` and of everything else that holds them in one piece and is no file."""
    if isinstance(source, str | os.PathLike | Input) or hasattr(source, "read") or hasattr(source, "readinto"):
        return None
    try:
        content = memoryview(source)
    except (TypeError, ValueError, BufferError):
        return None
    if isinstance(source, bytes | bytearray | memoryview) or (content.format in BYTES and content.c_contiguous):
        return content.cast("B")
    return None


def _file_object(file: Any) -> Input:
    if isinstance(file, io.TextIOBase):
        raise WireloomError("the file object gives text: open it in binary mode")
    name = getattr(file, "name", None)
    path = name if isinstance(name, str) else None
    size = None
    try:
        if file.seekable():
            here = file.tell()
            size = file.seek(0, io.SEEK_END) - here
            file.seek(here)
    except (AttributeError, OSError, TypeError):
        size = None
    return ObjectInput(path, size, file=file, pipe=size is None)


def _named(name: str | bytes, location: Location) -> Iterator[Input]:
    path = os.fsdecode(name)
    if path == STANDARD_INPUT:
        # Not buffered: a thread that waits inside the buffer holds its lock, and Python aborts when it ends meanwhile.
        file = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        yield ObjectInput(STANDARD_INPUT, None, file=file, pipe=True)
        return
    scheme = scheme_of(path)
    if scheme in REMOTE_SCHEMES:
        # pyarrow.fs takes a tenth of a second to import, and local files do not need it.
        from .remote import expand_remote

        yield from expand_remote(path, location)
    elif scheme == "file":
        yield from _local(local_path(path))
    elif scheme:
        raise WireloomError(f"cannot read {scheme}://: give a local path, file:// or s3://", path=path)
    else:
        yield from _local(path)


def _local(path: str) -> Iterator[Input]:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        if WILDCARDS.isdisjoint(path) and len(alternatives(path)) == 1:
            raise NothingThereError(
                "no such file or folder: check the path and where it starts from", path=path
            ) from None
        yield from _matches(path)
        return
    except (OSError, ValueError) as error:
        raise WireloomError(f"cannot be looked at: {getattr(error, 'strerror', None) or error}", path=path) from error
    if stat.S_ISDIR(status.st_mode):
        found = _still_there(walk(path))
        if not found:
            raise NothingThereError("the folder holds no files (names that begin with . or _ are left out)", path=path)
        yield from found
    else:
        yield _local_file(path, status)


def _matches(pattern: str) -> Iterator[Input]:
    shown = os.path.basename(pattern)[:1]
    found: list[str] = []
    for each in (name for one in alternatives(pattern) for name in glob.glob(one, recursive=True)):
        # A pattern that begins so asks for them.
        if hidden(os.path.basename(each)) and not shown.startswith((".", "_")):
            continue
        found.extend(walk(each) if os.path.isdir(each) else [each])
    # A file below a folder that matched may have matched by itself.
    there = _still_there(sorted(set(found), key=in_order))
    if not there:
        raise NothingThereError("no file matches: check the pattern and where it starts from", path=pattern)
    yield from there


def _still_there(paths: Iterable[str]) -> list[Input]:
    """What was found in folders, without what has gone since, and without links that lead nowhere."""
    there = []
    for path in paths:
        try:
            there.append(_local_file(path, os.stat(path)))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise WireloomError(f"cannot be looked at: {error.strerror}", path=path) from error
    return there


def _local_file(path: str, status: os.stat_result) -> Input:
    modified = datetime.fromtimestamp(status.st_mtime, UTC)
    if not stat.S_ISREG(status.st_mode):
        # Named pipes and devices have no size and cannot be sought.
        return PipeInput(path, None, modified)
    sparse = getattr(status, "st_blocks", status.st_size) * BLOCK < status.st_size
    return FileInput(path, status.st_size, modified, seekable=True, sparse=sparse, file_id=status.st_ino)


@dataclass(frozen=True)
class PipeInput(FileInput):
    """A named pipe or a device."""

    @property
    def patient(self) -> bool:
        """As ``Input.patient``."""
        return True
