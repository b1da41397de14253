"""The system calls of an append writer."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from ..errors import WireloomError


class Calls(Protocol):
    """The system calls of a writer; tests put scripted ones in their place."""

    def write(self, descriptor: int, data: bytes) -> int:
        """Appends ``data`` in one go and says how many bytes got through. Raises ``OSError``."""
        ...

    def tail(self, descriptor: int, size: int) -> bytes | None:
        """The last ``size`` bytes of the file (all of a smaller one); ``None`` where it cannot be read."""
        ...

    def sync(self, descriptor: int) -> None:
        """Returns when all that was written is on the disk. Raises ``OSError``."""
        ...


class SystemCalls:
    """The real ones."""

    def write(self, descriptor: int, data: bytes) -> int:
        """``os.write``."""
        return os.write(descriptor, data)

    def tail(self, descriptor: int, size: int) -> bytes | None:
        """Reads at the end; appending is not disturbed by it."""
        try:
            end = os.lseek(descriptor, 0, os.SEEK_END)
            size = min(size, end)
            os.lseek(descriptor, end - size, os.SEEK_SET)
            return os.read(descriptor, size)
        except OSError:
            return None

    def sync(self, descriptor: int) -> None:
        """``os.fsync``."""
        os.fsync(descriptor)


def open_for_append(path: str, *, new: bool = False) -> io.FileIO:
    """A file in append mode, created where it is missing; ``new``: it must be. Raises ``WireloomError``.

    An object, which closes what nobody holds any more: a bare descriptor is lost where an interrupt comes right behind
    the call that gave it.
    """
    try:
        if new:
            io.FileIO(path, "x").close()
        try:
            return io.FileIO(path, "a+")
        except PermissionError:
            # Its end cannot be looked at then, so a delimiter is put first.
            return io.FileIO(path, "a")
    except OSError as error:
        raise WireloomError(f"cannot be appended to: {error.strerror}", path=path) from error


@contextmanager
def locked(descriptor: int) -> Iterator[None]:
    """Holds the file's advisory lock, where the platform and the file system have one."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
