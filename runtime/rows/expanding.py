"""Compressed blocks for the engine, which calls back for the content of each."""

from __future__ import annotations

from ..base.report import REASONS
from ..codecs import CodecError, expand_block
from ..format.program import ColumnProgram, Reason

MOST_KEPT = 64 * 1024 * 1024
"""Bytes of contents that are kept for a unit that is read again, at most."""
EDGE = 64
"""Bytes at both ends of a block by which it is known again, besides its position and size."""


class Expander:
    """Decompresses the blocks of one input.

    A unit that does not fit into a batch is read again for the next one: the contents of its blocks are kept.
    """

    def __init__(self, program: ColumnProgram) -> None:
        self._expansions = program.expansions
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

    def __call__(self, number: int, chosen: int, size: int, data: memoryview, position: int) -> bytes | int | None:
        """Return the content of a block; ``None`` if it is not compressed, or the number of the reason why it has none.

        ``number``: which expansion of the program it is; ``chosen``: the number of the codec among its codecs;
        ``size``: of the content in bytes, -1 if it is not given; ``position``: of the block in the input, -1 if it is
        inside of a frame or of another block.
        """
        key = (position, number, chosen, size, len(data), bytes(data[:EDGE]), bytes(data[-EDGE:]))
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        expansion = self._expansions[number]
        if 0 <= chosen < len(expansion.codecs) and expansion.codecs[chosen] == "none" and size in (-1, len(data)):
            return None if len(data) <= expansion.most else Reason.LIMIT
        try:
            content = expand_block(expansion.codecs, chosen, data, expansion.most, None if size == -1 else size)
        except CodecError as error:
            return REASONS.index(error.reason or "codec")
        if position >= 0 and self._size + len(content) <= MOST_KEPT:
            self._kept[key] = content
            self._size += len(content)
        return content
