"""The codec of files that are not compressed."""

from __future__ import annotations

from .codec import Codec


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
    has_magic=lambda head: False,
    begins_well=lambda head: False,
    decoder=lambda source, max_window: source,
    compressor=lambda level: PlainCompressor(),
    levels=range(0),
)
