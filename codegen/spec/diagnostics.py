"""What a spec's author is told: a place, a severity, a sentence.

Problems are collected rather than raised one by one, so that one run shows them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from wireloom.errors import SpecError

from ..model.model import Position

ERROR = "error"
WARNING = "warning"

MAX_DIAGNOSTICS = 100
"""After this many errors the compilation ends: nobody reads more, and finding the nearest words takes time."""


class TooManyErrorsError(Exception):
    """Ends a compilation with more errors than anybody wants to read."""


@dataclass(frozen=True, order=True)
class Diagnostic:
    """One problem; ``line`` and ``column`` count from 1, ``severity`` is ``error`` or ``warning``.

    >>> print(Diagnostic("a.ksy", 3, 7, "error", "a size must be an integer"))
    a.ksy:3:7: error: a size must be an integer
    """

    file: str
    line: int
    column: int
    severity: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message}"


class InvalidSpecError(SpecError):
    """A spec with errors: the message has a line for each of ``diagnostics``."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n".join(str(each) for each in self.diagnostics))

    def __reduce__(self) -> tuple[object, ...]:
        return (InvalidSpecError, (self.diagnostics,))


@dataclass
class Diagnostics:
    """Collects problems while a spec is compiled."""

    found: list[Diagnostic] = field(default_factory=list)
    silent: bool = False
    """Nothing is kept: for questions that are asked before all is known."""

    @property
    def has_errors(self) -> bool:
        """Whether there is more than warnings."""
        return any(each.severity == ERROR for each in self.found)

    def error(self, position: Position, message: str) -> None:
        """Notes an error."""
        self._add(position, ERROR, message)

    def warning(self, position: Position, message: str) -> None:
        """Notes something that works but should be looked at."""
        self._add(position, WARNING, message)

    def _add(self, position: Position, severity: str, message: str) -> None:
        if self.silent:
            return
        # A sentence about hostile text must stay one printable line.
        line = "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in message)
        new = Diagnostic(position.file, position.line, position.column, severity, line)
        if new in self.found:
            return
        if sum(each.severity == severity for each in self.found) < MAX_DIAGNOSTICS:
            self.found.append(new)
        elif severity == ERROR:
            raise TooManyErrorsError

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All of them, in the order of the files' lines."""
        return tuple(sorted(self.found))

    def raise_errors(self) -> None:
        """Raises ``InvalidSpecError`` with all errors (and warnings beside them), where there is an error."""
        if self.has_errors:
            raise InvalidSpecError(self.sorted())
