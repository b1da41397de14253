"""``python -m wireloom.demo``: sample logs, ``wireloom ingest``, Parquet, quarantine, and first queries with Spark
SQL."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from ..base.errors import UnsupportedError
from .samples import Sample, make_samples

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENT_SCHEMA = (
    "event string, user string, path string, latency_ms double, amount struct<value: double, currency: string>"
)

QUERIES = {
    "Events per tenant and hour": """
        select tenant, date_trunc('hour', ts) as hour, count(*) as events,
               round(avg(octet_length(payload))) as mean_bytes
        from events group by all order by tenant, hour limit 12""",
    "Inside the payload: what people did, by region": f"""
        select region, body.event as event, count(*) as events, count(distinct body.user) as users,
               round(percentile(body.latency_ms, 0.95), 1) as p95_latency_ms, round(sum(body.amount.value)) as revenue
        from (select region, from_json(cast(payload as string), '{EVENT_SCHEMA}') as body from events)
        group by all order by region, events desc""",
    "The journal, by generation": """
        select generation, count(*) as records, sum(octet_length(payload)) as bytes from journal
        group by all order by generation""",
    "In quarantine: damaged records, with their reason and their bytes": """
        select regexp_extract(_path, '[^/]+$', 0) as file, _offset as offset, split_part(_error, ':', 1) as reason,
               octet_length(_corrupt_record) as bytes
        from quarantine order by file, offset""",
}


def show(console: Console, title: str, frame: DataFrame) -> None:
    """Print a query's result as a table."""
    table = Table(title=title, title_justify="left", title_style="bold")
    numeric = {"int", "bigint", "smallint", "double", "decimal(20,0)", "long"}
    for name, kind in frame.dtypes:
        table.add_column(name, justify="right" if kind in numeric else "left")
    for row in frame.collect():
        table.add_row(*("" if value is None else str(value) for value in row))
    console.print(table)
    console.print()


def run_command(console: Console, arguments: list[str]) -> None:
    """Run one ``wireloom`` command in this process, after showing it as it would be typed."""
    from wireloom.command import main

    console.print(f"[bold]$ wireloom {shlex.join(arguments)}[/bold]", soft_wrap=True)
    main(arguments, standalone_mode=False)
    console.print()


@contextlib.contextmanager
def standard_error_in(log: Path) -> Iterator[None]:
    """Redirect the standard error of processes that are started in this context to the file ``log``; show the file if
    an error is raised.

    Java warns about a module that Spark itself requests.
    """
    sys.stderr.flush()
    screen = os.dup(2)
    try:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(screen, 2)
    except Exception:
        sys.stderr.write(log.read_text(errors="replace"))
        raise
    finally:
        os.close(screen)


def first_look(console: Console, spark: SparkSession, tables: Path) -> None:
    """Register the tables that were made as views, and run the queries."""
    for name in ("events", "journal"):
        spark.read.parquet(str(tables / name)).createOrReplaceTempView(name)
    quarantine = [str(tables / f"{name}-quarantine") for name in ("events", "journal")]
    spark.read.parquet(*quarantine).createOrReplaceTempView("quarantine")
    for title, query in QUERIES.items():
        show(console, title, spark.sql(query))


@click.command()
@click.option(
    "--folder", default="demo-data", show_default=True, type=click.Path(path_type=Path), help="Where to work."
)
@click.option("--scale", default=1.0, show_default=True, help="1 makes about 70 MB of raw data.")
def demo(folder: Path, scale: float) -> None:
    """Make sample logs, some damaged, and convert them to Parquet with Spark."""
    from wireloom.spark.session import local_session

    console = Console()
    for old in ("edgemq", "journal", "tables"):
        shutil.rmtree(folder / old, ignore_errors=True)

    console.rule("1. Sample logs, written by wireloom's own encoders")

    def made(sample: Sample) -> None:
        note = f"  [yellow]damaged on purpose: {sample.damaged}[/yellow]" if sample.damaged else ""
        console.print(f"{sample.path}  {sample.rows:,} records, {sample.raw_bytes:,} bytes raw{note}", soft_wrap=True)

    make_samples(folder, scale, made)

    console.print()
    console.rule("2. Into Parquet with Spark")
    console.print(f"Starting Spark; its own messages go to {folder / 'spark.log'} …")
    with standard_error_in(folder / "spark.log"):
        spark = local_session("wireloom demo")
    tables = folder / "tables"
    ingest = ["ingest", "edgemq_segment", str(folder / "edgemq"), "--table", str(tables / "events"), "--recover"]
    ingest += ["--quarantine", str(tables / "events-quarantine"), "--partition-by", "region"]
    run_command(console, ingest)
    ingest = ["ingest", "word_stuffed_log", str(folder / "journal"), "--table", str(tables / "journal")]
    ingest += ["--quarantine", str(tables / "journal-quarantine")]
    run_command(console, ingest)

    console.rule("3. A first look with Spark SQL")
    first_look(console, spark, tables)
    spark.stop()

    console.rule("What to try next")
    segment = folder / "edgemq/prod/us-east-1/i-0b77e14d/1/segments/seg-00000004.wal.zst"
    for command in (
        f"wireloom decode edgemq_segment {segment} --to table",
        f"wireloom verify edgemq_segment {folder / 'edgemq'}",
        f"wireloom extract edgemq_segment {segment} | head",
        f"wireloom decode word_stuffed_log {folder / 'journal'} -o journal.parquet --report report.json",
        "wireloom check specs/edgemq_segment.ksy",
    ):
        console.print(f"  .venv/bin/{command}", soft_wrap=True, highlight=False)
    console.print("\nThe specs are in specs/; README.md shows how to add a format of your own.")


if __name__ == "__main__":
    try:
        demo()
    except UnsupportedError as error:
        # PySpark or Java is missing; the message says how to get it.
        sys.exit(f"wireloom: error: {error}")
