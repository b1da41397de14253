"""Searches the bytes of a file, in pieces, so that its size does not matter."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

PIECE = 1024 * 1024
MOST_WANTED = 4096
"""Maximum number of bytes of a search."""


def find_bytes(path: Path, wanted: bytes, begin: int, seconds: float, *, backwards: bool = False) -> tuple[int, int]:
    """Return the offset of the next place of ``wanted`` that begins at ``begin`` or after it (``backwards``: before
    it), continuing at the other end of the file; -1 if there is none. The second number is the offset at which a
    search continues that was stopped after ``seconds``; -1 if it was not."""
    size = path.stat().st_size
    begin = min(max(begin, 0), size)
    end = time.monotonic() + seconds
    with path.open("rb") as file:
        for first, last in _pieces(begin, size, backwards=backwards):
            if time.monotonic() > end:
                return -1, last if backwards else first
            file.seek(first)
            # Only places that begin in the piece, whose bytes may extend beyond it.
            data = file.read(last - first + len(wanted) - 1)
            found = data.rfind(wanted) if backwards else data.find(wanted)
            if found >= 0:
                return first + found, -1
    return -1, -1


def _pieces(begin: int, size: int, *, backwards: bool) -> Iterator[tuple[int, int]]:
    if backwards:
        for low, high in ((0, begin), (begin, size)):
            for last in range(high, low, -PIECE):
                yield max(low, last - PIECE), last
    else:
        for low, high in ((begin, size), (0, begin)):
            for first in range(low, high, PIECE):
                yield first, min(first + PIECE, high)
