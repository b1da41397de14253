"""A field of a record, with its bytes and what is to be said about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MOST_FIELDS = 5000
"""Most fields of a tree; later ones are left out."""


@dataclass
class Field:
    """An attribute, an item of a list, or an instance.

    ``[begin, end)``: its bytes in the content of the record, in the content's own offsets; ``begin`` is -1 where it has
    none there: a computed value, or one inside decompressed bytes. ``checked``: whether the checksum that it is
    holds; ``None`` if it is none. ``problem``: what is wrong with it. ``owner``: the class, or the message type,
    that it is an attribute or an instance of; empty for items of lists.
    """

    name: str
    value: Any = None
    begin: int = -1
    end: int = -1
    children: list[Field] = field(default_factory=list)
    computed: bool = False
    checked: bool | None = None
    problem: str | None = None
    doc: str = ""
    owner: str = ""

    @property
    def size(self) -> int:
        """Return how many bytes it has."""
        return self.end - self.begin

    def within(self, base: int) -> tuple[int, int]:
        """Return where its bytes from ``base`` on begin, counted from there, and how many they are; -1 and 0 if it
        has none."""
        begin = max(self.begin, base)
        return (begin - base, max(0, self.end - begin)) if self.begin >= 0 else (-1, 0)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Field]]:
        """Yield the field and all below it, each with its depth."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)
