"""One process at a time in a local folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import WireloomError
from .folders import Folder


@contextmanager
def locked(place: Folder) -> Iterator[None]:
    """Keeps others out of a local folder that exists, until the block ends or the process does, however it dies.

    Raises ``WireloomError`` where somebody is in. Object stores have no locks: there it does nothing.
    """
    if place.remote:
        yield
        return
    import fcntl

    # Of a folder, so that nothing has to be made, and nothing is left.
    held = os.open(place.path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WireloomError("another ingest writes to it: wait for it, or stop it", path=place.address) from None
        except OSError:
            # A file system without locks is used as an object store is.
            pass
        yield
    finally:
        os.close(held)
