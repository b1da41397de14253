"""Compression of the bodies of frames: zstd and gzip, bounded by what a frame may hold, in either direction."""

from __future__ import annotations

import threading
import zlib
from typing import Literal, get_args

import zstandard

from ..base.errors import WireloomError
from ..base.nearest import unknown
from ..codecs.zstd_frames import MAGIC, SKIPPABLE_MAGICS

Compression = Literal["none", "zstd", "gzip"]
"""The compressions, in the order of their numbers in a frame's flag byte."""
COMPRESSIONS: tuple[Compression, ...] = get_args(Compression)

MAX_CONTENT = 2 * 1024 * 1024 - 1
"""Most bytes of a body, as it is in a frame as well as decompressed: a frame's limit without its flag byte."""
THRESHOLD = 1024
"""A writer compresses messages of this size and larger ones, also where that makes them larger."""
LEVEL = 3
GZIP = 31
"""zlib's number for a gzip header and trailer around the largest window."""
USUAL_WINDOW = 8 * 1024 * 1024
"""The window that RFC 8878 asks every decoder to support."""
SMALL_BODY = 16 * 1024
"""Up to this stored size it is quicker to decompress to new memory, and to copy that."""
LARGEST_HEADER = 18
"""Bytes of the largest header of a zstd frame, its magic number counted."""

_own = threading.local()
"""Decompressors of a thread: they are not to be shared, and making one costs more than a small body."""


class BodyError(WireloomError):
    """A body that cannot be decompressed within the limit. ``reason``: ``codec`` or ``limit``."""


def checked(compression: str) -> Compression:
    """``compression``, if there is such a one. Raises ``UnknownNameError``."""
    for each in COMPRESSIONS:
        if each == compression:
            return each
    raise unknown("compression", compression, COMPRESSIONS)


def compress(message: bytes, compression: Compression) -> bytes:
    """Return the message compressed, whatever its size.

    >>> decompress(compress(b"message", "gzip"), "gzip")
    b'message'
    """
    if compression == "zstd":
        return zstandard.ZstdCompressor(level=LEVEL).compress(message)
    if compression == "gzip":
        # gzip.compress would write the time of day.
        member = zlib.compressobj(6, zlib.DEFLATED, GZIP)
        return member.compress(message) + member.flush()
    return message


def decompress(body: bytes | memoryview, compression: Compression) -> bytes:
    """Return the content of a body of at most ``MAX_CONTENT`` bytes. Raises ``BodyError`` if it is damaged, ends
    early, or has more; never more than one byte beyond that is produced. Other threads run meanwhile."""
    if compression == "zstd":
        return _unzstd(body)
    if compression == "gzip":
        return _gunzip(body)
    return bytes(body)


def decompress_into(body: memoryview, compression: Compression, target: memoryview) -> int:
    """Like ``decompress``, to the beginning of ``target``, which has room for one byte more than the largest content;
    gives the content's size. What is after it in ``target`` is not told."""
    if compression == "zstd" and len(body) > SMALL_BODY:
        return _unzstd_into(body, target)
    content = body if compression == "none" else decompress(body, compression)
    target[: len(content)] = content
    return len(content)


def _gunzip(body: bytes | memoryview) -> bytes:
    # The first member is all: what follows it is ignored, as by Rust's GzDecoder.
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
    """One frame, as every writer makes it. Whatever else there is, and why one does not hold, is found out apart."""
    try:
        declared = zstandard.frame_content_size(body)
        # -1: not said. A declared size is allocated at once, so it is believed only within the limit.
        # Of a frame without one, the decompressor does not notice what follows.
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
        # The window stays in memory with the context: a larger one gets a context for itself.
        context = _own.context = zstandard.ZstdDecompressor(max_window_size=USUAL_WINDOW)
    return context


def _unzstd_into(body: memoryview, target: memoryview) -> int:
    """Decompress any number of frames, at least one, back to back, with skippable ones between them."""
    # The decompressor does not say whether a frame was there to its end.
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
    """Return the size of the zstd frame at ``position`` in bytes (RFC 8878, 3.1), all of which are there, and its
    window."""
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
        # A block of one repeated byte holds that byte alone.
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
