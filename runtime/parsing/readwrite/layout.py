"""Where things will stand: an object is written into growing streams until its sizes and positions hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import ChecksumError
from ..kaitai import ConsistencyError, KaitaiStream
from .solving import Solution, first_free
from .streams import OpenStream, seek

MAX_ROUNDS = 32
"""How often an object is written before its layout counts as one that never settles."""


class Layout:
    """What is found out over the rounds."""

    def __init__(self) -> None:
        self.changes: list[str] = []
        """The attributes that took another value in this round."""
        self.floating: set[tuple[int, str]] = set()
        """The attributes, each by its object, that say where something stands that has no place yet."""
        self.checksums: list[Callable[[], None]] = []
        """What is computed at the end of a round, in the order in which it was asked for."""
        self.refused: list[ChecksumError] = []
        """The checksums that were assigned and are not those of what was written in this round."""

    def follow(self, solutions: tuple[Solution, ...], wanted: int) -> None:
        """Gives the attribute that is free the value that makes its expression come to ``wanted``."""
        found = first_free(solutions)
        if found is not None and found.follow(wanted):
            self.changes.append(found.name)

    def settle(self, write: Callable[[OpenStream], None], start: int, assumed: int | None) -> OpenStream:
        """Writes with ``write`` until nothing changes; the stream of the last round.

        ``start``: where in the stream the object begins. ``assumed``: the size of the stream, where that is known.
        """
        known = assumed
        for _ in range(MAX_ROUNDS):
            self.changes, self.checksums, self.refused = [], [], []
            stream = OpenStream(self, known)
            stream.seek(start)
            write(stream)
            stream.write_align_to_byte()
            for compute in self.checksums:
                compute()
            size = max(stream.extent, stream.wanted)
            grown = assumed is None and stream.was_asked and size != known
            if not self.changes and not grown:
                if self.refused:
                    raise self.refused[0]
                return stream
            known = size if assumed is None else assumed
        names = ", ".join(dict.fromkeys(self.changes)) or "the size of the stream"
        raise ConsistencyError(names, "values that agree with each other", "others each time that they are computed")


@contextmanager
def placed(io: KaitaiStream, position: int, *solutions: Solution) -> Iterator[None]:
    """What stands at a position of its own is written there; the stream then comes back to where it was.

    ``solutions``: the attributes that may say where it stands. Where the position was never given, or holds something
    else by now, it is the end of the stream.
    """
    back = io.pos()
    layout = io.layout if isinstance(io, OpenStream) else None
    free = next((each for each in solutions if each.is_free and each.is_known), None)
    if layout is None or not isinstance(io, OpenStream):
        seek(io, position)
        yield
        io.seek(back)
        return
    if free is None:
        yield from _counted_from_the_end(io, position, back)
        return
    key = (id(free.owner), free.name)
    if key in layout.floating:
        position = next_place(io, free)
        layout.follow((free,), position)
    clashes = io.clashes
    seek(io, position)
    yield
    io.seek(back)
    if io.clashes > clashes and key not in layout.floating:
        layout.floating.add(key)
        layout.changes.append(free.name)


def _counted_from_the_end(io: OpenStream, position: int, back: int) -> Iterator[None]:
    """Where the position depends on the size of the stream, and something else stands there, the stream is longer."""
    clashes, extent = io.clashes, io.extent
    seek(io, max(0, position))
    begin = io.pos()
    yield
    if io.clashes > clashes and io.was_asked:
        io.wanted = max(io.wanted, extent + io.pos() - begin)
    io.seek(back)


def next_place(io: OpenStream, solution: Solution) -> int:
    """The first position behind everything that the attribute can name."""
    factor, addend = solution.numbers()
    step = abs(factor) or 1
    return io.extent + (addend - io.extent) % step
