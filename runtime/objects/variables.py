"""Variables: values that are set by what has been read, and used in reading what follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Self, TypeVar, overload

from ..format.program_words import MOST_ITEMS, MOST_KEYS
from .errors import FAILURES, ExpressionError, ItemError, with_reason

LEAST, MOST = -(1 << 63), (1 << 63) - 1
MOST_BYTES = 67_108_864
"""Maximum number of bytes and characters in the keys and values of a table."""
PARTS = 256

Key = TypeVar("Key", bound=int | str | bytes)
Value = TypeVar("Value", bound=int | str | bytes)


class Table(Generic[Key, Value]):
    """At most one value for each key. It consists of parts, which a copy in its current state (``here``) shares:
    setting an entry copies its part, unless that was done since."""

    def __init__(self, entries: Mapping[Key, Value] | None = None) -> None:
        self._parts: list[dict[Key, Value]] = [dict(entries or {})]
        self._own: set[int] = set()
        """The numbers of the parts that no copy shares; none of them if a copy shares the list of parts."""
        self._entries = len(self._parts[0])
        self._size = 0
        self._divide()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; ``None`` if there is none."""
        return self._parts[self._place(key)].get(key)

    def has(self, key: Key) -> bool:
        """Return whether a key has a value."""
        return key in self._parts[self._place(key)]

    def put(self, key: Key | None, value: Value | None) -> None:
        """Set the value of a key; nothing if one of them is absent. Raises ``ExpressionError`` for a table that would
        be too large, and for a number that does not fit 64 signed bits."""
        if key is None or value is None:
            return
        before = self.get(key)
        if before == value:
            return
        entries = self._entries + (before is None)
        size = self._size + _size(value) + (_size(key) if before is None else -_size(before))
        if entries > MOST_KEYS or size > MOST_BYTES:
            what = f"a table has at most {MOST_KEYS} keys, and {MOST_BYTES} bytes"
            raise with_reason(ExpressionError(what), "limit")
        self._entries, self._size = entries, size
        self._replace(key, value)

    def entries(self) -> dict[Key, Value]:
        """Return the values by key."""
        return {key: value for part in self._parts for key, value in part.items()}

    def here(self) -> Self:
        """Return the table in its current state: what is set later does not change it."""
        # Every row of an input begins with copies, and every offset of a search.
        found = object.__new__(type(self))
        found.__dict__.update(self.__dict__)
        found._own, self._own = set(), set()
        return found

    def _replace(self, key: Key, value: Value | None) -> None:
        self._divide()
        place = self._place(key)
        if place not in self._own:
            if not self._own:
                self._parts = [*self._parts]
            self._parts[place] = dict(self._parts[place])
            self._own.add(place)
        if value is None:
            self._parts[place].pop(key, None)
        else:
            self._parts[place][key] = value

    def _divide(self) -> None:
        if len(self._parts) == 1 and len(self._parts[0]) >= PARTS:
            (whole,), self._parts, self._own = self._parts, [{} for _ in range(PARTS)], set(range(PARTS))
            for each in whole:
                self._parts[self._place(each)][each] = whole[each]

    def _place(self, key: Key) -> int:
        if len(self._parts) == 1:
            return 0
        # Python's hash of text and bytes has a secret, so that no input can put all keys into one part.
        return hash(repr(key) if isinstance(key, int) else key) % PARTS


def _size(value: int | str | bytes) -> int:
    """Return the size of text and bytes; 0 for an integer. Raises ``ExpressionError`` as ``variable`` does."""
    if isinstance(value, int):
        variable(value)
        return 0
    return len(value)


class Items(Table[int, int], Sequence[int]):
    """The items of a variable that is a list, a table by their numbers; the last ``MOST_ITEMS`` are kept."""

    def __init__(self, first: Iterable[int] = ()) -> None:
        super().__init__(dict(enumerate(first)))
        self._count = self._entries

    @classmethod
    def of(cls, kept: dict[int, int], count: int) -> Items:
        """Return a list of ``count`` items. ``kept``: a mapping from index to value of those that are still known."""
        found = cls()
        found._parts, found._count = [kept], count
        found._divide()
        return found

    def append(self, value: int) -> None:
        """Add an item."""
        self._replace(self._count, value)
        if self._count >= MOST_ITEMS:
            self._replace(self._count - MOST_ITEMS, None)
        self._count += 1

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
        found = self.get(index) if max(0, self._count - MOST_ITEMS) <= index < self._count else None
        if found is None:
            raise ItemError(index, self._count)
        return found

    def _place(self, key: int) -> int:
        return key % len(self._parts)


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


def state_of(root: Any, names: Iterable[str]) -> tuple[int | float | Table[Any, Any], ...]:
    """Return the values of the variables of an outermost object."""
    found = (getattr(root, each) for each in names)
    return tuple(each.here() if isinstance(each, Table) else each for each in found)


def set_state(root: Any, names: Iterable[str], state: Iterable[int | float | Table[Any, Any]]) -> None:
    """Set the variables of an outermost object to these values."""
    for each, value in zip(names, state, strict=True):
        setattr(root, f"_m_{each}", value.here() if isinstance(value, Table) else value)
