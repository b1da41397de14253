"""The table of what was run, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from .targets import Outcome

HEADINGS = ("target", "seconds", "CPU seconds", "executions", "per second", "coverage", "corpus", "findings")


def number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def line(outcome: Outcome) -> tuple[str, ...]:
    return (
        outcome.target,
        number(outcome.seconds),
        number(outcome.cpu_seconds),
        number(outcome.executions),
        number(outcome.per_second, 1),
        number(outcome.coverage),
        number(outcome.corpus),
        number(len(outcome.findings)),
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """The summary, and below it what was absent and what was found."""
    rows = [HEADINGS, *map(line, outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    aligned = [
        "  ".join(each.rjust(width) if column else each.ljust(width) for column, (each, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]
    notes = [f"{each.target}: {each.absent}" for each in outcomes if each.absent]
    notes += [f"{each.target} found: {finding}" for each in outcomes for finding in each.findings]
    return "\n".join([*aligned, *notes])


def write(outcomes: Sequence[Outcome], folder: Path) -> Path:
    """Writes ``report.json``; gives its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.json"
    entries = [{**asdict(each), "executions_per_second": each.per_second} for each in outcomes]
    path.write_text(
        json.dumps({"targets": entries, "findings": sum(len(each.findings) for each in outcomes)}, indent=1)
    )
    return path
