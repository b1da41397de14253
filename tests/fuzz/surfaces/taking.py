"""Choices made from bytes, so that a fuzzer that changes a byte changes one choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Taker:
    """Takes bytes from the front; zeros if none are left."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return max(0, len(self._data) - self._at)

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def number(self, size: int) -> int:
        """Return an integer of that many bytes."""
        return int.from_bytes(bytes(self.byte() for _ in range(size)), "little")

    def pick(self, choices: Sequence[Item]) -> Item:
        return choices[self.byte() % len(choices)]

    def flag(self) -> bool:
        return bool(self.byte() & 1)

    def bytes(self, size: int) -> bytes:
        """Return up to that many bytes."""
        found = self._data[self._at : self._at + size]
        self._at += size
        return found

    def rest(self) -> bytes:
        return self.bytes(self.left)

    def pieces(self, data: bytes) -> list[bytes]:
        """Return the data, cut at positions that are taken."""
        places = sorted(self.number(2) % (len(data) + 1) for _ in range(self.byte() % 6))
        return [data[begin:end] for begin, end in zip([0, *places], [*places, len(data)], strict=True)]
