"""The report of a column of blobs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

MOST_LISTED = 100_000
"""Maximum number of damaged blobs that a report lists; others are only counted."""


@dataclass(frozen=True, slots=True)
class BlobProblem:
    """A damaged blob of a column.

    - ``blob``: its number in the column, from 0.
    - ``offset``: the offset in the blob at which the damage was found.
    - ``reason``: one of ``wireloom.base.report.REASONS``.
    - ``detail``: a sentence that names the field.
    - ``rows``: the number of rows before the damage, which are returned.
    """

    blob: int
    offset: int
    reason: str
    detail: str
    rows: int


@dataclass
class BlobReport:
    """The report of a column of blobs.

    - ``blobs``: the number of blobs; ``nulls``: how many of them are null; ``whole``: how many are not a message and
      were returned as one row, in formats that allow this.
    - ``rows``: the number of rows that were returned.
    - ``problems``: the damaged blobs.
    - ``facts``: details that are specific to the format.
    - ``engine``: as in ``ReadReport``.
    """

    format: str
    blobs: int = 0
    nulls: int = 0
    whole: int = 0
    rows: int = 0
    problems: list[BlobProblem] = field(default_factory=list)
    unlisted: int = 0
    """Number of damaged blobs that are not in ``problems``, which contains at most the first 100,000."""
    facts: dict[str, Any] = field(default_factory=dict)
    engine: str = "columns"

    @property
    def clean(self) -> bool:
        """Return whether every blob is valid."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        result = asdict(self) | {"clean": self.clean} | self.facts
        del result["facts"]
        return result
