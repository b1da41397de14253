"""Positions of objects' streams in the input."""

from __future__ import annotations

from .kaitai import KaitaiStream


def offset_of(io: KaitaiStream) -> int:
    """Return the offset in the input of a stream's position; for the content of a compressed block, that of the
    block."""
    block: tuple[int, int] | None = getattr(io, "block", None)
    if block is not None:
        return block[0]
    position: int = io.pos()
    return position + getattr(io, "origin", 0)


def end_of(io: KaitaiStream) -> int:
    """Return the offset in the input up to which a stream has been read; for the content of a compressed block, the end
    of the block."""
    block: tuple[int, int] | None = getattr(io, "block", None)
    return offset_of(io) if block is None else block[1]


def range_of(io: KaitaiStream, size: int) -> tuple[int, int]:
    """Return the begin and the end, in the input, of the last ``size`` bytes that were read from a stream."""
    end = end_of(io)
    return getattr(io, "block", None) or (end - size, end)
