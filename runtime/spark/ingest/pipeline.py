"""The pipeline: reads files of a format into a table of good rows and a quarantine table of damaged records.

The input is read once. Every task writes the good rows that it reads (see ``table_files``), and stores the damaged
records and the report of each file (see ``read.task_reports``). When all tasks are done, one commit (see
``write.commit_log``) puts in place the files that they have written, the quarantine and the names of the inputs that
are done. ``ingest_stream`` does the same batch by batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.dataclass import dataclass, replace
from ...base.errors import UnsupportedError
from ...base.ingest_options import IngestOptions
from ...base.options import FUNCTION, NUMBER, option
from ...base.report import FileReport, ReadReport
from ...format.description import Format
from ...rows.select import name_of
from ..options import check_batch_options
from .failures import unwrap_task_errors
from .job_progress import IngestProgress, run_job
from .ledger import key
from .lineage import Lineage
from .prometheus import PrometheusMetrics, batch_metrics
from .read_files import ReadFiles
from .request import IngestRequest, ingest_request, ingests, options_of_call
from .summary import IngestSummary
from .table_files import WrittenFile, taken_back
from .tables import BatchAttempt, IngestTables, StreamBatch, open_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ...input.inputs import Input

PAUSE = 0.25
"""Seconds between two calls of ``progress``."""

REMOTE_PAUSE = 2.0
"""The same if each call sends requests to an object store."""

BATCH_FILES = 10_000
"""Default number of files in a batch."""


@dataclass(frozen=True, kw_only=True)
class BatchIngestOptions(IngestOptions):
    """The options of ``ingest``."""

    batch_files: int = option(BATCH_FILES, "Number of files that are committed together.", NUMBER)
    progress: Callable[[IngestProgress], None] | None = option(
        None,
        "Called several times a second with the progress, in the caller's thread.",
        FUNCTION,
        what="a function that takes the run's progress",
    )


@ingests(BatchIngestOptions)
def ingest(
    spark: SparkSession, format: str | Format, inputs: str | Sequence[str], table: str, **choices: Any
) -> IngestSummary:
    """Read ``inputs`` (a path, glob, folder or address, or several) with Spark and write a table.

    A repeated run reads only new files: the files that are done are stored in the table's folder, atomically with the
    table. Every record is in the table or the quarantine exactly once, even if a run is killed. Keyword arguments:

    {options}

    Raises ``UnknownNameError`` and ``WireloomError``; ``TemporaryError`` if another run is active, the disk is full or
    a storage fails; in mode ``failfast`` the error of the first damage.
    """
    settings: BatchIngestOptions = options_of_call(BatchIngestOptions, "ingest", choices)
    batch_files, progress = settings.batch_files, settings.progress
    check_batch_options(settings.options or {})
    request = ingest_request(spark, format, inputs, table, settings)
    if request.grows:
        raise UnsupportedError(
            "a batch run reads each file once, and would never read what a growing file gets "
            "later: leave tail=growing out, or ingest as a stream"
        )
    started = time.monotonic()
    prometheus = PrometheusMetrics(request.table, request.settings.prometheus_file, request.settings.prometheus_port)
    found, lineage = request.files(), Lineage(request)
    with lineage.run(), prometheus.run(), open_tables(request) as tables:
        run = _BatchRun(request, tables, progress, started, prometheus)
        known = tables.ledger.files if request.settings.existing != "overwrite" else {}
        identities = tables.ledger.identities if known else {}
        read = ReadFiles(identities, len(request.format.delimiter))
        # Rows that a file has received since it was empty are not in the table.
        new = [
            each
            for path, each in found.items()
            if (key(path) not in known and not read.is_renamed(each)) or (known.get(key(path)) == 0 and each.size)
        ]
        taken = {id(each) for each in new}
        changed = [
            path
            for path, each in found.items()
            if id(each) not in taken and read.is_changed(each, known.get(key(path)))
        ]
        if not new:
            # Columns that do not fit the table are refused even if there is nothing to read.
            with unwrap_task_errors():
                tables.prepare(request.frame(list(found.values())[:1], request.table).schema)
        for start in range(0, len(new), batch_files):
            run.waits(new[start:])
            run.batch(new[start : start + batch_files])
        run.waits([])
    return lineage.completed(run.summary(done_before=len(found) - len(new), changed=changed))


class IngestRun:
    """The batches of one call: commits them, and summarises them."""

    def __init__(
        self,
        request: IngestRequest,
        tables: IngestTables,
        started: float,
        prometheus: PrometheusMetrics,
        most_reports: int | None = None,
    ) -> None:
        self.request = request
        self.tables = tables
        self.started = started
        self.prometheus = prometheus
        self.files: list[FileReport] = []
        self.batches: list[Mapping[str, Any]] = []
        self._most_reports = most_reports

    def commit(
        self,
        attempt: BatchAttempt,
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
        """Return the summary of all batches."""
        request = self.request
        return IngestSummary(
            request.table.address,
            None if request.quarantine is None else request.quarantine.address,
            ReadReport(request.format.name, self.files, engine=name_of(request.format)),
            sum(each["quarantined"] for each in self.batches),
            time.monotonic() - self.started,
            sum(each["tasks"] for each in self.batches),
            batches=self.batches,
            recovered=self.tables.recovered,
            **more,
        )


class _BatchRun(IngestRun):
    def __init__(
        self,
        request: IngestRequest,
        tables: IngestTables,
        progress: Callable[[IngestProgress], None] | None,
        started: float,
        prometheus: PrometheusMetrics,
    ) -> None:
        super().__init__(request, tables, started, prometheus)
        self._progress = progress
        self._before = IngestProgress(0, 0, 0, 0, 0, 0.0)

    def waits(self, inputs: Sequence[Input]) -> None:
        """Publish the inputs that are still to be read as metrics."""
        self.prometheus.show(self.tables.ledger, files=len(inputs), size=sum(each.size or 0 for each in inputs))

    def batch(self, inputs: Sequence[Input]) -> None:
        """Read files and commit their rows and damage."""
        started, request, tell = time.monotonic(), self.request, self._progress
        attempt, written = self.tables.attempt(), list[WrittenFile]()
        with unwrap_task_errors():
            if not self.batches:
                self.tables.prepare(request.frame(inputs, attempt.reports).schema)
            frame = request.writing(inputs, attempt.reports, attempt.data, self.tables.conversion)
        run_job(
            request.spark,
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
        """Return the progress of all batches, the last of which is in progress."""
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
    """Run the tasks that write; return the files that they report."""
    return taken_back(frame.collect())
