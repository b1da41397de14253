"""Codecs of blocks: compressed bytes in memory, as they are found inside files.

All decompressors are those of libraries: ``python-zstandard``, pyarrow and the standard library. This module limits
their output and reports damage by one kind of error.
"""

from __future__ import annotations

import bz2
import lzma
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import xxhash
import zstandard

from . import snappy_blocks
from .codec import MAX_WINDOW, CodecError, Decoder
from .snappy_blocks import arrow, damaged, too_large
from .zstd import ZstdDecoder
from .zstd_frames import frame_sizes

MAX_EXPANDED = 64 * 1024 * 1024
"""Default limit of the decompressed size of a block in bytes."""
PIECE = 1024 * 1024


@dataclass(frozen=True)
class BlockCodec:
    """A compression of blocks in memory."""

    name: str
    expand: Callable[[memoryview, int, int | None], bytes]
    """Decompresses a block. Parameters: its bytes, the limit of the decompressed size, and that size if it is known.
    May raise anything on damaged bytes."""
    compress: Callable[[bytes], bytes]
    needs_size: bool = False
    """Whether the decompressed size must be known."""

    def decompress(self, data: bytes | memoryview, limit: int, size: int | None = None) -> bytes:
        """Return the content of a block.

        ``limit``: maximum size of the content in bytes; ``size``: its size, if the format stores it elsewhere.
        Raises ``CodecError``, with the reason ``limit`` for content that is too large.
        """
        if size is not None and not 0 <= size <= limit:
            raise too_large(self.name, limit) if size > limit else damaged(self.name, f"a size of {size} bytes")
        try:
            # Arrow's buffers are of signed bytes.
            content = self.expand(memoryview(data).cast("B"), limit, size)
        except CodecError:
            raise
        except MemoryError as error:
            raise too_large(self.name, limit) from error
        except Exception as error:
            # Libraries raise errors of many kinds on damaged bytes.
            raise damaged(self.name, str(error)) from error
        if len(content) > limit:
            raise too_large(self.name, limit)
        if size is not None and len(content) != size:
            raise damaged(self.name, f"{len(content)} bytes where {size} must be")
        return content


# zstd ---------------------------------------------------------------------------------------------------------------

_local = threading.local()
"""Decompressors, one per thread, since threads cannot share them."""
LARGEST_BLOCK, LEAST_BLOCK = 128 * 1024, 4
"""Maximum decompressed size and minimum stored size of a block of a zstd frame, in bytes."""


def _zstd(data: memoryview, limit: int, size: int | None) -> bytes:
    if not data:
        raise damaged("zstd", "no frame")
    decompressor = getattr(_local, "zstd", None)
    if decompressor is None:
        decompressor = _local.zstd = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    try:
        claimed = zstandard.frame_content_size(data)
    except zstandard.ZstdError:
        claimed = 0
    room = min(limit, (len(data) // LEAST_BLOCK + 1) * LARGEST_BLOCK)
    if claimed < 0 and (sizes := frame_sizes(data)) is not None:
        # The decompressor allocates as much as it may return.
        room = min(room, sizes[1])
    if 0 < claimed <= room or claimed < 0:
        try:
            content: bytes = decompressor.decompress(data, max_output_size=room, allow_extra_data=False)
            return content
        except zstandard.ZstdError:
            # Several frames or damage; the decoder below tells which.
            pass
    return _drained(ZstdDecoder(_Stored(data), MAX_WINDOW), "zstd", limit)


class _Stored:
    """Bytes in memory as the source of a decoder."""

    room = 1

    def __init__(self, data: memoryview) -> None:
        self._left = data

    def readinto(self, buffer: memoryview, /) -> int:
        """Like ``Decoder.readinto``."""
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _drained(decoder: Decoder, name: str, limit: int) -> bytes:
    """Return all bytes of a decoder. Raises ``CodecError`` for more than ``limit``."""
    content, piece = bytearray(), memoryview(bytearray(max(decoder.room, LARGEST_BLOCK)))
    while count := decoder.readinto(piece):
        content += piece[:count]
        if len(content) > limit:
            raise too_large(name, limit)
    return bytes(content)


# The standard library -----------------------------------------------------------------------------------------------


def _inflate(name: str, window_bits: int) -> Callable[[memoryview, int, int | None], bytes]:
    """Return a function that decompresses one zlib stream; bytes after its end are ignored, as in Kaitai's
    ``process``."""

    def expand(data: memoryview, limit: int, size: int | None) -> bytes:
        stream = zlib.decompressobj(window_bits)
        content = stream.decompress(data, limit + 1)
        if not stream.eof and len(content) <= limit:
            raise damaged(name, "it ends too early")
        return content

    return expand


def _members(name: str, begin: Callable[[], Any], padding: bytes) -> Callable[[memoryview, int, int | None], bytes]:
    """Return a function that decompresses any number of streams in sequence, with ``padding`` between and after them.
    ``begin`` creates the decompressor of one stream."""

    def expand(data: memoryview, limit: int, size: int | None) -> bytes:
        content, left = bytearray(), bytes(data)
        while left or not content:
            stream = begin()
            content += stream.decompress(left, limit + 1 - len(content))
            if len(content) > limit:
                break
            if not stream.eof:
                raise damaged(name, "it ends too early")
            left = stream.unused_data.lstrip(padding) if padding else stream.unused_data
            if not left:
                break
        return bytes(content)

    return expand


def _deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


def _gzip(data: bytes) -> bytes:
    # No time in the header, so that equal input gives equal bytes.
    stream = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


# pyarrow ------------------------------------------------------------------------------------------------------------


def _lz4_frames(data: memoryview, limit: int, size: int | None) -> bytes:
    if not data:
        raise damaged("lz4", "no frame")
    pa = arrow()
    content = bytearray()
    with pa.CompressedInputStream(pa.BufferReader(pa.py_buffer(data)), "lz4") as stream:
        while piece := stream.read(min(PIECE, limit + 1 - len(content))):
            content += piece
            if len(content) > limit:
                break
    return bytes(content)


def _lz4_kafka(data: memoryview, limit: int, size: int | None) -> bytes:
    """Return a frame whose header's checksum may cover the magic number too, as in Kafka's messages of version 0."""
    end = 6 + 8 * bool(data[4] & 8) + 4 * bool(data[4] & 1) if len(data) > 4 else 0
    if 0 < end < len(data) and data[end] == xxhash.xxh32_intdigest(bytes(data[:end])) >> 8 & 0xFF:
        right = xxhash.xxh32_intdigest(bytes(data[4:end])) >> 8 & 0xFF
        data = memoryview(b"".join((data[:end], bytes((right,)), data[end + 1 :])))
    return _lz4_frames(data, limit, size)


def _lz4_block(data: memoryview, limit: int, size: int | None) -> bytes:
    if size is None:
        raise damaged("lz4-block", "its decompressed size is not known")
    if not size:
        if bytes(data) != b"\0":
            raise damaged("lz4-block", "it is not empty")
        return b""
    codec = arrow().Codec("lz4_raw")
    content: bytes = codec.decompress(data, size, asbytes=True)
    # pyarrow does not return the decompressed size: the size is right if a smaller one fails.
    try:
        codec.decompress(data, size - 1)
    except OSError:
        return content
    raise damaged("lz4-block", f"fewer than {size} bytes")


def _arrow(name: str) -> Callable[[bytes], bytes]:
    def compress(data: bytes) -> bytes:
        content: bytes = arrow().compress(data, name, asbytes=True)
        return content

    return compress


# The registry -------------------------------------------------------------------------------------------------------


def _xz() -> Any:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_WINDOW)


BLOCK_CODECS: dict[str, BlockCodec] = {
    each.name: each
    for each in (
        BlockCodec("none", lambda data, limit, size: bytes(data), bytes),
        BlockCodec("zstd", _zstd, lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data)),
        BlockCodec("gzip", _members("gzip", lambda: zlib.decompressobj(16 + zlib.MAX_WBITS), b"\0"), _gzip),
        BlockCodec("zlib", _inflate("zlib", zlib.MAX_WBITS), zlib.compress),
        BlockCodec("deflate", _inflate("deflate", -zlib.MAX_WBITS), _deflate),
        BlockCodec("lz4", _lz4_frames, _arrow("lz4")),
        BlockCodec("lz4-kafka", _lz4_kafka, _arrow("lz4")),
        BlockCodec("lz4-block", _lz4_block, _arrow("lz4_raw"), needs_size=True),
        BlockCodec("snappy", snappy_blocks.expand, _arrow("snappy")),
        BlockCodec("snappy-crc32", snappy_blocks.expand_checked, snappy_blocks.checked),
        BlockCodec("snappy-framed", snappy_blocks.expand_framed, snappy_blocks.framed),
        BlockCodec("snappy-xerial", snappy_blocks.expand_xerial, snappy_blocks.xerial),
        BlockCodec("bzip2", _members("bzip2", bz2.BZ2Decompressor, b""), bz2.compress),
        BlockCodec("xz", _members("xz", _xz, b"\0"), lzma.compress),
    )
}
"""All codecs of blocks by name."""


def expand_block(
    codecs: tuple[str, ...], chosen: int, data: bytes | memoryview, limit: int, size: int | None = None
) -> bytes:
    """Return the content of a block that is compressed with the codec whose number in ``codecs`` is ``chosen``.

    ``limit`` and ``size``: as in ``BlockCodec.decompress``. Raises ``CodecError``, also if no codec has that number.
    """
    if not 0 <= chosen < len(codecs):
        raise CodecError(f"no codec has this value, expected {' or '.join(codecs)}")
    return BLOCK_CODECS[codecs[chosen]].decompress(data, limit, size)
