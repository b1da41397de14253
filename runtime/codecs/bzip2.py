"""bzip2 by ``bz2``: streams back to back, whose blocks are decompressed and verified one by one; the next block after
damage.

A block begins at any bit, with a number of 48 bits that its content hardly ever contains: the next such number is its
end. Between a header and an end, a block is a stream of its own.
"""

from __future__ import annotations

import bz2
from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from ..checksums import algorithm, function
from .codec import Codec, CodecError, Decoder
from .parts import BUFFER, Cursor, PartsDecoder

HEADERS = tuple(b"BZh%d" % level for level in range(1, 10))
BLOCK, END = 0x314159265359, 0x177245385090
"""The numbers at the beginning of a block, and at the end of a stream."""
NUMBER_BITS, SUM_BITS = 48, 32
BEGIN_BITS = NUMBER_BITS + SUM_BITS
BEGIN = 11
"""Number of bytes that contain a number and the checksum after it."""
MOST = 4 * 1024 * 1024
"""Maximum size in bytes of a compressed block: 900,000 symbols of up to 20 bits each, and its tables."""
PIECE = 1024 * 1024
"""Maximum number of bytes that are decompressed at once: more than a block has, unless most of it is runs."""
NEEDLES = tuple(
    # The five whole bytes of a number that begins after that many bits of a byte.
    (shift, (number >> shift & (1 << 40) - 1).to_bytes(5, "big"))
    for number in (BLOCK, END)
    for shift in range(8)
)


def _bits(data: bytes, begin: int, size: int) -> int:
    """Return ``size`` bits of ``data`` from the bit ``begin`` on."""
    end = begin + size
    return int.from_bytes(data[begin // 8 : -(-end // 8)], "big") >> -end % 8 & (1 << size) - 1


def _number_in(data: bytes) -> int | None:
    """Return the bit at which the first number in ``data`` begins; ``None`` if there is none."""
    found = []
    for shift, needle in NEEDLES:
        at = data.find(needle, 1)
        while at >= 0:
            bit = 8 * (at - 1) + shift
            if bit + NUMBER_BITS <= 8 * len(data) and _bits(data, bit, NUMBER_BITS) in (BLOCK, END):
                found.append(bit)
                break
            at = data.find(needle, at + 1)
    return min(found, default=None)


def _pieces(data: bytes) -> Iterator[bytes]:
    """Yield the content of a stream. Raises ``OSError`` and ``EOFError`` for a damaged one."""
    decompressor = bz2.BZ2Decompressor()
    while not decompressor.eof:
        yield decompressor.decompress(data, PIECE)
        data = b""
        if decompressor.needs_input:
            raise EOFError


def _verified(data: bytes) -> bytes | None:
    """Return the first piece of a stream whose checksum is right; ``None`` if it is damaged."""
    pieces = _pieces(data)
    try:
        first = next(pieces)
        deque(pieces, maxlen=0)
    except (OSError, EOFError):
        return None
    return first


def _first_block(data: bytes) -> bytes:
    """Return the content of the first block of a stream, as far as it can be decompressed."""
    decompressor, content = bz2.BZ2Decompressor(), bytearray()
    with suppress(OSError):
        for at in range(len(data)):
            content += decompressor.decompress(data[at : at + 1])
            if content:
                break
        while piece := decompressor.decompress(b""):
            content += piece
    return bytes(content)


class Bzip2Decoder(PartsDecoder):
    """A decoder of any number of streams, which continues after damage with the next block."""

    def __init__(self, source: Decoder) -> None:
        self._cursor = Cursor(source, "bzip2")
        self._bit = 0
        """Number of bits of the byte at the cursor that belong to the previous block."""
        self._sum: int | None = 0
        """The checksum of the stream as far as it has been read; ``None`` if a part of it is lost."""
        super().__init__(self._streams())

    def resume(self) -> bool:
        """Like ``Resumable.resume``: a block is proven by its checksum."""
        while True:
            end = self._end()
            if end is not None:
                self._move(end)
            elif self._cursor.have(MOST):
                self._move(8 * (MOST - BEGIN))
                continue
            else:
                return False
            if self._cursor.have(BEGIN) and self._number() == BLOCK:
                blocks = self._blocks()
                with suppress(CodecError):
                    first = next(blocks)
                    self._sum = None
                    self._failure = None
                    self._contents = self._continued(first, blocks)
                    return True

    def _continued(self, first: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
        yield first
        yield from blocks
        yield from self._streams()

    def _streams(self) -> Iterator[bytes]:
        while self._cursor.have(1):
            self._cursor.begins(HEADERS, "a stream")
            self._cursor.take(len(HEADERS[0]))
            self._sum = 0
            yield from self._blocks()

    def _blocks(self) -> Iterator[bytes]:
        """Yield the contents of the blocks from the cursor to the end of the stream, and move past it."""
        cursor = self._cursor
        while True:
            cursor.need(-(-(self._bit + BEGIN_BITS) // 8), "a stream, at a block or its end")
            number, checksum = self._number(), _bits(cursor.look(BEGIN), self._bit + NUMBER_BITS, SUM_BITS)
            if number != BLOCK:
                break
            yield from self._block(checksum)
            if self._sum is not None:
                self._sum = (self._sum << 1 | self._sum >> 31) & 0xFFFFFFFF ^ checksum
        if number != END:
            raise cursor.damaged("block", "it begins with another number")
        self._move(-(-(self._bit + BEGIN_BITS) // 8) * 8)
        if self._sum not in (None, checksum):
            raise CodecError(
                f"the bzip2 checksum of the stream before compressed byte {cursor.position} does not match"
            )

    def _block(self, checksum: int) -> Iterator[bytes]:
        """Yield the content of a block, and move past it."""
        cursor, end = self._cursor, self._end()
        size = (8 * len(cursor.look(MOST)) if end is None else end) - self._bit
        bits = _bits(cursor.look(MOST), self._bit, size)
        stream = bits << BEGIN_BITS | END << SUM_BITS | checksum
        data = HEADERS[-1] + (stream << -(size + BEGIN_BITS) % 8).to_bytes(-(-(size + BEGIN_BITS) // 8), "big")
        if end is not None and (first := _verified(data)) is not None:
            self._move(end)
            yield from (first,) if len(first) < PIECE else _pieces(data)
            return
        # Where the number after a block is damaged, the block is complete nevertheless.
        found = _first_block(data)
        if found and function(algorithm("crc-32/bzip2"))(found) == checksum:
            yield found
        if end is None and not cursor.have(MOST):
            raise cursor.early("a bzip2 block")
        raise cursor.damaged("block", "its content, its checksum or what follows it is wrong")

    def _end(self) -> int | None:
        """Return the bit, counted from the cursor, at which the next block begins or the stream ends; ``None`` if it
        does not within the input or ``MOST`` bytes."""
        searched = (self._bit + NUMBER_BITS) // 8
        while searched < MOST and self._cursor.have(searched + BEGIN):
            self._cursor.have(searched + BUFFER)
            data = self._cursor.look(BUFFER, searched)
            if (found := _number_in(data)) is not None:
                return 8 * searched + found
            searched += len(data) - BEGIN + 1
        return None

    def _number(self) -> int:
        return _bits(self._cursor.look(BEGIN), self._bit, NUMBER_BITS)

    def _move(self, bits: int) -> None:
        self._cursor.take(bits // 8)
        self._bit = bits % 8


def _begins_well(head: bytes) -> bool:
    return int.from_bytes(head[4:10], "big") in (BLOCK, END)


BZIP2 = Codec(
    name="bzip2",
    suffixes=(".bz2", ".bzip2"),
    magics=HEADERS,
    begins_well=_begins_well,
    decoder=lambda source, max_window: Bzip2Decoder(source),
    compressor=bz2.BZ2Compressor,
    levels=range(1, 10),
    default_level=9,
    largest_block=MOST,
)
