"""Bytes as they are in their fields, written to a stream."""

from __future__ import annotations

import struct
from typing import Any

from ..fields import find_terminator, refuse_misfit
from ..kaitai import ConsistencyError, EndOfStreamError, KaitaiStream
from ..processing import compress, decompress
from .checks import check_limited
from .streams import FixedStream, OpenStream


def is_open(io: KaitaiStream) -> bool:
    """Return whether the stream grows: then what the object has is written, and where the stream ends is no matter."""
    return isinstance(io, OpenStream)


def expected(io: KaitaiStream, owner: Any, name: str, condition: bool) -> bool:
    """Return whether an attribute is written that is there on a condition about the stream.

    A stream that grows ends where the object does: what is there is written.
    """
    return hasattr(owner, name) if isinstance(io, OpenStream) else condition


def follow_now(io: KaitaiStream, owner: Any, name: str, value: object) -> None:
    """Fill in what follows from how things lie, while that is being found."""
    if isinstance(io, OpenStream) and io.layout is not None and owner._follow(name, value):
        io.layout.changes.append(name)


def room(io: KaitaiStream, name: str) -> None:
    """An item of a repetition that goes to the end of the stream: there must be something left for it."""
    if type(io) is KaitaiStream and not io.bits_left and io._io.tell() < io._size:
        return
    if not isinstance(io, OpenStream) and io.is_eof():
        raise ConsistencyError(name, 0, io.size() - io.pos())


def at_end(io: KaitaiStream, name: str) -> None:
    """Check that what goes to the end of the stream has come there."""
    if not isinstance(io, OpenStream) and not io.is_eof():
        raise ConsistencyError(name, 0, io.size() - io.pos())


def write_run(io: KaitaiStream, packer: struct.Struct, names: str, sizes: tuple[int, ...], *values: Any) -> None:
    """Write several values at once; where there is not room for all, those that there is room for."""
    try:
        data = packer.pack(*values)
        io.write_bytes(data)
    except struct.error:
        # This time the error names the value that does not fit.
        refuse_misfit(packer, names, *values)
        raise
    except EndOfStreamError:
        begin = 0
        for size in sizes:
            io.write_bytes(data[begin : begin + size])
            begin += size


def write_limited(
    io: KaitaiStream,
    data: bytes,
    size: int | None,
    *,
    terminator: bytes = b"",
    include: bool = False,
    pad: int | None = None,
) -> None:
    """Write bytes into a field of ``size`` bytes, ``None`` for all that are left: then the terminator, then padding.

    With ``include`` the value has its terminator already.
    """
    if size is None:
        size = len(data) if isinstance(io, OpenStream) and io.assumed is None else io.size() - io.pos()
    rest = size - len(data)
    fill = bytes((pad or 0,))
    tail = (terminator if not include and len(terminator) <= rest else b"").ljust(max(0, rest), fill)
    io.write_bytes(data)
    if tail:
        io.write_bytes(tail)


def write_to_end(
    io: KaitaiStream,
    name: str,
    data: bytes,
    *,
    terminator: bytes = b"",
    include: bool = False,
    pad: int | None = None,
) -> None:
    """Write bytes into all that is left of the stream, with what ends and pads them.

    Where they do not hold, the error names the field whose stream it is: it says how much is left.
    """
    if not isinstance(io, OpenStream):
        left = io.size() - io.pos()
        if len(data) <= left:
            field = io.field if isinstance(io, FixedStream) and io.field else name
            check_limited(field, data, left, terminator=terminator, include=include, pad=pad)
    if terminator or pad is not None:
        write_limited(io, data, None, terminator=terminator, include=include, pad=pad)
    else:
        io.write_bytes(data)
    at_end(io, name)


def write_terminated(
    io: KaitaiStream,
    name: str,
    data: bytes,
    terminator: bytes,
    *,
    include: bool = False,
    consume: bool = True,
    eos_error: bool = True,
) -> None:
    """Write bytes and what ends them; a terminator that is not consumed belongs to what follows, and stays."""
    io.write_bytes(data)
    if include:
        if not eos_error and find_terminator(data, terminator) == -1:
            at_end(io, name)
        return
    if not eos_error and io.is_eof():
        return
    position = io.pos()
    io.write_bytes(terminator)
    if not consume:
        io.seek(position)


def inflated(data: bytes, owner: Any) -> bytes:
    """``process: zlib``: the content, and kept with it what it was made of, which is written again for that content."""
    content = decompress(data)
    kept: dict[bytes, bytes] = owner.__dict__.setdefault("_m_deflated", {})
    kept[content] = bytes(data)
    return content


def deflated(content: bytes, owner: Any) -> bytes:
    """The inverse of ``inflated``."""
    kept: dict[bytes, bytes] = owner.__dict__.get("_m_deflated", {})
    return kept.get(content) or compress(content)
