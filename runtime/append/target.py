"""The target of an append writer: the file at a path, which may be renamed meanwhile, or a descriptor, and the
lock that writers hold from the check of its end to the end of their write."""

from __future__ import annotations

import io
import os
import stat
import time
from contextlib import suppress
from typing import Any

from .. import codecs
from ..base.addresses import local_path, scheme_of
from ..base.errors import UnsupportedError, WireloomError
from ..format.description import Format
from .calls import SystemCalls

try:
    import fcntl as fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]  # Windows has no such module, and the type checker knows only the one

PATIENCE = 1.0
"""Seconds for which a writer waits for the lock. A process that holds it longer is suspended, or is not
an append writer."""
FIRST_PAUSE, LONGEST_PAUSE = 50e-6, 5e-3
"""Initial and maximum number of seconds between two attempts."""


class FileLock:
    """The advisory lock (``flock``) of an open file, as a context manager that returns whether the lock is held.

    It is not held if the platform or the file system has no locks, or if another process keeps it for more than
    ``PATIENCE`` seconds; the writer then waits for it again only once it has been free. The system releases the lock if
    its holder is killed.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._patience = PATIENCE

    def __enter__(self) -> bool:
        if fcntl is None:
            return False
        try:
            return self._take()
        except BaseException:
            # An interrupt may occur directly after the call that acquires the lock.
            self._release()
            raise

    def __exit__(self, *_: object) -> None:
        if fcntl is not None:
            self._release()

    def _take(self) -> bool:
        deadline, pause = 0.0, FIRST_PAUSE
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                now = time.monotonic()
                deadline = deadline or now + self._patience
                if now >= deadline:
                    self._patience = 0.0
                    return False
                time.sleep(min(pause, deadline - now))
                pause = min(2 * pause, LONGEST_PAUSE)
            except OSError:
                return False
            else:
                self._patience = PATIENCE
                return True

    def _release(self) -> None:
        with suppress(OSError):
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)


ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
"""Mask of the access mode in the flags of a descriptor."""


class Target:
    """A file that is open in append mode; tracks whether its path still names it.

    ``target`` and ``reopen`` are those of ``AppendWriter``. Raises ``WireloomError`` for a target that cannot be
    appended to, and ``UnsupportedError`` for a compressed file.
    """

    def __init__(self, target: Any, format: Format, *, reopen: bool) -> None:
        self.path: str | None = None
        """The path as given, for messages; ``None`` for a descriptor."""
        self.file: io.FileIO | None
        """The file to be closed; ``None`` for a descriptor of the caller."""
        if isinstance(target, int) and not isinstance(target, bool):
            check_descriptor(target)
            self.file = reopened(target)
            self.descriptor = target if self.file is None else self.file.fileno()
            refuse_name(name_of(target))
        else:
            self.path = path_of(target)
            refuse_name(self.path)
            self.file = open_for_append(self.path)
            self.descriptor = self.file.fileno()
        self._format = format
        status = os.fstat(self.descriptor)
        self._identity = (status.st_dev, status.st_ino)
        followed = reopen and self.path is not None and stat.S_ISREG(status.st_mode)
        # The process may change its working directory.
        self._followed = os.path.abspath(self.path) if followed and self.path is not None else None
        refuse_compressed(self.descriptor, format, self.path)

    @property
    def readable(self) -> bool:
        """Return whether the end of the file can be read."""
        return self.file is not None and self.file.readable()

    def renamed(self) -> bool:
        """Return whether the path now names another file, or none; ``False`` if that cannot be determined."""
        if self._followed is None:
            return False
        try:
            status = os.stat(self._followed)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return (status.st_dev, status.st_ino) != self._identity

    def successor(self) -> Target | None:
        """Return the file that the path names now, created if missing. Returns ``None`` if it is missing and may not be
        created while the present file still has a name under which its records are found. Raises ``WireloomError``."""
        assert self._followed is not None
        try:
            return Target(self._followed, self._format, reopen=True)
        except WireloomError:
            if os.path.lexists(self._followed) or not os.fstat(self.descriptor).st_nlink:
                raise
            return None

    def close(self) -> None:
        """Close the file, unless it is a descriptor of the caller."""
        if self.file is not None:
            self.file.close()


def path_of(target: Any) -> str:
    """Return the local path of ``target``. Raises ``WireloomError``."""
    try:
        path = os.fsdecode(target)
    except TypeError:
        raise WireloomError(
            f"cannot append to {type(target).__name__}: give a path, or a descriptor that was opened with O_APPEND"
        ) from None
    if scheme_of(path) not in ("", "file"):
        raise UnsupportedError(
            "logs can only be appended to on local file systems: give a local path, or use wireloom.write for an "
            "object store",
            path=path,
        )
    path = local_path(path)
    if "\0" in path:
        raise WireloomError("cannot be appended to: the path contains a NUL character", path=path.replace("\0", "\\0"))
    return path


def open_for_append(path: str, *, published: str | None = None) -> io.FileIO:
    """Return a file in append mode, created if missing. Raises ``WireloomError``.

    ``published``: the final name, for messages, of a file that must not exist yet.

    The result is an object, which is closed when it is collected: a bare descriptor would be leaked by an interrupt
    directly after the call that returned it.
    """
    try:
        if published is not None:
            io.FileIO(path, "x").close()
        elif os.path.exists(path) and not os.path.isfile(path):
            # A process that opens a pipe for reading as well becomes its reader, and the records are lost.
            return io.FileIO(path, "a")
        try:
            return io.FileIO(path, "a+")
        except PermissionError:
            # The end of a pipe cannot be read, so delimiters are written even if there may be some already.
            return io.FileIO(path, "a")
    except OSError as error:
        message = f"cannot be {'appended to' if published is None else 'written'}: {error.strerror}"
        if isinstance(error, FileNotFoundError):
            message += "; make its folder first"
        raise WireloomError(message, path=published or path) from error


def check_descriptor(descriptor: int) -> None:
    """Raise ``WireloomError`` for a descriptor that is not open, or not in append mode."""
    try:
        status = os.fstat(descriptor)
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL) if fcntl is not None else os.O_WRONLY | os.O_APPEND
    except (OSError, OverflowError) as error:
        raise WireloomError(f"{descriptor} is not the descriptor of an open file") from error
    if flags & ACCESS == os.O_RDONLY:
        raise WireloomError(
            f"the descriptor {descriptor} is open for reading only: open it for appending, as with 'ab'"
        )
    if stat.S_ISREG(status.st_mode) and not flags & os.O_APPEND:
        raise WireloomError(
            f"the descriptor {descriptor} was opened without O_APPEND, so records that other processes append would "
            "be overwritten: "
            "open it for appending, as with 'ab' (in a shell: '>>'), or give the path"
        )


def reopened(descriptor: int) -> io.FileIO | None:
    """Return the regular file of a descriptor, opened again; ``None`` if that is not possible.

    Processes that inherited one descriptor share its position and its locks. A descriptor of its own does not share
    them.
    """
    path = f"/proc/self/fd/{descriptor}"
    if not (os.path.islink(path) and stat.S_ISREG(os.fstat(descriptor).st_mode)):
        return None
    try:
        return open_for_append(path)
    except WireloomError:
        return None


def name_of(descriptor: int) -> str:
    """Return the path of a descriptor's file; empty if the system does not provide it."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return ""


def refuse_name(path: str) -> None:
    """Raise ``UnsupportedError`` if the name of the file, or of a link to it, is that of a compressed file."""
    for each in (path, os.path.realpath(path)):
        codec = codecs.by_suffix(each)
        if codec is not None:
            raise UnsupportedError(
                f"cannot be appended to: by its suffix it is a {codec} stream, in which readers could not "
                "read uncompressed records; append to a file without that suffix, and compress the log when it is "
                "complete",
                path=each,
            )


def refuse_compressed(descriptor: int, format: Format, path: str | None) -> None:
    """Raise ``UnsupportedError`` if readers would take the file for a compressed one by its first bytes."""
    head = SystemCalls().read(descriptor, 0, codecs.HEAD)
    codec = codecs.detect(head, "", format.codec, format.own_magic) if head else "none"
    if codec != "none":
        raise UnsupportedError(
            f"cannot be appended to: it contains a {codec} stream, and readers could not read uncompressed "
            "records after it; decompress it first, or append to another file",
            path=path,
        )
