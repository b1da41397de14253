"""Notes of a writer about the items of a file, for objects at the end of the file that refer to them."""

from __future__ import annotations

from typing import Any


class Notes:
    """Notes about the items written so far. ``lists``: the number of lists in ``made``.

    ``position``: the number of bytes of the file that are before the next item. ``count``: the number of items.
    ``made``: for each part of the last objects that is repeated for items (``for-each``), the objects of these items.
    """

    def __init__(self, lists: int = 0) -> None:
        self.position = 0
        self.count = 0
        self.made: list[list[Any]] = [[] for _ in range(lists)]

    def add(self, root: Any, attribute: str, item: Any, size: int) -> None:
        """Note an item of an attribute of the root that was written, and its size in bytes."""
        if self.made:
            getattr(root, f"_note_{attribute}")(item, size, self)
        self.position += size
        self.count += 1
