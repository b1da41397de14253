"""Objects that have a stream of their own: written there, and put into their field once all is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..kaitai import InvalidArgumentError, KaitaiStream
from .background import Background, background_of, content, keep_background
from .byte_fields import at_end, write_limited, write_terminated
from .checks import check_limited, check_size, check_terminated
from .rounds import Layout
from .solving import Solution, first_free
from .streams import MAX_GAP, FixedStream, OpenStream, seek


@dataclass(frozen=True, slots=True)
class Enclosure:
    """How the content of an object is in its field; the parts are those of an attribute of a spec.

    ``size`` is ``None`` for a field that its terminator ends, and with ``to_end`` for one that takes what is left.
    ``keeps_size``: whether ``process`` gives as many bytes as it takes. ``index``: that of the item, where the field is
    repeated. ``solutions``: what the size follows from.
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
    """Write ``child`` into a stream of its own, and move ``io`` to the end of the field of ``owner`` that it stands
    in."""
    begin_enclosed(io, owner, child, enclosure).finish(io)


def begin_enclosed(io: KaitaiStream, owner: Any, child: Any, enclosure: Enclosure) -> EnclosedField:
    """Like ``write_enclosed``, for a field with ``process``: ``finish`` then takes the function that this stands for.

    Its arguments may ask where ``io`` is: after the field already, where the size of that is known.
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
    """Puts content into its place; what ``KaitaiStream.write_back_child_streams`` asks for.

    ``pos``: where the field begins. ``room``: its size, where that is known. ``end``: where the attributes of ``child``
    end in its own stream ``inner``.
    """

    pos: int
    room: int | None
    owner: Any
    child: Any
    enclosure: Enclosure
    inner: KaitaiStream
    background: Background | None
    end: int
    layout: Layout | None = None
    encoder: tuple[Any, ...] = ()

    def finish(self, io: KaitaiStream, *encoder: Any) -> None:
        """``encoder``: the function that makes the bytes of the field out of content, and its further arguments."""
        self.encoder = encoder
        self.layout = io.layout if isinstance(io, OpenStream) else None
        if self.room is None or isinstance(io, OpenStream):
            self._reserve(io)
        io.add_child_stream(self.inner)
        self.inner.write_back_handler = self

    def write_back(self, parent: KaitaiStream) -> None:
        """Write the content, now complete, into the stream of the owner."""
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
        """Write the field where ``io`` stands."""
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
        """Keep the bytes under the name that Kaitai's classes give them."""
        name, index = f"{prefix}{self.enclosure.name}", self.enclosure.index
        if index is None:
            object.__setattr__(self.owner, name, data)
            return
        items = getattr(self.owner, name, None) if index else []
        if isinstance(items, list) and len(items) == index:
            object.__setattr__(self.owner, name, [*items, data])

    def _solve(self, layout: Layout, needed: int) -> None:
        each = self.enclosure
        if each.size is None or not each.solutions:
            return
        ending = 0 if each.include else len(each.terminator)
        if each.is_cut:
            # What was read or written before needs no terminator that it did not have.
            if needed + (ending if self.background is None else 0) > each.size:
                layout.make_room(each.solutions, needed + ending)
        elif self.background is None or self.background.is_full or needed > each.size:
            found = first_free(each.solutions)
            if found is not None and found.least(needed) == needed:
                layout.follow(each.solutions, needed)
            elif needed > each.size:
                # The rest of the field is not described by anything.
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
        """Keep the place of a field whose size follows from its content, or may."""
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
    """The number of bytes by which a field is filled up: a claimed size allocates nothing."""
    if size > MAX_GAP:
        raise InvalidArgumentError(f"{size} bytes of a field are not written")
    return size
