"""Locks of folders in stores, which have none: a process renews its lock while it holds it.

A lock that was not renewed for some minutes is that of a dead process, and counts for nothing.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

from ...base.errors import TemporaryError, WireloomError

LEASE = 300.0
"""Seconds after which a lock that was not renewed counts for nothing."""
RENEWALS = 5
"""How often it is renewed within that time."""


class LeasedLock(ABC):
    """The lock of one process on the folder at ``address``."""

    def __init__(self, address: str) -> None:
        self._address = address

    @contextmanager
    def held(self) -> Iterator[Callable[[], None]]:
        """Take the lock, renew it until the block ends, and release it. Yields ``check``, which is to be called before
        anything is done that others must not do at the same time.

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
            # What fails now may succeed next time; otherwise the check before the commit fails.
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
        """Return whether a lock counts for nothing; both times are by the store's clock."""
        return (now - written).total_seconds() > LEASE

    def is_held(self, lock: str) -> TemporaryError:
        """Return the error that another process holds the lock, which is at ``lock``."""
        return TemporaryError(
            f"another ingest writes to it: wait for it, or stop it; {lock} is its lock, which counts for nothing "
            f"{LEASE:.0f} seconds after that",
            path=self._address,
        )

    def was_faster(self) -> TemporaryError:
        """Return the error that another process has taken the lock at the same time."""
        return TemporaryError("another ingest has just begun to write to it", path=self._address)

    def is_lost(self) -> TemporaryError:
        """Return the error that another process has taken over."""
        return TemporaryError(
            "another ingest has taken over the table, since this one was not heard of for too long: what was not "
            "committed is dropped; run it again",
            path=self._address,
        )
