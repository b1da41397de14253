"""Diagnostics for the author of a spec: a position, a severity, a sentence, and where to read more.

Problems are collected rather than raised one by one, so that a single run reports all of them.
"""

from __future__ import annotations

import bisect
import unicodedata
from collections.abc import Iterable

from wireloom.base.dataclass import dataclass, field, replace
from wireloom.base.errors import SpecError
from wireloom.base.text import printable

from .diagnostic import Diagnostic, Topic
from .position import Position

ERROR = "error"
WARNING = "warning"

MAX_DIAGNOSTICS = 100
"""Maximum number of errors: the compilation then ends, since more are of no use and finding the nearest words takes
time."""


class TooManyErrorsError(Exception):
    """Ends a compilation that has too many errors."""


class InvalidSpecError(SpecError):
    """A spec with errors. The message shows all ``diagnostics``, in order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(self.rendered())

    def rendered(self, colour: bool = False) -> str:
        """Return all diagnostics as text, optionally with terminal colours."""
        return "\n".join(rendered(each, colour) for each in self.diagnostics)

    def __reduce__(self) -> tuple[object, ...]:
        return (InvalidSpecError, (self.diagnostics,))


@dataclass
class Diagnostics:
    """Collects problems while a spec is compiled."""

    found: list[Diagnostic] = field(default_factory=list)
    silent: bool = False
    """Whether problems are discarded, for tentative checks before everything is known."""
    errors: int = 0
    """The number of errors reported, including repeated ones; a change of it shows that an error occurred in
    between."""
    _first: dict[str, list[Diagnostic]] = field(default_factory=dict)
    """By file, the mistakes that are shown before the others of the file."""
    _topics: dict[str, dict[tuple[int, int, bool], Topic]] = field(default_factory=dict)
    """By file and position. A position is a start and whether its width is known, since a mapping begins where its
    first key does."""

    @property
    def has_errors(self) -> bool:
        """Return whether there are errors, and not only warnings."""
        return any(each.severity == ERROR for each in self.found)

    def concerns(self, position: Position, table: str, key: str | None = None) -> None:
        """Record the topic of a position: problems there receive the tables' help."""
        place = (position.line, position.column, position.width > 0)
        self._topics.setdefault(position.file, {}).setdefault(place, (table, key))

    def error(self, position: Position, message: str, topic: Topic | None = None, hint: str = "") -> None:
        """Report an error. ``topic``: its topic, if that is not the one of its position. ``hint``: help that replaces
        that of the tables."""
        self.errors += 1
        self._add(position, ERROR, message, topic, hint)

    def first(self, position: Position, message: str, hint: str = "", once: bool = False) -> None:
        """Report an error that is shown before all others of its file. ``once``: unless there is such an error."""
        self.errors += 1
        known = self._first.setdefault(position.file, [])
        if not once or not known:
            before = len(self.found)
            self._add(position, ERROR, message, None, hint)
            known += self.found[before:]

    def warning(self, position: Position, message: str) -> None:
        """Report something that is valid but should be reviewed."""
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
        """Return all problems in the order of the files' lines, each with the topic of its position."""
        places = {file: sorted(topics) for file, topics in self._topics.items()}
        found = (self._explained(each, places.get(each.file, [])) for each in self.found)
        return tuple(sorted(found, key=lambda each: (each not in self._first.get(each.file, []), each)))

    def _explained(self, found: Diagnostic, places: list[tuple[int, int, bool]]) -> Diagnostic:
        """Return the problem with the topic of its position; a position without a topic of its own, such as a part of
        an expression, has that of the preceding key or value."""
        index = bisect.bisect_right(places, (found.line, found.column, True)) - 1
        if found.reference or index < 0 or places[index][0] != found.line:
            return found
        return found.about(self._topics[found.file][places[index]])


MAX_WIDTH = 110
"""Maximum width of a spec's line in columns of a terminal; of longer lines the part around the position is shown."""
BEFORE = 40
"""The number of these columns before the position."""
TAB = "    "

_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "place": "1", "gutter": "34"}


def rendered(found: Diagnostic, colour: bool = False) -> str:
    """Return the problem as one line (``file:line:column: severity: text``), followed by an indented explanation.

    >>> from wireloom.codegen.spec.diagnostic import Diagnostic
    >>> see = "wireloom reference attribute"
    >>> print(rendered(Diagnostic("a.ksy", 3, 4, "error", "no such type", 6, "a: u9", "'type' takes …", see)))
    a.ksy:3:4: error: no such type
      3 | a: u9
        |    ^^
        = 'type' takes …
        = see: wireloom reference attribute
    """

    def styled(text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour else text

    place = styled(f"{printable(found.file)}:{found.line}:{found.column}:", "place")
    message = styled(found.message, "place")
    lines = [f"{place} {styled(f'{found.severity}:', found.severity)} {message}"]
    number = str(found.line)
    gutter = " " * (len(number) + 2)
    if found.source.strip():
        shown, indent, width = excerpt(found.source, found.column, found.end_column)
        lines.append(f"{styled(f'  {number} |', 'gutter')} {shown}".rstrip())
        carets = styled("^" * width, found.severity)
        lines.append(f"{styled(f'{gutter} |', 'gutter')} {' ' * indent}{carets}")
    if found.path:
        lines.append(f"{gutter} {styled('=', 'gutter')} at {found.path}")
    if found.help:
        lines.append(f"{gutter} {styled('=', 'gutter')} {found.help}")
    if found.reference:
        lines.append(f"{gutter} {styled('=', 'gutter')} see: {found.reference}")
    return "\n".join(lines)


def excerpt(source: str, column: int, end_column: int) -> tuple[str, int, int]:
    """Return an excerpt of a line, the number of terminal columns before the range, and the width of the range.

    >>> excerpt("\\tsize: 名前", 8, 10)
    ('    size: 名前', 10, 4)
    """
    begin = min(column - 1, len(source))
    end = min(max(end_column - 1, begin + 1), len(source))
    first, cut = 0, ""
    if len(source) > MAX_WIDTH and begin > BEFORE:
        first, cut = begin - BEFORE, "…"
    pieces = [_shown(each) for each in source[first : first + MAX_WIDTH]]
    last = "…" if first + MAX_WIDTH < len(source) else ""
    indent = sum(map(_columns, pieces[: begin - first])) + len(cut)
    width = sum(map(_columns, pieces[begin - first : end - first]))
    return f"{cut}{''.join(pieces)}{last}", indent, max(width, 1)


def _shown(character: str) -> str:
    if character == "\t":
        return TAB
    return printable(character)


def _columns(text: str) -> int:
    """Return the width of text in columns of a terminal."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )
