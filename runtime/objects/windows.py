"""Bytes of a stream that are at hand, for readers that take many items out of them one after the other."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice
from typing import TypeVar, cast

from .file_streams import FileStream
from .grown import bounded
from .kaitai import KaitaiStream
from .streams import MemoryStream, SubStream

Value = TypeVar("Value")

GATHERED = 1 << 16
"""Items that are made before the collector of cycles may look at them."""

NOTHING = MemoryStream(b"")
"""The window of a stream that has none."""


class BufferWindow:
    """The bytes of a stream of Kaitai's own runtime over a ``BytesIO``, which goes where the window goes."""

    __slots__ = ("_buffer", "_io", "data", "end")

    def __init__(self, io: KaitaiStream, buffer: BytesIO) -> None:
        self._io = io
        self._buffer = buffer
        self.data = buffer.getvalue()
        self.end = len(self.data)

    @property
    def position(self) -> int:
        """The position of the stream; may be beyond its end."""
        return self._buffer.tell()

    @position.setter
    def position(self, position: int) -> None:
        self._buffer.seek(position)

    def fetch(self, begin: int, end: int) -> None:
        """Raise what ``read_bytes`` of the stream raises where ``data[begin:end]`` is not all there."""
        if begin != end:
            try:
                self.at(begin).read_bytes(end - begin)
            finally:
                self.position = begin

    def find(self, terminator: bytes, begin: int) -> int:
        """The index in ``data`` at which a byte stands first, from ``begin`` on."""
        found = self.data.find(terminator, begin)
        if found < 0:
            self.at(begin).read_bytes_term(terminator[0], False, True, True)
        return found

    def at(self, position: int) -> KaitaiStream:
        """The stream, which then is at an index in ``data``."""
        self.position = position
        return self._io


def window_of(io: KaitaiStream) -> MemoryStream | FileStream | BufferWindow:
    """The stream, where its next bytes are in ``data`` from ``position`` to ``end``; otherwise one without bytes.

    Who takes bytes from there moves ``position``. Streams of other classes have methods of their own, which would not
    be called, and one that is inside a byte has to finish that first.
    """
    kind = type(io)
    if kind is MemoryStream or kind is SubStream:
        return NOTHING if io.bits_left else cast(MemoryStream, io)
    if kind is KaitaiStream and type(io._io) is BytesIO:
        return NOTHING if io.bits_left else BufferWindow(io, io._io)
    return io if isinstance(io, FileStream) and kind is FileStream and io.hold() else NOTHING


class Held:
    """``with Held(io):`` around taking bytes from windows; at the end a file stands where the stream does."""

    __slots__ = ("_io",)

    def __init__(self, io: KaitaiStream) -> None:
        self._io = io

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        # Who closed the file before the last item was taken does not care where it stands.
        if isinstance(self._io, FileStream) and not self._io._io.closed:
            self._io.settle()


def first_items(items: Iterable[Value], count: int) -> Iterator[Value]:
    """The first ``count`` items, none where that is negative. A count may be larger than Python can count to."""
    return islice(items, min(max(0, count), sys.maxsize))


def gather(
    values: list[Value], items: Iterator[Value], io: KaitaiStream | None = None, count: int = 0, least: int = 0
) -> None:
    """Append items that are read now; those of ``io`` as ``bounded`` has them.

    None of them is garbage, but each makes Python's collector of cycles look sooner at all that came before. So it
    rests meanwhile, for a bounded number of items, since it does so for all threads.
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
