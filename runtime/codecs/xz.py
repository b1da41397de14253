"""xz by ``lzma``: streams back to back, with padding between and after them.

The container is divided into its parts, which are given to the decompressor one by one: it discards what it has made of
a call in which it finds damage. Within a chunk of LZMA, a call has a few hundred bytes. What these give is lost, but
such damage is noticed only after many wrong bytes. A checksum is a part of its own.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator

from .codec import Codec, CodecError, Compressor, Decoder
from .parts import Cursor, PartsDecoder

MAGIC = b"\xfd7zXZ\0"
HEADER = 12
STEP = 512
"""Maximum number of bytes per call of the decompressor."""
CHECKS = (0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64)
"""Sizes in bytes of the check after a block, by its number."""
STATE = 512 * 1024
"""Memory in bytes that the decompressor needs apart from its dictionary."""
LZMA_CHUNK, WITH_PROPERTIES = 0x80, 0xC0
"""From which number on a chunk is compressed, and has a byte of properties."""


class _XzStream:
    """One stream of xz."""

    def __init__(self, cursor: Cursor, max_window: int) -> None:
        self._cursor = cursor
        self._max_window = max_window
        self._decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=max_window + STATE)

    def contents(self) -> Iterator[bytes]:
        """Yield the content."""
        cursor = self._cursor
        cursor.need(HEADER, "a stream's header")
        check = CHECKS[cursor.look(HEADER)[7] & 0xF]
        self._given(HEADER, "stream header")
        while True:
            cursor.need(1, "a stream, at a block or the index")
            size = cursor.look(1)[0]
            if not size:
                break
            cursor.need(4 * size + 4, "a block's header")
            self._given(4 * size + 4, "block header")
            yield from self._block(check)
        while not self._decompressor.eof:
            cursor.need(1, "the index or the footer of a stream")
            self._given(STEP, "index")
        cursor.give_back(len(self._decompressor.unused_data))

    def _block(self, check: int) -> Iterator[bytes]:
        cursor = self._cursor
        begin = cursor.position
        while True:
            cursor.need(1, "a block")
            kind = cursor.look(1)[0]
            head = 1 if not kind else 3 if kind < LZMA_CHUNK else 5 + (kind >= WITH_PROPERTIES)
            cursor.need(head, "the header of a chunk")
            size = int.from_bytes(cursor.look(head)[head - 2 - (kind >= WITH_PROPERTIES) :][:2], "big") + 1
            yield self._given(head, "chunk")
            if not kind:
                break
            while size:
                cursor.need(1, "a chunk")
                begin_of_step = cursor.position
                yield self._given(min(size, STEP), "chunk")
                size -= cursor.position - begin_of_step
        rest = -(cursor.position - begin) % 4 + check
        cursor.need(rest, "the check of a block")
        yield self._given(rest, "check")

    def _given(self, size: int, part: str) -> bytes:
        """Give the next bytes, at most ``size``, to the decompressor and return what it makes of them."""
        data = self._cursor.take(size)
        try:
            return self._decompressor.decompress(data)
        except lzma.LZMAError as error:
            if "limit" in str(error):
                raise CodecError(
                    f"the xz stream needs a larger dictionary than the limit of {self._max_window} bytes: "
                    "raise max_window"
                ) from None
            raise self._cursor.damaged(part, str(error).lower(), len(data)) from None


def _contents(cursor: Cursor, max_window: int) -> Iterator[bytes]:
    while cursor.have(1):
        if cursor.position and not cursor.look(1)[0]:
            cursor.have(4)
            if cursor.take(4) != bytes(4):
                raise cursor.damaged("padding", "not a multiple of four zero bytes", 4)
            continue
        cursor.begins((MAGIC,), "a stream")
        yield from _XzStream(cursor, max_window).contents()


def _compressor(level: int) -> Compressor:
    return lzma.LZMACompressor(lzma.FORMAT_XZ, preset=level)


def _decoder(source: Decoder, max_window: int) -> Decoder:
    return PartsDecoder(_contents(Cursor(source, "xz"), max_window))


XZ = Codec(
    name="xz",
    suffixes=(".xz",),
    magics=(MAGIC,),
    begins_well=lambda head: True,
    decoder=_decoder,
    compressor=_compressor,
    levels=range(10),
    default_level=6,
)
