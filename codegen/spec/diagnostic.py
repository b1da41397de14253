"""One problem of a spec: a place, a severity, a sentence, and where to read on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from wireloom.base.printable import printable

from .expectations import address, help_for
from .position import Position

_TOKEN = re.compile(r"[\w.:-]*\w|.")

Topic = tuple[str, str | None]
"""What a place in a spec is about: a table of ``tables``, and one of its keys."""


@dataclass(frozen=True, order=True)
class Diagnostic:
    """One problem; ``line`` and ``column`` count from 1, ``severity`` is ``error`` or ``warning``.

    ``end_column`` is the first column after the place (the same as ``column`` where its width is not known),
    ``source`` the line itself, ``path`` its place in the tree of the file's keys (``/seq/0/type``; empty if the file
    is no YAML). ``help`` says what belongs there and ``reference`` where that is explained; they are
    empty if nothing more is known. As text it is its first line; ``rendering.rendered`` shows it all.

    >>> print(Diagnostic("a.ksy", 3, 7, "error", "a size must be an integer"))
    a.ksy:3:7: error: a size must be an integer
    """

    file: str
    line: int
    column: int
    severity: str
    message: str
    end_column: int = field(default=0, compare=False)
    source: str = field(default="", compare=False, repr=False)
    help: str = field(default="", compare=False, repr=False)
    reference: str = field(default="", compare=False, repr=False)
    path: str = field(default="", compare=False, repr=False)

    @classmethod
    def at(cls, position: Position, severity: str, message: str) -> Diagnostic:
        """Return a problem at a place."""
        width = position.width or token_width(position.source, position.column)
        place = (position.file, position.line, position.column)
        end = position.column + width
        path = printable(str(position.path)) if position.path is not None else ""
        return cls(*place, severity, printable(message), end, position.source, path=path)

    def about(self, topic: Topic | None) -> Diagnostic:
        """Return the same with what the tables say about its topic, but for help that it has of its own."""
        if topic is None:
            return self
        return replace(self, help=self.help or help_for(*topic), reference=address(*topic))

    def to_dict(self) -> dict[str, str | int]:
        """As JSON takes it."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "end_column": max(self.end_column, self.column),
            "severity": self.severity,
            "path": self.path,
            "message": self.message,
            "help": self.help,
            "reference": self.reference,
        }

    def __str__(self) -> str:
        return f"{printable(self.file)}:{self.line}:{self.column}: {self.severity}: {self.message}"


def token_width(source: str, column: int) -> int:
    """Return how many characters the word that begins at ``column`` has; 0 if there is none."""
    found = _TOKEN.match(source, column - 1) if 0 < column <= len(source) else None
    return len(found.group()) if found else 0
