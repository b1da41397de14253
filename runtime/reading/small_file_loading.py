"""Loading of small files into one piece of memory, by a thread that is ahead of their reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import FileIO
from typing import TYPE_CHECKING

from .. import codecs
from ..base.ahead import Ahead
from ..base.errors import WireloomError
from ..input.inputs import FileInput, Input, MemoryInput
from ..input.stored import StorageError, Stored

if TYPE_CHECKING:
    from ..format.description import Format
    from .request import ScanRequest

SMALL = 1024 * 1024
"""Most bytes of a file, as stored, that is read together with others."""
MEMORY = 2 * 1024 * 1024
"""Most bytes, decompressed, of files that are read together: as much as stays in a processor's own cache until the
engine has read it."""
MAGIC = 16
"""Bytes in which a codec's magic number is."""
SMALL_COMPRESSED = 256 * 1024
"""Like ``SMALL``, of compressed files, which are larger once they are read."""
AHEAD = 2
"""Memories of a thread: one is read by the engine, one is being filled."""


@dataclass(frozen=True)
class Load:
    """Files whose bytes are in ``memory``: each ends at one of ``ends``, where the next one begins. Without ``ends`` it
    is one file, which is to be read by itself."""

    memory: memoryview
    sources: Sequence[Input]
    ends: Sequence[int]


def is_small(source: Input) -> bool:
    """Return whether an input is a file that is small enough to be read together with others."""
    return type(source) is FileInput and source.size is not None and 0 < source.size <= SMALL and not source.sparse


def stand_back_to_back(format: Format) -> bool:
    """Return whether a format's files are only rows, which follow each other from the first byte on."""
    return (
        format.streaming
        and format.message is None
        and not format.in_pieces
        and not format.looks_up
        and not format.has_prologue
        and not format.delimiter
        and not format.chained
        and not format.variables
    )


class Loads:
    """Loads files when they are asked for, in their order, and as many at once as fit."""

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
        """Give the memory of these files back for reuse."""
        self._free = load.memory

    def close(self) -> None:
        """Release the memory; no calls follow."""
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
        """Put a file's bytes, decompressed, at the beginning of ``target`` and return their number; ``None`` where
        they do not fit, or where something is wrong, which is found out again where the file is read by itself."""
        assert source.path is not None
        assert source.size is not None
        if source.size >= len(target):
            return None
        try:
            # Not by a bare descriptor, which is lost where an interrupt comes right after the call that gave it.
            with FileIO(source.path) as file:
                # A byte more than there should be, so that a file that has grown is noticed.
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
        return codecs.detect(head, source.name, self._request.format.codec)

    def _decompressed(self, content: bytes, codec: str, target: memoryview) -> int | None:
        stream = MemoryInput(None, len(content), content=memoryview(content)).open()
        decoder = codecs.decoder(codec, Stored(stream, len(content)), max_window=self._request.max_window)
        size = 0
        try:
            while len(target) - size >= decoder.room:
                count = decoder.readinto(target[size:])
                if not count:
                    return size or None
                size += count
        except (codecs.CodecError, StorageError, MemoryError):
            return None
        return None


class LoadsAhead:
    """Like ``Loads``, but a thread loads the next files while those before are read."""

    def __init__(self, loads: Loads) -> None:
        self._loads = loads
        self._ahead = Ahead(
            "wireloom-files",
            loads.into,
            lambda: (memoryview(bytearray(MEMORY)) for _ in range(AHEAD)),
            lambda load: load is None,
        )

    def next(self) -> Load | None:
        """Like ``Loads.next``."""
        try:
            return self._ahead.next()
        except WireloomError:
            raise
        except Exception as error:
            raise WireloomError(f"reading failed: {error!r}", reason="missing") from error

    def give_back(self, load: Load) -> None:
        """Like ``Loads.give_back``."""
        self._ahead.give(load.memory)

    def close(self) -> None:
        """End the thread and wait for it."""
        self._loads.close()
        self._ahead.close()
