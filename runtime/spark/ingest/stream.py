"""The pipeline as a stream: each micro-batch of a streaming query is one commit, made once however often it is run.

The query's checkpoint says what each batch reads, and the table's ledger which batches it has. A process may die
between the commit of a batch and Spark's own note of it; the batch is run again then, and is not committed twice.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from ...base.addresses import S3, scheme_of
from ...base.errors import NothingThereError, UnsupportedError, WireloomError
from ...format.description import Format
from ..folders import Folder, folder
from .batches import Run, write_rows
from .failures import unwrap_task_errors
from .jobs import is_connect
from .ledger import key
from .prometheus import PrometheusMetrics
from .request import Choices, Request, check_disjoint, request, spark_address
from .summary import IngestSummary
from .tables import Attempt, IngestTables, StreamBatch, open_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

KEPT_REPORTS = 10_000
"""Most files whose reports the summary of a stream has: the last ones."""

PAUSE = 1
"""Seconds between two looks at a query that runs on."""


def ingest_stream(
    spark: SparkSession,
    format: str | Format,
    inputs: str | Sequence[str],
    table: str,
    *,
    checkpoint: str,
    every: str | None = None,
    told: Callable[[Mapping[str, Any]], None] | None = None,
    **choices: Unpack[Choices],
) -> IngestSummary:
    """Like ``ingest``, with a streaming read; ``options`` may be those of a stream (``maxFilesPerTrigger``).

    ``checkpoint``: Spark's folder for the query; one per table. ``every``: how long from batch to batch, such as
    ``30 seconds``: it continues until it is interrupted; without, it ends when all that was there is read. ``told`` is
    given the metrics of each batch when it is committed.

    Raises as ``ingest`` does, and where the table has files that a new checkpoint would read again.
    """
    wanted = request(spark, format, inputs, table, **choices)
    if is_connect(spark):
        raise UnsupportedError(
            "a session of Spark Connect runs the batches of a stream in a process of the server, which cannot write "
            "them to the table: submit the job with spark-submit, or ingest without a stream, as often as there is more"
        )
    place = folder(checkpoint, wanted.table.location)
    check_checkpoint(spark, place)
    check_disjoint([place, *wanted.places])
    started = time.monotonic()
    prometheus = PrometheusMetrics(wanted.table, wanted.prometheus_file, wanted.prometheus_port)
    with prometheus.run(), open_tables(wanted) as tables:
        query = query_of(place)
        if wanted.existing == "overwrite" and query is not None:
            raise WireloomError(
                "has a query's progress, which overwrite would contradict: name a new checkpoint", path=checkpoint
            )
        if wanted.existing != "overwrite":
            _check_checkpoint_is_ours(place, tables)
            _check_new(wanted, tables, begun=query in tables.ledger.streams)
        run = _StreamRun(wanted, tables, place, told, started, prometheus)
        run.run(every)
    return run.summary()


def check_checkpoint(spark: SparkSession, checkpoint: Folder) -> None:
    """Raise ``UnsupportedError`` where Spark, which keeps the checkpoint, cannot write there."""
    if not checkpoint.remote:
        return
    own = scheme_of(checkpoint.address)
    scheme, package = ("s3a", "hadoop-aws") if own in S3 else (own, "of Hadoop that knows it")
    try:
        # PySpark has no other way to ask; where this one fails too, it cannot be known whether it would work.
        java: Any = spark._jvm
        java.org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, spark._jsc.hadoopConfiguration())
    except Exception:
        raise UnsupportedError(
            f"Spark itself keeps the checkpoint {checkpoint.address}, and this Spark cannot reach {own}://: name a "
            f"folder that lasts on a disk or in HDFS, or give Spark the package {package}; the table may be on "
            f"{own}:// all the same"
        ) from None


def query_of(checkpoint: Folder) -> str | None:
    """Return the id of the query that a checkpoint belongs to; ``None`` if it has not begun. Raises
    ``WireloomError``."""
    if not checkpoint.holds("metadata"):
        return None
    try:
        return str(json.loads(checkpoint.read("metadata"))["id"])
    except (ValueError, KeyError, TypeError) as error:
        raise WireloomError(f"is not a checkpoint of a query ({error})", path=checkpoint.child("metadata")) from None


def _check_checkpoint_is_ours(checkpoint: Folder, tables: IngestTables) -> None:
    """Raise ``WireloomError`` where the query has put its batches into another table than this one, which is new."""
    if not tables.ledger.last and checkpoint.inside("commits").names():
        raise WireloomError(
            "is the checkpoint of a query that has filled another table, or this one before it was removed: what it "
            f"has read is not in {tables.table.address}; name a new checkpoint, or the table that it belongs to",
            path=checkpoint.address,
        )


def _check_new(wanted: Request, tables: IngestTables, *, begun: bool) -> None:
    """Raise ``WireloomError`` where a query would read files that the table has. ``begun``: it has read files before,
    and knows of all but those that a batch run took; only of these are sizes kept."""
    known = {path for path, size in tables.ledger.files.items() if not (begun and size is None)}
    if not known:
        return
    try:
        found = wanted.files()
    except NothingThereError:
        return
    done = next((each for each in found if key(each) in known), None)
    if done is not None:
        raise WireloomError(
            f"has the rows of {done} already, and this checkpoint does not know of it: go on with the checkpoint that "
            "filled the table, move the file away, ingest without --stream, name another table, or say overwrite",
            path=wanted.table.address,
        )


class _StreamRun(Run):
    """One run of the query."""

    def __init__(
        self,
        wanted: Request,
        tables: IngestTables,
        checkpoint: Folder,
        told: Callable[[Mapping[str, Any]], None] | None,
        started: float,
        prometheus: PrometheusMetrics,
    ) -> None:
        super().__init__(wanted, tables, started, prometheus, KEPT_REPORTS)
        self._checkpoint = checkpoint
        self._told = told
        # Its folder is in the query's plan, so there is one for all of its batches.
        self._attempt = tables.attempt()
        self._error: Exception | None = None
        self._committing = threading.Lock()
        self._ended = False

    def run(self, every: str | None) -> None:
        """Return when all is read; an interrupt stops the query first. Raises what a batch raised."""
        with unwrap_task_errors():
            self.tables.prepare(self.wanted.stream(self._attempt.reports).schema)
            frame = self.wanted.writing_stream(self._attempt.reports, self._attempt.data, self.tables.conversion)
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
                # What a batch raised is better than what Spark makes of it.
                raise self._error or error from None
        finally:
            query.stop()
            with self._committing:
                self._ended = True

    def _show_waiting(self, query: StreamingQuery) -> None:
        if not self.prometheus.wanted:
            return
        shown = query.lastProgress
        told = {} if shown is None else shown["sources"][0]["latestOffset"]
        told = json.loads(told) if isinstance(told, str) else told or {}
        with self._committing:
            self.prometheus.show(self.tables.ledger, files=told.get("waitingFiles"), size=told.get("waitingBytes"))

    def _batch(self, frame: DataFrame, number: int) -> None:
        # Spark calls this in a thread of its own, which may be at work when the caller's is interrupted.
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
        # The commit before has removed it.
        attempt.data.make()
        written = write_rows(frame)
        names = [each for each in attempt.reports.names() if each.startswith("batch-")]
        reports = attempt.reports.inside(names[-1]) if names else attempt.reports
        attempt = Attempt(attempt.name, attempt.data, reports)
        _, metrics = self.commit(attempt, written, {}, started, StreamBatch(query, number))
        if self._told is not None:
            self._told(metrics)
