"""An input that can be read only once, of which the beginning is read twice: first for the schema in it."""

from __future__ import annotations

import io

from ..base.dataclass import dataclass, field
from .inputs import Input, ObjectInput, PipeInput, Stream, pipe_of

LARGEST_BEGINNING = 16 * 1024 * 1024
"""Maximum number of bytes that are kept."""


def is_read_once(source: Input) -> bool:
    """Return whether an input can be opened only once."""
    return isinstance(source, ObjectInput | PipeInput)


@dataclass(frozen=True)
class RereadInput(ObjectInput):
    """The input ``file``, which can be read only once. The first stream of it ends after
    ``LARGEST_BEGINNING`` bytes, and its bytes are kept for the second one, which goes on after them and is the last.
    The first one must be closed before."""

    kept: bytearray = field(default_factory=bytearray, repr=False, compare=False)
    """The bytes that were read first."""
    streams: list[Stream] = field(default_factory=list, repr=False, compare=False)
    """The stream of ``file``, until the second one has it."""

    @classmethod
    def of(cls, source: Input) -> RereadInput:
        """Return the input that is read in place of ``source``."""
        return cls(source.path, source.size, source.modified, may_block=source.may_block, file=source)

    @property
    def is_full(self) -> bool:
        """Return whether the first stream has ended at the limit."""
        return len(self.kept) == LARGEST_BEGINNING

    def open(self) -> Stream:
        """Return the first or the second stream. Raises ``WireloomError`` the third time."""
        if self.streams:
            return _Second(self.kept, self.streams.pop())
        # It raises the third time.
        self.streams.append(self.file.open())
        return _First(self)


class _First:
    """Keeps what is read."""

    def __init__(self, source: RereadInput) -> None:
        self._stream, self._kept = source.streams[0], source.kept

    def readinto(self, buffer: memoryview, /) -> int:
        room = LARGEST_BEGINNING - len(self._kept)
        count = self._stream.readinto(buffer[:room]) if room else 0
        self._kept += buffer[:count]
        return count

    def pipe(self) -> int | None:
        """Return that of the stream."""
        return pipe_of(self._stream)

    def seek(self, offset: int, /) -> int:
        raise io.UnsupportedOperation("seek")

    def close(self) -> None:
        """Leave the stream open for the second one."""


class _Second:
    """The bytes that are kept, and those after them."""

    def __init__(self, kept: bytearray, stream: Stream) -> None:
        self._kept, self._stream, self._position = kept, stream, 0

    def readinto(self, buffer: memoryview, /) -> int:
        if self._position == len(self._kept):
            self._kept.clear()
            self._position = 0
            return self._stream.readinto(buffer)
        piece = self._kept[self._position : self._position + len(buffer)]
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def pipe(self) -> int | None:
        """Return that of the stream."""
        return pipe_of(self._stream)

    def seek(self, offset: int, /) -> int:
        raise io.UnsupportedOperation("seek")

    def close(self) -> None:
        self._kept.clear()
        self._position = 0
        self._stream.close()
