"""Positions in spec files: lines and columns, and paths in the tree of a file's keys, in the notation of Kaitai's
compiler: ``/types/frame/seq/0/size``."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass, field

MAX_STEP = 100
"""Maximum number of characters shown of one key: a key may be as long as the file."""


@dataclass(frozen=True, eq=False)
class KeyPath:
    """A path in the tree: its parent, and the key or index in it. Paths share their parents, so that even a deep tree
    of long keys takes little memory.

    >>> str(ROOT), str(ROOT.child("seq").child(0).child("size"))
    ('/', '/seq/0/size')
    """

    parent: KeyPath | None = None
    step: str = ""

    def child(self, step: str | int) -> KeyPath:
        """Return the path of a key, or of an item of a list, in this node."""
        return KeyPath(self, str(step))

    def __str__(self) -> str:
        steps: list[str] = []
        place = self
        while place.parent is not None:
            steps.append(place.step if len(place.step) <= MAX_STEP else f"{place.step[:MAX_STEP]}…")
            place = place.parent
        return "/" + "/".join(reversed(steps))


ROOT = KeyPath()


@dataclass(frozen=True)
class Position:
    """A position in a spec file; line and column count from 1. ``width``: the number of characters, 0 if unknown or not
    on one line. ``source``: the line itself. ``path``: the path in the tree of the file's keys, if it has one."""

    file: str
    line: int
    column: int
    width: int = field(default=0, compare=False)
    source: str = field(default="", compare=False, repr=False)
    path: KeyPath | None = field(default=None, compare=False, repr=False)
