"""Metrics of the pipeline: what each file and each batch came to, as JSON takes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...base.report import FileReport
from ..read.damaged_ranges import counted_losses
from ..write.commit_log import Record


def file_metrics(report: FileReport, size: int | None) -> dict[str, Any]:
    """What came of a file. ``size``: bytes as stored; ``bytes``: as read; ``damaged``: ranges that gave no rows, an end
    that could not be read among them; ``reasons``: the same by reason."""
    reasons = counted_losses(report)
    return {
        "path": report.path,
        "size": size,
        "rows": report.rows,
        "bytes": report.bytes,
        "damaged": sum(reasons.values()),
        "reasons": reasons,
        "tail": report.tail,
        "tailOffset": report.tail_offset,
        "error": report.error,
    }


def totals(files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sums over files."""
    reasons: Counter[str] = Counter()
    for each in files:
        reasons.update(each["reasons"])
    return {
        "files": len(files),
        "rows": sum(each["rows"] for each in files),
        "bytes": sum(each["bytes"] for each in files),
        "damaged": sum(each["damaged"] for each in files),
        "reasons": dict(sorted(reasons.items())),
    }


def batch_metrics(record: Record) -> dict[str, Any]:
    """What came of a batch: the sums, and those of the commit."""
    facts = record.facts
    told = {"batch": int(record.name), "format": facts["format"], "committed": facts["committed"], **facts["batch"]}
    return told if facts["stream"] is None else {**told, "stream": facts["stream"]}


def lines(record: Record) -> bytes:
    """JSON lines: one of ``kind`` ``batch``, then one of ``kind`` ``file`` for each file."""
    batch = {"kind": "batch", **batch_metrics(record)}
    files = [{"kind": "file", "batch": int(record.name), **each} for each in record.facts["files"]]
    return b"".join(json.dumps(each).encode() + b"\n" for each in (batch, *files))
