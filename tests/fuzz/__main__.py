"""``python -m tests.fuzz``: runs every target for its share of ``FUZZ_SECONDS``, then prints a table of the results.

The engine in C runs under ASan and UBSan, coverage-guided if there is a clang with libFuzzer; the Python interfaces are
guided by atheris; property tests and generated specs use new examples. Findings are kept in ``fuzz-report/`` with the
grown corpora, and with the lines of the engine that no input reaches. Exit code 1: something was found.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence

import click

from . import coverage, native, properties, python, report
from .libfuzzer import shown
from .targets import REPORT, TARGETS, Outcome, Target

Fuzzer = Callable[[Target, float], Outcome]
FUZZERS: dict[str, Fuzzer] = {
    "engine": native.fuzz,
    "python": python.fuzz,
    "properties": properties.fuzz,
    "differential": properties.fuzz,
}


def run_all(targets: Sequence[Target], seconds: float) -> list[Outcome]:
    """Run each target for its share. A finding of one does not stop the others."""
    parts = sum(each.share for each in targets)
    outcomes = []
    for each in targets:
        part = seconds * each.share / parts
        click.echo(f"{each.name}: {part:.0f} s, {each.about}")
        before = cpu_seconds()
        outcome = FUZZERS[each.kind](each, part)
        outcome.cpu_seconds = cpu_seconds() - before
        outcomes.append(outcome)
    return outcomes


def reached(targets: Sequence[Target]) -> list[coverage.Reached]:
    """Return which lines of the engine the seeds and the grown corpora reach, and show them as a table."""
    if not targets:
        return []
    click.echo("coverage: every input of the engine's targets once more")
    try:
        files = coverage.measure(targets)
    except coverage.AbsentError as absent:
        click.echo(f"coverage: {absent}")
        return []
    click.echo(report.reached_table(files))
    return files


def cpu_seconds() -> float:
    """Return the CPU seconds of all child processes that have ended, including compilers."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@click.command()
@click.option("--seconds", default=60.0, show_default=True, envvar="FUZZ_SECONDS", help="How long, in all.")
@click.option(
    "--target", "names", multiple=True, type=click.Choice([each.name for each in TARGETS]), help="Only these."
)
def fuzz(seconds: float, names: tuple[str, ...]) -> None:
    """Search for inputs that break something."""
    targets = [each for each in TARGETS if not names or each.name in names]
    outcomes = run_all(targets, seconds)
    click.echo(report.table(outcomes))
    files = reached([each for each in targets if each.kind == "engine"])
    click.echo(f"report: {shown(report.write(outcomes, REPORT, files))}")
    if any(each.findings for each in outcomes):
        sys.exit(1)


if __name__ == "__main__":
    fuzz()
