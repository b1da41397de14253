"""Damaged bytes, with the original position of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NEW = -1
"""Origin of bytes that did not exist before."""

Piece = tuple[int, bytes]
"""Bytes, and the original position of the first of them, or ``NEW``."""


@dataclass(frozen=True)
class Stretch:
    """Bytes ``[begin, end)`` of damaged content that were consecutive before, from ``origin`` on, or are all new."""

    begin: int
    end: int
    origin: int


class Damaged:
    """Content after damage. ``kinds``: the kinds of damage."""

    def __init__(self, pieces: Sequence[Piece], kinds: Sequence[str] = ()) -> None:
        self.content = b"".join(content for _, content in pieces)
        self.kinds = tuple(kinds)
        self.stretches = _merged(pieces)

    def intact(self, begin: int, end: int) -> list[int]:
        """Return the positions at which the bytes that were at ``[begin, end)`` are now, unchanged and consecutive;
        copies count too."""
        return [
            each.begin + begin - each.origin
            for each in self.stretches
            if each.origin != NEW and each.origin <= begin and end <= each.origin + each.end - each.begin
        ]


def _merged(pieces: Sequence[Piece]) -> list[Stretch]:
    found: list[Stretch] = []
    position = 0
    for origin, content in pieces:
        if not content:
            continue
        end = position + len(content)
        last = found[-1] if found else None
        if last is not None and _goes_on(last, origin):
            found[-1] = Stretch(last.begin, end, last.origin)
        else:
            found.append(Stretch(position, end, origin))
        position = end
    return found


def _goes_on(last: Stretch, origin: int) -> bool:
    return last.origin == origin == NEW or (last.origin != NEW and origin == last.origin + last.end - last.begin)
