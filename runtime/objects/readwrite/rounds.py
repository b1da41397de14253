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
        """The attributes, each by its object, that contain a position that is not known yet."""
        self.checksums: list[Callable[[], None]] = []
        """Functions that compute checksums at the end of a round, in the order in which they were added."""
        self.refused: list[ChecksumError] = []
        """Errors of the assigned checksums that differ from those of the bytes written in this round."""

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
