"""Logs that begin with zeros: a hole that was punched into the file, or a head that was overwritten in place.

The delimiter before the first record that is left went with the zeros, so that record is found only by where they end.
A record can begin with a zero byte of its own, though (its checksum then begins like a delimiter), and zeros at the
beginning can be all there is to a damaged record; so a place counts only where a record holds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .feeders import Status
from .storage import FileInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from .feeders import Feeder
    from .opening import Opened

PIECE = 1 << 20


def leading_zeros(source: FileInput) -> int:
    """How many zero bytes the file begins with. Holes are not read, where the system can tell where they are."""
    assert source.path is not None
    zeros = 0
    with open(source.path, "rb", buffering=0) as file:
        while True:
            zeros = _next_data(file.fileno(), zeros)
            piece = os.pread(file.fileno(), PIECE, zeros)
            rest = piece.lstrip(b"\0")
            zeros += len(piece) - len(rest)
            if rest or not piece:
                return zeros


def _next_data(descriptor: int, offset: int) -> int:
    """Where the next bytes begin that are stored at all."""
    if not hasattr(os, "SEEK_DATA"):
        return offset
    try:
        return os.lseek(descriptor, offset, os.SEEK_DATA)
    except OSError:
        # Nothing but a hole up to the end, or a file system that does not tell.
        return offset


def first_row(source: FileInput, feeder: Feeder, open_at: Callable[[int], Opened]) -> int:
    """Offset of the first record in a file that begins with zeros; 0 where it is not behind them.

    ``open_at`` opens the input at an offset, as if it began there.
    """
    zeros = leading_zeros(source)
    if not zeros:
        return 0
    for place in (0, zeros - 1, zeros):
        opened = open_at(place)
        try:
            if _holds(feeder, opened, place):
                return place
        finally:
            opened.close()
    return 0


def _holds(feeder: Feeder, opened: Opened, place: int) -> bool:
    """Whether the bytes from ``place`` up to the first delimiter are a record."""
    while True:
        filled = feeder.fill(opened.window, capacity=1, at_start=True, stop=place + 1)
        if filled.status is not Status.NEED_INPUT or filled.rows or filled.damages:
            return filled.rows == 1 and not filled.damages
        opened.window.extend()
