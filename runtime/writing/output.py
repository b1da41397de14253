"""Output files that get their name only when they are complete."""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, cast

from .. import codecs
from ..base.addresses import is_remote, local_path
from ..base.arguments import shown
from ..base.errors import FULL, TemporaryError, WireloomError
from ..base.limits import LARGEST_RECORD
from ..format.description import Format
from ..input.filesystems import check_open_file, is_open_file
from ..input.inputs import Location

LONGEST_START = 200
"""Maximum number of bytes of a file's name in its temporary name; file systems allow 255 bytes in all."""

Target = str | os.PathLike[str] | IO[bytes]


def name_of(target: Target) -> str | None:
    """Return the name that determines codec and kind of a target; ``None`` for a file object without a name."""
    if isinstance(target, str | os.PathLike):
        return os.fsdecode(target)
    name = getattr(target, "path" if is_open_file(target) else "name", None)
    return name if isinstance(name, str) and not name.startswith("<") else None


def codec_of(format: Format, name: str | None) -> str:
    """Return the codec of a new file of a name: by its suffix, or else the codec of the format.

    A name with the suffix of the format's files but without that of their compression (``.wal`` of ``.wal.zst``) is not
    compressed.
    """
    if name is None:
        return format.codec
    endings = [f".{each.lstrip('.')}" for each in format.extensions]
    is_own = bool(format.own_magic) and name.lower().endswith(tuple(endings))
    named = codecs.by_suffix(name)
    if named is not None and not is_own:
        return named
    if format.path_pattern is not None:
        endings.append(format.path_pattern.rpartition("}")[2])
    bare = [codecs.without_suffix(f"x{each}")[1:] for each in endings]
    return codecs.NONE.name if any(name.lower().endswith(each) for each in bare if each) else format.codec


@contextmanager
def opened(target: Target, location: Location | None = None) -> Iterator[IO[bytes]]:
    """Open ``target`` for writing, as a binary file.

    A path is written under a temporary name in the same folder, and renamed when the block ends. If the block raises
    (including ``KeyboardInterrupt``), the temporary file is removed and an existing file is unchanged. A URL
    (``s3://…``) is written in the same way. A file object is written to directly and stays open; so is a path that is
    not a regular file, such as a pipe. The result of ``fsspec.open`` is a path in its file system. ``location``: how to
    reach files that are not on a local disk. Raises ``WireloomError`` if the file cannot be written.
    """
    location = location or Location()
    if is_open_file(target):
        named: Any = target
        check_open_file(named, "wb")
        location, target = replace(location, filesystem=named.fs), named.path
    if not isinstance(target, str | os.PathLike):
        yield _writable(target)
        return
    path = os.fsdecode(target)
    remote = location.filesystem is not None or is_remote(path)
    with _remote(path, location) if remote else _local(path) as file:
        yield file


def _writable(file: Any) -> IO[bytes]:
    """Return a caller's writable binary file.

    Raises ``WireloomError`` for anything else.
    """
    if not hasattr(file, "write"):
        raise WireloomError(f"cannot write to {type(file).__name__}: give a path or a binary file object")
    path = name_of(file)
    if isinstance(file, io.TextIOBase):
        raise WireloomError("the file object takes text: open it in binary mode", path=path)
    if getattr(file, "closed", False):
        raise WireloomError("the file object is closed", path=path)
    writable = getattr(file, "writable", None)
    if callable(writable) and not writable():
        raise WireloomError("the file object is open for reading only: open it for writing, as with 'wb'", path=path)
    return cast(IO[bytes], _Complete(file) if isinstance(file, io.RawIOBase) else file)


def _write_all(write: Callable[[memoryview], int | None], data: Any) -> int:
    """Write all of ``data`` with a function that may take less at once, like ``io.RawIOBase.write``."""
    view = memoryview(data).cast("B")
    done = 0
    while done < len(view):
        taken = write(view[done:])
        if taken is None:
            raise BlockingIOError(errno.EAGAIN, "the file is non-blocking and takes no more bytes", done)
        done += taken
    return done


class _Complete(io.RawIOBase):
    """A caller's unbuffered file, which may write less than it is given at once; standard output is one with
    ``PYTHONUNBUFFERED``. Closing this does not close the file."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        return _write_all(self._file.write, data)

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()


class _File(io.FileIO):
    """An unbuffered file whose writes are complete, and whose errors name it. Its users write whole blocks."""

    def __init__(self, path: Path, mode: str, shown: str) -> None:
        self._shown = shown
        with _named(shown):
            super().__init__(path, mode)

    def write(self, data: Any, /) -> int:
        with _named(self._shown):
            return _write_all(super().write, data)


@contextmanager
def _named(path: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        is_full = error.errno in FULL
        advice = "; make its folder first" if isinstance(error, FileNotFoundError) else "; make room" * is_full
        kind = TemporaryError if is_full else WireloomError
        raise kind(f"cannot be written: {error.strerror or error}{advice}", path=path) from error


@contextmanager
def _local(path: str) -> Iterator[IO[bytes]]:
    shown = local_path(path)
    final, status = _destination(shown)
    if status is not None and not stat.S_ISREG(status.st_mode):
        with _File(final, "w", shown) as file:
            yield cast(IO[bytes], file)
        return
    with replacing(shown) as temporary, _File(temporary, "x", shown) as file:
        yield cast(IO[bytes], file)
        with _named(shown):
            # Without this, a crash after the rename may leave an empty file under the final name.
            os.fsync(file.fileno())


@contextmanager
def replacing(path: str) -> Iterator[Path]:
    """Yield the name of a new file next to ``path``.

    When the block ends, the file is renamed to ``path``, with the mode of the file that it replaces; if the block
    raises, it is removed. Raises ``WireloomError``.
    """
    final, status = _destination(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        raise WireloomError("cannot be replaced: it is a pipe or a device; give the name of a file", path=path)
    # The name may already have the maximum length of the file system.
    start = os.fsencode(final.name)[:LONGEST_START].decode(errors="ignore")
    temporary = final.with_name(f".{start}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        with _named(path):
            if status is not None:
                temporary.chmod(stat.S_IMODE(status.st_mode))
            os.replace(temporary, final)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _destination(path: str) -> tuple[Path, os.stat_result | None]:
    """Return the file that ``path`` refers to, with links resolved, and its status if it exists.

    Raises ``WireloomError`` if it is a folder, or cannot be written or inspected.
    """
    if "\0" in path:
        raise WireloomError("cannot be written: the path contains a NUL character", path=path.replace("\0", "\\0"))
    with _named(path):
        # The target of a link is replaced, not the link.
        final = Path(os.path.realpath(path))
        try:
            status = os.stat(final)
        except (FileNotFoundError, NotADirectoryError):
            return final, None
        if not os.access(final, os.W_OK):
            # Permission to write to the folder would suffice to replace it, but a read-only file is protected against
            # changes.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if stat.S_ISDIR(status.st_mode):
        raise WireloomError("cannot be written: it is a folder; give the name of a file", path=path)
    return final, status


@contextmanager
def _remote(url: str, location: Location) -> Iterator[IO[bytes]]:
    from ..input.stores import arrow_errors, move, store_of

    store = store_of(url, location)
    temporary = f"{store.path}.{secrets.token_hex(4)}.tmp"
    try:
        with arrow_errors():
            with store.files.open_output_stream(temporary) as stream:
                yield cast(IO[bytes], stream)
            move(store.files, temporary, store.path)
    except BaseException as error:
        # Closing an unfinished upload completes it under the temporary name, which is then deleted.
        with suppress(Exception):
            store.files.delete_file(temporary)
        if isinstance(error, NotImplementedError):
            raise WireloomError("cannot be written: its file system only reads", path=url) from None
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise WireloomError(f"cannot be written: {error}", path=url) from None
        raise


class Counted:
    """A file that passes bytes on to another and counts them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.count = 0

    def write(self, data: bytes | memoryview) -> None:
        """Write all of ``data``, also to a file that accepts less at a time."""
        view = memoryview(data)
        self.count += len(view)
        while view:
            taken = self._file.write(view)
            view = view[len(view) if taken is None else taken :]


UNIT_ROWS = 1000
"""Default maximum number of rows of an object that may be followed by another one."""
UNIT_BYTES = 1024 * 1024
"""Approximate maximum number of data bytes of such an object."""


def limit_of(value: Any, name: str = "max_record") -> int:
    """Return the value of a limit, given as a number or text, capped at ``LARGEST_RECORD``, the limit of readers.

    Raises ``WireloomError`` for any other value.
    """
    try:
        limit = int(value)
        whole = isinstance(value, str) or (limit == value and not isinstance(value, bool))
    except (TypeError, ValueError, OverflowError):
        limit, whole = 0, False
    if limit < 1 or not whole:
        of = "" if name == "unit_rows" else " of bytes"
        raise WireloomError(f"{name} must be a number{of} of at least 1, not {shown(value)}")
    return min(limit, LARGEST_RECORD)


def unit_options(format: Format) -> tuple[str, ...]:
    """Return the names of the options for the number of rows per unit; empty if there is no choice."""
    return ("unit_rows", "unit_bytes") if any(each.repeated for each in format.levels[1:]) else ()
