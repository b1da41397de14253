"""Places in spec files."""

from __future__ import annotations

from dataclasses import dataclass, field

from .keypath import KeyPath


@dataclass(frozen=True)
class Position:
    """A place in a spec file; line and column count from 1. ``width``: characters that are there, 0 if that is not
    known or not on one line. ``source``: the line itself. ``path``: its place in the tree of the file's keys, where
    there is one."""

    file: str
    line: int
    column: int
    width: int = field(default=0, compare=False)
    source: str = field(default="", compare=False, repr=False)
    path: KeyPath | None = field(default=None, compare=False, repr=False)
