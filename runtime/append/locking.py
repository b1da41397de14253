"""The lock that append writers hold from their look at the end of the file to the end of their write."""

from __future__ import annotations

import time
from contextlib import suppress

try:
    import fcntl as fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]  # Windows has no such module, and the type checker knows only the one

PATIENCE = 1.0
"""Seconds that a writer waits for the lock. A process that holds it longer was stopped, or is no append writer."""
FIRST_PAUSE, LONGEST_PAUSE = 50e-6, 5e-3
"""Seconds between two tries."""


class FileLock:
    """The advisory lock (``flock``) of an open file, as a context: whether it is held.

    It is not where the platform or the file system has none, or where another process keeps it for more than
    ``PATIENCE`` seconds; it is then waited for again once it was free. The system releases it when its holder is
    killed.
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
            # An interrupt may have come right after the call that took it.
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
