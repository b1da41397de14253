"""The container of a zstd stream (RFC 8878), split into parts without decompressing them.

A decompressor that reads from a walker gets one part per call: a frame's header, one block, or a checksum. So an error
concerns that part alone, and everything before it has been returned; and the walker knows whether the stream ended
between frames or inside one, which the decompressor does not report.
"""

from __future__ import annotations

from collections.abc import Iterator

from .codec import CodecError, Decoder, OtherCodecError

MAGIC = b"\x28\xb5\x2f\xfd"
SKIPPABLE_MAGICS = frozenset(bytes((0x50 + low, 0x2A, 0x4D, 0x18)) for low in range(16))
BUFFER = 256 * 1024
MAX_BLOCK = 128 * 1024
RAW, REPEATED, COMPRESSED = range(3)


def _sizes(descriptor: int) -> tuple[bool, int, int, int]:
    """Return what the fifth byte of a frame says: whether it has a single segment, and the sizes in bytes of the
    dictionary's number, of the content's size, and of the whole header."""
    single_segment = bool(descriptor & 0x20)
    dictionary_size = (0, 1, 2, 4)[descriptor & 3]
    content_size_size = (1 if single_segment else 0, 2, 4, 8)[descriptor >> 6]
    return (
        single_segment,
        dictionary_size,
        content_size_size,
        5 + (not single_segment) + dictionary_size + content_size_size,
    )


def _block(data: memoryview, at: int) -> tuple[bool, int, int]:
    """Return what the three bytes at ``at`` say about a block: whether it is the last one, its kind, and its size."""
    word = data[at] | data[at + 1] << 8 | data[at + 2] << 16
    return bool(word & 1), word >> 1 & 3, word >> 3


def frame_sizes(data: memoryview) -> tuple[int, int] | None:
    """Return the size in bytes of the zstd frame at the beginning of ``data``, and the maximum size of its content:
    that in its header, if there is one; ``None`` if there is no frame, or not all of it, or its header states more than
    its blocks can contain. Nothing is decompressed, so a frame with these sizes may be damaged."""
    if len(data) < 5 or data[:4] != MAGIC:
        return None
    descriptor = data[4]
    _, _, content_size_size, at = _sizes(descriptor)
    stated = int.from_bytes(data[at - content_size_size : at], "little") + (256 if content_size_size == 2 else 0)
    last, blocks = False, 0
    while not last:
        if at + 3 > len(data):
            return None
        last, kind, size = _block(data, at)
        if kind > COMPRESSED or size > MAX_BLOCK:
            return None
        at += 3 + (1 if kind == REPEATED else size)
        blocks += 1
    at += 4 if descriptor & 4 else 0
    most = blocks * MAX_BLOCK
    if at > len(data) or (content_size_size and stated > most):
        return None
    return at, stated if content_size_size else most


def after_skippable(head: bytes) -> bytes:
    """Return the first bytes of a stream without the skippable frames at its beginning."""
    while head[:4] in SKIPPABLE_MAGICS:
        head = head[8 + int.from_bytes(head[4:8], "little") :]
    return head


class Walker:
    """Splits a stream into parts; ``read`` makes it a source for ``zstandard``'s stream reader."""

    def __init__(self, source: Decoder, max_window: int) -> None:
        self._source = source
        self._max_window = max_window
        self._buffer = bytearray(BUFFER)
        self._view = memoryview(self._buffer)
        self._begin = 0
        self._end = 0
        self._parts = self._walk()
        self.part = "nothing"
        """The kind of the part that was returned last: ``header``, ``block`` or ``checksum``."""
        self.offset = 0
        """The offset of that part in the compressed stream."""
        self._taken = 0

    def read(self, _size: int) -> memoryview:
        """Return the next part; empty at the end. Raises ``CodecError`` and ``StorageError``."""
        return next(self._parts, self._view[:0])

    def _have(self, size: int) -> bool:
        """Return whether ``size`` bytes are available at the cursor, after reading as many as necessary."""
        if self._end - self._begin >= size:
            return True
        rest = self._end - self._begin
        self._view[:rest] = bytes(self._view[self._begin : self._end])
        self._begin, self._end = 0, rest
        while self._end < size:
            count = self._source.readinto(self._view[self._end :])
            if not count:
                return False
            self._end += count
        return True

    def _take(self, size: int) -> memoryview:
        """Return the next ``size`` bytes, or as many as there are, and move past them."""
        self.offset = self._taken
        piece = self._view[self._begin : min(self._begin + size, self._end)]
        self._begin += len(piece)
        self._taken += len(piece)
        return piece

    def _walk(self) -> Iterator[memoryview]:
        while self._have(1):
            if not self._have(4):
                raise self._early("a frame's magic number")
            magic = bytes(self._view[self._begin : self._begin + 4])
            if magic in SKIPPABLE_MAGICS:
                self._skip()
            elif magic == MAGIC:
                yield from self._frame()
            elif self._taken:
                raise CodecError(
                    f"no zstd frame at compressed byte {self._taken}, where a frame or the end of the input was "
                    "expected"
                )
            else:
                raise OtherCodecError("not a zstd stream")

    def _skip(self) -> None:
        if not self._have(8):
            raise self._early("a skippable frame")
        self._take(4)
        left = int.from_bytes(self._take(4), "little")
        while left:
            if not self._have(1):
                raise self._early("a skippable frame")
            left -= len(self._take(left))

    def _frame(self) -> Iterator[memoryview]:
        if not self._have(5):
            raise self._early("a frame's header")
        descriptor = self._view[self._begin + 4]
        single_segment, dictionary_size, content_size_size, size = _sizes(descriptor)
        if not self._have(size):
            raise self._early("a frame's header")
        header = bytes(self._view[self._begin : self._begin + size])
        self._check_header(header, single_segment, dictionary_size, content_size_size)
        self.part = "header"
        yield self._take(size)
        last = False
        while not last:
            if not self._have(3):
                raise self._early("a block's header")
            last, kind, size = _block(self._view, self._begin)
            if kind > COMPRESSED or size > MAX_BLOCK:
                raise CodecError(f"the zstd block at compressed byte {self._taken} is damaged")
            whole = 3 + (1 if kind == REPEATED else size)
            self.part = "block"
            if not self._have(whole):
                # Of a truncated raw block, the bytes that exist are returned.
                yield self._take(whole)
                raise self._early("a block")
            yield self._take(whole)
        if descriptor & 4:
            if not self._have(4):
                raise self._early("a content checksum")
            self.part = "checksum"
            yield self._take(4)

    def _check_header(self, header: bytes, single_segment: bool, dictionary_size: int, content_size_size: int) -> None:
        at = 5 + (not single_segment)
        if int.from_bytes(header[at : at + dictionary_size], "little"):
            raise CodecError("the zstd stream needs a dictionary, which wireloom does not support")
        if single_segment:
            window = int.from_bytes(header[at + dictionary_size :], "little")
            if content_size_size == 2:
                window += 256
        else:
            base = 1 << (10 + (header[5] >> 3))
            window = base + base // 8 * (header[5] & 7)
        if window > self._max_window:
            raise CodecError(
                f"the zstd stream needs a window of {window} bytes, and the limit is {self._max_window}:"
                " raise max_window"
            )

    def _early(self, inside: str) -> CodecError:
        return CodecError(f"compressed stream ends early, inside {inside}")
