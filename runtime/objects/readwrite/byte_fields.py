"""Writing of byte fields to a stream."""

from __future__ import annotations

import struct
from typing import Any

from ..fields import find_terminator, refuse_misfit
from ..kaitai import ConsistencyError, EndOfStreamError, KaitaiStream, KaitaiStruct
from ..processing import compress, decompress
from .checks import check_limited
from .streams import FixedStream, OpenStream


def is_open(io: KaitaiStream) -> bool:
    """Return whether the stream grows: then everything that the object has is written, and its end is not checked."""
    return isinstance(io, OpenStream)


def expected(io: KaitaiStream, owner: Any, name: str, condition: bool) -> bool:
    """Return whether to write an attribute whose presence depends on a condition about the stream.

    A growing stream ends where the object does: an attribute that has a value is written.
    """
    return hasattr(owner, name) if isinstance(io, OpenStream) else condition


def follow_now(io: KaitaiStream, owner: Any, name: str, value: object) -> None:
    """Fill in values that depend on sizes and positions, while these are being found."""
    if isinstance(io, OpenStream) and io.layout is not None and owner._follow(name, value):
        io.layout.changes.append(name)


def room(io: KaitaiStream, name: str) -> None:
    """Check that the stream has room for an item of a repetition that extends to its end."""
    if type(io) is KaitaiStream and not io.bits_left and io._io.tell() < io._size:
        return
    if not isinstance(io, OpenStream) and io.is_eof():
        raise ConsistencyError(name, 0, io.size() - io.pos())


def at_end(io: KaitaiStream, name: str) -> None:
    """Check that an attribute that extends to the end of the stream has filled it."""
    if not isinstance(io, OpenStream) and not io.is_eof():
        raise ConsistencyError(name, 0, io.size() - io.pos())


def write_run(io: KaitaiStream, packer: struct.Struct, names: str, sizes: tuple[int, ...], *values: Any) -> None:
    """Write several values at once; if there is not room for all, as many as fit."""
    try:
        data = packer.pack(*values)
        io.write_bytes(data)
    except struct.error:
        # Value by value, the error names the one that does not fit.
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
    """Write bytes, the terminator and padding into a field of ``size`` bytes (``None``: the rest of the stream).

    With ``include`` the value ends with its terminator already.
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
    """Write bytes, the terminator and padding into the rest of the stream.

    If they do not fit, the error names the field whose stream it is, since its size is the limit.
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
    """Write bytes and their terminator, unless it is not consumed: then it belongs to the next attribute."""
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
    """Undo ``process: zlib``. The compressed bytes are kept with the content, and written again if it has not
    changed."""
    content = decompress(data)
    kept: dict[bytes, bytes] = owner.__dict__.setdefault("_m_deflated", {})
    kept[content] = bytes(data)
    return content


def deflated(content: bytes, owner: Any) -> bytes:
    """Return the inverse of ``inflated``."""
    kept: dict[bytes, bytes] = owner.__dict__.get("_m_deflated", {})
    return kept.get(content) or compress(content)


class RawContent:
    """The bytes that the object in an attribute was read from; a list if it is repeated.

    They are those of the object's stream, not a copy. Writing replaces them with the written bytes.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, owner: Any, kind: type) -> Any:
        value = None if owner is None else getattr(owner, self.name, None)
        if isinstance(value, list):
            return [_content(each) for each in value]
        return _content(value)


def _content(value: object) -> bytes | None:
    if not isinstance(value, KaitaiStruct) or value._io is None:
        return None
    return value._io.to_byte_array()
