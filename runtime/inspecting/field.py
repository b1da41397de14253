"""A field of a record, with its bytes and its properties for display."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.dataclass import dataclass, field

MOST_FIELDS = 5000
"""Maximum number of fields of a tree; later ones are omitted."""


@dataclass
class Field:
    """An attribute, an item of a list, or an instance.

    ``[begin, end)``: its bytes, as offsets in the content of the record; ``begin`` is -1 if it has none there: a
    computed value, or one inside decompressed bytes. ``checked``: whether the checksum is valid; ``None`` if the field
    is not a checksum, or not verified. ``problem``: the error of the field. ``owner``: the class, or the message type,
    of which it is an attribute or an instance; empty for items of lists.
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
        """Return the number of its bytes."""
        return self.end - self.begin

    def within(self, base: int) -> tuple[int, int]:
        """Return the offset of its bytes relative to ``base``, and their number, both without the bytes before
        ``base``; -1 and 0 if it has none.
        """
        begin = max(self.begin, base)
        return (begin - base, max(0, self.end - begin)) if self.begin >= 0 else (-1, 0)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Field]]:
        """Yield the field and all fields inside it, each with its depth."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)
