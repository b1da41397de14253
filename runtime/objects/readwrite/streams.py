"""Streams that classes with the read-write API write to."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import IO, Self

from ..errors import ChecksumError
from ..kaitai import EndOfStreamError, InvalidArgumentError, KaitaiStream
from ..streams import MemoryStream
from .solving import Solution, first_free


class WrittenLayout:
    """Sizes and positions found in all rounds so far."""

    def __init__(self) -> None:
        self.changes: list[str] = []
        """The attributes that took another value in this round."""
        self.floating: set[tuple[int, str]] = set()
        """The attributes, each by its object, that contain a position that is not known yet."""
        self.checksums: list[Callable[[], None]] = []
        """Functions that compute checksums at the end of a round, in the order in which they were added."""
        self.refused: list[ChecksumError] = []
        """Errors of the assigned checksums that differ from those of the bytes written in this round."""

    def follow(self, solutions: tuple[Solution, ...], wanted: int) -> None:
        """Set the free attribute so that its expression becomes ``wanted``."""
        found = first_free(solutions)
        if found is not None and found.follow(wanted):
            self.changes.append(found.name)

    def make_room(self, solutions: tuple[Solution, ...], wanted: int) -> None:
        """Like ``follow``, for an expression that may be greater than ``wanted``."""
        found = first_free(solutions)
        if found is not None and found.make_room(wanted):
            self.changes.append(found.name)


MAX_GAP = 64 * 1024 * 1024
"""Maximum distance from the end of a growing stream to a position that is written to."""

MAX_POSITION = 1 << 62
"""Maximum position of a stream."""

UNTOUCHED = re.compile(b"\\0+")


class FieldEndError(EndOfStreamError):
    """More is written than the ``size`` bytes of a ``field``; the message is Kaitai's."""

    def __init__(self, needed: int, left: int, field: str, size: int) -> None:
        super().__init__(f"requested to write {needed} bytes, but only {left} bytes left in the stream", needed, left)
        self.field = field
        self.size = size


class TrackedStream(KaitaiStream):
    """A stream in memory that knows which of its bytes were written."""

    was_asked = False
    """Whether a size that is not yet known has been requested."""

    def __init__(self) -> None:
        self._touched = bytearray()
        super().__init__(BytesIO())

    def fill(self, source: KaitaiStream) -> None:
        """Fill the gaps between written bytes with those of ``source``."""
        own_position, source_position = self.pos(), source.pos()
        for begin, end in self.gaps(self.size()):
            source.seek(begin)
            data = source.read_bytes(min(end, source.size()) - begin) if begin < source.size() else b""
            self.seek(begin)
            self.write_bytes(data)
        source.seek(source_position)
        self.seek(own_position)

    def gaps(self, end: int) -> list[tuple[int, int]]:
        """Return the ranges of bytes before ``end`` that were not written."""
        found = [match.span() for match in UNTOUCHED.finditer(self._touched, 0, end)]
        return [*found, (len(self._touched), end)] if end > len(self._touched) else found

    def _touch(self, begin: int, size: int) -> None:
        """Note that bytes were written; unwritten bytes before them are a gap."""
        touched = self._touched
        if begin > len(touched):
            if begin > len(touched) + MAX_GAP:
                error = f"position {begin} is {begin - len(touched)} bytes after the end of the stream"
                raise InvalidArgumentError(error)
            touched.extend(bytes(begin - len(touched)))
        touched[begin : begin + size] = b"\1" * size


class FixedStream(TrackedStream):
    """The bytes of a ``field`` whose size is known; bytes that are not written are zero."""

    def __init__(self, size: int, field: str = "") -> None:
        if size < 0:
            raise InvalidArgumentError(f"requested invalid {size} amount of bytes")
        self.field = field
        self._size = size
        super().__init__()
        self._size = size

    def size(self) -> int:
        """Return the size of the field."""
        return self._size

    def _ensure_bytes_left_to_write(self, n: int, pos: int) -> None:
        left = self._size - pos
        if n > left:
            raise FieldEndError(n, left, self.field, self._size)

    def _write_bytes_not_aligned(self, buf: bytes) -> None:
        begin = self._io.tell()
        self._ensure_bytes_left_to_write(len(buf), begin)
        self._touch(begin, len(buf))
        self._io.write(buf)

    def to_byte_array(self) -> bytes:
        """Return all bytes of the field."""
        data = super().to_byte_array()
        if self._size > len(data) + MAX_GAP:
            raise InvalidArgumentError(
                f"{self._size - len(data)} bytes of a field of {self._size} bytes were not written"
            )
        return data.ljust(self._size, b"\0")


class OpenStream(TrackedStream):
    """A stream that grows as it is written.

    ``assumed``: its final size, if known, which ``size()`` and ``is_eof()`` use. ``layout``: the sizes and positions
    found so far.
    """

    def __init__(self, layout: WrittenLayout | None = None, assumed: int | None = None) -> None:
        self.layout = layout
        self.assumed = assumed
        self.wanted = 0
        """The size, as far as it is known, with which no two values overlap."""
        self.tail: int | None = None
        """The position of the first value that is counted from the end of the stream."""
        self.clashes = 0
        """Number of times that bytes were overwritten with others."""
        self.was_asked = False
        """Whether anything depends on the size of the stream."""
        super().__init__()
        # The constructor of KaitaiStream asks for the size.
        self.was_asked = False

    @classmethod
    def holding(cls, data: bytes) -> Self:
        """Return a stream to which these bytes have been written."""
        io = cls()
        io._touched = bytearray(b"\1") * len(data)
        io._io = BytesIO(data)
        io._io.seek(len(data))
        return io

    @property
    def extent(self) -> int:
        """Return the end of the bytes that have been written so far."""
        return len(self._touched) + (1 if self.bits_write_mode and self.bits_left > 0 else 0)

    def size(self) -> int:
        """Return the final size of the stream, as far as it is known."""
        self.was_asked = True
        return max(len(self._touched), self.assumed or 0)

    def is_eof(self) -> bool:
        """Return whether the stream will end at the current position, as far as that is known."""
        return self.assumed is not None and self.pos() >= max(self.assumed, self.extent)

    def _ensure_bytes_left_to_write(self, n: int, pos: int) -> None:
        pass

    def _write_bytes_not_aligned(self, buf: bytes) -> None:
        begin = self._io.tell()
        if begin < len(self._touched):
            there = self._io.read(len(buf))
            self._io.seek(begin)
            marks = self._touched[begin : begin + len(buf)]
            if any(mark and old != new for mark, old, new in zip(marks, there, buf, strict=False)):
                self.clashes += 1
        self._touch(begin, len(buf))
        self._io.write(buf)


class GrowingStream(OpenStream):
    """A stream in memory that grows as an object is written; ``to_byte_array()`` returns its bytes."""


def seek(io: KaitaiStream, position: int) -> None:
    """Seek to a position that a file may claim."""
    if position > MAX_POSITION:
        raise InvalidArgumentError(f"cannot seek to invalid position {position}")
    io.seek(position)


def position_of(io: KaitaiStream | None) -> int:
    """Return the position of a stream; 0 for ``None``, and -1 if it is no longer known."""
    try:
        return 0 if io is None else io.pos()
    except (OSError, ValueError):
        return -1


def size_of(io: KaitaiStream | None) -> int:
    """Return the size of a stream; 0 for ``None``, and if it is no longer known."""
    try:
        return 0 if io is None else io.size()
    except (OSError, ValueError):
        return 0


def grows(io: KaitaiStream) -> bool:
    """Return whether a stream grows as it is written to."""
    return isinstance(io, OpenStream) or (not isinstance(io, MemoryStream) and io.size() == 0)


def append(target: KaitaiStream | IO[bytes], data: bytes) -> None:
    """Append bytes in one call."""
    if isinstance(target, KaitaiStream) and not isinstance(target, OpenStream):
        target._io.write(data)
        target._size = target.size()
    elif isinstance(target, KaitaiStream):
        target.write_bytes(data)
    else:
        target.write(data)
