"""Stored bytes of an input: a stream with a position and a peek at its first bytes."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable
from time import monotonic
from typing import Any, cast

from ..base.errors import WireloomError
from .inputs import LocalStream, Stream, pipe_of


class StorageError(WireloomError):
    """The storage failed while it was read."""

    def __init__(
        self, message: str, *, path: str | None = None, offset: int | None = None, reason: str | None = "missing"
    ) -> None:
        super().__init__(message, path=path, offset=offset, reason=reason)


class Stored:
    """A stored stream. It is also the decoder of inputs that are not compressed.

    ``size``: the size that the storage reported, ``None`` if it did not report one. A stream that ends earlier is an
    error.
    """

    room = 1

    def __init__(self, stream: Stream, size: int | None) -> None:
        self._stream = stream
        self.size = size
        """The size in bytes that the storage reported."""
        self._head = memoryview(b"")
        self._failure: StorageError | None = None
        """The error after the head."""
        self.position = 0
        """Stored bytes that have been handed out, counted from the start of the input. Other threads may look."""

    def seek(self, offset: int) -> None:
        """Seek to an offset. Raises ``StorageError``."""
        try:
            self._stream.seek(offset)
        except (OSError, ValueError) as error:
            raise StorageError(f"byte {offset} cannot be reached: {error}") from error
        self._head = memoryview(b"")
        self._failure = None
        self.position = offset

    def is_ready(self, until: float) -> bool:
        """Return whether a pipe has bytes, or has ended, before a time of ``time.monotonic``; true for other streams,
        and where the system does not say so."""
        descriptor = pipe_of(self._stream) if self.size is None and not self._head else None
        if descriptor is None or not hasattr(select, "poll"):
            return True
        pipe = select.poll()
        pipe.register(descriptor, select.POLLIN)
        return bool(pipe.poll(max(0, until - monotonic()) * 1000))

    def peek(self, size: int, is_enough: Callable[[bytes], bool] = lambda head: False) -> bytes:
        """Return the next ``size`` bytes, or as many as there are, without consuming them. Does not raise: a failure is
        reported when the bytes before it have been read. ``is_enough``: whether fewer bytes will do, if no more have
        been read."""
        if len(self._head) < size:
            buffer = memoryview(bytearray(size))
            buffer[: len(self._head)] = self._head
            filled = len(self._head)
            try:
                while filled < size and (count := self._read(buffer[filled:], self.position + filled)):
                    filled += count
                    if is_enough(bytes(buffer[:filled])):
                        break
            except StorageError as error:
                self._failure = error
            self._head = buffer[:filled]
        return bytes(self._head[:size])

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill ``buffer`` from its start, not always completely, and return the number of bytes; 0 at the end. Raises
        ``StorageError``."""
        if self._head:
            piece = self._head[: len(buffer)]
            buffer[: len(piece)] = piece
            self._head = self._head[len(piece) :]
            count = len(piece)
        else:
            count = self._read(buffer, self.position)
        self.position += count
        return count

    def _read(self, buffer: memoryview, position: int) -> int:
        if self._failure is not None:
            raise self._failure
        try:
            count = self._stream.readinto(buffer)
        except (OSError, ValueError) as error:
            # A closed file object raises ValueError.
            raise StorageError(f"reading failed at stored byte {position}: {error}") from error
        if not count and len(buffer) and self.size is not None and position < self.size:
            raise StorageError(
                f"the input ended at stored byte {position}, but it had {self.size} bytes when it was opened"
            )
        return count

    def skip_hole(self, back: int) -> int:
        """If the next byte lies in a hole of a sparse file, seek to ``back`` bytes before the hole's end. Return the
        number of bytes skipped, all of them zero; 0 if there is no hole or the system does not report holes."""
        if self._head or not hasattr(os, "SEEK_DATA"):
            return 0
        try:
            # Not every stream has a descriptor; one without raises an error that is caught below.
            descriptor = cast(Any, self._stream).fileno()
            end = os.lseek(descriptor, self.position, os.SEEK_DATA)
        except OSError as error:
            # After the last data, the rest is one hole, unless the file has been truncated.
            if error.errno != errno.ENXIO or self.size is None or os.fstat(descriptor).st_size < self.size:
                return 0
            end = self.size
        except AttributeError:
            return 0
        skipped = max(0, end - back - self.position)
        self.seek(self.position + skipped)
        return skipped

    def hole(self, begin: int, end: int) -> tuple[int, int] | None:
        """Like ``LocalStream.hole``; ``None`` for other streams."""
        return self._stream.hole(begin, end) if isinstance(self._stream, LocalStream) else None

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
