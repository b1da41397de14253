"""Batches that a thread makes while Spark's process hands over those before them: a task writes to Spark's socket, and
waits for Java there, most of its time."""

from __future__ import annotations

from collections.abc import Generator
from itertools import repeat
from typing import TypeVar

from ...base.ahead import Ahead

Item = TypeVar("Item")

ALONE = 2
"""How many items are made in the caller's thread, so that a small partition starts none."""
DEPTH = 3
"""How many items the thread is ahead at most, the one that it is making included."""


def ahead(source: Generator[Item]) -> Generator[Item]:
    """Yield the same items in the same order. What the source raises is raised after the items before it.

    The source runs in one thread at a time: first the caller's, then one of its own. When this generator has ended,
    failed or been closed, that thread has ended and the source is closed; an item in the making is waited for.
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
            # What has been handed over is not held while the next one is waited for.
            del item
    finally:
        if thread.close():
            source.close()
