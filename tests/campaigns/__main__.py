"""``python -m tests.campaigns --damages N``: runs campaigns, prints a table, writes ``campaign-report/``.

Exit code 1: a claim is violated. The report then contains the damaged bytes and how they were read; with the same seed,
``--only`` runs a single input again.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from .case import COUNTS
from .running import Result, run
from .subjects import SUBJECTS

BLOCK = 500
"""Number of inputs between two updates of the progress bar."""


@click.command()
@click.option("--damages", default=1000, show_default=True, help="Damaged inputs per format.")
@click.option("--format", "names", multiple=True, help="Part of a campaign's name; all of them by default.")
@click.option("--seed", default=1, show_default=True, help="The same seed gives the same inputs.")
@click.option("--only", type=int, help="Number of the one input to run again.")
@click.option("--report", default="campaign-report", show_default=True, type=click.Path(path_type=Path), help="Folder.")
def main(damages: int, names: tuple[str, ...], seed: int, only: int | None, report: Path) -> None:
    """Damage known records of each format at random, and compare what readers return with what was written."""
    chosen = [each for name, each in SUBJECTS.items() if not names or any(part in name for part in names)]
    if not chosen:
        raise click.UsageError(f"no campaign has such a name; there are: {', '.join(SUBJECTS)}")
    numbers = range(damages) if only is None else range(only, only + 1)
    results = []
    with (
        tempfile.TemporaryDirectory() as folder,
        click.progressbar(length=len(chosen) * len(numbers), label="damaged inputs", file=sys.stderr) as bar,
    ):
        for subject in chosen:
            total = Result(subject.name, seed)
            for begin in range(0, len(numbers), BLOCK):
                total.add(run(subject, numbers[begin : begin + BLOCK], seed, Path(folder)))
                bar.update(len(numbers[begin : begin + BLOCK]))
            results.append(total)
            _write(report, results)
    _show(results)
    sys.exit(any(each.counts["violations"] for each in results))


def _write(folder: Path, results: list[Result]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = [
        {
            "format": each.name,
            "seed": each.seed,
            "seconds": round(each.seconds, 1),
            **{name: each.counts[name] for name in COUNTS},
            "kinds": dict(each.kinds),
            "broken": each.broken,
        }
        for each in results
    ]
    partial = folder / "campaigns.json.tmp"
    partial.write_text(json.dumps(content, indent=1) + "\n")
    os.replace(partial, folder / "campaigns.json")


def _show(results: list[Result]) -> None:
    table = Table("format", *COUNTS, "seconds")
    for each in results:
        table.add_row(each.name, *(f"{each.counts[name]:,}" for name in COUNTS), f"{each.seconds:.0f}")
    # Wide enough for all columns if the output is not a terminal.
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    for each in results:
        for broken in each.broken:
            print(f"{each.name}, seed {each.seed}, input {broken['case']}: {broken['sentence']}")


if __name__ == "__main__":
    main(prog_name="python -m tests.campaigns")
