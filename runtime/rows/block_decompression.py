"""Compressed blocks for the engine, which calls back for the content of each."""

from __future__ import annotations

import struct

from ..codecs import BLOCK_CODECS, MAX_EXPANDED, CodecError, expand_block
from ..codecs.bytewise import rotate_left, rotate_right, xor
from ..format.program import ColumnProgram, Expansion, Reason
from ..input.window import Window
from .decompression_ahead import DecompressionAhead

DIRECT = ("none", "snappy", "s2-block")
"""The codecs of blocks that the engine knows itself."""
CHANGED = {"xor": xor, "rol": rotate_left, "ror": rotate_right}
"""The functions that transform each byte, by their names in ``process``."""
MOST_KEPT = 64 * 1024 * 1024
"""Maximum total size in bytes of contents that are kept for a unit that is read again."""
FEW_KEPT = 256 * 1024
"""The same, until a unit is read again whose contents are gone: most units have a single block, and memory that is used
again at once is still in a processor's cache."""
EDGE = 64
"""Number of bytes at both ends of a block by which it is identified, besides its position and size."""


class BlockCache:
    """The contents of the most recent blocks of an input. A unit that does not fit into a batch is read again for the
    next one, and tables for look-ups read the same blocks later. ``most``: maximum total size in bytes, except for a
    single content."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._kept: dict[tuple[object, ...], bytes] = {}
        self._size = 0
        self._position = self._last = -1
        self._most = self._usual = most

    def forget(self) -> None:
        """Forget all blocks, since another input begins."""
        self._kept.clear()
        self._size = 0
        self._last, self._most = -1, self._usual

    def read_on(self, position: int) -> None:
        """Forget the blocks before an offset from which the input is read. If the offset is not after the previous one,
        it may belong to another input: then all blocks are forgotten."""
        if position <= self._position:
            self.forget()
        self._position = position
        for key in [each for each in self._kept if isinstance(each[0], int) and each[0] < position]:
            self._size -= len(self._kept.pop(key))

    def get(self, key: tuple[object, ...]) -> bytes | None:
        """Return the content that is kept for a block; ``None`` if there is none."""
        return self._kept.get(key)

    def keep(self, key: tuple[object, ...], content: bytes) -> None:
        """Keep the content of a block, whose position the key begins with, if there is room."""
        position = key[0]
        if isinstance(position, int):
            if position <= self._last:
                self._most = MOST_KEPT
            self._last = max(self._last, position)
        while self._most < MOST_KEPT and self._kept and self._size + len(content) > self._most:
            self._size -= len(self._kept.pop(next(iter(self._kept))))
        if self._size + len(content) <= MOST_KEPT:
            self._kept[key] = content
            self._size += len(content)


class BorrowedCache:
    """The cache of another reader of the same bytes, for a reader that reads them later."""

    def __init__(self, cache: BlockCache) -> None:
        self.get = cache.get
        self.keep = cache.keep

    def forget(self) -> None:
        """Do nothing: the other reader forgets the contents."""

    def read_on(self, position: int) -> None:
        """Do nothing: the other reader forgets the contents."""


class BlockDecompressor:
    """Decompresses the blocks of one input. ``cache``: the contents that are kept; ``ahead``: whether threads may
    decompress the next ones."""

    def __init__(
        self, program: ColumnProgram, cache: BlockCache | BorrowedCache | None = None, *, ahead: bool = False
    ) -> None:
        self._expansions = program.expansions
        self._cache = cache or BlockCache(FEW_KEPT)
        self._ahead = DecompressionAhead() if ahead else None
        self.direct = b"".join(map(_direct, program.expansions))
        """For each expansion, the indexes of the codecs ``DIRECT``, or -1, and the maximum size of a content in bytes,
        each as int64. The engine does not call for blocks of these codecs, unless their content is large."""

    def forget(self) -> None:
        """Forget all blocks, since another input begins."""
        self._cache.forget()
        if self._ahead is not None:
            self._ahead.forget()

    def read_on(self, window: Window) -> None:
        """Set the bytes that are read next."""
        self._cache.read_on(window.base + window.begin)
        if self._ahead is not None:
            self._ahead.look_at(window)

    def __call__(self, number: int, chosen: int, size: int, data: bytes, position: int) -> bytes | int | None:
        """Return the content of a block; ``None`` if it is not compressed, or the number of the reason why it has none.

        ``number``: the index of the expansion in the program; ``chosen``: the index of the codec among its codecs;
        ``size``: of the content in bytes, -1 if it is not given; ``position``: of the block in the input, -1 if it is
        inside a frame or of another block.
        """
        expansion = self._expansions[number]
        plain = 0 <= chosen < len(expansion.codecs) and expansion.codecs[chosen] == "none" and size in (-1, len(data))
        if plain and not expansion.is_process:
            return None if len(data) <= expansion.most else Reason.LIMIT
        key = (position, expansion, chosen, size, len(data), data[:EDGE], data[-EDGE:])
        kept = self._cache.get(key)
        if kept is not None:
            return kept
        if expansion.is_process:
            return self._processed(expansion.codecs[0], chosen, data)
        content = self._expected(expansion, chosen, size, data, position)
        try:
            if content is None:
                content = expand_block(expansion.codecs, chosen, data, expansion.most, None if size == -1 else size)
        except CodecError as error:
            return Reason[(error.reason or "codec").upper()]
        if position >= 0:
            self._cache.keep(key, content)
        return content

    def _expected(self, expansion: Expansion, chosen: int, size: int, data: bytes, position: int) -> bytes | None:
        """Return the content of a block if a thread has decompressed it."""
        codecs = expansion.codecs
        if self._ahead is None or position < 0 or not 0 <= chosen < len(codecs) or codecs[chosen] != "zstd":
            return None
        content = self._ahead.take(position, data)
        fits = content is not None and len(content) <= expansion.most and size in (-1, len(content))
        return content if fits else None

    def _processed(self, name: str, key: int, data: bytes) -> bytes | int:
        """Return the bytes after ``process``, or the number of the reason why it failed."""
        if name == "zlib":
            try:
                return BLOCK_CODECS["zlib"].first(data, MAX_EXPANDED)[0]
            except CodecError as error:
                return Reason.LIMIT if error.reason == "limit" else Reason.VALUE
        return CHANGED[name](data, key)


def _direct(expansion: Expansion) -> bytes:
    codecs = () if expansion.is_process else expansion.codecs
    return struct.pack("=4q", *(codecs.index(each) if each in codecs else -1 for each in DIRECT), expansion.most)
