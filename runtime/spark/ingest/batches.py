"""The pipeline: files of a format → a table of the good rows, and a quarantine table of what was damaged.

One pass over the input. While Spark writes the good rows, every task keeps the damaged records and the report of each
file that it reads (see ``read.task_reports``). When all rows are written, one commit puts rows, quarantine and the
names of the files that are done in place (see ``write.commit_log``). ``ingest_stream`` does the same batch by batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.arguments import check_callable, positive
from ...base.errors import UnsupportedError
from ...base.report import FileReport, ReadReport
from ...format.description import Format
from ...format.registry import get
from ...rows.select import name_of
from ..read.task_reports import Findings, merged
from .job_progress import IngestProgress, Watch, in_brief
from .ledger import key
from .metrics import batch_metrics
from .parquet_writer import write_remote
from .request import Request, prepared, request, spark_address
from .summary import IngestSummary
from .tables import IngestTables, opened_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ...input.inputs import Input
    from ..folders import Folder

__all__ = ["IngestProgress", "IngestSummary", "ingest"]

PAUSE = 0.25
"""Seconds between two looks at how far it is."""

REMOTE_PAUSE = 2.0
"""The same where each look asks an object store."""

BATCH_FILES = 10_000
"""Files of a batch, unless the caller says otherwise."""


def ingest(
    spark: SparkSession,
    format: str | Format,
    inputs: str | Sequence[str],
    table: str,
    *,
    quarantine: str | None = None,
    metrics: str | None = None,
    mode: str = "permissive",
    recover: bool = False,
    partition_by: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    existing: str = "append",
    to: str = "parquet",
    batch_files: int = BATCH_FILES,
    progress: Callable[[IngestProgress], None] | None = None,
    allow_modules: Sequence[str] = (),
) -> IngestSummary:
    """Reads ``inputs`` (a path, glob, folder or address, or several) with Spark and writes a table.

    Run again, it reads only the files that came since: which ones are done is kept in the table's folder, and changes
    together with the table. Every record is once in the table or the quarantine, also where a run is killed.

    ``columns``: those of the table, by default the format's own; those of ``partition_by`` come along. ``quarantine``:
    where damaged records go, as a Parquet table of ``_path``, ``_offset``, ``_length``, ``_error``,
    ``_corrupt_record``: one row for each damaged range, the end of a file that is cut off or cannot be read on among
    them. ``metrics``: a folder for JSON lines, a file per batch, with what each batch and each file came to.
    ``mode``: ``permissive`` or ``dropmalformed`` (the table gets the good rows; the latter keeps no bytes of the
    others) or ``failfast``. ``options``: further ones of the data source. ``existing``: what becomes of tables that are
    there: ``append`` (they must have the same columns), ``overwrite`` (all files are read, and replace what is there
    when they are), or ``error`` (nothing is done). ``to``: ``parquet``, ``delta`` or ``iceberg``. ``batch_files``: how
    many files are committed together. ``progress`` is called several times a second, in the caller's thread.
    ``allow_modules``: modules out of which a spec may name classes, see ``wireloom.load_spec``.

    Raises ``UnknownNameError`` and ``WireloomError``; ``TemporaryError`` where another run is at work, the disk is full
    or a storage fails; in ``failfast`` the error of the first damage that was met.
    """
    positive("batch_files", batch_files)
    if progress is not None:
        check_callable("progress", progress, "a function of what the run has done")
    wanted = request(
        spark,
        get(format, allow_modules),
        inputs,
        table,
        quarantine=quarantine,
        metrics=metrics,
        mode=mode,
        recover=recover,
        partition_by=partition_by,
        columns=columns,
        options=options,
        existing=existing,
        to=to,
    )
    if wanted.grows:
        raise UnsupportedError(
            "a batch run takes each file once, and would not come back for the rest of one that grows: leave "
            "tail=growing out, or ingest as a stream"
        )
    started = time.monotonic()
    found = wanted.files()
    with opened_tables(wanted.format.name, wanted.table, wanted.quarantine, wanted.metrics, to) as tables:
        run = _Run(spark, wanted, tables, progress, started)
        known = tables.ledger.files if existing != "overwrite" else {}
        new = [path for path in found if key(path) not in known]
        changed = [path for path, each in found.items() if known.get(key(path), each.size) not in (each.size, None)]
        if not new:
            # Whoever asks for other columns hears of it also where there is nothing to do.
            with in_brief():
                prepared(spark, wanted, tables, wanted.frame(spark, list(found.values())[:1], wanted.table))
        for number, paths in enumerate(_batches(new, batch_files)):
            run.batch([found[each] for each in paths], first=number == 0)
    report = ReadReport(wanted.format.name, run.files, engine=name_of(wanted.format))
    return IngestSummary(
        table,
        quarantine,
        report,
        sum(each["quarantined"] for each in run.batches),
        time.monotonic() - started,
        sum(each["tasks"] for each in run.batches),
        batches=run.batches,
        recovered=tables.recovered,
        done_before=len(found) - len(new),
        changed=changed,
    )


class _Run:
    """The batches of one call."""

    def __init__(
        self,
        spark: SparkSession,
        wanted: Request,
        tables: IngestTables,
        progress: Callable[[IngestProgress], None] | None,
        started: float,
    ) -> None:
        self._spark = spark
        self._wanted = wanted
        self._tables = tables
        self._progress = progress
        self._started = started
        self._before = IngestProgress(0, 0, 0, 0, 0, 0.0)
        self.files: list[FileReport] = []
        self.batches: list[Mapping[str, Any]] = []

    def batch(self, inputs: Sequence[Input], *, first: bool) -> None:
        """Reads files and commits what is in them."""
        started = time.monotonic()
        attempt = self._tables.attempt()
        with in_brief():
            frame = self._wanted.frame(self._spark, inputs, attempt.side)
            if first:
                self._shape = prepared(self._spark, self._wanted, self._tables, frame)
        findings = Findings(attempt.side)
        pause = REMOTE_PAUSE if attempt.side.remote else PAUSE
        watch = Watch(self._spark, findings, self._told if self._progress else None, self._started, pause)
        watch.run(lambda: write_rows(frame, attempt.data, self._wanted.partition_by))
        findings.refresh()
        report = ReadReport(self._wanted.format.name, merged(findings.reports), engine=name_of(self._wanted.format))
        seconds = time.monotonic() - started
        sizes = {key(each.path or ""): each.size for each in inputs}
        record = self._tables.commit(attempt, findings, report, self._shape, sizes, seconds=seconds)
        self.files += report.files
        self.batches.append(batch_metrics(record))
        self._before = self._now(IngestProgress(findings.partitions, 0, report.rows, report.bytes, report.damaged, 0.0))

    def _told(self, progress: IngestProgress) -> None:
        if self._progress is not None:
            self._progress(self._now(progress))

    def _now(self, batch: IngestProgress) -> IngestProgress:
        """How far all batches are."""
        before = self._before
        return replace(
            batch,
            tasks=before.tasks + batch.tasks,
            all_tasks=before.tasks + max(batch.all_tasks, batch.tasks),
            rows=before.rows + batch.rows,
            bytes=before.bytes + batch.bytes,
            damaged=before.damaged + batch.damaged,
        )


def write_rows(frame: DataFrame, target: Folder, partition_by: Sequence[str]) -> None:
    """Writes rows as Parquet files into a folder that is nobody else's."""
    if target.remote:
        write_remote(frame, target, list(partition_by))
        return
    writer = frame.write.mode("append")
    if partition_by:
        writer = writer.partitionBy(*partition_by)
    writer.parquet(spark_address(target))


def _batches(paths: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(paths), most):
        yield paths[start : start + most]
