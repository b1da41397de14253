"""Positions in spec files."""

from __future__ import annotations

from dataclasses import dataclass, field

from .keypath import KeyPath


@dataclass(frozen=True)
class Position:
    """A position in a spec file; line and column count from 1. ``width``: the number of characters, 0 if unknown or not
    on one line. ``source``: the line itself. ``path``: the path in the tree of the file's keys, if it has one."""

    file: str
    line: int
    column: int
    width: int = field(default=0, compare=False)
    source: str = field(default="", compare=False, repr=False)
    path: KeyPath | None = field(default=None, compare=False, repr=False)
