"""The system calls of an append writer."""

from __future__ import annotations

import os
import stat
from typing import Protocol


class Calls(Protocol):
    """The system calls of a writer; tests put scripted ones in their place."""

    def write(self, descriptor: int, data: bytes) -> int:
        """Append ``data`` in one go and say how many bytes got through. Raises ``OSError``."""
        ...

    def tail(self, descriptor: int, size: int) -> bytes | None:
        """Return the last ``size`` bytes of the file (all of a smaller one); ``None`` if it cannot be read."""
        ...

    def size(self, descriptor: int) -> int | None:
        """Return the size of the file in bytes; ``None`` if there is no such thing, as for a pipe or a device."""
        ...

    def position(self, descriptor: int) -> int:
        """Return the offset in a file after what was written last through this descriptor; asked right after a
        write."""
        ...

    def read(self, descriptor: int, offset: int, size: int) -> bytes | None:
        """Return the ``size`` bytes at ``offset``, fewer at the file's end; ``None`` if it cannot be read."""
        ...

    def sync(self, descriptor: int) -> None:
        """Return when all that was written is on the disk. Raises ``OSError``."""
        ...


class SystemCalls:
    """The real ones."""

    def write(self, descriptor: int, data: bytes) -> int:
        """``os.write``."""
        return os.write(descriptor, data)

    def tail(self, descriptor: int, size: int) -> bytes | None:
        """Read at the end; appending is not disturbed by it."""
        end = self.size(descriptor)
        return None if end is None else self.read(descriptor, max(0, end - size), min(size, end))

    def size(self, descriptor: int) -> int | None:
        """``os.fstat``, of regular files: some devices can be sought, and are at 0 whatever is written to them."""
        status = os.fstat(descriptor)
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def position(self, descriptor: int) -> int:
        """Return the descriptor's position, which a write with ``O_APPEND`` leaves after the bytes written."""
        return os.lseek(descriptor, 0, os.SEEK_CUR)

    def read(self, descriptor: int, offset: int, size: int) -> bytes | None:
        """Read anywhere; appending is not disturbed by it."""
        try:
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, size)
        except OSError:
            return None

    def sync(self, descriptor: int) -> None:
        """``os.fsync``."""
        os.fsync(descriptor)
