"""Streams that generated classes read from.

All are subclasses of ``KaitaiStream``, so they work with code written for Kaitai's classes, and generated classes
accept any ``KaitaiStream``. These are faster: bytes in memory are sliced in place, and terminators are searched in
blocks.
"""

from __future__ import annotations

import re
import struct
from typing import Any, Protocol

from .computing import ItemCounter
from .errors import with_reason
from .kaitai import EndOfStreamError, InvalidArgumentError, KaitaiStream, NoTerminatorFoundError


class Tracing(Protocol):
    """Records which objects are read, and from which streams."""

    def begin(self, struct: Any) -> None:
        """Record that the object is read next."""

    def inner(self, stream: MemoryStream) -> MemoryStream:
        """Return the stream to use instead of one of bytes that were just read."""


class MemoryStream(KaitaiStream):
    """Reads bytes in memory.

    ``base`` is the position that ``pos()`` returns for ``data[0]``: a window of a longer input keeps the positions of
    that input (which ends, for this stream, where the window ends). ``position`` and ``end`` are indices in ``data``;
    an ``end`` before that of ``data`` hides the bytes after it.
    """

    # KaitaiStream sets these for each stream; most streams here are made once per row and never read bits.
    bits = 0
    bits_le = False
    bits_write_mode = False
    child_streams: tuple[KaitaiStream, ...] = ()
    reason_at_end = "truncated"
    """The reason of damage if an item extends beyond the end."""
    saw_end = False
    """Whether what was read depends on the value of ``end``."""
    origin = 0
    """The difference between an offset in the input and ``pos()``, if recorded."""
    ends_input = False
    """Whether the input is known to end where the stream does."""
    missing = 0
    """How many bytes there should be after the end of the input."""
    block: tuple[int, int] | None = None
    """The begin and the end, in the input, of the compressed block whose content this is, if recorded."""
    trace: Tracing | None
    """Records how objects are read from the stream, if there is one."""
    counter: ItemCounter | None
    """Counts the items of repetitions, if ``process`` made these bytes from fewer ones."""

    def __init__(self, data: bytes, base: int = 0) -> None:
        self.data = data if type(data) is bytes else bytes(data)
        self.position = 0
        self.bits_left = 0
        self.end = len(self.data)
        self.base = base
        # Each object and each part accesses these: attributes of the instance are found fastest.
        self.trace = None
        self.counter = None

    def read_bytes(self, n: int) -> bytes:
        """Return the next ``n`` bytes. Raises ``EndOfStreamError`` if fewer are left."""
        if self.bits_left:
            self.align_to_byte()
        begin = self.position
        end = begin + n
        if n < 0 or end > self.end:
            if n == 0:  # seek() may have gone beyond the end
                return b""
            raise self._short(n)
        self.position = end
        return self.data[begin:end]

    def fetch(self, begin: int, end: int) -> None:
        """Raise ``EndOfStreamError`` unless all of ``data[begin:end]`` is before the ``end`` of the stream."""
        if not begin <= end <= self.end and begin != end:
            self.position = begin
            raise self._short(end - begin)

    def find(self, terminator: bytes, begin: int) -> int:
        """Return the index in ``data`` of the first terminator from ``begin`` on."""
        found = self.data.find(terminator, begin, self.end)
        if found < 0:
            self.position = begin
            raise with_reason(NoTerminatorFoundError(terminator, 0), self.reason_at_end)
        return found

    def at(self, position: int) -> MemoryStream:
        """Move to an index in ``data`` and return the stream."""
        self.position = position
        return self

    def expect(self, n: int, end: int) -> None:
        """Raise ``EndOfStreamError`` if fewer than ``n`` bytes are left, with the reason ``limit`` if they would extend
        beyond the position ``end``. Nothing is read."""
        if n > max(0, self.end - self.position):
            error = self._short(n)
            raise with_reason(error, "limit") if self.pos() + n > end else error

    def _short(self, n: int) -> InvalidArgumentError | EndOfStreamError:
        if n < 0:
            return InvalidArgumentError(f"requested invalid {n} amount of bytes")
        left = max(0, self.end - self.position)
        error = EndOfStreamError(f"requested {n} bytes, but only {left} bytes available", n, left)
        return with_reason(error, self.reason_at_end)

    def _read_bytes_not_aligned(self, n: int) -> bytes:
        bits, self.bits_left = self.bits_left, 0
        try:
            return MemoryStream.read_bytes(self, n)
        finally:
            self.bits_left = bits

    def read_bytes_full(self) -> bytes:
        """Return all bytes that are left."""
        if self.bits_left:
            self.align_to_byte()
        self.saw_end = True
        begin, end = self.position, self.end
        if begin < end:
            self.position = end
        return self.data[begin:end]

    def read_bytes_term(self, term: int, include_term: bool, consume_term: bool, eos_error: bool) -> bytes:
        """Return the bytes up to the terminator byte."""
        return self._terminated(bytes((term,)), include_term, consume_term, eos_error)

    def read_bytes_term_multi(self, term: bytes, include_term: bool, consume_term: bool, eos_error: bool) -> bytes:
        """Return the bytes up to a terminator of several bytes, which is at a multiple of its size from here."""
        return self._terminated(term, include_term, consume_term, eos_error)

    def _terminated(self, term: bytes, include_term: bool, consume_term: bool, eos_error: bool) -> bytes:
        if self.bits_left:
            self.align_to_byte()
        begin, width = self.position, len(term)
        found = self.data.find(term, begin, self.end)
        while found >= 0 and (found - begin) % width:
            found = self.data.find(term, found + width - (found - begin) % width, self.end)
        if found < 0:
            if eos_error:
                error = NoTerminatorFoundError(term, (self.end - begin) % width)
                raise with_reason(error, self.reason_at_end)
            return self.read_bytes_full()
        self.position = found + width if consume_term else found
        return self.data[begin : found + width if include_term else found]

    def is_eof(self) -> bool:
        """Return whether no byte is left (nor a bit, while bits are read)."""
        if self.position < self.end or self.bits_left:
            return False
        self.saw_end = True
        return True

    def pos(self) -> int:
        """Return the position of the next byte."""
        return self.base + self.position

    def size(self) -> int:
        """Return the position of the end."""
        self.saw_end = True
        return self.base + self.end

    def seek(self, n: int) -> None:
        """Move to a position; beyond the end is allowed, reading there is not."""
        if n < self.base:
            raise InvalidArgumentError(f"cannot seek to invalid position {n}")
        # Also if no bits are left: a failed read may have left some of an incomplete byte.
        self.align_to_byte()
        self.position = n - self.base

    def to_byte_array(self) -> bytes:
        """Return all bytes of the stream, from its beginning."""
        return self.data

    def close(self) -> None:
        """Do nothing: no file is held open."""

    def _write_bytes_not_aligned(self, buf: bytes) -> None:
        raise EndOfStreamError("the stream is read-only", len(buf), 0)


class SubStream(MemoryStream):
    """The bytes of one sized field. If there are too few of them, the reason is ``length``, since the input is not
    truncated."""

    reason_at_end = "length"


class CutStream(SubStream):
    """The bytes that there are of a sized field in which the input ends. Whatever depends on its other ``missing``
    bytes is truncated."""

    reason_at_end = "truncated"
    ends_input = True

    def __init__(self, data: bytes, missing: int) -> None:
        super().__init__(data)
        self.missing = missing

    def read_bytes_full(self) -> bytes:
        """Raise ``EndOfStreamError``."""
        raise self._short(self.end - self.position + self.missing)

    def is_eof(self) -> bool:
        """Return ``False``. Raises ``EndOfStreamError`` where the input ends."""
        if self.position < self.end or self.bits_left:
            return False
        raise self._short(1)

    def size(self) -> int:
        """Return the position of the end of the field."""
        return self.base + self.end + self.missing


def wire_bytes(io: KaitaiStream, begin: int, end: int) -> bytes:
    """Return the bytes ``[begin, end)`` of ``io``, and restore its position, bits included."""
    position, bits, bits_left = io.pos(), io.bits, io.bits_left
    io.seek(begin)
    data = io.read_bytes(end - begin)
    io.seek(position)
    io.bits, io.bits_left = bits, bits_left
    return data


def offset_of(io: KaitaiStream) -> int:
    """Return the offset in the input of a stream's position; for the content of a compressed block, that of the
    block."""
    block: tuple[int, int] | None = getattr(io, "block", None)
    if block is not None:
        return block[0]
    position: int = io.pos()
    return position + getattr(io, "origin", 0)


def end_of(io: KaitaiStream) -> int:
    """Return the offset in the input up to which a stream has been read; for the content of a compressed block, the end
    of the block."""
    block: tuple[int, int] | None = getattr(io, "block", None)
    return offset_of(io) if block is None else block[1]


def range_of(io: KaitaiStream, size: int) -> tuple[int, int]:
    """Return the begin and the end, in the input, of the last ``size`` bytes that were read from a stream."""
    end = end_of(io)
    return getattr(io, "block", None) or (end - size, end)


def read_fields(io: KaitaiStream, packer: struct.Struct) -> tuple[Any, ...]:
    """Read and unpack the fields of ``packer``.

    If the stream ends inside the run, the error is that of the first incomplete field, and the stream is left at the
    beginning of that field.
    """
    if (type(io) is MemoryStream or type(io) is SubStream) and not io.bits_left:
        begin = io.position
        end = begin + packer.size
        if end <= io.end:
            io.position = end
            return packer.unpack_from(io.data, begin)
    try:
        return packer.unpack(io.read_bytes(packer.size))
    except EndOfStreamError as error:
        retreat(io, error)
        order, codes = packer.format[0], re.findall(r"\d*[a-zA-Z]", packer.format)
        for code in codes:
            io.read_bytes(struct.calcsize(order + code))
        raise


def retreat(io: KaitaiStream, error: EndOfStreamError) -> None:
    """Seek back to where a read beyond the end began. Raises ``error`` if the stream cannot seek."""
    try:
        io.seek(io.size() - getattr(io, "missing", 0) - error.bytes_available)
    except OSError:
        raise error from None
