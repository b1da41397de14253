"""The layout of an object: it is written into growing streams until its sizes and positions no longer change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ..kaitai import ConsistencyError, KaitaiStream
from .solving import Solution
from .streams import OpenStream, WrittenLayout, seek

MAX_ROUNDS = 32
"""Maximum number of rounds; a layout that still changes then counts as one that never settles."""


class Before(NamedTuple):
    """The size of the stream that an object was read from, and where its attributes ended in it."""

    size: int
    end: int


def settle(
    layout: WrittenLayout, write: Callable[[OpenStream], None], start: int, assumed: int | None, before: Before | None
) -> int:
    """Run ``write`` until nothing changes, and return the size of the stream.

    ``start``: position of the object in the stream. ``assumed``: the size of the stream, if known. ``before``: its size
    when the object was read, which is tried first.
    """
    known = before.size if assumed is None and before is not None else assumed
    for _ in range(MAX_ROUNDS):
        layout.changes, layout.checksums, layout.refused = [], [], []
        stream = OpenStream(layout, known)
        stream.seek(start)
        write(stream)
        stream.write_align_to_byte()
        for compute in layout.checksums:
            compute()
        size = max(stream.extent, stream.wanted)
        if before is not None and stream.was_asked:
            stays = not layout.changes and size <= before.size and stream.pos() == before.end
            size, before = before.size, None
            if not stays:
                # Its size is determined again; if it does not change, undescribed bytes at its end are preserved.
                known = None
                continue
        grown = assumed is None and stream.was_asked and size != known
        if not layout.changes and not grown:
            if layout.refused:
                raise layout.refused[0]
            return size
        known = size if assumed is None else assumed
    names = ", ".join(dict.fromkeys(layout.changes)) or "the size of the stream"
    raise ConsistencyError(names, "values that agree with each other", "values that differ each time they are computed")


@contextmanager
def placed(io: KaitaiStream, position: int, *solutions: Solution, from_end: bool = False) -> Iterator[None]:
    """Write an instance at its own position, and return to the previous position.

    ``solutions``: the attributes that the position can be derived from. If the position was never given, or is occupied
    by now, the instance goes to the end of the stream. ``from_end``: the position depends on the stream's size.
    """
    back = io.pos()
    layout = io.layout if isinstance(io, OpenStream) else None
    free = next((each for each in solutions if each.is_free and each.is_known), None)
    if free is None and isinstance(io, OpenStream) and layout is not None and from_end:
        yield from _counted_from_the_end(io, position, back)
        return
    if free is None or not isinstance(io, OpenStream) or layout is None:
        seek(io, position)
        yield
        io.seek(back)
        return
    key = (id(free.owner), free.name)
    if key in layout.floating:
        position = free.least(io.extent)
        layout.follow((free,), position)
    clashes = io.clashes
    seek(io, position)
    yield
    end = io.pos()
    io.seek(back)
    if io.clashes == clashes or key in layout.floating:
        return
    if io.tail is not None and position <= io.tail < end:
        # An instance whose position is counted from the end is moved.
        io.wanted = max(io.wanted, io.size() + end - io.tail)
    else:
        layout.floating.add(key)
        layout.changes.append(free.name)


def _counted_from_the_end(io: OpenStream, position: int, back: int) -> Iterator[None]:
    """Lengthen the stream if a position that depends on its size is occupied."""
    clashes, extent, size = io.clashes, io.extent, io.size()
    seek(io, max(0, position))
    io.tail = position if io.tail is None else min(io.tail, position)
    yield
    if position < 0 or io.clashes > clashes:
        io.wanted = max(io.wanted, size + max(1, extent - position))
    elif io.assumed is not None:
        io.wanted = max(io.wanted, size)
    io.seek(back)
