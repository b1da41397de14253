"""The summary of an ingest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...base.dataclass import dataclass
from ...base.report import ReadReport
from ..read.task_reports import SET_ASIDE, count_by_reason


@dataclass(frozen=True)
class IngestSummary:
    """The summary of a run.

    ``report``: the report of each file, as from every reader of wireloom; ``quarantined``: number of rows of the
    quarantine table; ``seconds``: duration of the run, without Spark's start.
    """

    table: str
    quarantine: str | None
    report: ReadReport
    quarantined: int
    seconds: float
    partitions: int
    """Number of tasks that read the input."""
    batches: Sequence[Mapping[str, Any]] = ()
    """Metrics of each committed batch."""
    recovered: Sequence[Mapping[str, Any]] = ()
    """Metrics of batches of an earlier run whose commits this run completed."""
    done_before: int = 0
    """Number of files that an earlier run has read, and which were skipped."""
    changed: Sequence[str] = ()
    """The skipped files that have changed since, or that are other files by now."""

    @property
    def rows(self) -> int:
        """Return the number of good rows that were added to the table."""
        return self.report.rows

    @property
    def bytes(self) -> int:
        """Return the number of decompressed bytes of input."""
        return self.report.bytes

    @property
    def damaged(self) -> int:
        """Return the number of ranges without rows in all files, including ends that could not be read."""
        return sum(self.reasons.values())

    @property
    def set_aside(self) -> int:
        """Return the number of rows that were quarantined because the table's columns cannot hold their values."""
        return sum(each.facts.get(SET_ASIDE, 0) for each in self.report.files)

    @property
    def reasons(self) -> Mapping[str, int]:
        """Return the number of damaged ranges by reason, the most frequent first."""
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
        """Return the throughput of decompressed input, in millions of bytes per second."""
        return self.bytes / 1e6 / self.seconds if self.seconds else 0.0

    def to_dict(self) -> Mapping[str, Any]:
        """Return the summary as values that JSON supports: the read report, with the tables, batches and times."""
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
