"""Snappy's framing format as the codec of a file, read chunk by chunk; S2's, which begins differently, is refused."""

from __future__ import annotations

from collections.abc import Iterator

from . import snappy_blocks
from .codec import Codec, Decoder, OtherCodecError
from .parts import Cursor, PartsDecoder
from .snappy_blocks import COMPRESSED, FIRST_SKIPPABLE, IDENTIFIER, LARGEST_CHUNK, STREAM, UNCOMPRESSED

S2_IDENTIFIER = b"\xff\x06\x00\x00S2sTwO"
NAME = "snappy-framed"
LARGEST_STORED = 2 * LARGEST_CHUNK
"""More bytes than a chunk of content can have."""


def _contents(cursor: Cursor) -> Iterator[bytes]:
    if cursor.have(1) and cursor.begins((IDENTIFIER, S2_IDENTIFIER), "a stream") == S2_IDENTIFIER:
        raise OtherCodecError(
            "the stream is S2, not Snappy: 's2c -snappy' or another codec writes what wireloom reads",
            reason="unsupported",
        )
    while cursor.have(1):
        cursor.need(4, "the header of a chunk")
        kind, size = cursor.look(1)[0], int.from_bytes(cursor.look(3, 1), "little")
        if FIRST_SKIPPABLE <= kind < STREAM:
            cursor.take(4)
            cursor.skip(size, "a chunk")
            continue
        if kind not in (COMPRESSED, UNCOMPRESSED, STREAM) or size > LARGEST_STORED:
            raise cursor.damaged("chunk", f"of type {kind}, with {size} bytes")
        cursor.need(4 + size, "a chunk")
        head = b"" if kind == STREAM else IDENTIFIER
        try:
            content = snappy_blocks.expand_framed(memoryview(head + cursor.look(4 + size)), LARGEST_CHUNK, None)
        except Exception as error:
            # pyarrow raises errors of several kinds on damaged bytes.
            raise cursor.damaged("chunk", str(error).removeprefix("the snappy-framed block is damaged: ")) from None
        cursor.take(4 + size)
        yield content


class _SnappyCompressor:
    """Compresses to one stream."""

    def __init__(self) -> None:
        self._left = bytearray()
        self._begin = IDENTIFIER

    def compress(self, data: bytes | memoryview, /) -> bytes:
        """Like ``Compressor.compress``."""
        self._left += data
        whole = len(self._left) - len(self._left) % LARGEST_CHUNK
        return self._framed(whole) if whole else b""

    def flush(self) -> bytes:
        """Like ``Compressor.flush``."""
        return self._framed(len(self._left))

    def _framed(self, size: int) -> bytes:
        begin, self._begin = self._begin, b""
        framed = snappy_blocks.framed(bytes(self._left[:size])).removeprefix(IDENTIFIER)
        del self._left[:size]
        return begin + framed


def _decoder(source: Decoder, max_window: int) -> Decoder:
    return PartsDecoder(_contents(Cursor(source, NAME)))


SNAPPY_FRAMED = Codec(
    name=NAME,
    suffixes=(".sz",),
    magics=(IDENTIFIER, S2_IDENTIFIER),
    begins_well=lambda head: True,
    decoder=_decoder,
    compressor=lambda level: _SnappyCompressor(),
    levels=range(0),
)
