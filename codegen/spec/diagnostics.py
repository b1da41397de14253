"""Diagnostics for a spec's author: a place, a severity, a sentence, and where to read on.

Problems are collected rather than raised one by one, so that one run shows them all.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from wireloom.base.errors import SpecError

from .diagnostic import Diagnostic, Topic
from .position import Position
from .rendering import rendered

ERROR = "error"
WARNING = "warning"

MAX_DIAGNOSTICS = 100
"""After this many errors the compilation ends: more are of no use, and finding the nearest words takes time."""


class TooManyErrorsError(Exception):
    """Ends a compilation with more errors than anybody wants to read."""


class InvalidSpecError(SpecError):
    """A spec with errors: the message shows each of ``diagnostics``, in order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(self.rendered())

    def rendered(self, colour: bool = False) -> str:
        """Return all of them as text, with a terminal's colours or without."""
        return "\n".join(rendered(each, colour) for each in self.diagnostics)

    def __reduce__(self) -> tuple[object, ...]:
        return (InvalidSpecError, (self.diagnostics,))


@dataclass
class Diagnostics:
    """Collects problems while a spec is compiled."""

    found: list[Diagnostic] = field(default_factory=list)
    silent: bool = False
    """Nothing is kept: for questions that are asked before all is known."""
    errors: int = 0
    """How many errors were said, also more than once: tells whether there was one in between."""
    _topics: dict[str, dict[tuple[int, int, bool], Topic]] = field(default_factory=dict)
    """By file and place. A place is where something begins, and whether its width is known: a mapping begins where its
    first key does."""

    @property
    def has_errors(self) -> bool:
        """Return whether there is more than warnings."""
        return any(each.severity == ERROR for each in self.found)

    def concerns(self, position: Position, table: str, key: str | None = None) -> None:
        """Note what is at a place: problems there get the tables' help."""
        place = (position.line, position.column, position.width > 0)
        self._topics.setdefault(position.file, {}).setdefault(place, (table, key))

    def error(self, position: Position, message: str, topic: Topic | None = None, hint: str = "") -> None:
        """Note an error. ``topic``: what it is about, where that is not what is at its place. ``hint``: help in
        the place of what the tables say."""
        self.errors += 1
        self._add(position, ERROR, message, topic, hint)

    def warning(self, position: Position, message: str) -> None:
        """Note something that works but should be looked at."""
        self._add(position, WARNING, message, None)

    def _add(self, position: Position, severity: str, message: str, topic: Topic | None, hint: str = "") -> None:
        if self.silent:
            return
        exact = self._topics.get(position.file, {}).get((position.line, position.column, position.width > 0))
        new = replace(Diagnostic.at(position, severity, message), help=hint).about(topic or exact)
        if new in self.found:
            return
        if sum(each.severity == severity for each in self.found) < MAX_DIAGNOSTICS:
            self.found.append(new)
        elif severity == ERROR:
            raise TooManyErrorsError

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Return all of them, in the order of the files' lines, each with what is known about its place."""
        places = {file: sorted(topics) for file, topics in self._topics.items()}
        return tuple(sorted(self._explained(each, places.get(each.file, [])) for each in self.found))

    def _explained(self, found: Diagnostic, places: list[tuple[int, int, bool]]) -> Diagnostic:
        """Return the topic of a place; a place without its own topic, such as a part of an expression, has that of the
        key or value that begins before it."""
        index = bisect.bisect_right(places, (found.line, found.column, True)) - 1
        if found.reference or index < 0 or places[index][0] != found.line:
            return found
        return found.about(self._topics[found.file][places[index]])
