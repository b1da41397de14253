"""Compressed blocks for the engine, which calls back for the content of each."""

from __future__ import annotations

from ..base.report import REASONS
from ..codecs import CodecError, expand_block
from ..format.program import ColumnProgram, Reason
from ..objects.errors import ProcessError
from ..objects.processing import decompress, rotate_left, rotate_right, xor

CHANGED = {"xor": xor, "rol": rotate_left, "ror": rotate_right}
"""What changes each byte, by the name that ``process`` has for it."""
MOST_KEPT = 64 * 1024 * 1024
"""Bytes of contents that are kept for a unit that is read again, at most."""
EDGE = 64
"""Bytes at both ends of a block by which it is known again, besides its position and size."""


class Contents:
    """The contents of the last blocks of an input: a unit that does not fit into a batch is read again for the next
    one, and tables that rows are looked up in are read after them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], bytes] = {}
        self._size = 0
        self._position = -1

    def forget(self) -> None:
        """Another input begins."""
        self._kept.clear()
        self._size = 0

    def read_on(self, position: int) -> None:
        """The input is read from an offset on: forget the blocks before it. One that is not after the last such offset
        may be of another input, or of other bytes: then all blocks are forgotten."""
        if position <= self._position:
            self.forget()
        self._position = position
        for key in [each for each in self._kept if isinstance(each[0], int) and each[0] < position]:
            self._size -= len(self._kept.pop(key))

    def get(self, key: tuple[object, ...]) -> bytes | None:
        """Return what is kept for a block."""
        return self._kept.get(key)

    def keep(self, key: tuple[object, ...], content: bytes) -> None:
        """Keep the content of a block, if there is room."""
        if self._size + len(content) <= MOST_KEPT:
            self._kept[key] = content
            self._size += len(content)


class SeenContents:
    """The contents that another reader of the same bytes keeps, for one that reads them after it."""

    def __init__(self, contents: Contents) -> None:
        self.get = contents.get
        self.keep = contents.keep

    def forget(self) -> None:
        """Like ``Contents.forget``, which is up to the reader ahead."""

    def read_on(self, position: int) -> None:
        """Like ``Contents.read_on``, which is up to the reader ahead."""


class Expander:
    """Decompresses the blocks of one input. ``contents``: those that are known."""

    def __init__(self, program: ColumnProgram, contents: Contents | SeenContents | None = None) -> None:
        self._expansions = program.expansions
        self._contents = contents or Contents()
        self.forget = self._contents.forget
        self.read_on = self._contents.read_on

    def __call__(self, number: int, chosen: int, size: int, data: memoryview, position: int) -> bytes | int | None:
        """Return the content of a block; ``None`` if it is not compressed, or the number of the reason why it has none.

        ``number``: which expansion of the program it is; ``chosen``: the number of the codec among its codecs;
        ``size``: of the content in bytes, -1 if it is not given; ``position``: of the block in the input, -1 if it is
        inside of a frame or of another block.
        """
        expansion = self._expansions[number]
        plain = 0 <= chosen < len(expansion.codecs) and expansion.codecs[chosen] == "none" and size in (-1, len(data))
        if plain and not expansion.is_process:
            return None if len(data) <= expansion.most else Reason.LIMIT
        key = (position, expansion, chosen, size, len(data), bytes(data[:EDGE]), bytes(data[-EDGE:]))
        kept = self._contents.get(key)
        if kept is not None:
            return kept
        if expansion.is_process:
            return self._processed(expansion.codecs[0], chosen, data)
        try:
            content = expand_block(expansion.codecs, chosen, data, expansion.most, None if size == -1 else size)
        except CodecError as error:
            return REASONS.index(error.reason or "codec")
        if position >= 0:
            self._contents.keep(key, content)
        return content

    def _processed(self, name: str, key: int, data: memoryview) -> bytes | int:
        """Return what ``process`` makes of bytes, or the number of the reason why it makes nothing."""
        if name == "zlib":
            try:
                return decompress(bytes(data))
            except ProcessError as error:
                return REASONS.index(error.reason)
        return CHANGED[name](bytes(data), key)
