"""Bytes that ``process`` made of fewer ones: a few stored bytes could become any number of items.

A stream of such bytes has a counter, and the streams of parts of it share that. Other streams have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from .computing import ItemCounter
from .kaitai import KaitaiStream
from .streams import MemoryStream, SubStream

Item = TypeVar("Item")


def substream(io: KaitaiStream, data: bytes) -> SubStream:
    """A stream of bytes that were read from ``io``."""
    stream = SubStream(data)
    if isinstance(io, MemoryStream) and io.counter is not None:
        stream.counter = io.counter
    return stream


def undone_stream(io: KaitaiStream, undo: Callable[..., bytes], data: bytes, *arguments: Any) -> SubStream:
    """A stream of what ``undo`` makes of bytes that were read from ``io``. Raises ``ProcessError`` where it cannot."""
    made = undo(data, *arguments)
    stream = substream(io, made)
    if stream.counter is None and len(made) > len(data):
        stream.counter = ItemCounter()
    return stream


def bounded(io: KaitaiStream, items: Iterable[Item]) -> Iterator[Item]:
    """The items of a repetition that is read from ``io``, as they are; or counted, one by one, where it has a counter.

    Taking one then raises ``ComputedError`` where they are too many.
    """
    if isinstance(io, MemoryStream) and io.counter is not None:
        return _counted(io.counter, items)
    return iter(items)


def _counted(counter: ItemCounter, items: Iterable[Item]) -> Iterator[Item]:
    for each in items:
        counter.take(1)
        yield each


def count_items(io: KaitaiStream, items: int) -> None:
    """Counts items that are made at once of bytes of ``io``. Raises ``ComputedError`` where they are too many."""
    if isinstance(io, MemoryStream) and io.counter is not None:
        io.counter.take(items)
