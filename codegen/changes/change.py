"""One difference between two versions of a spec, and how much it matters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """How much a difference matters to those who read files of the format."""

    HARMLESS = 0
    """Words only: no reader's result changes."""
    COMPATIBLE = 1
    """Files and programs that worked keep working; there is more to have, or a writer writes otherwise."""
    BREAKING = 2
    """A file that was good is read otherwise or refused, or a program that names a column or field fails."""


COLUMNS, WIRE, CHECKS, SETTINGS, WORDS = "columns", "wire", "checks", "settings", "words"
AREAS = (COLUMNS, WIRE, CHECKS, SETTINGS, WORDS)
"""``columns``: the table; ``wire``: where bytes lie and what they mean; ``checks``: which values are refused;
``settings``: what is in ``meta``; ``words``: documentation."""


@dataclass(frozen=True)
class Change:
    """A difference. ``place``: the column, the field (``event.len``) or the key; ``text``: what became of it."""

    level: Level
    area: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def level_of(changes: Iterable[Change]) -> Level:
    """Return the highest level; ``HARMLESS`` where there is no change."""
    return max((each.level for each in changes), default=Level.HARMLESS)
