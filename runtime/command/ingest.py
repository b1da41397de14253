"""``wireloom ingest``: the Spark pipeline."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from . import completing
from .parameters import MODES, format_argument, format_options, inputs_argument, names
from .standard import write_json

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..spark.ingest import IngestSummary
    from ..spark.watch import IngestProgress


@click.command("ingest", short_help="Files to a Parquet table with Spark, damaged records to a quarantine table.")
@format_argument
@inputs_argument
@click.option(
    "--table",
    metavar="OUT",
    required=True,
    shell_complete=completing.folders,
    help="Folder of the Parquet table to write.",
)
@click.option(
    "--quarantine",
    metavar="OUT",
    shell_complete=completing.folders,
    help="Folder of a Parquet table for the damaged records.",
)
@click.option(
    "--partition-by",
    metavar="A,B",
    callback=names,
    shell_complete=completing.columns,
    help="Columns that make the table's folders.",
)
@click.option(
    "--columns",
    metavar="A,B",
    callback=names,
    shell_complete=completing.columns,
    help="Columns of the table; by default the format's.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES, case_sensitive=False),
    default="permissive",
    show_default=True,
    help="What damage does.",
)
@click.option("--recover", is_flag=True, help="After a damaged length, look for the next good row and go on.")
@click.option(
    "--existing",
    type=click.Choice(("error", "append", "overwrite")),
    default="error",
    show_default=True,
    help="What becomes of tables that are there already.",
)
@click.option(
    "--report",
    "report_path",
    metavar="FILE",
    shell_complete=completing.files,
    help="Write the summary and the read report as JSON.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary and the read report as JSON.")
@format_options
def command(
    format_name: str,
    inputs: tuple[str, ...],
    table: str,
    quarantine: str | None,
    partition_by: list[str] | None,
    columns: list[str] | None,
    mode: str,
    recover: bool,
    existing: str,
    report_path: str | None,
    as_json: bool,
    options: dict[str, Any],
) -> None:
    """Reads INPUT with Spark on this machine and writes a Parquet table.

    INPUT is a path, a glob in quotes, a folder, or an s3:// address. The parts of the path that the format knows are
    columns, and may be what the table is partitioned by.

    \b
      wireloom ingest edgemq_segment segments/ --table events --quarantine damaged --partition-by region
    """
    from ..registry import get
    from ..spark.ingest import ingest
    from ..storage import expand

    format = get(format_name)
    # Spark takes seconds to start, and an input that is not there is known before.
    expand(list(inputs))
    with _session() as spark, _bar(f"ingest {format.name}") as progress:
        summary = ingest(
            spark,
            format,
            list(inputs),
            table,
            quarantine=quarantine,
            mode=mode,
            recover=recover,
            partition_by=partition_by or (),
            columns=columns,
            options={name: str(value) for name, value in options.items()},
            existing=existing,
            progress=progress,
        )
    if report_path is not None:
        write_json(report_path, summary.to_dict())
    if as_json:
        write_json("-", summary.to_dict())
        return
    for line in lines_of(summary):
        click.echo(line)


@contextmanager
def _session() -> Iterator[SparkSession]:
    """The session that is active, or one of our own, which is stopped at the end."""
    from ..spark.session import check_java, local_session

    try:
        from pyspark.sql import SparkSession
    except ImportError:
        running = None
    else:
        running = SparkSession.getActiveSession()
    if running is None and sys.stderr.isatty():
        check_java()
        click.echo("starting Spark …", err=True)
    session = local_session("wireloom ingest")
    try:
        yield session
    finally:
        if running is None:
            session.stop()


@contextmanager
def _bar(label: str) -> Iterator[Callable[[IngestProgress], None] | None]:
    """A bar on a terminal's standard error; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[what]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as shown:
        task = shown.add_task(label, total=None, what="tasks")

        def tell(now: IngestProgress) -> None:
            size = now.bytes / 1e6
            what = f"tasks  {now.rows:,} rows  {size:,.0f} MB"
            if now.seconds:
                what += f"  {size / now.seconds:,.1f} MB/s"
            if now.damaged:
                what += f"  [red]{now.damaged:,} damaged[/red]"
            shown.update(task, completed=now.tasks, total=now.all_tasks or None, what=what)

        yield tell


def lines_of(summary: IngestSummary) -> list[str]:
    """What a person is told at the end."""
    files = summary.report.files
    rate = f"{summary.seconds:.1f} s, {summary.megabytes_per_second:.1f} MB/s"
    lines = [
        f"table       {summary.table}: {summary.rows:,} rows",
        f"read        {len(files):,} files, {summary.bytes:,} bytes in {summary.partitions:,} tasks: {rate}",
    ]
    reasons = Counter(damage.reason for each in files for damage in each.damaged)
    if summary.damaged:
        told = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())
        lines.append(f"damaged     {summary.damaged:,} ranges: {told}")
    ended = Counter(each.tail for each in files if each.tail not in ("clean", "unread"))
    if ended:
        lines.append(f"ended early {', '.join(f'{tail} {count:,}' for tail, count in ended.most_common())}")
    failed = [each for each in files if each.error is not None]
    lines += [f"failed      {each.path}: {each.error}" for each in failed[:10]]
    if summary.quarantine is not None:
        lines.append(f"quarantine  {summary.quarantine}: {summary.quarantined:,} rows")
    elif not summary.clean:
        lines.append("            add --quarantine OUT to keep what is damaged, with its reasons")
    return lines
