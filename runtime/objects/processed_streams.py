"""Bytes that ``process`` made from fewer ones: a few stored bytes could become any number of items.

A stream of such bytes has a counter, which the streams of its parts share. Other streams have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from .computing import ItemCounter, SearchCounter
from .kaitai import KaitaiStream
from .streams import MemoryStream, SubStream

Item = TypeVar("Item")


def substream(io: KaitaiStream, data: bytes) -> MemoryStream:
    """Return a stream of bytes that were read from ``io``."""
    stream: MemoryStream = SubStream(data)
    if isinstance(io, MemoryStream):
        if io.trace is not None:
            stream = io.trace.inner(stream)
        if io.counter is not None:
            stream.counter = io.counter
    return stream


def placed_substream(io: KaitaiStream, data: bytes) -> MemoryStream:
    """Return a stream of bytes that have just been read from ``io``, with their position in the input."""
    stream = substream(io, data)
    if isinstance(io, MemoryStream):
        stream.origin = io.origin + io.pos() - len(data)
    return stream


def undone_stream(io: KaitaiStream, undo: Callable[..., bytes], data: bytes, *arguments: Any) -> MemoryStream:
    """Return a stream of the result of ``undo`` for bytes that were read from ``io``. Raises ``ProcessError`` if it
    cannot."""
    made = undo(data, *arguments)
    stream = substream(io, made)
    if len(made) > len(data) and type(stream.counter) is not ItemCounter:
        stream.counter = ItemCounter()
    return stream


def content_of(stream: MemoryStream | None) -> bytes:
    """Return all bytes of a stream that ``undone_stream`` made; no bytes if it failed."""
    return b"" if stream is None else stream.data


def bounded(io: KaitaiStream, items: Iterable[Item], count: int = 0, least: int = 0) -> Iterator[Item]:
    """Return the items of a repetition that is read from ``io`` as they are; if it has a counter, they are counted one
    by one.

    ``count``: the number of items, ``least``: the minimum number of bytes of each, if known. Iteration raises
    ``ComputedError`` if there are too many. In a search for rows, a repetition that cannot fit raises an error before
    its first item.
    """
    if isinstance(io, MemoryStream) and io.counter is not None:
        if least and isinstance(io.counter, SearchCounter):
            io.expect(count * least, io.counter.end)
        return _counted(io.counter, items)
    return iter(items)


def _counted(counter: ItemCounter, items: Iterable[Item]) -> Iterator[Item]:
    for each in items:
        counter.take(1)
        yield each


def count_items(io: KaitaiStream, items: int) -> None:
    """Count items that are made all at once from bytes of ``io``. Raises ``ComputedError`` if there are too many."""
    if isinstance(io, MemoryStream) and io.counter is not None:
        io.counter.take_numbers(items)
