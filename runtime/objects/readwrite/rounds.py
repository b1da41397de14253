"""Sizes and positions found in the rounds of writing an object."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import ChecksumError
from .solving import Solution, first_free


class WrittenLayout:
    """Sizes and positions found in all rounds so far."""

    def __init__(self) -> None:
        self.changes: list[str] = []
        """The attributes that took another value in this round."""
        self.floating: set[tuple[int, str]] = set()
        """The attributes, each by its object, that say where something stands that has no place yet."""
        self.checksums: list[Callable[[], None]] = []
        """What is computed at the end of a round, in the order in which it was asked for."""
        self.refused: list[ChecksumError] = []
        """The checksums that were assigned and are not those of what was written in this round."""

    def follow(self, solutions: tuple[Solution, ...], wanted: int) -> None:
        """Set the free attribute so that its expression becomes ``wanted``."""
        found = first_free(solutions)
        if found is not None and found.follow(wanted):
            self.changes.append(found.name)

    def make_room(self, solutions: tuple[Solution, ...], wanted: int) -> None:
        """Like ``follow``, for an expression that may be greater than ``wanted``."""
        found = first_free(solutions)
        if found is not None and found.make_room(wanted):
            self.changes.append(found.name)
