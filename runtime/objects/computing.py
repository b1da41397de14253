"""Limits on the text and the items that a spec computes from a record, since a few bytes could produce any amount."""

from __future__ import annotations

from contextvars import ContextVar, Token

from ..base.limits import MAX_COMPUTED
from .errors import ComputedError


class Computing:
    """A context that counts what is computed from records: the characters of text made by expressions, the items of
    decompressed repetitions, and items without bytes.

    ``limit``: the maximum for a record; ``total``: the sum for all records; ``exceeded``: whether a record exceeded the
    limit since this was last set to false.
    """

    def __init__(self, limit: int = MAX_COMPUTED) -> None:
        self.limit = limit
        self.total = 0
        self.exceeded = False
        self._left = limit
        self._token: Token[Computing | None] | None = None

    def begin(self) -> None:
        """Begin the next record."""
        self._left = self.limit

    def take(self, size: int) -> None:
        """Count ``size`` characters or items. Raises ``ComputedError`` if the record has too many."""
        if size > self._left:
            self.exceeded = True
            raise ComputedError(self.limit)
        self._left -= size
        self.total += size

    @property
    def left(self) -> int:
        """Return how many characters and items the record may still have."""
        return self._left

    def allow(self, size: int) -> None:
        """Raise the record's limit by that many."""
        self._left += size

    def __enter__(self) -> None:
        self._token = _current.set(self)

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _current.reset(self._token)


_current: ContextVar[Computing | None] = ContextVar("computing", default=None)


def allow_items(count: int) -> None:
    """Raise the limit of the record that is being read by that many items, if they are counted."""
    current = _current.get()
    if current is not None:
        current.allow(count)


def take_items(count: int) -> None:
    """Count items of the record that is being read. Raises ``ComputedError`` if it has too many."""
    current = _current.get()
    if current is not None:
        current.take(count)


def spend_items(count: int) -> None:
    """Count these items of the record that is being read, but no more than its limit still allows."""
    current = _current.get()
    if current is not None:
        current.take(min(count, current.left))


def most_computed() -> int:
    """Return the maximum number of characters that a record may compute."""
    current = _current.get()
    return MAX_COMPUTED if current is None else current.limit


def joined(*parts: str) -> str:
    """Return the parts as one text. Raises ``ComputedError`` if that is too much for the record.

    If no reader counts, the limit is ``MAX_COMPUTED`` characters for each text.
    """
    size = sum(map(len, parts))
    current = _current.get()
    if current is not None:
        current.take(size)
    elif size > MAX_COMPUTED:
        raise ComputedError(MAX_COMPUTED)
    return "".join(parts)


class ItemCounter:
    """Counts the items of all repetitions in the bytes that ``process`` made from one field, and in parts of them.

    They count towards the record that is being read; if no reader counts, ``MAX_COMPUTED`` is the limit for each
    counter.
    """

    __slots__ = ("_total",)

    def __init__(self) -> None:
        self._total = 0

    def take(self, items: int) -> None:
        """Count more items. Raises ``ComputedError`` if there are too many."""
        self._total += items
        current = _current.get()
        if current is not None:
            current.take(items)
        elif self._total > MAX_COMPUTED:
            raise ComputedError(MAX_COMPUTED)

    def take_numbers(self, count: int) -> None:
        """Count numbers that are made all at once, each of which counts as an item."""
        self.take(count)


NUMBERS = 16
"""This many plain numbers, made all at once, take about as long as one item that is an object."""


class SearchCounter(ItemCounter):
    """Counts the items of rows during resynchronisation, weighted by their cost; a list that does not fit is refused
    before its first item. ``end``: the position before which the row must end."""

    __slots__ = ("end",)

    def __init__(self, end: int) -> None:
        super().__init__()
        self.end = end

    def take_numbers(self, count: int) -> None:
        """Like ``ItemCounter.take_numbers``."""
        self.take(count // NUMBERS + 1)
