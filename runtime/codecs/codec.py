"""The definition of a codec: its names, how its streams are recognised, its decoder and its compressor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from ..base.dataclass import dataclass
from ..base.errors import DamagedInputError

MAX_WINDOW = 128 * 1024 * 1024
"""The memory in bytes that a decompressor may need for its window: the default of the option ``max_window``, and the
limit for blocks inside files."""


class CodecError(DamagedInputError):
    """A compressed stream that cannot be decompressed. The reader that catches it adds path and offset."""

    def __init__(
        self, message: str, *, path: str | None = None, offset: int | None = None, reason: str | None = "codec"
    ) -> None:
        super().__init__(message, path=path, offset=offset, reason=reason)


class OtherCodecError(CodecError):
    """Bytes that do not begin like a stream of the codec at all, or like one of a kind that is not supported."""


class Decoder(Protocol):
    """A stream of decompressed bytes, or of stored ones that a decoder reads from."""

    room: int
    """Minimum size in bytes of a buffer for ``readinto``."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill ``buffer`` from its start, not always completely, and return the number of bytes; 0 at the end.

        Raises ``CodecError`` at damage, after all bytes before it have been returned, and passes on errors of the
        storage.
        """
        ...


@runtime_checkable
class Resumable(Decoder, Protocol):
    """A decoder that can continue after damage."""

    def resume(self) -> bool:
        """After ``readinto`` has raised ``CodecError``, continue with the next independent part of the stream that is
        found and proven, such as a member of gzip. Return whether there is one. Its content does not continue the bytes
        before it. Passes on errors of the storage."""
        ...


class Compressor(Protocol):
    """Compresses a stream piece by piece."""

    def compress(self, data: bytes | memoryview, /) -> bytes | memoryview:
        """Return the compressed bytes that are ready after ``data``; often none."""
        ...

    def flush(self) -> bytes:
        """Return the remaining bytes. The compressor cannot be used afterwards."""
        ...


@dataclass(frozen=True)
class Codec:
    """A compression of whole files."""

    name: str
    suffixes: tuple[str, ...]
    """Suffixes of compressed files, in lower case. Writers use the first."""
    magics: tuple[bytes, ...]
    """The magic numbers: a stream begins with one of them."""
    begins_well: Callable[[bytes], bool]
    """Whether these first bytes, which have a magic number, are also a valid beginning of a stream."""
    decoder: Callable[[Decoder, int], Decoder]
    """Returns a decoder that reads from a stream. The number is the maximum window in bytes."""
    compressor: Callable[[int], Compressor]
    """Returns a compressor of that level."""
    levels: range
    """The levels of the compressor."""
    default_level: int = 0
    largest_block: int = 160 * 1024
    """Number of stored bytes after which a stream always has content. By default it is that of zstd."""


class PlainCompressor:
    """A compressor that returns its input."""

    def compress(self, data: bytes | memoryview, /) -> bytes | memoryview:
        """Like ``Compressor.compress``."""
        return data

    def flush(self) -> bytes:
        """Like ``Compressor.flush``."""
        return b""


NONE = Codec(
    name="none",
    suffixes=(),
    magics=(),
    begins_well=lambda head: False,
    decoder=lambda source, max_window: source,
    compressor=lambda level: PlainCompressor(),
    levels=range(0),
)
