"""The system calls of an append writer."""

from __future__ import annotations

import os
import stat
from typing import Protocol


class Calls(Protocol):
    """The system calls of a writer; tests replace them by scripted ones."""

    def write(self, descriptor: int, data: bytes) -> int:
        """Append ``data`` with one call and return the number of bytes written. Raises ``OSError``."""
        ...

    def tail(self, descriptor: int, size: int) -> bytes | None:
        """Return the last ``size`` bytes of the file (all of a smaller one); ``None`` if it cannot be read."""
        ...

    def size(self, descriptor: int) -> int | None:
        """Return the size of the file in bytes; ``None`` if it has none, such as a pipe or a device."""
        ...

    def position(self, descriptor: int) -> int:
        """Return the file offset after the last write through this descriptor; called directly after a write."""
        ...

    def read(self, descriptor: int, offset: int, size: int) -> bytes | None:
        """Return the ``size`` bytes at ``offset``, fewer at the file's end; ``None`` if it cannot be read."""
        ...

    def sync(self, descriptor: int) -> None:
        """Flush all written data to the disk. Raises ``OSError``."""
        ...


class SystemCalls:
    """The operating system's calls."""

    def write(self, descriptor: int, data: bytes) -> int:
        """Call ``os.write``."""
        return os.write(descriptor, data)

    def tail(self, descriptor: int, size: int) -> bytes | None:
        """Read at the end, which does not affect appending."""
        end = self.size(descriptor)
        return None if end is None else self.read(descriptor, max(0, end - size), min(size, end))

    def size(self, descriptor: int) -> int | None:
        """Call ``os.fstat``, for regular files only: some devices can be sought, but are always at 0."""
        status = os.fstat(descriptor)
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def position(self, descriptor: int) -> int:
        """Return the descriptor's position, which a write with ``O_APPEND`` sets to the end of the written bytes."""
        return os.lseek(descriptor, 0, os.SEEK_CUR)

    def read(self, descriptor: int, offset: int, size: int) -> bytes | None:
        """Read at any offset, which does not affect appending."""
        try:
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, size)
        except OSError:
            return None

    def sync(self, descriptor: int) -> None:
        """Call ``os.fsync``."""
        os.fsync(descriptor)
