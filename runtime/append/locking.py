"""The lock that append writers hold from their look at the end of the file to the end of their write."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 1.0
"""Seconds that a writer waits for the lock. Whoever holds it longer was stopped, or is no append writer."""
FIRST_PAUSE, LONGEST_PAUSE = 50e-6, 5e-3
"""Seconds between two tries."""


class FileLock:
    """The advisory lock (``flock``) of an open file. The system releases it when its holder is killed."""

    def __init__(self) -> None:
        self._patience = PATIENCE

    @contextmanager
    def held(self, descriptor: int) -> Iterator[bool]:
        """Holds the lock, and says whether it does: not where the platform or the file system has none, or where
        another process keeps it for more than ``PATIENCE`` seconds. It is then waited for again once it was free."""
        if fcntl is None:
            yield False
            return
        try:
            yield self._take(descriptor)
        finally:
            # Also where an interrupt came right behind the call that took it.
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _take(self, descriptor: int) -> bool:
        deadline, pause = time.monotonic() + self._patience, FIRST_PAUSE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0:
                    self._patience = 0.0
                    return False
                time.sleep(min(pause, left))
                pause = min(2 * pause, LONGEST_PAUSE)
            except OSError:
                return False
            else:
                self._patience = PATIENCE
                return True
