"""``python -m tests.bench [--megabytes N] [--turns N] [--part NAME] [--only TEXT]``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from . import (
    binlogs,
    bounds,
    captures,
    figures,
    growth,
    ingest,
    kpl,
    layouts,
    mcap,
    objects,
    one_more_field,
    otlp,
    push_down,
    record_logs,
    report,
    s2,
    small_reads,
    some_columns,
    spark,
    spark_start,
    spec_start,
    threads,
    wide,
    writing,
)
from .measure import Comparison, measure


def parts(size: int, kaitai: Path) -> dict[str, Callable[[], Iterator[Comparison]]]:
    """Return functions that yield the comparisons of each part one by one, since each needs its inputs in memory."""
    modules = {
        "bounds": bounds,
        "columns": some_columns,
        "writing": writing,
        "push-down": push_down,
        "wide": wide,
        "layouts": layouts,
        "binlogs": binlogs,
        "captures": captures,
        "threads": threads,
        "record-logs": record_logs,
        "otlp": otlp,
        "mcap": mcap,
        "kpl": kpl,
        "s2": s2,
        "spark": spark,
        "ingest": ingest,
    }
    found = {name: partial(module.comparisons, size) for name, module in modules.items()}
    return found | {"objects": partial(objects.comparisons, size, kaitai)}


PEERS = ("objects", "record-logs", "captures", "binlogs", "mcap", "otlp", "kpl", "s2", "writing")
"""The parts that compare with other tools."""
PARTS = (*parts(0, Path()), "growth", "figures")


@click.command()
@click.option("--megabytes", default=256, show_default=True, help="Size of the inputs.")
@click.option("--turns", default=9, show_default=True, help="How often each is measured.")
@click.option(
    "--part", "chosen", multiple=True, type=click.Choice(PARTS), help="Only this part; 'figures' is what is counted."
)
@click.option("--peers", is_flag=True, help="Only the parts that compare with other tools.")
@click.option("--only", default="", help="Only the comparisons whose title contains this text, and no figures.")
@click.option("--out", default="bench-report", show_default=True, type=click.Path(path_type=Path))
def bench(megabytes: int, turns: int, chosen: tuple[str, ...], peers: bool, only: str, out: Path) -> None:
    """Run the benchmarks, print a table, and write a report with plots."""
    from wireloom import engine as loaded

    if not loaded.available:
        raise click.ClickException("the engine is not built; run make setup")
    chosen = (*chosen, *(PEERS if peers else ()))
    console = Console()
    rows = []
    size = megabytes * 1_000_000
    with Progress(console=console, transient=True) as progress:
        for part, comparisons in parts(size, Path(out, "kaitai").absolute()).items():
            for comparison in comparisons() if part in (chosen or PARTS) else ():
                if only.lower() not in comparison.title.lower():
                    continue
                task = progress.add_task(comparison.title, total=turns + 1)
                result = measure(comparison, turns, lambda task=task: progress.advance(task))  # type: ignore[misc]
                rows.append({"part": part, **result.to_dict()})
                progress.remove_task(task)
    counted = []
    if not only and "figures" in (chosen or PARTS):
        counted = [
            each.to_dict()
            for each in chain(
                figures.figures(size),
                small_reads.figures(),
                one_more_field.figures(),
                spec_start.figures(),
                spark_start.figures(),
            )
        ]
    grown = [*growth.growth()] if not only and "growth" in (chosen or PARTS) else []
    pictures = report.write(rows, counted, grown, loaded.features(), megabytes, turns, out)
    console.print((out / "bench.md").read_text(), soft_wrap=True, markup=False)
    console.print(f"Written: {', '.join(str(out / name) for name in ('bench.md', 'bench.json', *pictures))}")


if __name__ == "__main__":
    bench()
