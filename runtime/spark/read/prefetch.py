"""Batches that a thread makes while Spark's process hands over those before them: a task writes to Spark's socket, and
waits for Java there, most of its time."""

from __future__ import annotations

import threading
from collections.abc import Generator
from queue import SimpleQueue
from typing import Generic, TypeVar

from ...base.threads import start

Item = TypeVar("Item")

ALONE = 2
"""How many items are made in the caller's thread, so that a small partition starts none."""
DEPTH = 3
"""How many items the thread is ahead at most, the one that it is making included."""


def ahead(source: Generator[Item]) -> Generator[Item]:
    """The same items in the same order. What the source raises is raised behind the items before it.

    The source runs in one thread at a time: first the caller's, then one of its own. When this generator has ended,
    failed or been closed, that thread has ended and the source is closed; an item in the making is waited for.
    """
    puller = _Puller(source)
    try:
        for _ in range(ALONE):
            try:
                item = next(source)
            except StopIteration:
                return
            yield item
            del item
        yield from puller.items()
    finally:
        puller.close()


class _Puller(Generic[Item]):
    """A generator and the thread that it runs in, once there is one."""

    def __init__(self, source: Generator[Item]) -> None:
        self._source = source
        self._ready: SimpleQueue[tuple[Item] | BaseException | None] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def items(self) -> Generator[Item]:
        """The items that are left, from the thread."""
        thread = threading.Thread(target=self._work, name="wireloom-ahead", daemon=True)
        start(thread)
        # Where that was interrupted, nobody can wait for the thread: it has no room to make an item in then.
        self._thread = thread
        for _ in range(DEPTH):
            self._room.put(None)
        while (made := self._ready.get()) is not None:
            if isinstance(made, BaseException):
                try:
                    raise made
                finally:
                    # Its traceback names this frame, which else names it.
                    del made
            self._room.put(None)
            yield made[0]
            # What has been handed over is not held while the next one is waited for.
            del made

    def close(self) -> None:
        """Ends the thread, then the source."""
        self._stopped = True
        self._room.put(None)
        if self._thread is threading.current_thread():
            # The garbage of others may be cleared away in any thread. The source ends where this one does.
            return
        if self._thread is not None:
            self._thread.join()
        self._source.close()

    def _work(self) -> None:
        try:
            while True:
                self._room.get()
                if self._stopped:
                    return
                self._ready.put((next(self._source),))
        except StopIteration:
            self._ready.put(None)
        except BaseException as error:
            # Whatever it is, the caller must not wait for ever.
            self._ready.put(error)
