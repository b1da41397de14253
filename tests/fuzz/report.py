"""The table of the results, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from .coverage import Reached
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
    """Return the summary, followed by what was absent and what was found."""
    notes = [f"{each.target}: {each.absent}" for each in outcomes if each.absent]
    notes += [f"{each.target} found: {finding}" for each in outcomes for finding in each.findings]
    return "\n".join([*aligned([HEADINGS, *map(line, outcomes)]), *notes])


def reached_table(files: Sequence[Reached]) -> str:
    """Return how much of the engine is reached, and which lines are not: files that are reached completely are only
    counted."""
    lines, reached = sum(each.lines for each in files), sum(each.reached for each in files)
    partly = sorted((each for each in files if each.missed), key=lambda each: each.reached / each.lines)
    rows = [("file", "lines", "reached", "not reached"), *map(reached_line, partly)]
    summary = f"lines of the engine that inputs reach: {reached:,} of {lines:,} ({reached / lines:.1%})"
    whole = f"{len(files) - len(partly)} of {len(files)} files are reached as a whole"
    return "\n".join([f"{summary}; {whole}", *(aligned(rows) if partly else ())])


def reached_line(each: Reached) -> tuple[str, ...]:
    return each.file, number(each.lines), f"{each.reached / each.lines:.0%}", each.missed


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(each.rjust(width) if column else each.ljust(width) for column, (each, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]


def write(outcomes: Sequence[Outcome], folder: Path, files: Sequence[Reached] = ()) -> Path:
    """Write ``report.json``; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.json"
    content = {
        "targets": [{**asdict(each), "executions_per_second": each.per_second} for each in outcomes],
        "findings": sum(len(each.findings) for each in outcomes),
        "engine_files": [asdict(each) for each in files],
    }
    path.write_text(json.dumps(content, indent=1))
    return path
