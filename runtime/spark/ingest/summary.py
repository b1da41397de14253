"""The summary of an ingest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...base.report import ReadReport
from ..read.task_reports import SET_ASIDE, count_by_reason


@dataclass(frozen=True)
class IngestSummary:
    """The summary of a run.

    ``report``: what was met in each file, as every reader of wireloom reports it; ``quarantined``: rows of the
    quarantine table; ``seconds`` of the whole, without Spark's start.
    """

    table: str
    quarantine: str | None
    report: ReadReport
    quarantined: int
    seconds: float
    partitions: int
    """How many tasks read the input."""
    batches: Sequence[Mapping[str, Any]] = ()
    """Metrics of each batch that was committed."""
    recovered: Sequence[Mapping[str, Any]] = ()
    """The same of batches of an earlier run that this one carried out."""
    done_before: int = 0
    """Files that an earlier run has read, which were left alone."""
    changed: Sequence[str] = ()
    """Those of them that have another size now."""

    @property
    def rows(self) -> int:
        """Good rows that came to the table."""
        return self.report.rows

    @property
    def bytes(self) -> int:
        """Decompressed bytes of input."""
        return self.report.bytes

    @property
    def damaged(self) -> int:
        """Ranges without rows in all files, ends that could not be read among them."""
        return sum(self.reasons.values())

    @property
    def set_aside(self) -> int:
        """Return rows that came to the quarantine since the table's columns cannot hold their values."""
        return sum(each.facts.get(SET_ASIDE, 0) for each in self.report.files)

    @property
    def reasons(self) -> Mapping[str, int]:
        """Return the same by reason, the most frequent first."""
        found: Counter[str] = Counter()
        for each in self.report.files:
            found.update(count_by_reason(each))
        return dict(found.most_common())

    @property
    def clean(self) -> bool:
        """Return whether every byte of every file belonged to a good row."""
        return self.report.clean

    @property
    def megabytes_per_second(self) -> float:
        """Decompressed input, in millions of bytes per second."""
        return self.bytes / 1e6 / self.seconds if self.seconds else 0.0

    def to_dict(self) -> Mapping[str, Any]:
        """Return the summary as JSON takes it: the read report, and the tables, batches and times on top."""
        return {
            **self.report.to_dict(),
            "damaged": self.damaged,
            "reasons": self.reasons,
            "set_aside": self.set_aside,
            "table": self.table,
            "quarantine": self.quarantine,
            "quarantined": self.quarantined,
            "partitions": self.partitions,
            "batches": list(self.batches),
            "recovered": list(self.recovered),
            "done_before": self.done_before,
            "changed": list(self.changed),
            "seconds": round(self.seconds, 3),
        }
