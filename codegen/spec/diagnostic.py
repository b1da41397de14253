"""One problem of a spec: a position, a severity, a sentence, and where to read more."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from wireloom.base.text import printable

from .expectations import help_for, reference_command
from .position import Position

_TOKEN = re.compile(r"[\w.:-]*\w|.")

Topic = tuple[str, str | None]
"""The topic of a position in a spec: a table of ``tables``, and one of its keys."""


@dataclass(frozen=True, order=True)
class Diagnostic:
    """One problem; ``line`` and ``column`` count from 1, ``severity`` is ``error`` or ``warning``.

    ``end_column`` is the first column after the range (equal to ``column`` if its width is unknown), ``source`` the
    line itself, ``path`` the position in the tree of the file's keys (``/seq/0/type``; empty if the file is not YAML).
    ``help`` explains what is expected there and ``reference`` names the section about it; both are empty if nothing
    more is known. ``str`` returns the first line; ``diagnostics.rendered`` returns all.

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
        """Return a problem at a position."""
        width = position.width or token_width(position.source, position.column)
        place = (position.file, position.line, position.column)
        end = position.column + width
        path = printable(str(position.path)) if position.path is not None else ""
        return cls(*place, severity, printable(message), end, position.source, path=path)

    def about(self, topic: Topic | None) -> Diagnostic:
        """Return the problem with the help and the reference of its topic, unless it has help of its own."""
        if topic is None:
            return self
        return replace(self, help=self.help or help_for(*topic), reference=reference_command(*topic))

    def to_dict(self) -> dict[str, str | int]:
        """Return the problem as a JSON object."""
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
    """Return the number of characters of the word that begins at ``column``; 0 if there is none."""
    found = _TOKEN.match(source, column - 1) if 0 < column <= len(source) else None
    return len(found.group()) if found else 0
