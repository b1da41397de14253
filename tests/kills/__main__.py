"""``python -m tests.kills --kills N``: kills appenders of each format. Exit code 1: a guarantee is violated."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from .running import COUNTS, run
from .subjects import SUBJECTS


@click.command()
@click.option("--kills", default=400, show_default=True, help="Appenders that are killed, over all formats.")
@click.option("--format", "names", multiple=True, type=click.Choice(list(SUBJECTS)), help="All of them by default.")
@click.option("--seed", default=1, show_default=True, help="Of what is chosen; the system chooses as well.")
@click.option("--locks/--no-locks", default=True, help="Whether the file system has locks.")
def main(kills: int, names: tuple[str, ...], seed: int, locks: bool) -> None:
    """Let four processes append to a log, kill them at random, and check that every acknowledged record exists."""
    chosen = names or tuple(SUBJECTS)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            results.append(run(name, -(-kills // len(chosen)), seed, Path(folder), locks=locks))
    table = Table("format", *COUNTS)
    for each in results:
        table.add_row(each.name, *(f"{each.counts[name]:,}" for name in COUNTS))
    # Wide enough for all columns if the output is not a terminal.
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    for each in results:
        for sentence in each.broken:
            print(f"{each.name}: {sentence}")
    sys.exit(any(each.faults for each in results))


if __name__ == "__main__":
    main(prog_name="python -m tests.kills")
