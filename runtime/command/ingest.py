"""``wireloom ingest``: runs the Spark pipeline."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..base.ingest_options import IngestOptions
from ..base.options import camel_case, defaults_of, options_of
from ..base.text import counted
from . import shell_completion
from .parameters import (
    OPTIONS,
    Count,
    derived_option,
    format_argument,
    inputs_argument,
    location_of,
    reader_options,
    report_option,
)
from .progress import Bar, bar
from .signals import interrupting
from .standard import write_json

TASKS = {"MofNCompleteColumn": (), "TextColumn": ("{task.fields[what]}",), "TimeElapsedColumn": ()}
"""Columns of ``rich.progress`` for the tasks of Spark."""

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..spark.ingest import IngestProgress, IngestSummary


FOLDER = {"metavar": "OUT", "shell_complete": shell_completion.folders}
SHOWN: Mapping[str, Mapping[str, Any]] = {
    "to": {},
    "quarantine": FOLDER,
    "metrics": FOLDER,
    "prometheus_file": {"metavar": "FILE", "shell_complete": shell_completion.files},
    "prometheus_port": {"metavar": "PORT", "type": Count(1, 65535)},
    "partition_by": {},
    "sort_by": {},
    "file_bytes": {
        "metavar": "SIZE",
        "help": "Approximate maximum size of a file of the table, such as 256m.  [default: 1g]",
    },
    "compression": {},
    "dictionary": {},
    "existing": {},
    "schema_evolution": {},
}
"""The options of ``ingest`` that the command has, besides those of readers, with more arguments of ``click.option``."""


def _ingest_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of ``SHOWN``."""
    options, defaults = options_of(IngestOptions), defaults_of(IngestOptions)
    for name, more in reversed(list(SHOWN.items())):
        function = derived_option(name, options[name], defaults[name], **more)(function)
    return function


@click.command("ingest", short_help="Read files into a table with Spark, and damaged records into a quarantine table.")
@format_argument
@inputs_argument()
@click.option(
    "--table",
    metavar="OUT",
    required=True,
    shell_complete=shell_completion.folders,
    help="Folder of the table to write.",
)
@click.option("--stream", is_flag=True, help="Read as a stream, in batches that Spark keeps in a checkpoint.")
@click.option(
    "--checkpoint", metavar="DIR", shell_complete=shell_completion.folders, help="Spark's folder for the stream."
)
@click.option(
    "--every",
    metavar="TIME",
    help="Run until interrupted, with a batch every TIME ('30 seconds'); otherwise stop when everything is read.",
)
@click.option("--batch-files", metavar="N", type=Count(1), help="Number of files per commit.  [default: 10000]")
@_ingest_options
@reader_options("columns", "mode", "recover", table=False)
@report_option("the summary and the read report as JSON")
@click.option("--json", "as_json", is_flag=True, help="Print the summary and the read report as JSON.")
def command(
    format_name: str,
    inputs: tuple[str, ...],
    table: str,
    stream: bool,
    checkpoint: str | None,
    every: str | None,
    batch_files: int | None,
    report_path: str | None,
    as_json: bool,
    options: dict[str, Any],
    **asked: Any,
) -> None:
    """Read INPUT with Spark and write a table: of Parquet files, or of Delta Lake or Iceberg.

    INPUT is a path, a glob in quotes, a folder, or an s3:// address. The parts of the path that the format defines
    are columns, and the table can be partitioned by them. A later run reads only the files that were added since.
    Every record is in the table or the quarantine exactly once, even if a run is killed: the next run completes it.
    The options of object stores apply to INPUT, table, quarantine and metrics. The exit code is 0 if everything is
    committed. It is 1 if something failed that may work in another run (Spark, its Java process, a store, a full disk,
    another active run), and 2 if it would fail again.

    \b
      wireloom ingest edgemq_segment segments/ --table events --quarantine damaged --partition-by region
      wireloom ingest cobs_log logs/ --table events --stream --checkpoint progress --every "30 seconds"
    """
    from ..format.registry import get
    from ..input.expansion import expand
    from ..spark.ingest import ingest, ingest_stream
    from ..spark.ingest.catalogs import catalog_of
    from ..spark.ingest.failures import translate_failures
    from ..spark.option_values import size
    from ..spark.options import check_batch_options, read_options
    from .overwriting import refuse_overwrite

    modules, paths = options.pop("allow_modules", ()), options.pop("import_paths", ())
    format = get(format_name, modules, import_paths=paths)
    _check_stream(stream, checkpoint, every, batch_files)
    if report_path == "-":
        raise click.UsageError("summary and report would be mixed: use --json, or name a file")
    folders = (table, asked["quarantine"], asked["metrics"], checkpoint)
    refuse_overwrite(("-", report_path), inputs, format_name, folders=folders)
    location = location_of(options)
    arguments: dict[str, Any] = {name: options.pop(name) for name in ("mode", "recover", "columns") if name in options}
    further = {camel_case(name) if name in OPTIONS else name: _spelled(value) for name, value in options.items()}
    # Spark takes seconds to start, so an unknown option and a missing package or input are reported first.
    read_options(format, {"path": inputs[0], **further})
    catalog_of(asked["to"])
    if not stream:
        check_batch_options(further)
        expand(list(inputs), location)
    asked = {**{name: value for name, value in asked.items() if value is not None}, **arguments, "options": further}
    if "file_bytes" in asked:
        asked["file_bytes"] = size("--file-bytes", asked["file_bytes"])
    if checkpoint is not None:
        with translate_failures(), _without_logs_of_py4j(), _session() as spark:
            told = None if as_json else _tell
            summary = ingest_stream(
                spark, format, list(inputs), table, checkpoint=checkpoint, every=every, told=told, **asked
            )
    else:
        with (
            translate_failures(),
            _without_logs_of_py4j(),
            _session() as spark,
            bar(f"ingest {format.name}", columns=TASKS) as shown,
        ):
            # Requesting the progress has a cost.
            progress = _teller(shown) if sys.stderr.isatty() else None
            if batch_files is not None:
                asked["batch_files"] = batch_files
            summary = ingest(spark, format, list(inputs), table, progress=progress, **asked)
    if report_path is not None:
        write_json(report_path, summary.to_dict())
    if as_json:
        write_json("-", summary.to_dict())
        return
    for line in lines_of(summary):
        click.echo(line)


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_stream(stream: bool, checkpoint: str | None, every: str | None, batch_files: int | None) -> None:
    """Raise ``click.UsageError`` for options that cannot be combined."""
    if stream and checkpoint is None:
        raise click.UsageError("--stream needs --checkpoint DIR, where Spark keeps its progress")
    if not stream and (checkpoint is not None or every is not None):
        raise click.UsageError("--checkpoint and --every apply only with --stream: add it, or leave them out")
    if stream and batch_files is not None:
        raise click.UsageError("--batch-files applies only without --stream: use --option maxFilesPerTrigger=N")


def _tell(batch: Mapping[str, Any]) -> None:
    """Print a line for each batch of a stream."""
    click.echo(
        f"batch {batch['batch']:>7}  {counted(batch['rows'], 'row')}, {counted(batch['files'], 'file')}, "
        f"{batch['damaged']:,} damaged, {batch['seconds']:.1f} s"
    )


@contextmanager
def _session() -> Iterator[SparkSession]:
    """Yield the active session, or a new one that is stopped at the end: on the Spark Connect server named by
    ``SPARK_REMOTE``, otherwise on this machine."""
    from pyspark.sql import SparkSession

    from ..spark.java import prepare_java
    from ..spark.session import local_session, session_elsewhere

    running, remote = SparkSession.getActiveSession(), os.environ.get("SPARK_REMOTE")
    if running is None and sys.stderr.isatty():
        if remote is None:
            prepare_java()
        click.echo("starting Spark …", err=True)
    new = running is None and remote is not None
    before = signal.getsignal(signal.SIGINT)
    session = session_elsewhere("wireloom ingest", remote) if new else local_session("wireloom ingest")
    handler = signal.getsignal(signal.SIGINT)
    if handler is not before and callable(handler):
        signal.signal(signal.SIGINT, interrupting(handler))
    try:
        yield session
    except Exception:
        raise
    except BaseException:
        if running is None:
            _silence_java(session)
        raise
    finally:
        if running is None:
            # A failure of Java at the end must not hide the result.
            with suppress(Exception):
                session.stop()


def _silence_java(session: SparkSession) -> None:
    """Close the standard error of an interrupted session's Java process. Python workers whose connections end with it
    would print tracebacks there."""
    with suppress(Exception):
        session._jvm.java.lang.System.err.close()  # type: ignore[union-attr]  # Spark Connect has none: suppressed


@contextmanager
def _without_logs_of_py4j() -> Iterator[None]:
    """Suppress the tracebacks that py4j logs within the block: it raises the same exceptions, also that of Ctrl-C."""

    def is_wanted(record: logging.LogRecord) -> bool:
        return record.exc_info is None or "py4j" not in Path(record.pathname).parts

    # py4j uses loggers of its own and the root logger, whose filters do not see what other loggers pass on.
    root, own = logging.getLogger(), logging.getLogger("py4j")
    propagates = own.propagate
    root.addFilter(is_wanted)
    own.propagate = False
    try:
        yield
    finally:
        root.removeFilter(is_wanted)
        own.propagate = propagates


def _teller(shown: Bar) -> Callable[[IngestProgress], None]:
    """Return a function that shows the progress of a run on a bar."""

    def tell(now: IngestProgress) -> None:
        size = now.bytes / 1e6
        rate = f"  {size / now.seconds:,.1f} MB/s" if now.seconds else ""
        shown.damaged = now.damaged
        shown.update(now.tasks, now.all_tasks or None, f"tasks  {now.rows:,} rows  {size:,.0f} MB{rate}")

    return tell


def lines_of(summary: IngestSummary) -> list[str]:
    """Return the summary as lines of text."""
    files = summary.report.files
    rate = f"{summary.seconds:.1f} s, {summary.megabytes_per_second:.1f} MB/s"
    lines = [
        f"table       {summary.table}: {counted(summary.rows, 'row')}",
        f"read        {counted(len(files), 'file')}, {counted(summary.bytes, 'byte')} in "
        f"{counted(summary.partitions, 'task')}: {rate}",
    ]
    if summary.recovered:
        rows = sum(each["rows"] for each in summary.recovered)
        found = len(summary.recovered)
        batches = "1 batch" if found == 1 else f"{found:,} batches"
        lines.append(f"recovered   {batches} of an earlier run: {counted(rows, 'row')}")
    if summary.done_before:
        lines.append(f"done before {counted(summary.done_before, 'file')}")
    if summary.set_aside:
        lines.append(f"set aside   {counted(summary.set_aside, 'row')} that the table's columns cannot hold")
    if summary.changed:
        more = f" and {len(summary.changed) - 1:,} more" if len(summary.changed) > 1 else ""
        lines.append(f"changed     {summary.changed[0]}{more}: it changed after it was read; it is not read again")
    if summary.damaged:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in summary.reasons.items())
        lines.append(f"damaged     {counted(summary.damaged, 'range')}: {reasons}")
    ended = Counter(each.tail for each in files if each.tail not in ("clean", "unread"))
    if ended:
        lines.append(f"ended early {', '.join(f'{tail} {count:,}' for tail, count in ended.most_common())}")
    failed = [each for each in files if each.failed]
    lines += [f"failed      {each.path}: {each.error}" for each in failed[:10]]
    if summary.quarantine is not None:
        lines.append(f"quarantine  {summary.quarantine}: {counted(summary.quarantined, 'row')}")
    elif not summary.clean:
        lines.append("            add --quarantine OUT to keep damaged records and the reasons")
    return lines
