"""Snappy and S2: raw blocks, raw blocks with a checksum, and the framings of streams. pyarrow compresses them.

Formats: ``format_description.txt`` and ``framing_format.txt`` of google/snappy; ``s2/README.md`` of klauspost/compress;
the stream of snappy-java (``SnappyOutputStream``), which Kafka's clients write.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any

from ..base.dataclass import dataclass
from ..checksums import algorithm, function
from . import snappy_elements
from .codec import CodecError

COMPRESSED, UNCOMPRESSED, FIRST_SKIPPABLE, STREAM = 0x00, 0x01, 0x80, 0xFF
STORED_CHUNK = 65536
"""Maximum content in bytes of a chunk that is written."""
IDENTIFIER_SIZE = 10
"""Size in bytes of the first chunk of a stream, which names its format."""
CHECKED = 4
"""Size in bytes of the checksum after a block."""
XERIAL_MAGIC = b"\x82SNAPPY\0"
XERIAL_HEADER = XERIAL_MAGIC + (1).to_bytes(4, "big") * 2
XERIAL_BLOCK = 32 * 1024


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
    """Decompress a raw block of Snappy: its decompressed size as a varint, then its content."""
    return _expanded("snappy", data, limit, repeats=False)


def expand_s2(data: memoryview, limit: int, size: int | None) -> bytes:
    """Decompress a raw block of S2, which is like one of Snappy, with copies from the last offset."""
    return _expanded("s2-block", data, limit, repeats=True)


def _expanded(name: str, data: memoryview, limit: int, *, repeats: bool) -> bytes:
    try:
        return snappy_elements.expand(data, limit, repeats)
    except OverflowError as error:
        raise too_large(name, limit) from error
    except ValueError as error:
        raise damaged(name, str(error)) from error


def _masked(content: Any) -> int:
    """Return the masked CRC-32C of a chunk, as the framing format defines it."""
    value: int = function(algorithm("crc32c"))(content)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


@dataclass(frozen=True)
class ChunkFraming:
    """A framing format: a stream of chunks with kind, size and checksum."""

    identifier: bytes
    """The first chunk of a stream."""
    largest: int
    """Maximum size in bytes of a chunk's content."""
    repeats: bool
    """Whether blocks may have the copies that only S2 has."""

    def content(self, kind: int, chunk: memoryview, limit: int) -> bytes:
        """Return the content of a chunk, verified. Raises ``ValueError`` for damage, and ``OverflowError`` if it has
        more than ``limit`` bytes."""
        if kind not in (COMPRESSED, UNCOMPRESSED):
            raise ValueError(f"unknown chunk type {kind}")
        most = min(limit, self.largest)
        try:
            piece = snappy_elements.expand(chunk[4:], most, self.repeats) if kind == COMPRESSED else bytes(chunk[4:])
            if len(piece) > most:
                raise OverflowError(f"{len(piece)} bytes are more than the limit of {most}")
        except OverflowError as error:
            if most < self.largest:
                raise
            raise ValueError(f"a chunk has more than {most} bytes") from error
        if int.from_bytes(chunk[:4], "little") != _masked(piece):
            raise ValueError("a chunk's checksum does not match")
        return piece


SNAPPY_FRAMING = ChunkFraming(b"\xff\x06\x00\x00sNaPpY", 64 * 1024, repeats=False)
S2_FRAMING = ChunkFraming(b"\xff\x06\x00\x00S2sTwO", 4 * 1024 * 1024, repeats=True)
FRAMINGS: Mapping[str, tuple[ChunkFraming, ...]] = {
    "snappy-framed": (SNAPPY_FRAMING,),
    "s2": (S2_FRAMING, SNAPPY_FRAMING),
}
"""The framings of the streams that a codec reads, by its name. It writes the first."""


def framing_of(name: str, identifier: bytes) -> ChunkFraming:
    """Return the framing of a stream with this first chunk. Raises ``ValueError`` if the codec does not read it."""
    for each in FRAMINGS[name]:
        if each.identifier == identifier:
            return each
    raise ValueError("a stream identifier is missing or invalid")


def expand_framed(name: str) -> Callable[[memoryview, int, int | None], bytes]:
    """Return the function that decompresses streams of a codec."""

    def expand(data: memoryview, limit: int, size: int | None) -> bytes:
        content, position = bytearray(), IDENTIFIER_SIZE
        try:
            framing = framing_of(name, bytes(data[:IDENTIFIER_SIZE]))
            while position < len(data):
                kind, end = data[position], position + 4 + int.from_bytes(data[position + 1 : position + 4], "little")
                if position + 4 > len(data) or end > len(data):
                    raise ValueError("it ends inside a chunk")
                if kind == STREAM:
                    framing = framing_of(name, bytes(data[position:end]))
                elif kind < FIRST_SKIPPABLE:
                    content += framing.content(kind, data[position + 4 : end], limit - len(content))
                position = end
        except OverflowError as error:
            raise too_large(name, limit) from error
        except ValueError as error:
            raise damaged(name, str(error)) from error
        return bytes(content)

    return expand


def framed(name: str) -> Callable[[bytes], bytes]:
    """Return the function that compresses to a stream of a codec. Blocks of Snappy are blocks of S2 too."""

    def compress(content: bytes) -> bytes:
        chunks = [FRAMINGS[name][0].identifier]
        for begin in range(0, len(content), STORED_CHUNK):
            piece = content[begin : begin + STORED_CHUNK]
            packed: bytes = arrow().compress(piece, "snappy", asbytes=True)
            kind = COMPRESSED if len(packed) < len(piece) else UNCOMPRESSED
            body = packed if kind == COMPRESSED else piece
            sizes = bytes((kind,)) + (len(body) + 4).to_bytes(3, "little")
            chunks += [sizes, _masked(piece).to_bytes(4, "little"), body]
        return b"".join(chunks)

    return compress


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
