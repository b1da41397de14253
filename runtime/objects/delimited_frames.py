"""Frames between delimiters: where each begins and ends, in a buffer or in a stream of any length.

A frame's position is the offset of the delimiter before it, or 0 for a first frame without one; its end is the position
of the next delimiter or the end of the input. If there are no bytes before the first or after the last delimiter, there
is no frame, and neither is one between two delimiters that follow each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..format.stuffings import Stuffing
from .errors import FrameError
from .file_streams import FileStream
from .kaitai import ConsistencyError, KaitaiStream
from .streams import MemoryStream
from .stuffing import unstuff

CHUNK = 1 << 20
"""Number of bytes that are read from a stream at once."""


class Frame(NamedTuple):
    """One frame: ``content`` is the bytes between the delimiters, still stuffed; ``closed``: a delimiter follows."""

    position: int
    end: int
    content: bytes
    closed: bool


def is_unmistakable(content: bytes, delimiter: bytes) -> bool:
    """Return whether a reader finds content that is not stuffed unchanged between two delimiters. Empty frames are
    passed over, and the ends of the content can form another delimiter together with those around it.

    >>> is_unmistakable(b"a\\r", b"\\r\\n"), is_unmistakable(b"ab", b"aba"), is_unmistakable(b"", b",")
    (True, False, False)
    """
    found = (delimiter + content + delimiter).find(delimiter, 1)
    return bool(content) and found == len(delimiter) + len(content)


def delimited(content: bytes, delimiter: bytes) -> bytes:
    """Return content that is not stuffed, followed by the delimiter. Raises ``ConsistencyError`` if a reader would not
    find the same content."""
    if not is_unmistakable(content, delimiter):
        raise ConsistencyError("a row", f"content that can be framed by delimiters {delimiter!r}", content)
    return content + delimiter


def frames(data: bytes, delimiter: bytes) -> Iterator[Frame]:
    """Yield the frames of an input in memory.

    >>> [(each.position, each.end, each.content, each.closed) for each in frames(b"ab,c,,d", b",")]
    [(0, 2, b'ab', True), (2, 4, b'c', True), (5, 7, b'd', False)]
    """
    width = len(delimiter)
    end = data.find(delimiter)
    if end > 0:
        yield Frame(0, end, data[:end], True)
    elif end < 0:
        if data:
            yield Frame(0, len(data), data, False)
        return
    while True:
        position = end
        begin = position + width
        end = data.find(delimiter, begin)
        if end < 0:
            if begin < len(data):
                yield Frame(position, len(data), data[begin:], False)
            return
        if begin < end:
            yield Frame(position, end, data[begin:end], True)


def frames_of(read: Callable[[int], bytes], delimiter: bytes, limit: int) -> Iterator[Frame]:
    """Yield the frames of a stream in bounded memory: ``read(n)`` returns up to ``n`` bytes, none at the end.

    Raises ``FrameError`` (``limit``) if a frame is longer than ``limit`` bytes.
    """
    width = len(delimiter)
    held = bytearray()
    base = 0  # offset of held[0] in the stream
    begin = 0  # index in held where the content of the current frame begins
    position = 0  # offset of the current frame
    search = 0  # nothing before this index can be the next delimiter
    while chunk := read(CHUNK):
        held += chunk
        while (found := held.find(delimiter, search)) >= 0:
            _within(found - begin, limit, position)
            if found > begin:
                yield Frame(position, base + found, bytes(held[begin:found]), True)
            position = base + found
            begin = search = found + width
        _within(len(held) - begin - width, limit, position)
        search = max(begin, len(held) - width + 1)
        del held[:begin]
        base += begin
        search -= begin
        begin = 0
    if len(held) > begin:
        _within(len(held) - begin, limit, position)
        yield Frame(position, base + len(held), bytes(held[begin:]), False)


def frames_in(io: KaitaiStream, delimiter: bytes, limit: int) -> Iterator[Frame]:
    """Yield the frames from the position of ``io`` to its end; positions count from there."""
    if isinstance(io, MemoryStream):
        return frames(io.read_bytes_full(), delimiter)
    if isinstance(io, FileStream):
        return frames_of(io.read_up_to, delimiter, limit)
    return frames(io.read_bytes_full(), delimiter)


def unstuffed(frame: Frame, stuffing: Stuffing, limit: int) -> bytes:
    """Return the content of a frame. Raises ``FrameError`` (too long) and ``StuffingError``."""
    _within(len(frame.content), limit, frame.position)
    return unstuff(frame.content, stuffing, limit)


def _within(size: int, limit: int, position: int) -> None:
    if size > limit:
        raise FrameError(f"the frame at byte {position} is longer than {limit} bytes", "limit")
