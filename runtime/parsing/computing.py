"""How much text and how many items a spec may make of a record: it could make any amount out of a few bytes."""

from __future__ import annotations

from contextvars import ContextVar, Token

from ..limits import MAX_COMPUTED
from .errors import ComputedError


class Computing:
    """Counts what is made of records while this is entered: the characters that expressions make, and the items of
    decompressed repetitions.

    ``limit``: the most for a record; ``total``: those of all records.
    """

    def __init__(self, limit: int = MAX_COMPUTED) -> None:
        self.limit = limit
        self.total = 0
        self._left = limit
        self._token: Token[Computing | None] | None = None

    def begin(self) -> None:
        """The next record."""
        self._left = self.limit

    def take(self, size: int) -> None:
        """Counts ``size`` characters or items. Raises ``ComputedError`` where the record has too many."""
        if size > self._left:
            raise ComputedError(self.limit)
        self._left -= size
        self.total += size

    def __enter__(self) -> None:
        self._token = _current.set(self)

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _current.reset(self._token)


_current: ContextVar[Computing | None] = ContextVar("computing", default=None)


def joined(*parts: str) -> str:
    """The parts as one text. Raises ``ComputedError`` where a record has too much of it.

    Where no reader counts, each text by itself has at most ``MAX_COMPUTED`` characters.
    """
    size = sum(map(len, parts))
    current = _current.get()
    if current is not None:
        current.take(size)
    elif size > MAX_COMPUTED:
        raise ComputedError(MAX_COMPUTED)
    return "".join(parts)


class ItemCounter:
    """Counts the items of all repetitions in the bytes that ``process`` made of one field, and in parts of them.

    They count for the record that is read; where no reader counts, they are at most ``MAX_COMPUTED`` by themselves.
    """

    __slots__ = ("_total",)

    def __init__(self) -> None:
        self._total = 0

    def take(self, items: int) -> None:
        """Counts more items. Raises ``ComputedError`` where there are too many."""
        self._total += items
        current = _current.get()
        if current is not None:
            current.take(items)
        elif self._total > MAX_COMPUTED:
            raise ComputedError(MAX_COMPUTED)
