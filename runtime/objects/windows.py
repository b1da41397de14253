"""Buffered bytes of a stream, for reading a series of items."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice
from typing import TypeVar, cast

from .file_streams import FileStream
from .kaitai import KaitaiStream
from .processing import bounded
from .streams import MemoryStream, SubStream

Value = TypeVar("Value")

GATHERED = 1 << 16
"""Number of items that are made before the garbage collector may run."""

NOTHING = MemoryStream(b"")
"""The window of a stream that has none."""


class BufferWindow:
    """The bytes of a stream of Kaitai's own runtime over a ``BytesIO``, whose position follows that of the window."""

    __slots__ = ("_buffer", "_io", "data", "end")

    def __init__(self, io: KaitaiStream, buffer: BytesIO) -> None:
        self._io = io
        self._buffer = buffer
        self.data = buffer.getvalue()
        self.end = len(self.data)

    @property
    def position(self) -> int:
        """Return the position of the stream, which may be beyond its end."""
        return self._buffer.tell()

    @position.setter
    def position(self, position: int) -> None:
        self._buffer.seek(position)

    def fetch(self, begin: int, end: int) -> None:
        """Raise the error of the stream's ``read_bytes`` if ``data[begin:end]`` is incomplete."""
        if begin != end:
            try:
                self.at(begin).read_bytes(end - begin)
            finally:
                self.position = begin

    def find(self, terminator: bytes, begin: int) -> int:
        """Return the index in ``data`` of the first terminator from ``begin`` on."""
        found = self.data.find(terminator, begin)
        if found < 0:
            self.at(begin).read_bytes_term(terminator[0], False, True, True)
        return found

    def at(self, position: int) -> KaitaiStream:
        """Move the stream to an index in ``data`` and return it."""
        self.position = position
        return self._io


def window_of(io: KaitaiStream) -> MemoryStream | FileStream | BufferWindow:
    """Return the stream if its next bytes are buffered in ``data[position:end]``, otherwise an empty one.

    Callers that read bytes from ``data`` move ``position``. Streams of other classes are not used in this way, since
    their overridden methods would be bypassed, nor are streams in the middle of a byte.
    """
    kind = type(io)
    if kind is MemoryStream or kind is SubStream:
        return NOTHING if io.bits_left else cast(MemoryStream, io)
    if kind is KaitaiStream and type(io._io) is BytesIO:
        return NOTHING if io.bits_left else BufferWindow(io, io._io)
    return io if isinstance(io, FileStream) and kind is FileStream and io.hold() else NOTHING


class Held:
    """A context for reading from windows of ``io``; at its end, a file is moved to the position of its stream."""

    __slots__ = ("_io",)

    def __init__(self, io: KaitaiStream) -> None:
        self._io = io

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        # If the file was closed before the last item was taken, its position no longer matters.
        if isinstance(self._io, FileStream) and not self._io._io.closed:
            self._io.settle()


def first_items(items: Iterable[Value], count: int) -> Iterator[Value]:
    """Return the first ``count`` items, none if ``count`` is negative. Counts may exceed ``sys.maxsize``."""
    return islice(items, min(max(0, count), sys.maxsize))


def gather(
    values: list[Value], items: Iterator[Value], io: KaitaiStream | None = None, count: int = 0, least: int = 0
) -> None:
    """Read all items and append them to ``values``; with ``io`` they are counted by ``bounded``.

    The cyclic garbage collector is paused meanwhile, since new objects would make it traverse all previous ones again
    and again. It is resumed after a bounded number of items, since it is paused for all threads.
    """
    if io is not None:
        items = bounded(io, items, count, least)
    resting = gc.isenabled()
    before = -1
    while before != len(values):
        before = len(values)
        if resting:
            gc.disable()
        try:
            values.extend(islice(items, GATHERED))
        finally:
            if resting:
                gc.enable()
