"""Kinds of damage to content. Each takes and returns pieces, so that every byte's origin remains known."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from .damaged import NEW, Damaged, Piece

Pieces = list[Piece]
PAGES = (64, 256, 512)
"""Sizes of zero pages, for files of a few thousand bytes."""


def _split(pieces: Pieces, at: int) -> tuple[Pieces, Pieces]:
    before: Pieces = []
    for number, (origin, content) in enumerate(pieces):
        if at < len(content):
            first, second = (origin, content[:at]), (origin if origin == NEW else origin + at, content[at:])
            return [*before, first], [second, *pieces[number + 1 :]]
        before.append((origin, content))
        at -= len(content)
    return before, []


def _size(pieces: Pieces) -> int:
    return sum(len(content) for _, content in pieces)


def _cut(pieces: Pieces, begin: int, end: int) -> tuple[Pieces, Pieces, Pieces]:
    before, rest = _split(pieces, begin)
    inside, after = _split(rest, end - begin)
    return before, inside, after


def _overwritten(old: Pieces, new: bytes) -> Pieces:
    """Bytes that keep their value are not damaged."""
    made: Pieces = []
    position = 0
    for origin, content in old:
        for index, byte in enumerate(content):
            same = origin != NEW and byte == new[position + index]
            made.append((origin + index if same else NEW, new[position + index : position + index + 1]))
        position += len(content)
    return made


class Damager:
    """Makes damage of all kinds. ``tokens``: bytes that have a meaning in the format, such as its delimiter, which are
    put in wrong places. ``other``: pieces of another file of the format."""

    def __init__(self, source: random.Random, tokens: Sequence[bytes], other: Pieces) -> None:
        self._source = source
        self._tokens = tokens
        self._other = other

    def damage(self, pieces: Pieces) -> Damaged:
        """Damage the content once or several times."""
        count = self._source.choice((1, 1, 1, 1, 1, 2, 2, 3, 5, 8))
        kinds = self._source.choices(list(KINDS), k=count)
        for kind in kinds:
            pieces = KINDS[kind](self, pieces)
        return Damaged(pieces, kinds)

    def _range(self, pieces: Pieces, most: int) -> tuple[int, int]:
        size = _size(pieces)
        begin = self._source.randrange(size + 1)
        # Small damage is as frequent as large damage.
        length = self._source.randrange(1, 2 + self._source.randrange(most))
        return begin, min(begin + length, size)

    def _overwrite_with(self, pieces: Pieces, begin: int, new: bytes) -> Pieces:
        before, inside, after = _cut(pieces, begin, begin + len(new))
        return [*before, *_overwritten(inside, new), *after]

    def overwrite(self, pieces: Pieces) -> Pieces:
        """Overwrite bytes with random ones."""
        begin, end = self._range(pieces, 48)
        return self._overwrite_with(pieces, begin, self._source.randbytes(end - begin))

    def flip(self, pieces: Pieces) -> Pieces:
        """Flip one bit."""
        begin, _ = self._range(pieces, 1)
        _, inside, _ = _cut(pieces, begin, begin + 1)
        old = b"".join(content for _, content in inside)
        return self._overwrite_with(pieces, begin, bytes(byte ^ 1 << self._source.randrange(8) for byte in old))

    def misplace(self, pieces: Pieces) -> Pieces:
        """Overwrite bytes with tokens."""
        token = self._source.choice(self._tokens)
        begin, end = self._range(pieces, len(token))
        return self._overwrite_with(pieces, begin, token[: end - begin])

    def remove(self, pieces: Pieces) -> Pieces:
        """Remove bytes."""
        before, _, after = _cut(pieces, *self._range(pieces, 200))
        return [*before, *after]

    def insert(self, pieces: Pieces) -> Pieces:
        """Insert random bytes."""
        begin, _ = self._range(pieces, 1)
        before, after = _split(pieces, begin)
        return [*before, (NEW, self._source.randbytes(self._source.randrange(1, 64))), *after]

    def intersperse(self, pieces: Pieces) -> Pieces:
        """Insert tokens, once or several times."""
        begin, _ = self._range(pieces, 1)
        before, after = _split(pieces, begin)
        return [*before, (NEW, self._source.choice(self._tokens) * self._source.choice((1, 1, 1, 2, 70))), *after]

    def zero(self, pieces: Pieces) -> Pieces:
        """Overwrite a page with zeros."""
        page = self._source.choice(PAGES)
        begin = self._source.randrange(_size(pieces) // page + 1) * page
        return self._overwrite_with(pieces, begin, bytes(min(page, _size(pieces) - begin)))

    def truncate(self, pieces: Pieces) -> Pieces:
        """Remove the end."""
        return _split(pieces, self._range(pieces, 1)[0])[0]

    def behead(self, pieces: Pieces) -> Pieces:
        """Remove the beginning, or overwrite it with zeros."""
        before, after = _split(pieces, self._range(pieces, 1)[0])
        return after if self._source.random() < 0.5 else [*_overwritten(before, bytes(_size(before))), *after]

    def duplicate(self, pieces: Pieces) -> Pieces:
        """Copy a block to another position."""
        _, block, _ = _cut(pieces, *self._range(pieces, 600))
        before, after = _split(pieces, self._range(pieces, 1)[0])
        return [*before, *block, *after]

    def concatenate(self, pieces: Pieces) -> Pieces:
        """Append another file, or its end."""
        begin = self._source.choice((0, self._range(self._other, 1)[0]))
        return [*pieces, *_split(self._other, begin)[1]]


KINDS: dict[str, Callable[[Damager, Pieces], Pieces]] = {
    "overwritten": Damager.overwrite,
    "bit flipped": Damager.flip,
    "token over others": Damager.misplace,
    "removed": Damager.remove,
    "inserted": Damager.insert,
    "token inserted": Damager.intersperse,
    "zero page": Damager.zero,
    "truncated": Damager.truncate,
    "beginning gone": Damager.behead,
    "block duplicated": Damager.duplicate,
    "concatenated": Damager.concatenate,
}
"""All kinds of damage, by their names in reports."""
