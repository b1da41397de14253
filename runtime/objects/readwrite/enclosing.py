"""Objects with their own stream: they are written there, and copied into their field when everything is written."""

from __future__ import annotations

from typing import Any

from ...base.dataclass import dataclass
from ..kaitai import InvalidArgumentError, KaitaiStream
from ..streams import MemoryStream
from .byte_fields import at_end, write_limited, write_terminated
from .checks import check_limited, check_size, check_terminated
from .solving import Solution, first_free
from .streams import MAX_GAP, FixedStream, OpenStream, WrittenLayout, seek


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


@dataclass(frozen=True, slots=True)
class Enclosure:
    """How the content of an object is stored in its field; the members are keys of an attribute of a spec.

    ``size`` is ``None`` for a terminated field, and with ``to_end`` for one that takes the rest of the stream.
    ``keeps_size``: whether ``process`` keeps the number of bytes. ``index``: index of the item in a repeated field.
    ``solutions``: the attributes that the size is derived from.
    """

    name: str
    size: int | None = None
    to_end: bool = False
    terminator: bytes = b""
    include: bool = False
    consume: bool = True
    eos_error: bool = True
    pad: int | None = None
    keeps_size: bool = True
    index: int | None = None
    solutions: tuple[Solution, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Return whether the content may be shorter than the field."""
        return bool(self.terminator) or self.pad is not None


def write_enclosed(io: KaitaiStream, owner: Any, child: Any, enclosure: Enclosure) -> None:
    """Write ``child`` into its own stream, and move ``io`` to the end of its field in ``owner``."""
    begin_enclosed(io, owner, child, enclosure).finish(io)


def begin_enclosed(io: KaitaiStream, owner: Any, child: Any, enclosure: Enclosure) -> EnclosedField:
    """Like ``write_enclosed``, for a field with ``process``: ``finish`` is then called with the encoding function.

    Arguments of ``process`` may depend on the position of ``io``, which is after the field if its size is known.
    """
    begin = io.pos()
    background = background_of(child)
    size = enclosure.size
    if enclosure.to_end and not (isinstance(io, OpenStream) and io.assumed is None):
        size = max(0, io.size() - begin)
    inner = _inner_stream(io, enclosure, size)
    child._write__seq(inner)
    field = EnclosedField(begin, size, owner, child, enclosure, inner, background, inner.pos())
    if size is not None:
        seek(io, begin + size)
    return field


def _inner_stream(io: KaitaiStream, enclosure: Enclosure, size: int | None) -> KaitaiStream:
    layout = io.layout if isinstance(io, OpenStream) else None
    if size is None or enclosure.is_cut or not enclosure.keeps_size:
        return OpenStream(layout)
    return OpenStream(layout, size) if layout is not None else FixedStream(size, enclosure.name)


@dataclass(slots=True)
class EnclosedField:
    """Copies content into its field, as ``KaitaiStream.write_back_child_streams`` requires.

    ``pos``: where the field begins. ``room``: its size, if known. ``end``: where the attributes of ``child`` end in its
    own stream ``inner``.
    """

    pos: int
    room: int | None
    owner: Any
    child: Any
    enclosure: Enclosure
    inner: KaitaiStream
    background: Background | None
    end: int
    layout: WrittenLayout | None = None
    encoder: tuple[Any, ...] = ()

    def finish(self, io: KaitaiStream, *encoder: Any) -> None:
        """Set the ``encoder``: the function that encodes the content as the bytes of the field, and its further
        arguments."""
        self.encoder = encoder
        self.layout = io.layout if isinstance(io, OpenStream) else None
        if self.room is None or isinstance(io, OpenStream):
            self._reserve(io)
        io.add_child_stream(self.inner)
        self.inner.write_back_handler = self

    def write_back(self, parent: KaitaiStream) -> None:
        """Write the complete content into the owner's stream."""
        parent.seek(self.pos)
        data = content(self.inner, self.end, self.background)
        raw = self._encoded(data)
        if self.layout is not None:
            self._solve(self.layout, len(raw))
        else:
            self._check(raw)
            keep_background(self.child, Background(self.end, data))
            self._keep("_raw_", data)
            if self.encoder:
                self._keep("_raw__raw_", raw)
        self.put(parent, raw)
        if self.enclosure.to_end:
            at_end(parent, f"raw({self.enclosure.name})")

    def put(self, io: KaitaiStream, raw: bytes) -> None:
        """Write the field at the position of ``io``."""
        each = self.enclosure
        if not each.is_cut:
            io.write_bytes(raw)
        elif each.size is not None or each.to_end:
            write_limited(io, raw, each.size, terminator=each.terminator, include=each.include, pad=each.pad)
        else:
            name, keys = f"raw({each.name})", (each.include, each.consume, each.eos_error)
            write_terminated(io, name, raw, each.terminator, include=keys[0], consume=keys[1], eos_error=keys[2])

    def _encoded(self, data: bytes) -> bytes:
        if not self.encoder:
            return data
        function, *arguments = self.encoder
        raw: bytes = function(data, *arguments)
        return raw

    def _keep(self, prefix: str, data: bytes) -> None:
        """Keep the bytes under the name that Kaitai's classes use."""
        name, index = f"{prefix}{self.enclosure.name}", self.enclosure.index
        if index is None:
            object.__setattr__(self.owner, name, data)
            return
        items = getattr(self.owner, name, None) if index else []
        if isinstance(items, list) and len(items) == index:
            object.__setattr__(self.owner, name, [*items, data])

    def _solve(self, layout: WrittenLayout, needed: int) -> None:
        each = self.enclosure
        if each.size is None or not each.solutions:
            return
        ending = 0 if each.include else len(each.terminator)
        if each.is_cut:
            # Content that was read or written before without a terminator needs none now.
            if needed + (ending if self.background is None else 0) > each.size:
                layout.make_room(each.solutions, needed + ending)
        elif self.background is None or self.background.is_full or needed > each.size:
            found = first_free(each.solutions)
            if found is not None and found.least(needed) == needed:
                layout.follow(each.solutions, needed)
            elif needed > each.size:
                # No attribute describes the rest of the field.
                layout.make_room(each.solutions, needed)

    def _check(self, raw: bytes) -> None:
        each, name = self.enclosure, f"raw({self.enclosure.name})"
        if each.size is not None and each.is_cut:
            check_limited(name, raw, each.size, terminator=each.terminator, include=each.include, pad=each.pad)
        elif each.size is not None:
            check_size(name, raw, each.size)
        elif each.terminator and not each.to_end:
            check_terminated(name, raw, each.terminator, include=each.include, eos_error=each.eos_error)

    def _reserve(self, io: KaitaiStream) -> None:
        """Reserve the place of a field whose size is, or may be, derived from its content."""
        raw, each = self._encoded(content(self.inner, self.end, self.background)), self.enclosure
        io.seek(self.pos)
        if isinstance(io, OpenStream):
            self.put(io, raw)
            if self.room is not None and io.pos() < self.pos + self.room:
                io.write_bytes(bytes(_fill(self.pos + self.room - io.pos())))
            return
        io.seek(self.pos + len(raw))
        if not each.include and each.consume and (each.eos_error or not io.is_eof()):
            io.seek(io.pos() + len(each.terminator))


def _fill(size: int) -> int:
    """Return the number of padding bytes of a field. A claimed size alone allocates nothing."""
    if size > MAX_GAP:
        raise InvalidArgumentError(f"{size} bytes of a field were not written")
    return size
