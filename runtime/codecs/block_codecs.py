"""Codecs of blocks: compressed bytes in memory, as they are found inside files.

The decompressors are those of libraries, ``python-zstandard``, pyarrow and the standard library, and the engine's of
Snappy and S2. This module limits their output and reports damage by one kind of error.
"""

from __future__ import annotations

import bz2
import lzma
import re
import threading
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import zstandard

from ..base.dataclass import dataclass
from ..checksums import algorithm, function
from . import snappy_blocks
from .codec import MAX_WINDOW, CodecError, Decoder
from .snappy_blocks import arrow, damaged, too_large
from .zstd import ZstdDecoder
from .zstd_frames import frame_sizes

MAX_EXPANDED = 64 * 1024 * 1024
"""Default limit of the decompressed size of a block in bytes."""
PIECE = 1024 * 1024
FIRST_PIECE = 1024
WHOLE = 1 << 62
ADLER = 4
"""Size in bytes of the checksum of zlib's streams."""
LEADING_ZEROS = re.compile(rb"\0*")


@dataclass(frozen=True)
class BlockCodec:
    """A compression of blocks in memory."""

    name: str
    expand: Callable[[memoryview, int, int | None], tuple[bytes, int]]
    """Decompresses the stream at the beginning of a block, or several if a library does so by itself. Parameters: the
    bytes, the limit of the decompressed size, and that size if it is known. Returns the content, and the number of
    bytes of the stream. May raise anything on damaged bytes."""
    compress: Callable[[bytes], bytes]
    needs_size: bool = False
    """Whether the decompressed size must be known."""
    least_size: bool = False
    """Whether that is the least size: the content may be larger."""
    concatenated: bool = False
    """Whether a block may consist of several streams (frames, members), whose contents belong together. Without this,
    bytes after the first stream are damage."""
    padding: int = 0
    """Zero bytes may follow each stream, in a multiple of this number; none, if it is 0."""
    empty: bool = False
    """Whether a block of no bytes is one of no streams, whose content is empty. Without this, it is damage."""

    def decompress(self, data: bytes | memoryview, limit: int, size: int | None = None) -> bytes:
        """Return the content of a block: of all its streams.

        ``limit``: maximum size of the content in bytes; ``size``: its size, if the format stores it elsewhere.
        Raises ``CodecError``, with the reason ``limit`` for content that is too large.
        """
        if size is not None and not 0 <= size <= limit:
            raise too_large(self.name, limit) if size > limit else damaged(self.name, f"a size of {size} bytes")
        # Arrow's buffers are of signed bytes.
        left = memoryview(data).cast("B")
        content = b""
        if left or not self.empty:
            content, end = self.first(left, limit, size)
            left = left[end:]
        if left:
            content = self._with_the_rest(content, left, limit)
        if size is not None and not self.fits(content, size):
            raise damaged(self.name, f"{len(content)} bytes where {size} must be")
        return content

    def fits(self, content: bytes, size: int) -> bool:
        """Return whether content has the size that the format stores elsewhere."""
        return len(content) == size or (self.least_size and len(content) > size)

    def first(self, data: bytes | memoryview, limit: int, size: int | None = None) -> tuple[bytes, int]:
        """Return the content of the first stream of a block, and the number of bytes of that stream.

        ``limit``, ``size`` and errors: as of ``decompress``.
        """
        try:
            content, end = self.expand(memoryview(data), limit, size)
        except CodecError:
            raise
        except MemoryError as error:
            raise too_large(self.name, limit) from error
        except Exception as error:
            # Libraries raise errors of many kinds on damaged bytes.
            raise damaged(self.name, str(error)) from error
        if len(content) > limit:
            raise too_large(self.name, limit)
        return content, end

    def _with_the_rest(self, content: bytes, left: memoryview, limit: int) -> bytes:
        """Return the content of the first stream and of those in ``left``, the bytes after it."""
        contents = bytearray(content)
        while left := left[self._padded(left) :]:
            if not self.concatenated:
                raise damaged(self.name, f"{len(left)} bytes follow its end")
            try:
                content, end = self.first(left, limit - len(contents))
            except CodecError as error:
                message = f"{error.message}, in the last {len(left)} bytes, which follow another stream"
                raise CodecError(message, reason=error.reason) from error
            contents += content
            left = left[end:]
        return bytes(contents)

    def _padded(self, data: memoryview) -> int:
        """Return the number of bytes of padding at the beginning of ``data``."""
        zeros = LEADING_ZEROS.match(data) if self.padding else None
        if zeros is None:
            return 0
        count = zeros.end()
        if count % self.padding:
            raise damaged(self.name, f"{count} zero bytes follow a stream, which is not a multiple of {self.padding}")
        return count


# zstd ---------------------------------------------------------------------------------------------------------------

_local = threading.local()
"""Decompressors, one per thread, since threads cannot share them."""


def _zstd(data: memoryview, limit: int, size: int | None) -> tuple[bytes, int]:
    end, most = frame_sizes(data) or (0, 0)
    # One frame, as almost always. Of a frame that states no size, the library's function does not notice bytes after
    # the end. It allocates as much as it may return, which is what a frame states.
    if end == len(data) and (0 < most <= limit or zstandard.frame_content_size(data) < 0):
        decompressor = getattr(_local, "zstd", None)
        if decompressor is None:
            decompressor = _local.zstd = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
        try:
            return decompressor.decompress(data, max_output_size=min(most, limit)), end
        except zstandard.ZstdError:
            # Damage, or more than the limit; the decoder below tells which.
            pass
    return _drained(ZstdDecoder(_Stored(data), MAX_WINDOW), "zstd", limit), len(data)


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
    content, piece = bytearray(), memoryview(bytearray(decoder.room))
    while count := decoder.readinto(piece):
        content += piece[:count]
        if len(content) > limit:
            raise too_large(name, limit)
    return bytes(content)


# The standard library -----------------------------------------------------------------------------------------------


def _stream(
    name: str, begin: Callable[[], Any], first_piece: int = FIRST_PIECE
) -> Callable[[memoryview, int, int | None], tuple[bytes, int]]:
    """Return a function that decompresses one stream.

    Args:
        name: The name of the codec.
        begin: Creates its decompressor.
        first_piece: The number of bytes that are passed to it first.
    """

    def expand(data: memoryview, limit: int, size: int | None) -> tuple[bytes, int]:
        stream, parts, left = begin(), [], limit + 1
        # A decompressor copies the bytes after its stream. Pieces that become larger keep that in proportion to what is
        # decompressed, if there are many small streams.
        position, piece = 0, first_piece
        while not stream.eof and left > 0:
            if position == len(data):
                raise damaged(name, "it ends too early")
            step = data[position : position + piece]
            parts.append(stream.decompress(step, left))
            left -= len(parts[-1])
            position += len(step)
            piece *= 4
        return b"".join(parts), position - len(stream.unused_data)

    return expand


_inflated = _stream("deflate", lambda: zlib.decompressobj(-zlib.MAX_WBITS), WHOLE)


def _inflate(data: memoryview, limit: int, size: int | None) -> tuple[bytes, int]:
    """Decompress a stream of deflate. Avro's writers in Python cut it out of one of zlib, and leave three bytes of the
    Adler-32 of its content after it."""
    content, end = _inflated(data, limit, size)
    rest = bytes(data[end : end + ADLER + 1])
    cut = len(rest) in (ADLER - 1, ADLER) and zlib.adler32(content).to_bytes(ADLER, "big").startswith(rest)
    return content, len(data) if cut else end


def _deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


def _gzip(data: bytes) -> bytes:
    # No time in the header, so that equal input gives equal bytes.
    stream = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


# pyarrow ------------------------------------------------------------------------------------------------------------


def _lz4_frames(data: memoryview, limit: int, size: int | None) -> tuple[bytes, int]:
    if not data:
        raise damaged("lz4", "no frame")
    pa = arrow()
    content = bytearray()
    with pa.CompressedInputStream(pa.BufferReader(pa.py_buffer(data)), "lz4") as stream:
        while piece := stream.read(min(PIECE, limit + 1 - len(content))):
            content += piece
            if len(content) > limit:
                break
    return bytes(content), len(data)


def _lz4_kafka(data: memoryview, limit: int, size: int | None) -> tuple[bytes, int]:
    """Return a frame whose header's checksum may cover the magic number too, as in Kafka's messages of version 0."""
    end = 6 + 8 * bool(data[4] & 8) + 4 * bool(data[4] & 1) if len(data) > 4 else 0
    xxh32 = function(algorithm("xxh32"))
    if 0 < end < len(data) and data[end] == xxh32(data[:end]) >> 8 & 0xFF:
        right = xxh32(data[4:end]) >> 8 & 0xFF
        data = memoryview(b"".join((data[:end], bytes((right,)), data[end + 1 :])))
    return _lz4_frames(data, limit, size)


def _lz4_block(data: memoryview, limit: int, size: int | None) -> tuple[bytes, int]:
    if size is None:
        raise damaged("lz4-block", "its decompressed size is not known")
    if not size:
        if bytes(data) != b"\0":
            raise damaged("lz4-block", "it is not empty")
        return b"", len(data)
    codec = arrow().Codec("lz4_raw")
    content: bytes = codec.decompress(data, size, asbytes=True)
    # pyarrow does not return the decompressed size: the size is right if a smaller one fails.
    try:
        codec.decompress(data, size - 1)
    except OSError:
        return content, len(data)
    raise damaged("lz4-block", f"fewer than {size} bytes")


def _arrow(name: str) -> Callable[[bytes], bytes]:
    def compress(data: bytes) -> bytes:
        content: bytes = arrow().compress(data, name, asbytes=True)
        return content

    return compress


def _without_zeros(data: bytes) -> bytes:
    """Return bytes without the zeros at their end; the first byte remains."""
    return data[:1] + data[1:].rstrip(b"\0")


# The registry -------------------------------------------------------------------------------------------------------


def _xz() -> Any:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_WINDOW)


def _whole(
    expand: Callable[[memoryview, int, int | None], bytes],
) -> Callable[[memoryview, int, int | None], tuple[bytes, int]]:
    """Return a function that decompresses a block as a whole."""
    return lambda data, limit, size: (expand(data, limit, size), len(data))


def _framed(name: str) -> BlockCodec:
    expand = _whole(snappy_blocks.expand_framed(name))
    return BlockCodec(name, expand, snappy_blocks.framed(name), concatenated=True)


BLOCK_CODECS: dict[str, BlockCodec] = {
    each.name: each
    for each in (
        BlockCodec("none", lambda data, limit, size: (bytes(data), len(data)), bytes, empty=True),
        BlockCodec(
            "zstd",
            _zstd,
            lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
            concatenated=True,
            empty=True,
        ),
        BlockCodec(
            "gzip",
            _stream("gzip", lambda: zlib.decompressobj(16 + zlib.MAX_WBITS)),
            _gzip,
            concatenated=True,
            padding=1,
        ),
        BlockCodec("zlib", _stream("zlib", zlib.decompressobj, WHOLE), zlib.compress),
        BlockCodec("deflate", _inflate, _deflate, empty=True),
        BlockCodec("lz4", _lz4_frames, _arrow("lz4"), concatenated=True),
        BlockCodec("lz4-kafka", _lz4_kafka, _arrow("lz4"), concatenated=True),
        BlockCodec("lz4-block", _lz4_block, _arrow("lz4_raw"), needs_size=True),
        BlockCodec("snappy", _whole(snappy_blocks.expand), _arrow("snappy")),
        BlockCodec("snappy-crc32", _whole(snappy_blocks.expand_checked), snappy_blocks.checked),
        _framed("snappy-framed"),
        BlockCodec("snappy-xerial", _whole(snappy_blocks.expand_xerial), snappy_blocks.xerial, concatenated=True),
        _framed("s2"),
        BlockCodec("s2-block", _whole(snappy_blocks.expand_s2), _arrow("snappy")),
        BlockCodec("bzip2", _stream("bzip2", bz2.BZ2Decompressor), bz2.compress, concatenated=True, empty=True),
        BlockCodec("xz", _stream("xz", _xz), lzma.compress, concatenated=True, padding=4),
        BlockCodec(
            "zero-trimmed",
            _whole(lambda data, limit, size: bytes(data).ljust(size or 0, b"\0")),
            _without_zeros,
            needs_size=True,
            least_size=True,
        ),
    )
}
"""All codecs of blocks by name, each with what its specification, or the readers of formats that use it, accept after
the end of a stream."""


def unsupported(met: int | str | bytes | None, codecs: Iterable[str]) -> CodecError:
    """Return the error for a block of another codec than these. ``met``: the number or name of the codec in the input,
    if known. No package adds a codec: all of them are part of wireloom.

    >>> unsupported(9, ("none", "zstd")).message
    'the codec 9 is not supported, expected none or zstd'
    """
    # Names of any length are data of the input.
    shown = "" if met is None else f" {met if isinstance(met, int) else repr(met[:40])}"
    return CodecError(f"the codec{shown} is not supported, expected {' or '.join(codecs)}", reason="unsupported")


def expand_block(
    codecs: tuple[str, ...],
    chosen: int,
    data: bytes | memoryview,
    limit: int,
    size: int | None = None,
    met: int | str | bytes | None = None,
) -> bytes:
    """Return the content of a block that is compressed with the codec whose number in ``codecs`` is ``chosen``.

    ``limit`` and ``size``: as in ``BlockCodec.decompress``; ``met``: as of ``unsupported``. Raises ``CodecError``, with
    the reason ``unsupported`` if no codec has that number.
    """
    if not 0 <= chosen < len(codecs):
        raise unsupported(met, codecs)
    return BLOCK_CODECS[codecs[chosen]].decompress(data, limit, size)
