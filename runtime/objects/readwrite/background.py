"""Bytes that no attribute describes: between and after the attributes of an object with its own stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..kaitai import KaitaiStream
from ..streams import MemoryStream
from .streams import FixedStream, OpenStream


@dataclass(frozen=True, slots=True)
class Background:
    """The bytes that an object was read from or last written to, and where its attributes end in them.

    Bytes that no attribute describes are preserved as long as the total size of the attributes does not change.
    """

    end: int
    data: bytes

    @property
    def is_full(self) -> bool:
        """Return whether the attributes fill the stream."""
        return self.end >= len(self.data)


def background_of(child: Any) -> Background | None:
    """Return the background of an object; ``None`` for one that was neither read nor written."""
    found: Background | None = getattr(child, "_m_background", None)
    io = getattr(child, "_io", None)
    if found is None and isinstance(io, MemoryStream):
        found = Background(io.pos(), io.to_byte_array())
        keep_background(child, found)
    return found


def keep_background(child: Any, background: Background) -> None:
    """Keep the bytes for the next time that the object is written."""
    object.__setattr__(child, "_m_background", background)


def content(inner: KaitaiStream, end: int, background: Background | None) -> bytes:
    """Return the bytes written to ``inner``, where the attributes end at ``end``, followed by the background."""
    data = inner.to_byte_array()
    if background is None or background.end != end or not isinstance(inner, FixedStream | OpenStream):
        return data
    stored = background.data
    if isinstance(inner, OpenStream):
        data += stored[len(data) :]
    gaps = inner.gaps(len(data))
    if not gaps:
        return data
    whole = bytearray(data)
    for begin, stop in gaps:
        part = stored[begin:stop]
        whole[begin : begin + len(part)] = part
    return bytes(whole)
