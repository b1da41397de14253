"""The lock that append writers hold from the check of the file's end to the end of their write."""

from __future__ import annotations

import time
from contextlib import suppress

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
