"""One difference between two versions of a spec, and its severity."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from wireloom.base.dataclass import dataclass


class Severity(IntEnum):
    """Severity of a difference for readers of files of the format."""

    HARMLESS = 0
    """Documentation only: no reader's result changes."""
    COMPATIBLE = 1
    """Files and programs that worked keep working; something is added, or a writer writes differently."""
    BREAKING = 2
    """A valid file is read differently or refused, or a program that names a column or field fails."""


COLUMNS, WIRE, CHECKS, SETTINGS, WORDS = "columns", "wire", "checks", "settings", "words"
AREAS = (COLUMNS, WIRE, CHECKS, SETTINGS, WORDS)
"""``columns``: the table; ``wire``: the layout and meaning of bytes; ``checks``: the values that are refused;
``settings``: the content of ``meta``; ``words``: documentation.
"""


@dataclass(frozen=True)
class Change:
    """A difference. ``place``: the column, the field (``event.len``) or the key; ``text``: a description of the
    difference.
    """

    severity: Severity
    area: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def severity_of(changes: Iterable[Change]) -> Severity:
    """Return the highest severity; ``HARMLESS`` if there are no changes."""
    return max((each.severity for each in changes), default=Severity.HARMLESS)
