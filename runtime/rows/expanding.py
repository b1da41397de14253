"""Compressed blocks for the engine, which calls back for the content of each."""

from __future__ import annotations

from ..base.report import REASONS
from ..codecs import CodecError, expand_block
from ..format.program import ColumnProgram, Reason

MOST_KEPT = 64 * 1024 * 1024
"""Bytes of blocks and contents that are kept for a unit that is read again, at most."""


class Expander:
    """Decompresses the blocks of one input.

    A unit that does not fit into a batch is read again for the next one: the contents of the last blocks are kept.
    """

    def __init__(self, program: ColumnProgram) -> None:
        self._expansions = program.expansions
        self._kept: dict[tuple[int, int, int, int], tuple[bytes, bytes]] = {}
        self._size = 0

    def forget(self) -> None:
        """Another input begins."""
        self._kept.clear()
        self._size = 0

    def __call__(self, number: int, chosen: int, size: int, data: memoryview, position: int) -> bytes | int | None:
        """Return the content of a block; ``None`` if it is not compressed, or the number of the reason why it has none.

        ``number``: which expansion of the program it is; ``chosen``: the number of the codec among its codecs;
        ``size``: of the content in bytes, -1 if it is not given; ``position``: of the block in the input, -1 if it is
        inside of a frame or of another block.
        """
        key = (number, chosen, size, position)
        kept = self._kept.get(key)
        # Copied first: a view is compared item by item.
        if kept is not None and kept[0] == bytes(data):
            return kept[1]
        expansion = self._expansions[number]
        if 0 <= chosen < len(expansion.codecs) and expansion.codecs[chosen] == "none" and size in (-1, len(data)):
            return None if len(data) <= expansion.most else Reason.LIMIT
        try:
            content = expand_block(expansion.codecs, chosen, data, expansion.most, None if size == -1 else size)
        except CodecError as error:
            return REASONS.index(error.reason or "codec")
        if position >= 0:
            self._keep(key, data, content)
        return content

    def _keep(self, key: tuple[int, int, int, int], data: memoryview, content: bytes) -> None:
        size = len(data) + len(content)
        if self._size + size > MOST_KEPT:
            self.forget()
        if size <= MOST_KEPT:
            self._kept[key] = bytes(data), content
            self._size += size
