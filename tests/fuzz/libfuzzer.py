"""Running programs driven by libFuzzer, and reading their output."""

from __future__ import annotations

import re
import resource
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
"""An input that takes longer ends a run."""
SLOW_SECONDS = 10
"""An input that takes more CPU time than this is a finding, if it does so every time."""
REPEATS = 3
"""Number of times that a slow input is run again."""
MEMORY = 4096
"""Limit of the memory in MiB; exceeding it is a finding too."""


def run(command: Sequence[str | Path], outcome: Outcome, seconds: float, report: Path, *options: str) -> None:
    """Run the command for that long and fill in the outcome. New inputs are added to the grown corpus.

    A machine that pauses for a while makes any input seem slow: a slow input counts only if it is slow again; otherwise
    the run continues.
    """
    begin = time.monotonic()
    left = seconds
    while left >= 1 or outcome.executions is None:
        done = run_once(command, outcome, left, report, *options)
        left = seconds - (time.monotonic() - begin)
        if done.returncode == 0 or outcome.findings:
            break
    outcome.seconds = time.monotonic() - begin


def run_once(
    command: Sequence[str | Path], outcome: Outcome, seconds: float, report: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run the command until it ends, possibly before the time is over."""
    grown, found = report / "corpora" / outcome.target, report / "findings"
    for folder in (grown, found):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(found.glob(f"{outcome.target}-*"))
    seeds = CORPORA / outcome.target
    arguments = [
        *map(str, command),
        f"-max_total_time={max(1, int(seconds))}",
        f"-timeout={SEVERAL_SECONDS}",
        f"-rss_limit_mb={MEMORY}",
        "-print_final_stats=1",
        f"-artifact_prefix={found / f'{outcome.target}-'}",
        *options,
        str(grown),
        *([str(seeds)] if seeds.is_dir() else []),
    ]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    executions, outcome.executions = outcome.executions or 0, None
    read_output(outcome, done.stderr)
    outcome.executions = executions + (outcome.executions or 0)
    new = sorted(set(found.glob(f"{outcome.target}-*")) - before)
    only_slow = bool(new) and all(is_slow(each) for each in new)
    for each in new:
        if is_slow(each) and not is_slow_again(command, each):
            each.unlink()
        else:
            outcome.findings.append(shown(each))
    if done.returncode and not outcome.findings and not only_slow:
        outcome.findings.append(f"exit code {done.returncode}: {' '.join(arguments)}")
    if outcome.findings:
        log = found / f"{outcome.target}.log"
        log.write_text(done.stdout + done.stderr, errors="replace")
    return done


def is_slow(artifact: Path) -> bool:
    """Return whether the input was kept because it was slow."""
    return "-timeout-" in artifact.name or "-slow-unit-" in artifact.name


def is_slow_again(command: Sequence[str | Path], artifact: Path) -> bool:
    """Return whether the input is slow every time that it is run alone, by CPU time, which does not depend on other
    load of the machine."""
    again = [*map(str, command), "-timeout=0", str(artifact)]
    return all(
        subprocess.run(again, cwd=ROOT, capture_output=True, check=False, preexec_fn=limit_time).returncode
        for _ in range(REPEATS)
    )


def limit_time() -> None:
    """Let this process end after that much CPU time."""
    resource.setrlimit(resource.RLIMIT_CPU, (SLOW_SECONDS, SLOW_SECONDS))


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def read_output(outcome: Outcome, text: str) -> None:
    """Fill in the numbers that libFuzzer prints while it runs and at its end."""
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
