"""Loading of small files into one block of memory, by a thread ahead of their reader."""

from __future__ import annotations

from collections.abc import Sequence
from io import FileIO
from typing import TYPE_CHECKING

from .. import codecs
from ..base.dataclass import dataclass
from ..base.errors import MissingExtraError, WireloomError
from ..base.threads import Ahead
from ..input.inputs import FileInput, Input, MemoryInput
from ..input.stored import StorageError, Stored

if TYPE_CHECKING:
    from ..format.description import Format
    from .request import ScanRequest

SMALL = 1024 * 1024
"""Maximum stored size in bytes of a file that is read together with others."""
MEMORY = 2 * 1024 * 1024
"""Maximum decompressed size in bytes of files that are read together: they should stay in the processor's cache until
the engine has read them."""
MAGIC = 16
"""Number of bytes that contain a codec's magic number."""
SMALL_COMPRESSED = 256 * 1024
"""The same as ``SMALL`` for compressed files, which are larger after decompression."""
LOADS_AHEAD = 2
"""Number of memory blocks of a thread: one is read by the engine, one is being filled."""


@dataclass(frozen=True)
class Load:
    """Files whose bytes are in ``memory``: ``ends`` are their ends, at which the next one begins. Without ``ends`` it
    is a single file that is read on its own."""

    memory: memoryview
    sources: Sequence[Input]
    ends: Sequence[int]


def is_small(source: Input) -> bool:
    """Return whether an input is a file that is small enough to be read together with others."""
    return type(source) is FileInput and source.size is not None and 0 < source.size <= SMALL and not source.sparse


def stand_back_to_back(format: Format) -> bool:
    """Return whether the files of a format consist of rows alone, which are consecutive from the first byte on."""
    return (
        format.streaming
        and format.message is None
        and not format.in_pieces
        and not format.looks_up
        and not format.has_prologue
        and not format.delimiter
        and not format.running_checksums
        and not format.stateful
    )


class Loads:
    """Loads files on demand, in order, and as many at once as fit."""

    def __init__(self, request: ScanRequest, sources: Sequence[Input]) -> None:
        self._request = request
        self._sources = sources
        self._begin = 0
        self._free: memoryview | None = None

    def next(self) -> Load | None:
        """Return the next files; ``None`` after the last."""
        memory, self._free = self._free, None
        return self.into(memory if memory is not None else memoryview(bytearray(MEMORY)))

    def give_back(self, load: Load) -> None:
        """Return the memory of these files for reuse."""
        self._free = load.memory

    def close(self) -> None:
        """Release the memory; the object must not be used afterwards."""
        self._begin = len(self._sources)

    def into(self, memory: memoryview) -> Load | None:
        """Load the next files into this memory; return ``None`` after the last."""
        begin = number = self._begin
        if begin >= len(self._sources):
            return None
        ends: list[int] = []
        end = 0
        while number < len(self._sources) and is_small(self._sources[number]):
            size = self._load(self._sources[number], memory[end:])
            if size is None:
                break
            end += size
            ends.append(end)
            number += 1
        self._begin = max(number, begin + 1)
        return Load(memory, self._sources[begin : self._begin], ends)

    def _load(self, source: Input, target: memoryview) -> int | None:
        """Store a file's decompressed bytes at the beginning of ``target`` and return their number. ``None`` if they do
        not fit, or after an error, which will be found again when the file is read on its own."""
        assert source.path is not None
        assert source.size is not None
        if source.size >= len(target):
            return None
        try:
            # Not with a bare descriptor, which is lost if an interrupt comes right after the call that returned it.
            with FileIO(source.path) as file:
                # One byte more than expected, so that a file that has grown is noticed.
                size = file.readinto(target[: source.size + 1])
            if size != source.size:
                return None
            codec = self._codec(target[:size], source)
        except (OSError, codecs.CodecError):
            return None
        if codec == "none":
            return size
        if size > SMALL_COMPRESSED:
            return None
        return self._decompressed(bytes(target[:size]), codec, target)

    def _codec(self, content: memoryview, source: Input) -> str:
        if self._request.codec != codecs.AUTO:
            return self._request.codec
        head = bytes(content[:MAGIC])
        if codecs.has_magic(head):
            head = bytes(content[: codecs.HEAD])
        format = self._request.format
        return codecs.detect(head, source.name, format.codec, format.own_magic)

    def _decompressed(self, content: bytes, codec: str, target: memoryview) -> int | None:
        stream = MemoryInput(None, len(content), content=memoryview(content)).open()
        size = 0
        try:
            decoder = codecs.decoder(codec, Stored(stream, len(content)), max_window=self._request.max_window)
            while len(target) - size >= decoder.room:
                count = decoder.readinto(target[size:])
                if not count:
                    return size or None
                size += count
        except (codecs.CodecError, MissingExtraError, StorageError, MemoryError):
            return None
        return None


class LoadsAhead:
    """The same as ``Loads``, with a thread that loads the next files while the previous ones are read."""

    def __init__(self, loads: Loads) -> None:
        self._loads = loads
        self._ahead = Ahead(
            "wireloom-files",
            loads.into,
            lambda: (memoryview(bytearray(MEMORY)) for _ in range(LOADS_AHEAD)),
            lambda load: load is None,
        )

    def next(self) -> Load | None:
        """Implement ``Loads.next``."""
        try:
            return self._ahead.next()
        except WireloomError:
            raise
        except Exception as error:
            raise WireloomError(f"reading failed: {error!r}", reason="missing") from error

    def give_back(self, load: Load) -> None:
        """Implement ``Loads.give_back``."""
        self._ahead.give(load.memory)

    def close(self) -> None:
        """End the thread and wait for it."""
        self._loads.close()
        self._ahead.close()
