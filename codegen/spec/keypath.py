"""Where something is in the tree of a spec's keys, as Kaitai's compiler writes it: ``/types/frame/seq/0/size``."""

from __future__ import annotations

from dataclasses import dataclass

MAX_STEP = 100
"""Characters of one key that are shown: a key may be as long as the file."""


@dataclass(frozen=True, eq=False)
class KeyPath:
    """A place in the tree: the one around it, and the key or index inside that. Places share what is above them, so
    that even the deepest tree of long keys takes little memory.

    >>> str(ROOT), str(ROOT.child("seq").child(0).child("size"))
    ('/', '/seq/0/size')
    """

    parent: KeyPath | None = None
    step: str = ""

    def child(self, step: str | int) -> KeyPath:
        """Return the place of a key, or of an item of a list."""
        return KeyPath(self, str(step))

    def sibling(self, step: str) -> KeyPath:
        """Return the place of another key beside it."""
        return KeyPath(self.parent, step)

    def __str__(self) -> str:
        steps: list[str] = []
        place = self
        while place.parent is not None:
            steps.append(place.step if len(place.step) <= MAX_STEP else f"{place.step[:MAX_STEP]}…")
            place = place.parent
        return "/" + "/".join(reversed(steps))


ROOT = KeyPath()
