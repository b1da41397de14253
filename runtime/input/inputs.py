"""Inputs: files, pipes, memory and open file objects, each of which opens as a stream of bytes."""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Protocol

from ..base.addresses import check_endpoint, is_remote
from ..base.dataclass import dataclass, field
from ..base.errors import NothingThereError, WireloomError
from ..base.options import FLAG, OTHER, TEXT, check_options, option
from ..base.shown_addresses import without_secrets
from ..base.text import printable
from .filesystems import checked_filesystem

WILDCARDS = frozenset("*?[")
NAMED = 3
"""Number of inputs that ``listed_inputs`` names; further ones are counted."""
LONGEST_PATH = 80
"""Maximum number of characters of a path in ``listed_inputs``."""


class Stream(Protocol):
    """An opened input: a binary file object that can fill a buffer."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Read at most ``len(buffer)`` bytes and return their number; 0 at the end."""
        ...

    def seek(self, offset: int, /) -> int:
        """Seek to an offset. Only if the input is ``seekable``."""
        ...

    def close(self) -> None:
        """Close the stream."""
        ...


def pipe_of(stream: Stream) -> int | None:
    """Return the descriptor of a stream that may be a pipe; ``None`` for other streams."""
    found: Callable[[], int | None] | None = getattr(stream, "pipe", None)
    return None if found is None else found()


@dataclass(frozen=True)
class Location:
    """How to access storage other than local disks; ``None``: as configured in the environment."""

    region: str | None = option(None, "Region of the object store.", TEXT)
    endpoint: str | None = option(None, "Address of an object store that is not Amazon's.", TEXT)
    anonymous: bool = option(False, "Access the object store without credentials.", FLAG)
    profile: str | None = option(
        None, "Profile of Amazon's tools that has the credentials, region and endpoint of the object store.", TEXT
    )
    verify_sha256: bool = option(
        False,
        "Compare the bytes of each object, as stored, with the sha256 in its metadata, where it has one. A difference"
        " is reported as damage after all of them have been read.",
        FLAG,
    )
    filesystem: Any = option(
        None,
        "File system of the paths, of ``pyarrow.fs`` or ``fsspec``. Paths are then paths in it.",
        OTHER,
        check=checked_filesystem,
        python=True,
        compare=False,
    )

    def __post_init__(self) -> None:
        check_options(self)
        check_endpoint(self.endpoint or "")

    @property
    def location(self) -> Location:
        """Return this location without what a subclass adds to it."""
        return self


USUAL = Location()
"""The location of the environment."""


@dataclass(frozen=True)
class Input(ABC):
    """One input. ``path`` is the path that reports show, ``None`` for memory; ``size`` is the stored size in bytes."""

    path: str | None
    size: int | None = None
    modified: datetime | None = None
    seekable: bool = False
    sparse: bool = False
    """Whether it is a sparse file."""
    may_block: bool = False
    """Whether a read may block, as on a pipe."""
    content: memoryview | None = field(default=None, repr=False)
    """The bytes if they are already in memory."""
    is_file: bool = False
    """Whether it is a file or an object, which other processes may truncate."""

    @property
    def address(self) -> str:
        """Return the address by which it can be opened again. It may contain a secret: do not show it."""
        return self.path or ""

    @property
    def name(self) -> str:
        """Return the last part of the path; empty if it has no path. Of a chain of addresses that is the file inside
        of an archive, not the archive."""
        path = self.path or ""
        if "::" in path and is_remote(path):
            path = next((each for each in path.split("::") if "://" in each), path)
        return path.rsplit("/", 1)[-1]

    def within(self, begin: int, end: int) -> Input:
        """Return the same input, with the hint that only this range of stored bytes will be read, in addition to the
        first bytes and to the row that ends after the range. Local inputs ignore it."""
        return self

    @abstractmethod
    def open(self) -> Stream:
        """Open a new stream of the content. Raises ``WireloomError`` if that is not possible."""
        ...


@dataclass(frozen=True)
class FileInput(Input):
    """A file of the local file system."""

    is_file: bool = True
    file_id: int = field(default=0, compare=False)
    """Its inode number; 0 if unknown."""

    def open(self) -> Stream:
        """Open the file unbuffered: readers have buffers of their own."""
        assert self.path is not None
        try:
            return LocalStream(self.path, self.size)
        except FileNotFoundError:
            raise NothingThereError("cannot be opened: No such file or directory", path=self.path) from None
        except OSError as error:
            raise WireloomError(f"cannot be opened: {error.strerror}", path=self.path) from error


class LocalStream(io.FileIO):
    """A file of ``size`` bytes (``None`` if unknown) that may be truncated while it is read."""

    def __init__(self, path: str, size: int | None) -> None:
        super().__init__(path, "rb")
        self._size = size

    def pipe(self) -> int:
        """Return the descriptor by which a pipe is asked whether it has bytes."""
        return self.fileno()

    def hole(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the part of a range that is the first hole of a sparse file in it; ``None`` if there is none, or the
        system does not report holes. Zeros beside a hole, in blocks that are only partly zero, belong to it."""
        with suppress(OSError, AttributeError), open(self.name, "rb", buffering=0) as other:
            # Seeks would move the position of this stream, which a thread may be reading.
            status, descriptor = os.fstat(other.fileno()), other.fileno()
            first = os.lseek(descriptor, begin, os.SEEK_HOLE)
            if first >= min(end, status.st_size) or not os.path.samestat(status, os.fstat(self.fileno())):
                return None
            try:
                last = os.lseek(descriptor, first, os.SEEK_DATA)
            except OSError:
                last = status.st_size
            block = status.st_blksize
            before = os.pread(descriptor, min(block, first - begin), max(begin, first - block))
            after = os.pread(descriptor, min(block, max(end - last, 0)), last)
            zeros = len(before) - len(before.rstrip(b"\0")), len(after) - len(after.lstrip(b"\0"))
            first -= zeros[0] if zeros[0] < block else 0
            return first, min(end, last + (zeros[1] if zeros[1] < block else 0))
        return None

    def readinto(self, buffer: Any, /) -> int:
        """Like ``Stream.readinto``, without bytes after the end of a file that was truncated meanwhile.

        A read that runs while its file is truncated may return zeros after the new end (seen on ext4), which would be
        taken for content. The new size is visible before the zeros are."""
        count = super().readinto(buffer)
        if count and self._size is not None:
            now = os.fstat(self.fileno()).st_size
            if now < self._size and self.tell() > now:
                beyond = min(count, self.tell() - now)
                self.seek(-beyond, os.SEEK_CUR)
                count -= beyond
        return count


@dataclass(frozen=True)
class MemoryInput(Input):
    """Bytes of the caller, read without copying: ``content``."""

    def open(self) -> Stream:
        """Open a stream over the bytes, for readers that cannot use them in place."""
        assert self.content is not None
        return _MemoryStream(self.content)


@dataclass(frozen=True)
class ObjectInput(Input):
    """A binary file object of the caller, read from its current position; it is not closed."""

    file: Any = field(default=None, repr=False)
    opened: list[bool] = field(default_factory=list, repr=False, compare=False)
    """Not empty once it has been opened."""

    def open(self) -> Stream:
        """Return a stream that wraps the caller's object. Raises ``WireloomError`` the second time."""
        _open_once(self, self.opened)
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
        # Others wait until the buffer is full.
        name = "readinto1" if isinstance(file, io.BufferedReader) else "readinto"
        self._readinto = getattr(file, name, None)

    def pipe(self) -> int | None:
        """Return the descriptor by which a pipe is asked whether it has bytes; ``None`` for objects without one."""
        file = self._file.raw if isinstance(self._file, io.BufferedReader) else self._file
        return file.fileno() if isinstance(file, io.FileIO) else None

    def readinto(self, buffer: memoryview, /) -> int:
        if self._readinto is not None:
            count = self._readinto(buffer)
            if count is None:
                raise WireloomError(
                    "the file object is in non-blocking mode and has no data available", path=self._path
                )
            return int(count)
        data = self._file.read(len(buffer))
        if not isinstance(data, bytes | bytearray | memoryview):
            raise WireloomError(
                f"the file object returns {type(data).__name__}: open it in binary mode", path=self._path
            )
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, /) -> int:
        raise io.UnsupportedOperation("seek")

    def close(self) -> None:
        self._readinto = None


@dataclass(frozen=True)
class PipeInput(FileInput):
    """A named pipe or a device."""

    may_block: bool = True
    opened: list[bool] = field(default_factory=list, repr=False, compare=False)
    """Not empty once it has been opened."""

    def open(self) -> Stream:
        """Open the pipe. Raises ``WireloomError`` the second time."""
        _open_once(self, self.opened)
        return super().open()


def _open_once(source: Input, opened: list[bool]) -> None:
    """Note that an input that can be read only once is opened. Raises ``WireloomError`` if it has been: its bytes would
    be missing without a word."""
    if opened:
        name = "the file object" if source.path is None else "standard input" if source.path == "-" else "the pipe"
        raise WireloomError(
            f"{name} can be read only once, and it is needed again: write its bytes to a file, or keep the rows in a"
            " table",
            path=source.path,
        )
    opened.append(True)


def listed_inputs(inputs: Sequence[Input]) -> str:
    """Return the first inputs by path and the number of the others, for ``repr``: bounded, on one line and without
    secrets. The end of a long path is shown."""
    paths = ["bytes" if each.path is None else printable(without_secrets(each.path)) for each in inputs[:NAMED]]
    text = ", ".join(each if len(each) <= LONGEST_PATH else f"…{each[1 - LONGEST_PATH :]}" for each in paths)
    more = len(inputs) - NAMED
    return f"{text} and {more:,} more" if more > 0 else text or "no inputs"
