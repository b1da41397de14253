"""Inputs of which some parts, the *gaps*, are not read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .stored import Stored
from .window import CHUNK, Block, DirectBlocks, StreamWindow

Gap = tuple[int, int]
"""The first byte of a part of an input, and the byte after it."""


class GappedBlocks(DirectBlocks):
    """Blocks of an input that is not compressed: each ends where a gap begins. ``gaps``: ascending, without overlap. A
    gap is passed on demand; one whose first bytes are read is no gap any more."""

    def __init__(self, stored: Stored, gaps: Iterable[Gap], chunk: int = CHUNK) -> None:
        super().__init__(stored, chunk)
        self._stored = stored
        self._gaps = deque(gaps)

    def next(self) -> Block | None:
        """Like ``Blocks.next``."""
        while self._gaps and self._gaps[0][0] <= self._stored.position:
            self._gaps.popleft()
        self._stop = self._gaps[0][0] if self._gaps else None
        return super().next()

    @property
    def before_gap(self) -> bool:
        """Return whether a gap begins where the next block would."""
        return bool(self._gaps) and self._gaps[0][0] == self._stored.position

    def pass_gap(self) -> Gap | None:
        """Seek to the end of the gap that begins where the next block would, and return it; ``None``: there is none.
        Raises ``StorageError``."""
        if not self.before_gap:
            return None
        gap = self._gaps.popleft()
        self._stored.seek(gap[1])
        return gap


class GappedWindow(StreamWindow):
    """A window over an input with gaps. ``stored``: the input, at its first byte."""

    def __init__(self, stored: Stored, gaps: Iterable[Gap], chunk: int = CHUNK) -> None:
        self._gapped = GappedBlocks(stored, gaps, chunk)
        super().__init__(self._gapped)

    def extend(self) -> bool:
        """Like ``Window.extend``."""
        extended = super().extend()
        self.before_gap = self._gapped.before_gap
        return extended

    def pass_gap(self) -> Gap | None:
        """Pass the gap that begins where ``view`` ends, if nothing before it is left in ``view``. Return it; ``None``:
        nothing has changed. Raises ``StorageError``."""
        gap = self._gapped.pass_gap() if self.begin == len(self.view) else None
        if gap is not None:
            self._has_head = True
            self._pass(gap[1] - gap[0])
        return gap
