"""The pipeline as a stream: each micro-batch of a streaming query is one commit, made exactly once even if the batch is
run again.

The query's checkpoint contains what each batch reads, and the table's ledger contains the batches that are committed.
If a process dies between the commit of a batch and its entry in Spark's checkpoint, the batch is run again but not
committed twice.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.addresses import S3, scheme_of
from ...base.dataclass import dataclass
from ...base.errors import NothingThereError, UnsupportedError, WireloomError
from ...base.ingest_options import IngestOptions
from ...base.options import FUNCTION, TEXT, option
from ...format.description import Format
from ..folders import Folder, folder
from ..versions import check_streams
from .failures import unwrap_task_errors
from .job_progress import is_connect
from .ledger import key
from .lineage import Lineage
from .pipeline import IngestRun, write_rows
from .prometheus import PrometheusMetrics
from .request import IngestRequest, check_disjoint, ingest_request, ingests, options_of_call, spark_address
from .summary import IngestSummary
from .tables import BatchAttempt, IngestTables, StreamBatch, open_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

KEPT_REPORTS = 10_000
"""Maximum number of file reports in the summary of a stream; the last ones are kept."""

PAUSE = 1
"""Seconds between two checks of a running query."""


@dataclass(frozen=True, kw_only=True)
class StreamIngestOptions(IngestOptions):
    """The options of ``ingest_stream``. ``checkpoint``: Spark's folder for the query; each table needs its own."""

    checkpoint: str
    every: str | None = option(
        None,
        "The interval between batches, such as ``30 seconds``, of a query that continues until it is interrupted; by"
        " default the query ends when all existing input is read.",
        TEXT,
    )
    told: Callable[[Mapping[str, Any]], None] | None = option(
        None,
        "Called with the metrics of each batch when it is committed.",
        FUNCTION,
        what="a function that takes the metrics of a batch",
    )


@ingests(StreamIngestOptions)
def ingest_stream(
    spark: SparkSession,
    format: str | Format,
    inputs: str | Sequence[str],
    table: str,
    *,
    checkpoint: str,
    **choices: Any,
) -> IngestSummary:
    """Run ``ingest`` with a streaming read, whose options may include those of a stream (``maxFilesPerTrigger``).

    - ``checkpoint``: Spark's folder for the query; each table needs its own.
    {options}

    Raises the same errors as ``ingest``, and ``WireloomError`` if the table has files that a new checkpoint would read
    again.
    """
    check_streams()
    given = {"checkpoint": checkpoint, **choices}
    settings: StreamIngestOptions = options_of_call(StreamIngestOptions, "ingest_stream", given)
    every, told = settings.every, settings.told
    request = ingest_request(spark, format, inputs, table, settings)
    if is_connect(spark):
        raise UnsupportedError(
            "a session of Spark Connect runs the batches of a stream in a process of the server, which cannot write "
            "them to the table: submit the job with spark-submit, or ingest repeatedly without a stream"
        )
    directory = folder(checkpoint, request.table.location)
    check_checkpoint(spark, directory)
    check_disjoint([directory, *request.places])
    started = time.monotonic()
    prometheus = PrometheusMetrics(request.table, request.settings.prometheus_file, request.settings.prometheus_port)
    lineage = Lineage(request)
    with lineage.run(), prometheus.run(), open_tables(request) as tables:
        query = query_of(directory)
        if request.settings.existing == "overwrite" and query is not None:
            raise WireloomError(
                "contains a query's progress, which conflicts with overwrite: name a new checkpoint", path=checkpoint
            )
        if request.settings.existing != "overwrite":
            _check_batches(directory, query, tables)
            _check_new(request, tables, begun=query in tables.ledger.streams)
        run = _StreamRun(request, tables, directory, told, started, prometheus)
        run.run(every)
    return lineage.completed(run.summary())


def check_checkpoint(spark: SparkSession, checkpoint: Folder) -> None:
    """Raise ``UnsupportedError`` if Spark, which writes the checkpoint, cannot write there."""
    if not checkpoint.remote:
        return
    own = scheme_of(checkpoint.address)
    scheme, package = ("s3a", "hadoop-aws") if own in S3 else (own, "of Hadoop that knows it")
    try:
        # PySpark has no other way to check this; if it fails too, the result is unknown.
        java: Any = spark._jvm
        java.org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, spark._jsc.hadoopConfiguration())
    except Exception:
        raise UnsupportedError(
            f"Spark itself keeps the checkpoint {checkpoint.address}, and this Spark cannot reach {own}://: name "
            f"a persistent folder on a disk or in HDFS, or give Spark the package {package}; the table may "
            f"still be on {own}://"
        ) from None


def query_of(checkpoint: Folder) -> str | None:
    """Return the id of the query to which a checkpoint belongs; ``None`` if the query has not begun. Raises
    ``WireloomError``."""
    if not checkpoint.holds("metadata"):
        return None
    try:
        return str(json.loads(checkpoint.read("metadata"))["id"])
    except (ValueError, KeyError, TypeError) as error:
        raise WireloomError(f"is not a checkpoint of a query ({error})", path=checkpoint.child("metadata")) from None


def _check_batches(checkpoint: Folder, query: str | None, tables: IngestTables) -> None:
    """Raise ``WireloomError`` if the checkpoint has completed batches that are not in the table, or the table has
    batches that the checkpoint has not begun: one of them is of another table or of another day.

    Spark writes the offsets of a batch before the batch is committed to the table, and its own commit afterwards."""
    last = -1 if query is None else tables.ledger.streams.get(query, -1)
    begun, completed = (_last_batch(checkpoint.inside(each)) for each in ("offsets", "commits"))
    if completed > last:
        raise WireloomError(
            "is the checkpoint of a query that wrote to another table, or to this one before it was removed, replaced "
            f"or restored: the rows of batch {completed} are not in {tables.table.address}; name a new checkpoint, or "
            "the table of this one",
            path=checkpoint.address,
        )
    if begun < last:
        raise WireloomError(
            f"ends with batch {begun}, but {tables.table.address} has batch {last} of its query: it is that of an "
            "earlier day, and would read files again",
            path=checkpoint.address,
            advice="restore the newest checkpoint, or fill the table with overwrite and a new checkpoint",
        )


def _last_batch(log: Folder) -> int:
    """Return the number of the last batch in a log of a checkpoint; -1 if there is none."""
    return max((int(each) for each in log.names() if each.isdecimal()), default=-1)


def _check_new(request: IngestRequest, tables: IngestTables, *, begun: bool) -> None:
    """Raise ``WireloomError`` if a query would read files that are in the table. ``begun``: the query has read files
    before, and knows all except those that were read by a batch run; sizes are stored for these only."""
    known = {path for path, size in tables.ledger.files.items() if not (begun and size is None)}
    if not known:
        return
    try:
        found = request.files()
    except NothingThereError:
        return
    done = next((each for each in found if key(each) in known), None)
    if done is not None:
        raise WireloomError(
            f"already has the rows of {done}, which this checkpoint does not include: continue with the checkpoint "
            "that was used for the table, move the file away, ingest without --stream, name another table, or use "
            "overwrite",
            path=request.table.address,
        )


class _StreamRun(IngestRun):
    """One run of the query."""

    def __init__(
        self,
        request: IngestRequest,
        tables: IngestTables,
        checkpoint: Folder,
        told: Callable[[Mapping[str, Any]], None] | None,
        started: float,
        prometheus: PrometheusMetrics,
    ) -> None:
        super().__init__(request, tables, started, prometheus, KEPT_REPORTS)
        self._checkpoint = checkpoint
        self._told = told
        # The folder is in the query's plan, so all of its batches share one.
        self._attempt = tables.attempt()
        self._error: Exception | None = None
        self._committing = threading.Lock()
        self._ended = False

    def run(self, every: str | None) -> None:
        """Run the query until all input is read; an interrupt stops the query first. Raises the error
        that a batch raised."""
        with unwrap_task_errors():
            self.tables.prepare(self.request.stream(self._attempt.reports).schema)
            frame = self.request.writing_stream(self._attempt.reports, self._attempt.data, self.tables.conversion)
        writer = frame.writeStream.foreachBatch(self._batch)
        writer = writer.option("checkpointLocation", spark_address(self._checkpoint))
        writer = writer.trigger(availableNow=True) if every is None else writer.trigger(processingTime=every)
        query = writer.start()
        try:
            self._show_waiting(query)
            while not query.awaitTermination(PAUSE):
                self._show_waiting(query)
            self._show_waiting(query)
        except Exception as error:
            with unwrap_task_errors():
                # The error that a batch raised is more informative than Spark's.
                raise self._error or error from None
        finally:
            query.stop()
            with self._committing:
                self._ended = True

    def _show_waiting(self, query: StreamingQuery) -> None:
        if not self.prometheus.wanted:
            return
        shown = query.lastProgress
        offset = {} if shown is None else shown["sources"][0]["latestOffset"]
        offset = json.loads(offset) if isinstance(offset, str) else offset or {}
        with self._committing:
            self.prometheus.show(self.tables.ledger, files=offset.get("waitingFiles"), size=offset.get("waitingBytes"))

    def _batch(self, frame: DataFrame, number: int) -> None:
        # Spark calls this in a separate thread, which may be at work when the caller's thread is interrupted.
        with self._committing:
            try:
                if self._ended:
                    raise WireloomError("the query was stopped")
                self._commit(frame, number)
            except Exception as error:
                self._error = error
                raise

    def _commit(self, frame: DataFrame, number: int) -> None:
        query = query_of(self._checkpoint)
        if query is None:
            raise WireloomError("the query has no id in its checkpoint", path=self._checkpoint.address)
        if number <= self.tables.ledger.streams.get(query, -1):
            return
        started, attempt = time.monotonic(), self._attempt
        # The previous commit has removed the folder.
        attempt.data.make()
        written = write_rows(frame)
        names = [each for each in attempt.reports.names() if each.startswith("batch-")]
        reports = attempt.reports.inside(names[-1]) if names else attempt.reports
        attempt = BatchAttempt(attempt.name, attempt.data, reports)
        _, metrics = self.commit(attempt, written, {}, started, StreamBatch(query, number))
        if self._told is not None:
            self._told(metrics)
