"""Rows at positions: instances on the way to the rows, which are read after the attributes of their object."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from .computing import spend_items, take_items
from .kaitai import KaitaiStream
from .row_log import RowLog, log_at
from .streams import offset_of

BYTES_PER_ITEM = 16
"""This many bytes at positions count as one item, since positions may lead to the same bytes again and again."""


class _Position(AbstractContextManager[None]):
    def __init__(self, log: RowLog | None, io: KaitaiStream, position: int) -> None:
        self._log = log
        self._io = io
        self._position = position

    def __enter__(self) -> None:
        io, log = self._io, self._log
        self._before = io.pos(), io.bits, io.bits_left
        self._position = min(self._position, io.size())
        io.seek(self._position)
        if log is not None:
            self._sound, log.sound = log.sound, offset_of(io)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        io, log = self._io, self._log
        taken = (io.pos() if error is None else io.size()) - self._position
        position, bits, bits_left = self._before
        io.seek(position)
        io.bits, io.bits_left = bits, bits_left
        if log is None:
            return
        log.sound = self._sound
        count_down = take_items if error is None else spend_items
        count_down(taken // BYTES_PER_ITEM)


def go_on(holder: Any, name: str, *steps: int) -> None:
    """Read the instance ``name`` of ``holder``, which is at a position, if one of these is the next step to the
    rows."""
    if log_at(holder, *steps) is None:
        return
    try:
        getattr(holder, name)
    except AttributeError as error:
        # The cached value is missing if the instance was damaged, and the damage is already recorded.
        if error.obj is not holder or error.name != f"_m_{name}":
            raise


def positioned(holder: Any, io: KaitaiStream, position: int, *steps: int) -> AbstractContextManager[None]:
    """Return a context that seeks to ``position``, logs rows of ``steps``, and seeks back. A position after the end
    counts as the end."""
    return _Position(log_at(holder, *steps), io, position)
