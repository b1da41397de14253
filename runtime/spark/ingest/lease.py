"""Locks of folders in stores, which have no locks of their own: a process renews its lock while it holds it.

A lock that has not been renewed for some minutes belongs to a dead process and has expired.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

from ...base.errors import TemporaryError, WireloomError

LEASE = 300.0
"""Seconds without renewal after which a lock has expired."""
RENEWALS = 5
"""Number of renewals within that time."""


class LeasedLock(ABC):
    """The lock of one process on the folder at ``address``."""

    def __init__(self, address: str) -> None:
        self._address = address

    @contextmanager
    def held(self) -> Iterator[Callable[[], None]]:
        """Take the lock, renew it until the block ends, and release it. Yields ``check``, which has to be called before
        any operation that requires exclusive access.

        Raises ``TemporaryError`` if another process holds the lock.
        """
        self.take()
        stopped = threading.Event()
        thread = threading.Thread(target=self._renew, args=(stopped,), name="wireloom-lock", daemon=True)
        thread.start()
        try:
            yield self.check
        finally:
            stopped.set()
            thread.join()
            self.release()

    def _renew(self, stopped: threading.Event) -> None:
        while not stopped.wait(LEASE / RENEWALS):
            # The next attempt may succeed; otherwise the check before the commit fails.
            with suppress(WireloomError):
                self.check()

    @abstractmethod
    def take(self) -> None:
        """Take the lock. Raises ``TemporaryError`` if another process holds it."""

    @abstractmethod
    def check(self) -> None:
        """Renew the lock. Raises ``TemporaryError`` if another process has taken over."""

    @abstractmethod
    def release(self) -> None:
        """Release the lock, unless another process has taken over."""

    @staticmethod
    def has_expired(written: datetime, now: datetime) -> bool:
        """Return whether a lock has expired; both times are of the store's clock."""
        return (now - written).total_seconds() > LEASE

    def is_held(self, lock: str) -> TemporaryError:
        """Return the error for a lock, at address ``lock``, that another process holds."""
        return TemporaryError(
            f"another ingest writes to it: wait for it, or stop it; {lock} is its lock, which counts for nothing "
            f"{LEASE:.0f} seconds after that",
            path=self._address,
        )

    def was_faster(self) -> TemporaryError:
        """Return the error for a lock that another process has taken at the same time."""
        return TemporaryError("another ingest has just started to write to it", path=self._address)

    def is_lost(self) -> TemporaryError:
        """Return the error for a lock that another process has taken over."""
        return TemporaryError(
            "another ingest has taken over the table, since this one did not renew its lock in time: "
            "uncommitted data is dropped; run it again",
            path=self._address,
        )
