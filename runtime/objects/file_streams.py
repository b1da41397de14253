"""Streams of files that generated classes read from."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BufferedReader, BytesIO, FileIO
from typing import IO, Any

from .kaitai import EndOfStreamError, InvalidArgumentError, KaitaiStream, NoTerminatorFoundError

LARGE = 1 << 20
"""Before this many bytes or more are read from a file, its size is checked, so that a claimed size alone allocates
nothing."""

WINDOW = 1 << 18
"""Number of bytes of a file that are buffered while its items are read one after the other."""


class FileStream(KaitaiStream):
    """Reads a binary file, which may be of any size. One that cannot seek (a pipe) can only be read from front to back.

    While a series of items is read, ``data[:end]`` is a buffered part of the file, of which the next byte is
    ``data[position]``; the position of the file itself is after that part. Otherwise ``end`` is 0.
    """

    data = b""
    position = 0
    end = 0
    _base = 0
    """The offset in the file at which ``data`` begins."""

    def __init__(self, io: IO[bytes]) -> None:
        file: Any = io
        self._seekable: bool = file.seekable()
        # Others may be slow to seek, or change while they are read.
        self._holdable = type(file) is BytesIO or (type(file) is BufferedReader and type(file.raw) is FileIO)
        self._holdable = self._holdable and self._seekable
        if not self._seekable and not hasattr(file, "peek"):
            # Reading the next byte is the only way to detect the end of a pipe.
            file = BufferedReader(file)
        self._peek: Callable[[int], bytes] | None = getattr(file, "peek", None)
        self._take: Callable[..., bytes] = file.read
        self._tell: Callable[[], int] = file.tell
        self._seen = 0
        super().__init__(file)

    def read_bytes(self, n: int) -> bytes:
        """Return the next ``n`` bytes. Raises ``EndOfStreamError`` if fewer are left."""
        if self.end:
            self.settle()
        if self.bits_left or not 0 <= n < LARGE:
            self.align_to_byte()
            return self._read_bytes_not_aligned(n)
        data = self._take(n)
        if len(data) != n:
            raise self._short(n, len(data))
        return data

    def _short(self, n: int, left: int) -> EndOfStreamError:
        """Return the error for fewer than ``n`` bytes, and seek back to where they begin, if possible."""
        if self._seekable:
            self._io.seek(-left, os.SEEK_CUR)
        return EndOfStreamError(f"requested {n} bytes, but only {left} bytes available", n, left)

    def read_up_to(self, n: int) -> bytes:
        """Read at most ``n`` bytes; none at the end."""
        self.settle()
        return self._take(n)

    def read_bytes_full(self) -> bytes:
        """Return all bytes that are left."""
        self.settle()
        return super().read_bytes_full()

    def _read_bytes_not_aligned(self, n: int) -> bytes:
        self.settle()
        if n >= LARGE:
            return self._read_large(n)
        if n < 0:
            raise InvalidArgumentError(f"requested invalid {n} amount of bytes")
        data = self._take(n)
        if len(data) != n:
            raise self._short(n, len(data))
        return data

    def _read_large(self, n: int) -> bytes:
        left = max(0, self.size() - self._tell()) if self._seekable else n
        if n > left:
            raise EndOfStreamError(f"requested {n} bytes, but only {left} bytes available", n, left)
        blocks: list[bytes] = []
        left = 0
        while left < n and (block := self._take(min(LARGE, n - left))):
            blocks.append(block)
            left += len(block)
        if left < n:
            raise self._short(n, left)
        return b"".join(blocks)

    def is_eof(self) -> bool:
        """Return whether no byte is left (nor a bit, while bits are read)."""
        if self.bits_left or self.position < self.end:
            return False
        self.settle()
        if not self._seekable and self._peek is not None:
            return not self._peek(1)
        position = self._tell()
        if position < self._seen:
            return False
        # The size is requested only here, and again at the end, since the file may have grown.
        self._seen = self.size()
        return position >= self._seen

    def hold(self) -> bool:
        """Buffer the next part of the file, or continue with the buffered one. Return false if the file cannot be
        buffered."""
        if not self._holdable or self.bits_left:
            return False
        if not self.end:
            begin = self._tell()
            if not self._base <= begin < self._base + len(self.data):
                self.data, self._base = self._take(WINDOW), begin
            self.position, self.end = begin - self._base, len(self.data)
        return True

    def fetch(self, begin: int, end: int) -> None:
        """Extend the buffered part so that it contains ``data[begin:end]``. Raises as ``read_bytes`` does."""
        if begin == end:
            return
        self.position = begin
        if end < begin:
            raise InvalidArgumentError(f"requested invalid {end - begin} amount of bytes")
        if end > self.end:
            self._hold_more(end - self.end)
        if end > self.end:
            left = self.end - begin
            raise EndOfStreamError(f"requested {end - begin} bytes, but only {left} bytes available", end - begin, left)

    def _hold_more(self, n: int) -> None:
        self._io.seek(self._base + self.end)
        # A claimed size alone allocates nothing.
        self.data += self._take(n if n < LARGE else min(n, max(0, self.size() - self._base - self.end)))
        self.end = len(self.data)

    def find(self, terminator: bytes, begin: int) -> int:
        """Return the index in ``data`` of the first terminator from ``begin`` on."""
        found, search = self.data.find(terminator, begin), begin
        while found < 0:
            search = self.end
            self._hold_more(WINDOW)
            if self.end == search:
                self.position = begin
                raise NoTerminatorFoundError(terminator, 0)
            found = self.data.find(terminator, search)
        return found

    def at(self, position: int) -> FileStream:
        """Move to an index in ``data`` and return the stream."""
        self.position = position
        return self

    def settle(self) -> None:
        """Seek the file to the position of the stream, and stop buffering."""
        if self.end:
            self._io.seek(self._base + self.position)
            self.end = 0

    def pos(self) -> int:
        """Return the position of the next byte."""
        return self._base + self.position if self.end else super().pos()

    def seek(self, n: int) -> None:
        """Move to a position. Raises ``EndOfStreamError`` for one that is too large for any file."""
        self.settle()
        try:
            super().seek(n)
        except (OSError, OverflowError, ValueError):
            if not self._seekable or n <= (size := self.size()):
                raise
            raise EndOfStreamError(f"cannot seek to position {n}, the file ends at {size}", n - size, 0) from None

    def size(self) -> int:
        """Return the current size of the file, in bytes."""
        position = self._tell()
        size = self._io.seek(0, os.SEEK_END)
        self._io.seek(position)
        return size

    def read_bytes_term(self, term: int, include_term: bool, consume_term: bool, eos_error: bool) -> bytes:
        """Return the bytes up to the terminator byte."""
        return self._terminated(bytes((term,)), include_term, consume_term, eos_error)

    def read_bytes_term_multi(self, term: bytes, include_term: bool, consume_term: bool, eos_error: bool) -> bytes:
        """Return the bytes up to a terminator of several bytes, which is at a multiple of its size from here."""
        return self._terminated(term, include_term, consume_term, eos_error)

    def _terminated(self, term: bytes, include_term: bool, consume_term: bool, eos_error: bool) -> bytes:
        self.settle()
        self.align_to_byte()
        begin, width = self._tell(), len(term)
        held = bytearray()
        search, block = 0, 256 * width
        while chunk := self._take(block):
            held += chunk
            found = held.find(term, search)
            while found >= 0 and found % width:
                found = held.find(term, found + width - found % width)
            if found >= 0:
                self._io.seek(begin + found + (width if consume_term else 0))
                return bytes(held[: found + width if include_term else found])
            search = len(held) - len(held) % width
            block = min(2 * block, LARGE)
        if eos_error:
            raise NoTerminatorFoundError(term, len(held) % width)
        return bytes(held)


def stream_of(source: KaitaiStream | IO[bytes]) -> KaitaiStream:
    """Return a stream that reads ``source``, or ``source`` itself if it is a stream."""
    return source if isinstance(source, KaitaiStream) else FileStream(source)
