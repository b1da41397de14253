"""Where in the input a stream of an object stands."""

from __future__ import annotations

from .kaitai import KaitaiStream


def offset_of(io: KaitaiStream) -> int:
    """Return the offset in the input at which a stream stands; of the content of a compressed block, that of the
    block."""
    block: tuple[int, int] | None = getattr(io, "block", None)
    if block is not None:
        return block[0]
    position: int = io.pos()
    return position + getattr(io, "origin", 0)


def end_of(io: KaitaiStream) -> int:
    """Return the offset in the input after what has been read of a stream; of the content of a compressed block, that
    after the block."""
    block: tuple[int, int] | None = getattr(io, "block", None)
    return offset_of(io) if block is None else block[1]


def range_of(io: KaitaiStream, size: int) -> tuple[int, int]:
    """Return where in the input the last ``size`` bytes that were read of a stream begin and end."""
    end = end_of(io)
    return getattr(io, "block", None) or (end - size, end)
