"""The ranges of a file that gave no rows, with the end that could not be read, for quarantine and metrics alike."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ...base.report import FileReport
from ...rows.batches import end_explained, explained

EXPLAINED_BY_ERROR = ("codec", "missing", "digest")
"""Reasons of which the report's error says more."""


class DamagedRange(NamedTuple):
    """Bytes of a file from ``offset`` on; ``length``: how many, ``None`` where that is not known; ``error``: the
    reason, and more after a colon."""

    offset: int
    length: int | None
    reason: str
    error: str


def damaged_ranges(report: FileReport) -> list[DamagedRange]:
    """Return those that the report lists, in the order of the file but for the end, which comes last."""
    found = []
    for damage in report.damaged:
        told = report.error is not None and damage.reason in EXPLAINED_BY_ERROR
        error = f"{damage.reason}: {report.error}" if told else explained(damage.reason)
        found.append(DamagedRange(damage.offset, damage.length, damage.reason, error))
    reason = report.lost_end
    if reason is not None:
        found.append(DamagedRange(report.tail_offset, report.tail_size, reason, end_explained(reason)))
    return found


def count_by_reason(report: FileReport) -> dict[str, int]:
    """Count them by reason, also those that are not listed."""
    found = Counter(each.reason for each in damaged_ranges(report))
    found.update(report.unlisted_reasons)
    return dict(sorted(found.items()))
