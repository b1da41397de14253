"""``python -m tests.bench [--megabytes N] [--turns N] [--only TEXT]``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from . import (
    binlogs,
    captures,
    engine,
    etcd,
    figures,
    in_pieces,
    ingest,
    kpl,
    layouts,
    mcap,
    objects,
    otlp,
    record_logs,
    report,
    s2,
    spark,
    spark_start,
    wide,
    writing,
)
from .measure import Comparison, measure


def every(size: int, kaitai: Path) -> Iterator[Comparison]:
    """Yield all comparisons, created one by one, since each needs its inputs in memory."""
    parts = (
        engine.comparisons(size),
        writing.comparisons(size),
        wide.comparisons(size),
        layouts.comparisons(size),
        binlogs.comparisons(size),
        captures.comparisons(size),
        etcd.comparisons(size),
        in_pieces.comparisons(size),
        record_logs.comparisons(size),
        otlp.comparisons(size),
        mcap.comparisons(size),
        kpl.comparisons(size),
        s2.comparisons(size),
        objects.comparisons(size, kaitai),
        spark.comparisons(size),
        ingest.comparisons(size),
    )
    return chain.from_iterable(parts)


@click.command()
@click.option("--megabytes", default=256, show_default=True, help="Size of the inputs.")
@click.option("--turns", default=9, show_default=True, help="How often each is measured.")
@click.option(
    "--only", default="", help="Only the comparisons whose title holds this text; 'figures': what is counted alone."
)
@click.option("--out", default="bench-report", show_default=True, type=click.Path(path_type=Path))
def bench(megabytes: int, turns: int, only: str, out: Path) -> None:
    """Run the benchmarks, print a table, and write a report with a plot."""
    from wireloom import engine as loaded

    if not loaded.available:
        raise click.ClickException("the engine is not built; run make setup")
    console = Console()
    rows = []
    size = megabytes * 1_000_000
    with Progress(console=console, transient=True) as progress:
        for comparison in every(size, Path(out, "kaitai").absolute()):
            if only.lower() not in comparison.title.lower():
                continue
            task = progress.add_task(comparison.title, total=turns + 1)
            rows.append(measure(comparison, turns, lambda task=task: progress.advance(task)).to_dict())  # type: ignore[misc]
            progress.remove_task(task)
    every_figure = chain(figures.figures(size), spark_start.figures())
    counted = [] if only and only not in "figures" else [each.to_dict() for each in every_figure]
    features = loaded.features()
    report.write(rows, counted, features, turns, out)
    console.print((out / "bench.md").read_text().split("![")[0], soft_wrap=True, markup=False)
    console.print(f"Written: {out}/bench.md, bench.json, bench.png")


if __name__ == "__main__":
    bench()
