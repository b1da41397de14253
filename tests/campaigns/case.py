"""One damaged input, read in one of the possible ways, with the counts and claims about it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Protocol

from wireloom import engine

from ..unit.reading.running import read
from .damaged import Damaged

COUNTS = ("cases", "both", "damages", "intact", "out", "lost", "unseen", "violations")
"""The counts, in the order of a table: damaged inputs; those that both engines read; damages; records that are intact
in the damaged input; those that were returned; those that were lost in a way that the format's claim allows; damaged
rows that the format cannot distinguish from valid ones; violated claims."""

BOTH = 8
"""Both engines read one of this many inputs."""

LARGE = 5000
"""Size in bytes from which on a content does not arrive byte by byte."""


class BrokenClaimError(AssertionError):
    """A claim is violated."""


class Subject(Protocol):
    """A format: how its inputs are made, and what is claimed about reading them after damage.

    ``name``: that of the campaign. ``tokens``: bytes that have a meaning in the format.
    """

    name: str
    tokens: Sequence[bytes]

    def sample(self, source: random.Random) -> Any:
        """Return known records in two files: an object with ``content`` and ``other``."""
        ...

    def check(self, case: Case) -> None:
        """Read the damaged input and compare the result with what was written. Raises ``BrokenClaimError``."""
        ...


@dataclass
class Case:
    """A damaged input. ``sample``: what the subject made. ``folder``: for inputs that are read as files."""

    source: random.Random
    sample: Any
    damaged: Damaged
    folder: Path
    counts: Counter[str] = field(default_factory=Counter)
    options: dict[str, Any] = field(default_factory=dict)
    """How it was read, to reproduce a violation."""

    def read(self, format: Any, **options: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return the rows and the report of the damaged content. It is in memory by default, or arrives in small
        pieces; occasionally batches are small, and both engines read it."""
        content = self.damaged.content
        way = self.source.randrange(16)
        if way < 3:
            # A chunk of one byte costs one call of the engine per byte: large contents arrive in larger ones.
            scale = 1 + len(content) // LARGE
            chunk = scale * self.source.choice((64, 300, 1000) if way else (1, 7, 64))
            options |= {"streamed": True, "chunk": chunk}
        elif way < 6:
            options |= {"batch_rows": self.source.choice((1, 3, 64))}
        where: Any = content
        if way >= 14:
            where = self.folder / "damaged"
            where.write_bytes(content)
        self.options = {"format": str(format), "source": type(where).__name__, **options}
        table, report = read(_first_engine(), format, where, **options)
        rows = table.to_pylist()
        if engine.available and not self.source.randrange(BOTH):
            again, same = read("objects", format, where, **options)
            self.counts["both"] += 1
            # The sentences may describe the position of the same damage in different words.
            equal = {**report, "error": None} == {**same, "error": None}
            require(equal, f"the engines' reports differ: {report} and {same}")
            require(rows == again.to_pylist(), "the engines' rows differ")
        require(report["rows"] == len(rows), f"{len(rows)} rows came out, and the report counts {report['rows']}")
        return rows, report


def _first_engine() -> str:
    return "columns" if engine.available else "objects"


def require(holds: bool, sentence: str) -> None:
    """Raise ``BrokenClaimError`` if a claim does not hold."""
    if not holds:
        fail(sentence)


def fail(sentence: str) -> NoReturn:
    """Raise ``BrokenClaimError``."""
    raise BrokenClaimError(sentence)


Range = tuple[int, int]


def damaged_ranges(report: Mapping[str, Any]) -> list[Range]:
    """Return the damaged ranges of a report."""
    return [(begin, begin + size) for begin, size, _ in report["damaged"]]


def require_tiling(rows: Sequence[Range], report: Mapping[str, Any], end: int, padding: int = 0) -> None:
    """Check that each byte up to ``end`` belongs to exactly one row, damaged or skipped range, or to the tail.
    ``padding``: bytes that may follow a damaged range without belonging to anything."""
    damaged = damaged_ranges(report)
    ranges = [*rows, *damaged, *((begin, begin + size) for begin, size, _ in report.get("skipped", ()))]
    padded = {following for _, following in damaged} if padding else set()
    if report["tail"] != "clean":
        size = report["tail_size"]
        require(size is not None, "the size of the tail is not known")
        ranges.append((report["tail_offset"], report["tail_offset"] + size))
    position = 0
    for begin, following in sorted(ranges):
        if following == begin:
            continue
        if begin != position and not (position in padded and begin == position + padding):
            fail(f"byte {min(begin, position)} is accounted for {'twice' if begin < position else 'by nothing'}")
        position = following
    whole = position == end or (position in padded and end - position <= padding)
    require(whole, f"the bytes from {position} to {end} are accounted for by nothing")
