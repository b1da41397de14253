"""Frames of LZ4 by the package ``lz4``, one after the other, also skippable ones. Each block is given to the
decompressor by itself, so that damage in it costs nothing before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.extras import require
from .codec import Codec, CodecError, Compressor, Decoder
from .parts import Cursor, PartsDecoder
from .zstd_frames import SKIPPABLE_MAGICS, after_skippable

MAGIC = b"\x04\x22\x4d\x18"
MAGICS = (MAGIC, *sorted(SKIPPABLE_MAGICS))
VERSION = 0x40
"""The version in the two highest bits of a frame's flags."""
BLOCK_SUMS, CONTENT_SIZE, CONTENT_SUM, DICTIONARY = 0x10, 0x08, 0x04, 0x01
SUM = 4
"""Size in bytes of a checksum."""
LARGEST = 4 * 1024 * 1024
"""Maximum size in bytes of a block."""
STORED = 0x80000000
"""Set in the size of a block that is not compressed."""


def _begins_well(head: bytes) -> bool:
    """Return whether the first frame that is not skippable has a header of this version."""
    head = after_skippable(head)
    return head[:4] == MAGIC and _is_known(head)


def _is_known(head: bytes) -> bool:
    return len(head) > 5 and head[4] & 0xC2 == VERSION and not head[5] & 0x8F and head[5] >= 0x40


def _frame(cursor: Cursor) -> Iterator[bytes]:
    import lz4.frame

    cursor.need(7, "a frame's header")
    flags, largest = cursor.look(6)[4:]
    if flags & DICTIONARY:
        raise CodecError("the lz4 stream needs a dictionary, which wireloom does not support")
    if not _is_known(cursor.look(6)):
        raise cursor.damaged("frame header", "a version or a flag that is not known")
    size = 7 + (8 if flags & CONTENT_SIZE else 0)
    cursor.need(size, "a frame's header")
    decompressor = lz4.frame.LZ4FrameDecompressor()
    _given(cursor, decompressor, size, "frame header")
    most, check = 1 << 2 * (largest >> 4) + 8, SUM if flags & BLOCK_SUMS else 0
    while True:
        cursor.need(4, "a frame, at a block or its end")
        word = int.from_bytes(cursor.look(4), "little")
        if not word:
            break
        size = word & ~STORED
        if size > most:
            raise cursor.damaged("block", f"{size} bytes, where at most {most} can be")
        is_whole = cursor.have(4 + size + check)
        yield _given(cursor, decompressor, 4 + size + check, "block", most)
        if not is_whole:
            raise cursor.early("a block")
    _given(cursor, decompressor, 4, "end of a frame")
    if flags & CONTENT_SUM:
        cursor.need(SUM, "a content checksum")
        _given(cursor, decompressor, SUM, "content checksum")


def _given(cursor: Cursor, decompressor: Any, size: int, part: str, most: int = 0) -> bytes:
    """Give the next ``size`` bytes to the decompressor and return what it makes of them, at most ``most`` bytes.

    Without that number, it would keep some of it back.
    """
    data = cursor.take(size)
    try:
        found: bytes = decompressor.decompress(data, max_length=most + 1)
    except RuntimeError as error:
        raise cursor.damaged(part, str(error).rpartition("ERROR_")[2], len(data)) from None
    return found


def _contents(cursor: Cursor) -> Iterator[bytes]:
    while cursor.have(1):
        if cursor.begins(MAGICS, "a frame") == MAGIC:
            yield from _frame(cursor)
        else:
            cursor.need(8, "a skippable frame")
            cursor.skip(int.from_bytes(cursor.take(8)[4:], "little"), "a skippable frame")


def _decoder(source: Decoder, max_window: int) -> Decoder:
    require("lz4", "lz4", "the codec lz4")
    return PartsDecoder(_contents(Cursor(source, "lz4")))


class _Lz4Compressor:
    """Compresses to one frame, with checksums of its blocks and its content."""

    def __init__(self, level: int) -> None:
        require("lz4", "lz4", "the codec lz4")
        import lz4.frame

        self._frame = lz4.frame.LZ4FrameCompressor(
            compression_level=level,
            block_size=lz4.frame.BLOCKSIZE_MAX256KB,
            block_linked=False,
            block_checksum=True,
            content_checksum=True,
        )
        self._begin: bytes = self._frame.begin()

    def compress(self, data: bytes | memoryview, /) -> bytes:
        """Like ``Compressor.compress``."""
        begin, self._begin = self._begin, b""
        return begin + bytes(self._frame.compress(data))

    def flush(self) -> bytes:
        """Like ``Compressor.flush``."""
        return self._begin + bytes(self._frame.flush())


def _compressor(level: int) -> Compressor:
    return _Lz4Compressor(level)


LZ4 = Codec(
    name="lz4",
    suffixes=(".lz4",),
    magics=MAGICS,
    begins_well=_begins_well,
    decoder=_decoder,
    compressor=_compressor,
    levels=range(1, 13),
    default_level=1,
    largest_block=LARGEST + 1024,
)
