"""Metrics of the files and batches of the pipeline, as values that JSON supports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...base.report import FileReport
from ..read.task_reports import SET_ASIDE, count_by_reason
from ..write.commit_log import Commit


def file_metrics(report: FileReport, size: int | None) -> dict[str, Any]:
    """Return the metrics of a file. ``size``: stored bytes; ``bytes``: decompressed bytes; ``damaged``: number of
    ranges without rows, including an end that could not be read; ``reasons``: the same by reason; ``setAside``: number
    of rows that the table cannot hold."""
    reasons = count_by_reason(report)
    return {
        "path": report.path,
        "size": size,
        "rows": report.rows,
        "bytes": report.bytes,
        "damaged": sum(reasons.values()),
        "reasons": reasons,
        "setAside": report.facts.get(SET_ASIDE, 0),
        "tail": report.tail,
        "tailOffset": report.tail_offset,
        "error": report.error,
    }


def totals(files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals over files."""
    reasons: Counter[str] = Counter()
    for each in files:
        reasons.update(each["reasons"])
    return {
        "files": len(files),
        "rows": sum(each["rows"] for each in files),
        "bytes": sum(each["bytes"] for each in files),
        "damaged": sum(each["damaged"] for each in files),
        "reasons": dict(sorted(reasons.items())),
        "setAside": sum(each["setAside"] for each in files),
    }


def batch_metrics(record: Commit) -> dict[str, Any]:
    """Return the metrics of a batch."""
    facts = record.facts
    told = {"batch": int(record.name), "format": facts["format"], "committed": facts["committed"], **facts["batch"]}
    return told if facts["stream"] is None else {**told, "stream": facts["stream"]}


def lines(record: Commit) -> bytes:
    """Return JSON lines: one of ``kind`` ``batch``, then one of ``kind`` ``file`` for each file."""
    batch = {"kind": "batch", **batch_metrics(record)}
    files = [{"kind": "file", "batch": int(record.name), **each} for each in record.facts["files"]]
    return b"".join(json.dumps(each).encode() + b"\n" for each in (batch, *files))
