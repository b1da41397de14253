"""What of a file gave no rows: its damaged ranges, and the end that could not be read.

Quarantine and metrics both take it from here, so that they say the same.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ...base.report import FileReport
from ...rows.batches import end_explained, explained

TOLD = ("codec", "missing", "digest")
"""Reasons of which the report's error says more."""


class Loss(NamedTuple):
    """Bytes of a file from ``offset`` on; ``length``: how many, ``None`` where that is not known; ``error``: the
    reason, and more behind a colon."""

    offset: int
    length: int | None
    reason: str
    error: str


def losses(report: FileReport) -> list[Loss]:
    """All of them that are listed, in the order of the file but for the end, which comes last."""
    found = []
    for damage in report.damaged:
        told = report.error is not None and damage.reason in TOLD
        error = f"{damage.reason}: {report.error}" if told else explained(damage.reason)
        found.append(Loss(damage.offset, damage.length, damage.reason, error))
    reason = report.lost_end
    if reason is not None:
        found.append(Loss(report.tail_offset, report.tail_size, reason, end_explained(reason)))
    return found


def counted_losses(report: FileReport) -> dict[str, int]:
    """How many there are by reason, also of those that are not listed."""
    found = Counter(each.reason for each in losses(report))
    found.update(report.unlisted_reasons)
    return dict(sorted(found.items()))
