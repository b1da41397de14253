"""snappy by pyarrow: raw blocks, raw blocks with a checksum, and the two framings of streams.

Formats: ``format_description.txt`` and ``framing_format.txt`` of google/snappy; the stream of snappy-java
(``SnappyOutputStream``), which Kafka's clients write.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

from ..checksums import algorithm, function
from .codec import CodecError

IDENTIFIER = b"\xff\x06\x00\x00sNaPpY"
COMPRESSED, UNCOMPRESSED, FIRST_SKIPPABLE, STREAM = 0x00, 0x01, 0x80, 0xFF
LARGEST_CHUNK = 65536
CHECKED = 4
"""Size in bytes of the checksum after a block."""
XERIAL_MAGIC = b"\x82SNAPPY\0"
XERIAL_HEADER = XERIAL_MAGIC + (1).to_bytes(4, "big") * 2
XERIAL_BLOCK = 32 * 1024
MOST_PER_BYTE = 32
"""Maximum decompressed bytes per stored byte: a copy element of three bytes gives at most 64."""


def arrow() -> Any:
    """Return the module ``pyarrow``, which is imported only when a block is decompressed."""
    import pyarrow

    return pyarrow


def damaged(name: str, why: str) -> CodecError:
    """Return the error for a damaged block."""
    return CodecError(f"the {name} block is damaged: {why}")


def too_large(name: str, limit: int) -> CodecError:
    """Return the error for a block whose decompressed size is over the limit."""
    return CodecError(f"the {name} block expands to more than {limit} bytes", reason="limit")


def expand(data: memoryview, limit: int, size: int | None) -> bytes:
    """Decompress a raw block: its decompressed size as a varint, then its content."""
    claimed = shift = 0
    for each in bytes(data[:5]):
        claimed |= (each & 0x7F) << shift
        shift += 7
        if each < 0x80:
            break
    else:
        raise damaged("snappy", "it has no size")
    if claimed > limit:
        raise too_large("snappy", limit)
    if claimed > MOST_PER_BYTE * len(data):
        raise damaged("snappy", f"{len(data)} bytes are too few for {claimed}")
    return _codec(data, claimed)


@cache
def _arrow_codec() -> Any:
    """Return Arrow's codec, which has no state."""
    return arrow().Codec("snappy")


def _codec(data: memoryview, size: int) -> bytes:
    content: bytes = _arrow_codec().decompress(data, size, asbytes=True)
    return content


def _masked(content: Any) -> int:
    """Return the masked CRC-32C of a chunk, as the framing format defines it."""
    value: int = function(algorithm("crc32c"))(content)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def expand_framed(data: memoryview, limit: int, size: int | None) -> bytes:
    """Decompress a stream in the framing format: chunks with kind, size and checksum."""
    if bytes(data[: len(IDENTIFIER)]) != IDENTIFIER:
        raise damaged("snappy-framed", "the stream identifier is missing")
    content, position = bytearray(), len(IDENTIFIER)
    while position < len(data):
        kind, end = data[position], position + 4 + int.from_bytes(data[position + 1 : position + 4], "little")
        if position + 4 > len(data) or end > len(data):
            raise damaged("snappy-framed", "it ends inside a chunk")
        chunk = data[position + 4 : end]
        if kind in (COMPRESSED, UNCOMPRESSED):
            piece = chunk[4:] if kind == UNCOMPRESSED else memoryview(expand(chunk[4:], LARGEST_CHUNK, None))
            if len(piece) > LARGEST_CHUNK or int.from_bytes(chunk[:4], "little") != _masked(piece):
                raise damaged("snappy-framed", "a chunk's checksum does not match")
            content += piece
            if len(content) > limit:
                raise too_large("snappy-framed", limit)
        elif kind == STREAM:
            if bytes(chunk) != IDENTIFIER[4:]:
                raise damaged("snappy-framed", "a stream identifier is invalid")
        elif kind < FIRST_SKIPPABLE:
            raise damaged("snappy-framed", f"unknown chunk type {kind}")
        position = end
    return bytes(content)


def framed(content: bytes) -> bytes:
    """Compress; the inverse of ``expand_framed``."""
    chunks = [IDENTIFIER]
    for begin in range(0, len(content), LARGEST_CHUNK):
        piece = content[begin : begin + LARGEST_CHUNK]
        packed: bytes = arrow().compress(piece, "snappy", asbytes=True)
        kind = COMPRESSED if len(packed) < len(piece) else UNCOMPRESSED
        body = packed if kind == COMPRESSED else piece
        chunks += [bytes((kind,)), (len(body) + 4).to_bytes(3, "little"), _masked(piece).to_bytes(4, "little"), body]
    return b"".join(chunks)


def expand_checked(data: memoryview, limit: int, size: int | None) -> bytes:
    """Decompress a raw block followed by the big-endian CRC-32 of its content, as in Avro's files."""
    if len(data) < CHECKED:
        raise damaged("snappy-crc32", "it has no checksum")
    content = expand(data[:-CHECKED], limit, size)
    if zlib.crc32(content) != int.from_bytes(data[-CHECKED:], "big"):
        raise damaged("snappy-crc32", "the checksum of its content does not match")
    return content


def checked(content: bytes) -> bytes:
    """Compress; the inverse of ``expand_checked``."""
    packed: bytes = arrow().compress(content, "snappy", asbytes=True)
    return packed + zlib.crc32(content).to_bytes(CHECKED, "big")


def expand_xerial(data: memoryview, limit: int, size: int | None) -> bytes:
    """Decompress streams of snappy-java: a header, then raw blocks with their sizes. Without the header it is one raw
    block, as Kafka's clients read it."""
    if data[: len(XERIAL_MAGIC)] != XERIAL_MAGIC:
        return expand(data, limit, size)
    content, position = bytearray(), 0
    while position < len(data):
        if data[position : position + len(XERIAL_MAGIC)] == XERIAL_MAGIC:
            position += len(XERIAL_HEADER)
            if len(data) < position:
                raise damaged("snappy-xerial", "it ends inside a header")
            continue
        begin = position + 4
        position = begin + int.from_bytes(data[position:begin], "big")
        if begin > len(data) or position > len(data):
            raise damaged("snappy-xerial", "it ends inside a block")
        content += expand(data[begin:position], limit - len(content), None)
    return bytes(content)


def xerial(content: bytes) -> bytes:
    """Compress; the inverse of ``expand_xerial``."""
    chunks = [XERIAL_HEADER]
    for begin in range(0, len(content), XERIAL_BLOCK):
        packed: bytes = arrow().compress(content[begin : begin + XERIAL_BLOCK], "snappy", asbytes=True)
        chunks += [len(packed).to_bytes(4, "big"), packed]
    return b"".join(chunks)
