"""The checks of campaigns detect a faulty reader: the result of a correct reader is changed as a faulty one would."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from ..examples import PROFILE
from ..unit.reading.running import read
from . import case as cases
from .running import run
from .subjects import SUBJECTS

Rows = list[dict[str, Any]]
Report = dict[str, Any]
Result = tuple[Rows, Report] | None
"""``None`` if there is nothing in which the reader could make this mistake."""

FILES = [name for name in SUBJECTS if "column" not in name]
DELIMITED = ["word_stuffed_log", "cobs_log", "cobs_log with checksums", "slip with checksums"]
PLAIN = ["edgemq_segment", *DELIMITED]
TILED = [*PLAIN, "s2_session"]
UNCOVERED = ["prometheus_wal, samples"]
"""Logs whose checksums do not cover all of a record: a value that was never written does not violate a claim."""
COMPRESSED = ["edgemq_segment in zstd", "edgemq_segment in gzip"]


def _after(rows: Rows, report: Report) -> int | None:
    """Return the number of the first row after damage."""
    begin = next((at + size for at, size, _ in report["damaged"] if size), None)
    if begin is None:
        return None
    return next((number for number, row in enumerate(rows) if row["_offset"] >= begin), None)


def loses_a_row_after_damage(rows: Rows, report: Report) -> Result:
    number = _after(rows, report)
    return None if number is None else ([*rows[:number], *rows[number + 1 :]], report)


def gives_up_at_damage(rows: Rows, report: Report) -> Result:
    number = _after(rows, report)
    if number is None:
        return None
    at, _, reason = next(each for each in report["damaged"] if each[1])
    end = report["bytes"]
    report |= {"damaged": [[at, end - at, reason]], "tail": "clean", "tail_offset": end, "tail_size": 0}
    return [row for row in rows if row["_offset"] < at], report


def begins_a_range_late(rows: Rows, report: Report) -> Result:
    for each in report["damaged"]:
        if each[1] > 1:
            each[:2] = [each[0] + 1, each[1] - 1]
            return rows, report
    return None


def ends_a_range_early(rows: Rows, report: Report) -> Result:
    for each in report["damaged"]:
        if each[1] > 1:
            each[1] -= 1
            return rows, report
    return None


def ends_a_range_late(rows: Rows, report: Report) -> Result:
    for each in report["damaged"]:
        if each[1]:
            each[1] += 1
            return rows, report
    return None


def leaves_out_a_range(rows: Rows, report: Report) -> Result:
    found = [each for each in report["damaged"] if each[1]]
    if not found:
        return None
    report["damaged"].remove(found[0])
    return rows, report


def gives_a_row_twice(rows: Rows, report: Report) -> Result:
    return ([rows[0], *rows], report) if rows else None


def gives_a_damaged_row(rows: Rows, report: Report) -> Result:
    found = [each for each in report["damaged"] if each[1]]
    if not found or not rows:
        return None
    false = {**rows[0], "_offset": found[0][0]}
    return sorted([*rows, false], key=lambda row: int(row["_offset"])), report


def changes_a_value(rows: Rows, report: Report) -> Result:
    for row in rows[-1:]:
        for name in ("payload", "data", "trace_id", "body", "start_seq_num", "sequence", "value", "nonce"):
            if row.get(name):
                value = row[name]
                row[name] = value + 1 if isinstance(value, int) else value[:-1] + bytes((value[-1] ^ 1,))
                return rows, report
    return None


def moves_a_row(rows: Rows, report: Report) -> Result:
    if not rows:
        return None
    rows[-1]["_offset"] += 1
    return rows, report


def moves_the_tail(rows: Rows, report: Report) -> Result:
    if report["tail"] == "clean" or not report["tail_offset"]:
        return None
    report["tail_offset"] -= 1
    return rows, report


def says_nothing_of_the_tail(rows: Rows, report: Report) -> Result:
    if report["tail"] == "clean":
        return None
    report["tail"] = "clean"
    return rows, report


def counts_other_bytes(rows: Rows, report: Report) -> Result:
    report["bytes"] += 1
    return rows, report


Fault = Callable[[Rows, Report], Result]
FAULTS: list[tuple[Fault, list[str]]] = [
    (loses_a_row_after_damage, TILED + COMPRESSED),
    (gives_up_at_damage, PLAIN),
    (begins_a_range_late, TILED + COMPRESSED),
    (ends_a_range_early, TILED + COMPRESSED),
    (ends_a_range_late, TILED + COMPRESSED),
    (leaves_out_a_range, TILED + COMPRESSED),
    (gives_a_row_twice, FILES),
    (gives_a_damaged_row, TILED + COMPRESSED),
    (changes_a_value, [name for name in FILES if name not in UNCOVERED]),
    (moves_a_row, TILED + COMPRESSED),
    (moves_the_tail, TILED + COMPRESSED),
    (says_nothing_of_the_tail, TILED + COMPRESSED),
    (counts_other_bytes, [*PLAIN, "kpl_aggregated_record", "s2_messages", "s2_session"]),
]
SIMILAR = (
    "tfrecord",
    "pcap",
    "pcapng",
    "bitcoin_blocks",
    "otlp_logs",
    "otlp_spans",
    "avro_blocks",
    "edgemq_segment in gzip",
    "prometheus_wal, samples",
)
"""Formats whose rows are checked in the same way as those of others."""
CHOSEN = [pytest.param(each, marks=pytest.mark.thorough if each in SIMILAR else ()) for each in FILES]
NUMBER = 40 if PROFILE == "thorough" else 28
"""Number of damaged inputs for each fault."""
NOTICED = 0.9
"""Minimum proportion of the faults that must be detected: an empty frame may be lost."""


def results(name: str) -> Sequence[bytes]:
    """Return the rows and the report of a correct reader, pickled, for one damaged input after the other."""
    found = []

    def note(engine: Any, *arguments: Any, **options: Any) -> Any:
        table, report = read(engine, *arguments, **options)
        found.append(pickle.dumps((table.to_pylist(), report)))
        return table, report

    with mock.patch.object(cases, "read", note):
        assert judged(name) == 0
    return found


def judged(name: str) -> int:
    """Return the number of violated claims that a campaign finds. The other reader would notice too, so here the checks
    are used alone."""
    with mock.patch.object(cases, "BOTH", 1 << 60), tempfile.TemporaryDirectory() as folder:
        return run(SUBJECTS[name], range(NUMBER), 20, Path(folder)).counts["violations"]


class Rowed:
    """The parts of a table that a campaign uses."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def to_pylist(self) -> Rows:
        return self._rows


@pytest.mark.parametrize("name", CHOSEN)
def test_faults_are_noticed(name: str) -> None:
    correct = results(name)
    for fault in (fault for fault, names in FAULTS if name in names):
        made, noticed = with_fault(fault, name, correct)
        assert made, fault.__name__
        assert noticed >= NOTICED * made, fault.__name__


def with_fault(fault: Fault, name: str, correct: Sequence[bytes]) -> tuple[int, int]:
    """Return how many results of a correct reader the fault changes, and how many of these a campaign detects."""
    made = 0
    good = iter(correct)

    def err(*_: Any, **__: Any) -> Any:
        nonlocal made
        rows, report = pickle.loads(next(good))
        result = fault(rows, report)
        if result is None:
            return Rowed(rows), report
        made += 1
        rows, report = result
        return Rowed(rows), {**report, "rows": len(rows)}

    with mock.patch.object(cases, "read", err):
        noticed = judged(name)
    return made, noticed
