"""Decoding of streams part by part: a cursor over stored bytes, and a decoder of contents that come in parts."""

from __future__ import annotations

from collections.abc import Iterator

from ..base.errors import WireloomError
from .codec import CodecError, Decoder, OtherCodecError

BUFFER = 64 * 1024


class Cursor:
    """A position in a stored stream. ``codec``: its name in messages."""

    def __init__(self, source: Decoder, codec: str) -> None:
        self._source = source
        self._codec = codec
        self._piece = memoryview(bytearray(BUFFER))
        self._data = bytearray()
        self._begin = 0
        self.position = 0
        """Number of stored bytes before the cursor."""

    def have(self, size: int) -> bool:
        """Return whether ``size`` bytes follow, after reading as many as necessary."""
        while len(self._data) - self._begin < size:
            del self._data[: self._begin]
            self._begin = 0
            count = self._source.readinto(self._piece)
            if not count:
                return False
            self._data += self._piece[:count]
        return True

    def need(self, size: int, inside: str) -> None:
        """Raise ``CodecError`` unless ``size`` bytes follow. ``inside``: what the stream ends in without them."""
        if not self.have(size):
            raise self.early(inside)

    def early(self, inside: str) -> CodecError:
        """Return the error for a stream that ends inside of something."""
        return CodecError(f"compressed stream ends early, inside {inside}")

    def look(self, size: int, after: int = 0) -> bytes:
        """Return the ``size`` bytes after the next ``after``, or as many of them as have been read."""
        begin = self._begin + after
        return bytes(self._data[begin : begin + size])

    def take(self, size: int) -> bytes:
        """Return the next ``size`` bytes, or as many as have been read, and move past them."""
        data = self.look(size)
        self._begin += len(data)
        self.position += len(data)
        return data

    def give_back(self, count: int) -> None:
        """Return to before the last bytes that were taken, if none were read since."""
        self._begin -= count
        self.position -= count

    def skip(self, size: int, inside: str) -> None:
        """Move past ``size`` bytes, in bounded memory. Raises ``CodecError`` if there are fewer."""
        while size:
            self.need(1, inside)
            size -= len(self.take(min(size, BUFFER)))

    def begins(self, magics: tuple[bytes, ...], what: str) -> bytes:
        """Return the one of these magic numbers, all of one size, that follows. ``what`` begins with it. Raises
        ``CodecError`` for other bytes, and ``OtherCodecError`` at the beginning of the input."""
        is_whole = self.have(len(magics[0]))
        found = self.look(len(magics[0]))
        if found in magics:
            return found
        if not is_whole and any(each.startswith(found) for each in magics):
            raise self.early(f"the magic number of {what}")
        if not self.position:
            raise OtherCodecError(f"not {'an' if self._codec in ('xz', 'lz4', 's2') else 'a'} {self._codec} stream")
        raise CodecError(
            f"no {self._codec} stream at compressed byte {self.position}, where one or the end of the input was "
            "expected"
        )

    def damaged(self, part: str, detail: object, size: int = 0) -> CodecError:
        """Return the error for damage in a part at the cursor, or ``size`` bytes before it."""
        return CodecError(f"the {self._codec} {part} at compressed byte {self.position - size} is damaged ({detail})")


class PartsDecoder:
    """A decoder of contents that come in parts, each of which is complete before the next one is read."""

    room = 1

    def __init__(self, contents: Iterator[bytes]) -> None:
        self._contents = contents
        self._output = memoryview(b"")
        self._failure: WireloomError | None = None

    def readinto(self, buffer: memoryview, /) -> int:
        """Like ``Decoder.readinto``."""
        while not self._output:
            if self._failure is not None:
                raise self._failure
            # An empty view keeps the memory of what it was cut from.
            self._output = memoryview(b"")
            try:
                found = next(self._contents, None)
            except WireloomError as error:
                # An iterator that has failed would seem to be at its end.
                self._failure = error
                raise
            if found is None:
                return 0
            self._output = memoryview(found)
        count = min(len(buffer), len(self._output))
        buffer[:count] = self._output[:count]
        self._output = self._output[count:]
        return count
