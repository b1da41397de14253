"""Variables: values that are set by what has been read, and used in reading what follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, overload

from ..format.program_words import KEPT_ITEMS, MOST_ITEMS
from .errors import FAILURES, ExpressionError, ItemError

LEAST, MOST = -(1 << 63), (1 << 63) - 1


class Items(Sequence[int]):
    """The items of a variable that is a list; the last ``MOST_ITEMS`` can be read. More are kept, since the list in an
    earlier state (``here``) shares them."""

    def __init__(self, first: Iterable[int] = ()) -> None:
        self._kept = dict(enumerate(first))
        self._count = len(self._kept)
        self._keeps = True
        self._is_tentative = False
        """Whether the items that are added may be added again, since their unit is not complete yet."""

    @classmethod
    def of(cls, kept: dict[int, int], count: int) -> Items:
        """Return a list of ``count`` items. ``kept``: a mapping from index to value of those that are still known."""
        found = cls()
        found._kept, found._count = kept, count
        return found

    def append(self, value: int) -> None:
        """Add an item."""
        if self._keeps:
            self._kept[self._count] = value
            if not self._is_tentative:
                self._kept.pop(self._count - KEPT_ITEMS, None)
        self._count += 1

    def confirm(self) -> None:
        """Forget items that can no longer be read, now that the unit that added the last ones is complete."""
        if len(self._kept) >= 2 * KEPT_ITEMS:
            for index in [*takewhile((self._count - KEPT_ITEMS).__gt__, self._kept)]:
                del self._kept[index]

    def here(self, *, keeps: bool = True) -> Items:
        """Return the list in its current state: later additions do not change it. ``keeps``: whether items that are
        added to it are kept; in a search for rows, a supposed item may not be one."""
        found = Items()
        found._kept, found._count, found._keeps, found._is_tentative = self._kept, self._count, keeps, True
        return found

    def __len__(self) -> int:
        """Return the number of items so far."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        """Return an item. Raises ``ItemError`` for one that is no longer kept."""
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._count))]
        if not max(0, self._count - MOST_ITEMS) <= index < self._count or index not in self._kept:
            raise ItemError(index, self._count)
        return self._kept[index]


def variable(value: int) -> int:
    """Return a value that a variable is set to. Raises ``ExpressionError`` for a number that does not fit 64 signed
    bits."""
    if not LEAST <= value <= MOST:
        raise ExpressionError(f"a variable is a signed 64-bit integer, which {value} does not fit")
    return int(value)


def hold(holder: Any, *names: str) -> None:
    """Store the values that instances have at the end of their object, as far as they can be computed."""
    for each in names:
        try:
            value = getattr(holder, each)
        except FAILURES:
            continue
        setattr(holder, f"_m_{each}", value)


def state_of(root: Any, names: Iterable[str]) -> tuple[int | Items, ...]:
    """Return the values of the variables of an outermost object."""
    found = (getattr(root, each) for each in names)
    return tuple(each.here() if isinstance(each, Items) else each for each in found)


def set_state(root: Any, names: Iterable[str], state: Iterable[int | Items], *, keeps: bool = True) -> None:
    """Set the variables of an outermost object to these values. ``keeps``: as for ``Items.here``."""
    for each, value in zip(names, state, strict=True):
        setattr(root, f"_m_{each}", value.here(keeps=keeps) if isinstance(value, Items) else value)
