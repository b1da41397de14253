"""Compression of the bodies of frames with zstd and gzip, within the size limit of a frame in both directions."""

from __future__ import annotations

import threading
import zlib
from typing import Literal, get_args

import zstandard

from ..base.errors import WireloomError
from ..base.text import unknown
from ..codecs.zstd_frames import MAGIC, SKIPPABLE_MAGICS

Compression = Literal["none", "zstd", "gzip"]
"""The compressions, in the order of their numbers in a frame's flag byte."""
COMPRESSIONS: tuple[Compression, ...] = get_args(Compression)

MAX_CONTENT = 2 * 1024 * 1024 - 1
"""Maximum size in bytes of a body, both stored and decompressed: the limit of a frame without its flag byte."""
THRESHOLD = 1024
"""Minimum size in bytes of messages that writers compress, even if that makes them larger."""
LEVEL = 3
GZIP = 31
"""zlib's ``wbits`` for a gzip header and trailer with the largest window."""
USUAL_WINDOW = 8 * 1024 * 1024
"""The window size in bytes that RFC 8878 recommends every decoder to support."""
SMALL_BODY = 16 * 1024
"""Maximum stored size in bytes for which decompressing to new memory and copying the result is faster."""
LARGEST_HEADER = 18
"""Maximum size in bytes of the header of a zstd frame, including its magic number."""

_own = threading.local()
"""Decompressors of a thread: they must not be shared, and creating one costs more than a small body."""


class BodyError(WireloomError):
    """A body that cannot be decompressed within the limit. ``reason``: ``codec`` or ``limit``."""


def checked(compression: str) -> Compression:
    """Return ``compression`` if it is valid. Raises ``UnknownNameError``."""
    for each in COMPRESSIONS:
        if each == compression:
            return each
    raise unknown("compression", compression, COMPRESSIONS)


def compress(message: bytes, compression: Compression) -> bytes:
    """Return the compressed message, whatever its size.

    >>> decompress(compress(b"message", "gzip"), "gzip")
    b'message'
    """
    if compression == "zstd":
        return zstandard.ZstdCompressor(level=LEVEL).compress(message)
    if compression == "gzip":
        # gzip.compress would store the current time.
        member = zlib.compressobj(6, zlib.DEFLATED, GZIP)
        return member.compress(message) + member.flush()
    return message


def decompress(body: bytes | memoryview, compression: Compression) -> bytes:
    """Return the decompressed body, of at most ``MAX_CONTENT`` bytes. Raises ``BodyError`` if the body is damaged,
    truncated or decompresses to more; never more than one byte beyond the limit is produced. Releases the GIL."""
    if compression == "zstd":
        return _unzstd(body)
    if compression == "gzip":
        return _gunzip(body)
    return bytes(body)


def decompress_into(body: memoryview, compression: Compression, target: memoryview) -> int:
    """Decompress to the beginning of ``target``, which has room for one byte more than the limit, like ``decompress``;
    return the size of the content. The rest of ``target`` is undefined."""
    if compression == "zstd" and len(body) > SMALL_BODY:
        return _unzstd_into(body, target)
    content = body if compression == "none" else decompress(body, compression)
    target[: len(content)] = content
    return len(content)


def _gunzip(body: bytes | memoryview) -> bytes:
    # Only the first member counts: data after it is ignored, as by Rust's GzDecoder.
    member = zlib.decompressobj(GZIP)
    try:
        content = member.decompress(body, MAX_CONTENT + 1)
    except zlib.error as error:
        raise BodyError(f"the gzip body is damaged ({_detail(error)})", reason="codec") from error
    if len(content) > MAX_CONTENT:
        raise _too_much()
    if not member.eof:
        raise BodyError("the gzip body ends early", reason="codec")
    return content


def _unzstd(body: bytes | memoryview) -> bytes:
    """Decompress a single frame, as every writer produces it. Everything else, including invalid bodies, is handled by
    ``_unzstd_into``."""
    try:
        declared = zstandard.frame_content_size(body)
        # -1: not declared. A declared size is allocated at once, so it is accepted only within the limit.
        # For a frame without one, the decompressor does not detect data after it.
        if 0 < declared <= MAX_CONTENT or (declared == -1 and _zstd_extent(memoryview(body), 0)[0] == len(body)):
            return _zstd_context().decompress(body, max_output_size=MAX_CONTENT, allow_extra_data=False)
    except (zstandard.ZstdError, BodyError):
        pass
    content = bytearray(MAX_CONTENT + 1)
    size = _unzstd_into(memoryview(body), memoryview(content))
    return bytes(memoryview(content)[:size])


def _zstd_context() -> zstandard.ZstdDecompressor:
    context: zstandard.ZstdDecompressor | None = getattr(_own, "context", None)
    if context is None:
        # The window's memory is kept with the context, so a larger window gets a context of its own.
        context = _own.context = zstandard.ZstdDecompressor(max_window_size=USUAL_WINDOW)
    return context


def _unzstd_into(body: memoryview, target: memoryview) -> int:
    """Decompress one or more consecutive frames, with skippable frames between them; return the size of the content."""
    # The decompressor does not report whether a frame was complete.
    position, window = _zstd_extent(body, 0)
    while position < len(body):
        size, other = _zstd_extent(body, position)
        position, window = position + size, max(window, other)
    context = _zstd_context() if window <= USUAL_WINDOW else zstandard.ZstdDecompressor()
    with context.stream_reader(body, read_across_frames=True) as reader:
        try:
            size = reader.readinto(target[: MAX_CONTENT + 1])
        except zstandard.ZstdError as error:
            raise BodyError(f"the zstd body is damaged ({_detail(error)})", reason="codec") from error
    if size > MAX_CONTENT:
        raise _too_much()
    return size


def _zstd_extent(body: memoryview, position: int) -> tuple[int, int]:
    """Return the size in bytes of the complete zstd frame at ``position`` (RFC 8878, 3.1), and its window size."""
    rest = body[position:]
    if bytes(rest[:4]) in SKIPPABLE_MAGICS:
        size = 8 + int.from_bytes(rest[4:8], "little")
        if len(rest) < 8 or len(rest) < size:
            raise _early()
        return size, 0
    try:
        header = zstandard.get_frame_parameters(rest[:LARGEST_HEADER])
        at = zstandard.frame_header_size(rest[:LARGEST_HEADER])
    except zstandard.ZstdError as error:
        if _may_go_on(rest):
            raise _early() from error
        raise BodyError(f"the zstd body is damaged ({_detail(error)})", reason="codec") from error
    if MAX_CONTENT < header.content_size < zstandard.CONTENTSIZE_ERROR:
        raise _too_much()
    last = False
    while not last:
        if len(rest) < at + 3:
            raise _early()
        word = int.from_bytes(rest[at : at + 3], "little")
        last, kind, size = bool(word & 1), word >> 1 & 3, word >> 3
        # A block of one repeated byte stores only that byte.
        at += 3 + (1 if kind == 1 else size)
    at += 4 if header.has_checksum else 0
    if len(rest) < at:
        raise _early()
    return at, header.window_size


def _may_go_on(rest: memoryview) -> bool:
    """Return whether the bytes are the beginning of a frame's header."""
    head = bytes(rest[:4])
    if len(head) < 4:
        return any(each.startswith(head) for each in (MAGIC, *SKIPPABLE_MAGICS))
    return head == MAGIC and len(rest) < LARGEST_HEADER


def _early() -> BodyError:
    return BodyError("the zstd body ends early", reason="codec")


def _too_much() -> BodyError:
    return BodyError(f"the body decompresses to more than {MAX_CONTENT} bytes", reason="limit")


def _detail(error: Exception) -> str:
    return str(error).rpartition(": ")[2]
