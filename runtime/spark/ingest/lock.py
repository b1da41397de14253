"""Locks a folder, so that only one process at a time writes to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...base.addresses import S3, scheme_of
from ...base.errors import TemporaryError
from ..folders import Folder


@contextmanager
def locked(directory: Folder) -> Iterator[Callable[[], None]]:
    """Lock a folder until the block or the process ends, however it dies; a local folder has to exist. Yields a
    function that raises ``TemporaryError`` if the lock has been lost.

    Raises ``TemporaryError`` if another process holds the lock, and ``UnsupportedError`` if the folder cannot be
    locked.
    """
    if directory.remote:
        from .numbered_lock import NumberedLock
        from .store_lock import StoreLock

        lock = StoreLock if scheme_of(directory.address) in S3 else NumberedLock
        with lock(directory).held() as check:
            yield check
        return
    import fcntl

    # The folder itself is locked, so that no file has to be created or is left.
    held = os.open(directory.path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TemporaryError(
                "another ingest writes to it: wait for it, or stop it", path=directory.address
            ) from None
        except OSError:
            # On a file system without locks, the user has to make sure that only one process runs.
            pass
        if not _is_still(held, directory.path):
            raise TemporaryError("another ingest has just removed the folder: run it again", path=directory.address)
        yield lambda: None
    finally:
        os.close(held)


def _is_still(held: int, path: str) -> bool:
    """Return whether an open folder is still the one at that path: an ingest that fails removes the
    folder that it has created."""
    try:
        return os.path.samestat(os.fstat(held), os.stat(path))
    except FileNotFoundError:
        return False
