"""Prefetches batches in a thread while the previous ones are passed to Spark: a task spends most of its time writing to
Spark's socket, where it waits for Java.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import repeat
from typing import TypeVar

from ...base.ahead import Ahead

Item = TypeVar("Item")

ALONE = 2
"""Number of items that are produced in the caller's thread, so that a small partition starts no thread."""
DEPTH = 3
"""Maximum number of items by which the thread is ahead, including the one in progress."""


def ahead(source: Generator[Item]) -> Generator[Item]:
    """Yield the same items in the same order. An exception of the source is raised after the items before it.

    The source runs in one thread at a time: first in the caller's, then in a separate one. When this generator has
    ended, failed or been closed, that thread has ended and the source is closed; an item in progress is completed
    first.
    """
    thread: Ahead[None, Item] = Ahead("wireloom-ahead", lambda _: next(source), lambda: repeat(None, DEPTH))
    try:
        for _ in range(ALONE):
            try:
                item = next(source)
            except StopIteration:
                return
            yield item
            del item
        while True:
            try:
                item = thread.next()
            except StopIteration:
                return
            thread.give(None)
            yield item
            # Drop the reference to an item that was passed on before waiting for the next one.
            del item
    finally:
        if thread.close():
            source.close()
