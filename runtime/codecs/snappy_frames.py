"""The framing formats of Snappy and S2 as codecs of files, read chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator

from .codec import Codec
from .parts import Cursor, PartsDecoder
from .snappy_blocks import FIRST_SKIPPABLE, FRAMINGS, IDENTIFIER_SIZE, STORED_CHUNK, STREAM, framed, framing_of


def _contents(cursor: Cursor, name: str) -> Iterator[bytes]:
    identifiers = tuple(each.identifier for each in FRAMINGS[name])
    if not cursor.have(1):
        return
    framing = framing_of(name, cursor.begins(identifiers, "a stream"))
    while cursor.have(1):
        cursor.need(4, "the header of a chunk")
        kind, size = cursor.look(1)[0], int.from_bytes(cursor.look(3, 1), "little")
        if FIRST_SKIPPABLE <= kind < STREAM:
            cursor.take(4)
            cursor.skip(size, "a chunk")
            continue
        if size > 2 * framing.largest:
            raise cursor.damaged("chunk", f"of type {kind}, with {size} bytes")
        cursor.need(4 + size, "a chunk")
        chunk, content = memoryview(cursor.take(4 + size)), b""
        try:
            if kind == STREAM:
                framing = framing_of(name, bytes(chunk))
            else:
                content = framing.content(kind, chunk[4:], framing.largest)
        except ValueError as error:
            raise cursor.damaged("chunk", error, 4 + size) from None
        yield content


class _Compressor:
    """Compresses to one stream."""

    def __init__(self, name: str) -> None:
        self._compress = framed(name)
        self._left = bytearray()
        self._written = 0
        """Number of bytes of the stream identifier that are not repeated."""

    def compress(self, data: bytes | memoryview, /) -> bytes:
        """Like ``Compressor.compress``."""
        self._left += data
        whole = len(self._left) - len(self._left) % STORED_CHUNK
        return self._framed(whole) if whole else b""

    def flush(self) -> bytes:
        """Like ``Compressor.flush``."""
        return self._framed(len(self._left))

    def _framed(self, size: int) -> bytes:
        begin, self._written = self._written, IDENTIFIER_SIZE
        stream = self._compress(bytes(self._left[:size]))
        del self._left[:size]
        return stream[begin:]


def _codec(name: str, suffix: str) -> Codec:
    identifier, largest = FRAMINGS[name][0].identifier, FRAMINGS[name][0].largest
    return Codec(
        name=name,
        suffixes=(suffix,),
        magics=(identifier,),
        begins_well=lambda head: True,
        decoder=lambda source, max_window: PartsDecoder(_contents(Cursor(source, name), name)),
        compressor=lambda level: _Compressor(name),
        levels=range(0),
        largest_block=2 * largest,
    )


SNAPPY_FRAMED = _codec("snappy-framed", ".sz")
S2 = _codec("s2", ".s2")
