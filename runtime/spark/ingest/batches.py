"""The pipeline: files of a format to a table of the good rows and a quarantine table of the damaged records.

One pass over the input. Every task writes the good rows that it reads (see ``table_files``), and keeps the damaged
records and the report of each file (see ``read.task_reports``). When all are done, one commit puts the files of which
they have told, the quarantine and the names of the inputs that are done in place (see ``write.commit_log``).
``ingest_stream`` does the same batch by batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from ...base.arguments import check_callable, positive
from ...base.errors import UnsupportedError
from ...base.report import FileReport, ReadReport
from ...format.description import Format
from ...rows.select import name_of
from ..options import check_batch_options
from .failures import unwrap_task_errors
from .job_progress import IngestProgress, run_job
from .ledger import key
from .metrics import batch_metrics
from .prometheus import PrometheusMetrics
from .request import Choices, Request, request
from .summary import IngestSummary
from .table_files import WrittenFile, taken_back
from .tables import Attempt, IngestTables, StreamBatch, open_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ...input.inputs import Input

PAUSE = 0.25
"""Seconds between two calls of ``progress``."""

REMOTE_PAUSE = 2.0
"""The same where each call asks an object store."""

BATCH_FILES = 10_000
"""Files of a batch, unless the caller says otherwise."""


def ingest(
    spark: SparkSession,
    format: str | Format,
    inputs: str | Sequence[str],
    table: str,
    *,
    batch_files: int = BATCH_FILES,
    progress: Callable[[IngestProgress], None] | None = None,
    **choices: Unpack[Choices],
) -> IngestSummary:
    """Read ``inputs`` (a path, glob, folder or address, or several) with Spark and write a table.

    Run again, it reads only the files that came since: which ones are done is kept in the table's folder, and changes
    together with the table. Every record is once in the table or the quarantine, also where a run is killed.

    ``columns``: those of the table, by default the format's own; those of ``partition_by`` come along. ``quarantine``:
    where damaged records go, as a Parquet table of ``_path``, ``_offset``, ``_length``, ``_error``,
    ``_corrupt_record``: one row for each damaged range, the end of a file that is cut off or cannot be read on among
    them. ``metrics``: a folder for JSON lines, a file per batch, with what each batch and each file came to.
    ``mode``: ``permissive`` or ``dropmalformed`` (the table gets the good rows; the latter keeps no bytes of the
    others) or ``failfast``. ``recover``: look for the next good row after a damaged length. ``options``: further
    ones of the data source. ``existing``: what becomes of tables that are there: ``append`` (they must have the
    same columns), ``adopt`` (the same, also to Parquet files that something else has written), ``overwrite`` (all
    files are read, and replace what is there when they are), or ``error`` (nothing is done). ``to``: ``parquet``,
    ``delta`` or ``iceberg``. ``sort_by``: columns by which each file is sorted. ``file_bytes``: about how large a
    file is at most. ``compression``: ``snappy``, ``zstd``, ``lz4``, ``gzip`` or ``none``. ``dictionary``: columns
    that are stored as dictionaries, by default all but those of bytes. ``schema_evolution``: what becomes of a read
    whose columns are not the table's: ``refuse``; ``add`` its new columns to the table; or ``quarantine`` the
    records that the table cannot hold.
    ``prometheus_file``: a file ``….prom`` for metrics that Prometheus scrapes through node_exporter;
    ``prometheus_port``: a port of this machine, on 127.0.0.1, that shows them while the run goes on.
    ``allow_modules``: modules out of which a spec may name classes, see ``wireloom.load_spec``.
    ``batch_files``: how many files are committed together. ``progress`` is called several times a second, in the
    caller's thread.

    Raises ``UnknownNameError`` and ``WireloomError``; ``TemporaryError`` where another run is at work, the disk is full
    or a storage fails; in ``failfast`` the error of the first damage that was met.
    """
    positive("batch_files", batch_files)
    check_batch_options(choices.get("options") or {})
    if progress is not None:
        check_callable("progress", progress, "a function of what the run has done")
    wanted = request(spark, format, inputs, table, **choices)
    if wanted.grows:
        raise UnsupportedError(
            "a batch run takes each file once, and would not come back for the rest of one that grows: leave "
            "tail=growing out, or ingest as a stream"
        )
    started = time.monotonic()
    prometheus = PrometheusMetrics(wanted.table, wanted.prometheus_file, wanted.prometheus_port)
    found = wanted.files()
    with prometheus.run(), open_tables(wanted) as tables:
        run = _BatchRun(wanted, tables, progress, started, prometheus)
        known = tables.ledger.files if wanted.existing != "overwrite" else {}
        # No row of a file that was empty is in the table.
        new = [each for path, each in found.items() if key(path) not in known or (known[key(path)] == 0 and each.size)]
        taken = {id(each) for each in new}
        changed = [
            path
            for path, each in found.items()
            if id(each) not in taken and known.get(key(path), each.size) not in (each.size, None)
        ]
        if not new:
            # Columns that do not fit the table are refused also where there is nothing to do.
            with unwrap_task_errors():
                tables.prepare(wanted.frame(list(found.values())[:1], wanted.table).schema)
        for start in range(0, len(new), batch_files):
            run.waits(new[start:])
            run.batch(new[start : start + batch_files])
        run.waits([])
    return run.summary(done_before=len(found) - len(new), changed=changed)


class Run:
    """The batches of one call: their commits, and the summary of them."""

    def __init__(
        self,
        wanted: Request,
        tables: IngestTables,
        started: float,
        prometheus: PrometheusMetrics,
        most_reports: int | None = None,
    ) -> None:
        self.wanted = wanted
        self.tables = tables
        self.started = started
        self.prometheus = prometheus
        self.files: list[FileReport] = []
        self.batches: list[Mapping[str, Any]] = []
        self._most_reports = most_reports

    def commit(
        self,
        attempt: Attempt,
        written: Sequence[WrittenFile],
        sizes: Mapping[str, int | None],
        started: float,
        stream: StreamBatch | None = None,
    ) -> tuple[ReadReport, Mapping[str, Any]]:
        """Commit a batch whose rows are written; return its report and its metrics."""
        seconds = time.monotonic() - started
        record, report = self.tables.commit(attempt, written, sizes, seconds=seconds, stream=stream)
        files = self.files + report.files
        self.files = files if self._most_reports is None else files[-self._most_reports :]
        self.batches.append(batch_metrics(record))
        self.prometheus.show(self.tables.ledger)
        return report, self.batches[-1]

    def summary(self, **more: Any) -> IngestSummary:
        """Return what came of all batches."""
        wanted = self.wanted
        return IngestSummary(
            wanted.table.address,
            None if wanted.quarantine is None else wanted.quarantine.address,
            ReadReport(wanted.format.name, self.files, engine=name_of(wanted.format)),
            sum(each["quarantined"] for each in self.batches),
            time.monotonic() - self.started,
            sum(each["tasks"] for each in self.batches),
            batches=self.batches,
            recovered=self.tables.recovered,
            **more,
        )


class _BatchRun(Run):
    def __init__(
        self,
        wanted: Request,
        tables: IngestTables,
        progress: Callable[[IngestProgress], None] | None,
        started: float,
        prometheus: PrometheusMetrics,
    ) -> None:
        super().__init__(wanted, tables, started, prometheus)
        self._progress = progress
        self._before = IngestProgress(0, 0, 0, 0, 0, 0.0)

    def waits(self, inputs: Sequence[Input]) -> None:
        """Show what is still to be read."""
        self.prometheus.show(self.tables.ledger, files=len(inputs), size=sum(each.size or 0 for each in inputs))

    def batch(self, inputs: Sequence[Input]) -> None:
        """Read files and commit what is in them."""
        started, wanted, tell = time.monotonic(), self.wanted, self._progress
        attempt, written = self.tables.attempt(), list[WrittenFile]()
        with unwrap_task_errors():
            if not self.batches:
                self.tables.prepare(wanted.frame(inputs, attempt.reports).schema)
            frame = wanted.writing(inputs, attempt.reports, attempt.data, self.tables.conversion)
        run_job(
            wanted.spark,
            lambda: written.extend(write_rows(frame)),
            attempt.reports,
            None if tell is None else lambda now: tell(self._total(now)),
            self.started,
            REMOTE_PAUSE if attempt.reports.remote else PAUSE,
        )
        report, metrics = self.commit(attempt, written, {key(each.path or ""): each.size for each in inputs}, started)
        done = IngestProgress(metrics["tasks"], 0, report.rows, report.bytes, report.damaged, 0.0)
        self._before = self._total(done)

    def _total(self, batch: IngestProgress) -> IngestProgress:
        """Return the progress of all batches, of which this is the last one."""
        before = self._before
        return replace(
            batch,
            tasks=before.tasks + batch.tasks,
            all_tasks=before.tasks + max(batch.all_tasks, batch.tasks),
            rows=before.rows + batch.rows,
            bytes=before.bytes + batch.bytes,
            damaged=before.damaged + batch.damaged,
        )


def write_rows(frame: DataFrame) -> list[WrittenFile]:
    """Run the tasks that write; return the files of which they tell."""
    return taken_back(frame.collect())
