"""zstd by ``python-zstandard``, which distinguishes damage from a truncated stream."""

from __future__ import annotations

from typing import Any, cast

import zstandard

from .codec import Codec, CodecError, Compressor, Decoder
from .zstd_frames import COMPRESSED, MAGIC, MAX_BLOCK, SKIPPABLE_MAGICS, Walker, after_skippable

RESERVED = 0x08
"""The bit of a frame header's descriptor that must be zero."""


def begins_well(head: bytes) -> bool:
    """Return whether the stream begins with a valid frame header and a valid block header, as far as these bytes go,
    after frames that are skipped.

    The block's content is not examined: a damaged stream is a zstd stream too.
    """
    head = after_skippable(head)
    if head[:4] != MAGIC:
        # Frames of lz4 can be skipped too.
        return not head
    try:
        size = zstandard.frame_header_size(head)
        zstandard.get_frame_parameters(head)
    except zstandard.ZstdError:
        return False
    if head[4] & RESERVED:
        return False
    word = int.from_bytes(head[size : size + 3], "little")
    return word >> 1 & 3 <= COMPRESSED and word >> 3 <= MAX_BLOCK


class ZstdDecoder:
    """A decoder of any number of frames, including skippable ones."""

    room = MAX_BLOCK
    """With a smaller buffer, part of a block would stay in the decompressor, and be lost if the next part is
    damaged."""

    def __init__(self, source: Decoder, max_window: int) -> None:
        self._walker = Walker(source, max_window)
        # The walker enforces any limit on frames; the decompressor only accepts certain limits.
        limit = min(max(max_window, 1 << zstandard.WINDOWLOG_MIN), 1 << zstandard.WINDOWLOG_MAX)
        # One part is given per read, and readinto1 returns as soon as a read has produced output. So if a part is
        # damaged, all output before it has already been returned.
        self._reader = zstandard.ZstdDecompressor(max_window_size=limit).stream_reader(
            cast(Any, self._walker), read_across_frames=True
        )

    def readinto(self, buffer: memoryview, /) -> int:
        """Like ``Decoder.readinto``."""
        try:
            count: int = self._reader.readinto1(buffer)
        except zstandard.ZstdError as error:
            raise self._explained(error) from error
        return count

    def _explained(self, error: zstandard.ZstdError) -> CodecError:
        walker = self._walker
        if walker.part == "checksum":
            return CodecError("the zstd content checksum does not match")
        detail = str(error).rpartition(": ")[2]
        return CodecError(f"the zstd {walker.part} at compressed byte {walker.offset} is damaged ({detail})")


def _compressor(level: int) -> Compressor:
    return zstandard.ZstdCompressor(level=level, write_checksum=True).compressobj()


ZSTD = Codec(
    name="zstd",
    suffixes=(".zst", ".zstd"),
    magics=(MAGIC, *SKIPPABLE_MAGICS),
    begins_well=begins_well,
    decoder=ZstdDecoder,
    compressor=_compressor,
    levels=range(1, zstandard.MAX_COMPRESSION_LEVEL + 1),
    default_level=3,
)
