"""Targets and sources of objects: their positions and sizes."""

from __future__ import annotations

from typing import IO

from ..kaitai import KaitaiStream
from ..streams import MemoryStream
from .streams import OpenStream


def position_of(io: KaitaiStream | None) -> int:
    """The position of a stream; 0 without one, and -1 where it is no longer known."""
    try:
        return 0 if io is None else io.pos()
    except (OSError, ValueError):
        return -1


def size_of(io: KaitaiStream | None) -> int:
    """The size of a stream; 0 without one, and where that cannot be said any more."""
    try:
        return 0 if io is None else io.size()
    except (OSError, ValueError):
        return 0


def grows(io: KaitaiStream) -> bool:
    """Return whether a stream takes as many bytes as are written to it."""
    return isinstance(io, OpenStream) or (not isinstance(io, MemoryStream) and io.size() == 0)


def append(target: KaitaiStream | IO[bytes], data: bytes) -> None:
    """Write all bytes at once."""
    if isinstance(target, KaitaiStream) and not isinstance(target, OpenStream):
        target._io.write(data)
        target._size = target.size()
    elif isinstance(target, KaitaiStream):
        target.write_bytes(data)
    else:
        target.write(data)
