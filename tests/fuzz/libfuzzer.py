"""Running something that is driven by libFuzzer, and reading what it says."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from .targets import CORPORA, ROOT, Outcome

STATUS = re.compile(
    r"^#(?P<runs>\d+)\s.*?cov: (?P<cov>\d+)(?: ft: (?P<ft>\d+))?(?: corp: (?P<corp>\d+)/(?P<size>\S+))?"
)
DONE = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
UNITS = {"b": 1, "Kb": 1 << 10, "Mb": 1 << 20}
SEVERAL_SECONDS = 60
"""An input that takes longer is a finding."""
MEMORY = 4096
"""MiB, likewise."""


def run(command: Sequence[str | Path], outcome: Outcome, seconds: float, report: Path, *options: str) -> None:
    """Runs it for that long and fills in the outcome. What is new goes into the grown corpus."""
    grown, found = report / "corpora" / outcome.target, report / "findings"
    for folder in (grown, found):
        folder.mkdir(parents=True, exist_ok=True)
    prefix = found / f"{outcome.target}-"
    before = set(found.glob(f"{outcome.target}-*"))
    seeds = CORPORA / outcome.target
    arguments = [
        *map(str, command),
        f"-max_total_time={max(1, int(seconds))}",
        f"-timeout={SEVERAL_SECONDS}",
        f"-rss_limit_mb={MEMORY}",
        "-print_final_stats=1",
        f"-artifact_prefix={prefix}",
        *options,
        str(grown),
        *([str(seeds)] if seeds.is_dir() else []),
    ]
    begin = time.monotonic()
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    outcome.seconds = time.monotonic() - begin
    read_output(outcome, done.stderr)
    outcome.findings += [shown(each) for each in sorted(set(found.glob(f"{outcome.target}-*")) - before)]
    if done.returncode and not outcome.findings:
        outcome.findings.append(f"exit code {done.returncode}: {' '.join(arguments)}")
    if outcome.findings:
        log = report / "findings" / f"{outcome.target}.log"
        log.write_text(done.stdout + done.stderr, errors="replace")


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def read_output(outcome: Outcome, text: str) -> None:
    """Fills in the numbers that libFuzzer prints while it runs and at its end."""
    for line in text.splitlines():
        status = STATUS.match(line)
        if status is None:
            continue
        outcome.executions = int(status["runs"])
        outcome.coverage = int(status["cov"])
        if status["ft"]:
            outcome.features = int(status["ft"])
        if status["corp"]:
            outcome.corpus = int(status["corp"])
            outcome.corpus_bytes = size_of(status["size"])
    end = DONE.search(text)
    if end:
        outcome.executions = int(end[1])


def size_of(text: str) -> int | None:
    found = re.fullmatch(r"(\d+)(b|Kb|Mb)", text)
    return int(found[1]) * UNITS[found[2]] if found else None
