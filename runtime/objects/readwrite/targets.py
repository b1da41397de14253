"""Positions and sizes of the streams that objects are read from and written to."""

from __future__ import annotations

from typing import IO

from ..kaitai import KaitaiStream
from ..streams import MemoryStream
from .streams import OpenStream


def position_of(io: KaitaiStream | None) -> int:
    """Return the position of a stream; 0 for ``None``, and -1 if it is no longer known."""
    try:
        return 0 if io is None else io.pos()
    except (OSError, ValueError):
        return -1


def size_of(io: KaitaiStream | None) -> int:
    """Return the size of a stream; 0 for ``None``, and if it is no longer known."""
    try:
        return 0 if io is None else io.size()
    except (OSError, ValueError):
        return 0


def grows(io: KaitaiStream) -> bool:
    """Return whether a stream grows as it is written to."""
    return isinstance(io, OpenStream) or (not isinstance(io, MemoryStream) and io.size() == 0)


def append(target: KaitaiStream | IO[bytes], data: bytes) -> None:
    """Append bytes in one call."""
    if isinstance(target, KaitaiStream) and not isinstance(target, OpenStream):
        target._io.write(data)
        target._size = target.size()
    elif isinstance(target, KaitaiStream):
        target.write_bytes(data)
    else:
        target.write(data)
