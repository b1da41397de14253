"""Expansion of sources into inputs: paths, globs, folders, memory, open files, standard input, object stores."""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ..base.addresses import FILE, is_remote, local_path, scheme_of
from ..base.errors import NothingThereError, WireloomError
from .filesystems import check_open_file, is_open_file
from .inputs import USUAL, WILDCARDS, FileInput, Input, Location, MemoryInput, ObjectInput, PipeInput
from .listing import alternatives, hidden, in_order, walk

STANDARD_INPUT = "-"
BLOCK = 512
"""Unit of ``st_blocks`` in bytes, on all file systems."""
BYTES = ("B", "b", "c")
"""Buffer formats of bytes, as opposed to numbers."""


def expand(source: Any, location: Location | None = None) -> list[Input]:
    """Return all inputs that ``source`` names: lists in their order, folders and globs sorted by path.

    ``source``: a path, glob, folder (with its subfolders; names that begin with ``.`` or ``_`` are ignored), address
    (``file://``, ``s3://`` and all others that pyarrow and fsspec support), ``-`` for standard input (from the position
    of the process; pass ``sys.stdin.buffer`` to include what Python has already buffered), a list of those, bytes (also
    a ``pyarrow.Buffer``), a binary file object, or the result of ``fsspec.open``. Pipes, sockets and devices are read
    only if they are named, and ignored in folders and globs. ``location``: how to access storage other than local
    disks. Raises ``WireloomError`` if nothing is found.
    """
    found = list(inputs_of(source, location or USUAL))
    if sum(each.path == STANDARD_INPUT for each in found) > 1:
        raise WireloomError("standard input is named twice, and can be read only once", path=STANDARD_INPUT)
    return found


def inputs_of(source: Any, location: Location) -> Iterator[Input]:
    """Yield the inputs of ``expand`` one by one."""
    if isinstance(source, str | os.PathLike):
        yield from _named(os.fspath(source), location)
    elif isinstance(source, Input):
        yield source
    elif (content := _bytes_of(source)) is not None:
        yield MemoryInput(None, len(content), seekable=True, content=content)
    elif is_open_file(source):
        check_open_file(source, "rb")
        yield from _named(source.path, replace(location.location, filesystem=source.fs))
    elif hasattr(source, "read") or hasattr(source, "readinto"):
        yield _file_object(source)
    elif isinstance(source, Iterable):
        each = list(source)
        if not each:
            raise WireloomError("no input: the list of sources is empty")
        for one in each:
            yield from inputs_of(one, location)
    else:
        raise WireloomError(
            f"cannot read from {type(source).__name__}: give a path, a list of paths, bytes or a binary file object"
        )


def _bytes_of(source: Any) -> memoryview | None:
    """Return the bytes of a ``pyarrow.Buffer`` or another contiguous buffer that is not a file."""
    if hasattr(source, "read") or hasattr(source, "readinto"):
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
        raise WireloomError("the file object returns text: open it in binary mode")
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
    return ObjectInput(path, size, may_block=size is None, file=file)


def _named(name: str | bytes, location: Location) -> Iterator[Input]:
    path = os.fsdecode(name)
    if path == STANDARD_INPUT and location.filesystem is None:
        # Not buffered: a thread that waits inside the buffer holds its lock, and Python aborts when it ends meanwhile.
        file = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        yield ObjectInput(STANDARD_INPUT, None, may_block=True, file=file)
        return
    scheme = scheme_of(path)
    if location.filesystem is not None or scheme not in ("", FILE):
        # pyarrow.fs takes a tenth of a second to import, and local files do not need it.
        from .remote_files import expand_remote

        yield from expand_remote(path, location.location)
    else:
        yield from _local(local_path(path) if scheme else path)


def _advice(path: str) -> str:
    scheme, colon, rest = path.partition(":/")
    if colon and is_remote(f"{scheme}://{rest}"):
        return f"an address needs two slashes: {scheme}://{rest}"
    return "check the path and the folder it is relative to"


def _local(path: str) -> Iterator[Input]:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        if WILDCARDS.isdisjoint(path) and len(alternatives(path)) == 1:
            raise NothingThereError(f"no such file or folder: {_advice(path)}", path=path) from None
        yield from _matches(path)
        return
    except (OSError, ValueError) as error:
        raise WireloomError(f"cannot be accessed: {getattr(error, 'strerror', None) or error}", path=path) from error
    if stat.S_ISDIR(status.st_mode):
        found = _still_there(walk(path))
        if not found:
            raise NothingThereError(
                "the folder contains no files (names that begin with . or _ are ignored)", path=path
            )
        yield from found
    else:
        yield _local_file(path, status)


def _matches(pattern: str) -> Iterator[Input]:
    shown = os.path.basename(pattern)[:1]
    found: list[str] = []
    for each in (name for one in alternatives(pattern) for name in glob.glob(one, recursive=True)):
        # A pattern that begins with such a character matches hidden files.
        if hidden(os.path.basename(each)) and not shown.startswith((".", "_")):
            continue
        found.extend(walk(each) if os.path.isdir(each) else [each])
    # A file below a folder that matched may have matched by itself.
    there = _still_there(sorted(set(found), key=in_order))
    if not there:
        raise NothingThereError("no file matches: check the pattern and where it starts from", path=pattern)
    yield from there


def _still_there(paths: Iterable[str]) -> list[Input]:
    """Return the inputs of paths found in folders, without deleted files, dangling links, pipes, sockets and
    devices: a pipe that nothing writes to would be waited for."""
    there = []
    for path in paths:
        try:
            status = os.stat(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise WireloomError(f"cannot be accessed: {error.strerror}", path=path) from error
        if stat.S_ISREG(status.st_mode):
            there.append(_local_file(path, status))
    return there


def _local_file(path: str, status: os.stat_result) -> Input:
    modified = datetime.fromtimestamp(status.st_mtime, UTC)
    if not stat.S_ISREG(status.st_mode):
        # Named pipes and devices have no size and cannot be sought.
        return PipeInput(path, None, modified)
    sparse = getattr(status, "st_blocks", status.st_size) * BLOCK < status.st_size
    return FileInput(path, status.st_size, modified, seekable=True, sparse=sparse, file_id=status.st_ino)
