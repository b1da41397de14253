"""zlib's own format (RFC 1950): one stream, which TensorFlow's writers of TFRecord files call ZLIB."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from .codec import Codec, CodecError, Compressor, Decoder
from .gzip import STEP, up_to_damage
from .parts import Cursor, PartsDecoder

MAGICS = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
"""The headers of streams with the usual window of 32 KiB and without a dictionary, by level."""
PROOF = 4096
"""Stored bytes that prove a stream, if all of them can be decompressed: its two first bytes prove nothing."""


def begins_well(head: bytes) -> bool:
    """Return whether these first bytes can be decompressed: ``PROOF`` of them, or a whole stream with its checksum."""
    stream = zlib.decompressobj()
    try:
        stream.decompress(head[:PROOF])
    except zlib.error:
        return False
    return stream.eof or len(head) >= PROOF


def _contents(cursor: Cursor) -> Iterator[bytes]:
    if not cursor.have(1):
        return
    cursor.begins(MAGICS, "a stream")
    stream = zlib.decompressobj()
    while not stream.eof:
        cursor.need(1, "a zlib stream")
        before, step = stream.copy(), cursor.take(STEP)
        try:
            content = stream.decompress(step)
        except zlib.error as error:
            # zlib discards the output of the call in which it finds damage.
            yield up_to_damage(before, memoryview(step))
            raise cursor.damaged("stream", str(error).rpartition(": ")[2], len(step)) from None
        yield content
    cursor.give_back(len(stream.unused_data))
    if cursor.have(1):
        raise CodecError(f"bytes follow the zlib stream, from compressed byte {cursor.position} on")


def _compressor(level: int) -> Compressor:
    return zlib.compressobj(level)


def _decoder(source: Decoder, max_window: int) -> Decoder:
    return PartsDecoder(part for part in _contents(Cursor(source, "zlib")) if part)


ZLIB = Codec(
    name="zlib",
    suffixes=(".zz", ".zlib"),
    magics=MAGICS,
    begins_well=begins_well,
    decoder=_decoder,
    compressor=_compressor,
    levels=range(10),
    default_level=6,
)
