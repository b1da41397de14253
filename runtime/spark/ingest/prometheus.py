"""Metrics for Prometheus: a file for the textfile collector of node_exporter, or a port on this machine.

Counters are totals over all commits of the table, from its ledger, so they are exact even after a crash and continue
from the previous run.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import WireloomError
from ...base.extras import require
from ..folders import Folder
from .ledger import Ledger

if TYPE_CHECKING:
    from prometheus_client.core import Metric
import json
from collections import Counter
from collections.abc import Sequence

from ...base.report import FileReport
from ..read.task_reports import SET_ASIDE, count_by_reason
from ..write.commit_log import Commit


def file_metrics(report: FileReport, size: int | None) -> dict[str, Any]:
    """Return the metrics of a file. ``size``: stored bytes; ``bytes``: decompressed bytes; ``damaged``: number of
    ranges without rows, including an end that could not be read; ``reasons``: the same by reason; ``setAside``: number
    of rows that the table cannot hold."""
    reasons = count_by_reason(report)
    return {
        "path": report.path,
        "size": size,
        "rows": report.rows,
        "bytes": report.bytes,
        "damaged": sum(reasons.values()),
        "reasons": reasons,
        "setAside": report.facts.get(SET_ASIDE, 0),
        "tail": report.tail,
        "tailOffset": report.tail_offset,
        "error": report.error,
    }


def totals(files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals over files."""
    reasons: Counter[str] = Counter()
    for each in files:
        reasons.update(each["reasons"])
    return {
        "files": len(files),
        "rows": sum(each["rows"] for each in files),
        "bytes": sum(each["bytes"] for each in files),
        "damaged": sum(each["damaged"] for each in files),
        "reasons": dict(sorted(reasons.items())),
        "setAside": sum(each["setAside"] for each in files),
    }


def batch_metrics(record: Commit) -> dict[str, Any]:
    """Return the metrics of a batch."""
    facts = record.facts
    metrics = {"batch": int(record.name), "format": facts["format"], "committed": facts["committed"], **facts["batch"]}
    return metrics if facts["stream"] is None else {**metrics, "stream": facts["stream"]}


def lines(record: Commit) -> bytes:
    """Return JSON lines: one of ``kind`` ``batch``, then one of ``kind`` ``file`` for each file."""
    batch = {"kind": "batch", **batch_metrics(record)}
    files = [{"kind": "file", "batch": int(record.name), **each} for each in record.facts["files"]]
    return b"".join(json.dumps(each).encode() + b"\n" for each in (batch, *files))


LOG = logging.getLogger(__name__)
HOST = "127.0.0.1"
ENDING = ".prom"
PREFIX = "wireloom_ingest_"
COUNTERS = {
    "batches": "Batches that were committed.",
    "files": "Files that were read; a growing file counts once per batch.",
    "rows": "Rows that were written to the table.",
    "bytes": "Decompressed bytes that were read.",
    "quarantined": "Rows that were written to the quarantine.",
    "setAside": "Rows among these that the columns of the table cannot hold.",
    "seconds": "Duration of the batches in seconds.",
}
"""Totals of the ledger, by the names of a batch's metrics."""
SUCCESS = f"{PREFIX}last_success_timestamp_seconds"


class PrometheusMetrics:
    """The metrics of one table. Does nothing without a file or a port."""

    def __init__(self, table: Folder, file: str | None, port: int | None) -> None:
        self._labels = [table.address]
        self._file = None if file is None else _checked(file)
        self._port = port
        self._registry: Any = None
        self._server: Any = None
        self._ledger: Ledger | None = None
        self._gauges: dict[str, float] = {}
        if self.wanted:
            require("prometheus_client", "prometheus", "prometheus_file or prometheus_port")
            from prometheus_client import CollectorRegistry

            self._registry = CollectorRegistry()
            self._registry.register(self)

    @property
    def wanted(self) -> bool:
        """Return whether metrics are written to a file or served on a port."""
        return self._file is not None or self._port is not None

    @contextmanager
    def run(self) -> Iterator[None]:
        """Record the run that the block represents, and its result."""
        if not self.wanted:
            yield
            return
        self._gauges |= self._last_success()
        self._serve()
        began, succeeded = time.monotonic(), False
        try:
            yield
            succeeded = True
        finally:
            now = time.time()
            self._gauges |= {
                "last_run_success": float(succeeded),
                "last_run_timestamp_seconds": now,
                "last_run_duration_seconds": time.monotonic() - began,
            }
            if succeeded:
                self._gauges["last_success_timestamp_seconds"] = now
            self._write()
            if self._server is not None:
                self._server.shutdown()
                self._server.server_close()

    def show(self, ledger: Ledger, *, files: int | None = None, size: int | None = None) -> None:
        """Publish the current metrics of a table. ``files`` and ``size`` in bytes: the input that waits
        to be read, if known."""
        if not self.wanted:
            return
        self._ledger = ledger
        waiting = {"waiting_files": files, "waiting_bytes": size}
        self._gauges |= {name: float(value) for name, value in waiting.items() if value is not None}
        self._write()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; called by the client's registry."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        ledger = self._ledger
        if ledger is None:
            return
        for name, text in COUNTERS.items():
            counter = CounterMetricFamily(f"{PREFIX}{_snake(name)}", text, labels=["table"])
            counter.add_metric(self._labels, ledger.totals.get(name, 0))
            yield counter
        damaged = CounterMetricFamily(f"{PREFIX}damaged", "Damaged ranges, by reason.", labels=["table", "reason"])
        for reason, count in sorted(ledger.reasons.items()):
            damaged.add_metric([*self._labels, reason], count)
        yield damaged
        for name, value in {**ledger.latest, **self._gauges}.items():
            gauge = GaugeMetricFamily(f"{PREFIX}{name}", GAUGES[name], labels=["table"])
            gauge.add_metric(self._labels, value)
            yield gauge

    def _serve(self) -> None:
        if self._port is None:
            return
        from prometheus_client import start_http_server

        try:
            self._server, _ = start_http_server(self._port, HOST, self._registry)
        except (OSError, OverflowError) as error:
            raise WireloomError(f"prometheus_port {self._port} cannot be used: {error}") from None

    def _write(self) -> None:
        if self._file is None or self._ledger is None:
            return
        from prometheus_client import write_to_textfile

        try:
            write_to_textfile(str(self._file), self._registry)
        except OSError as error:
            # The table has priority; monitoring can detect a failure by the age of the file.
            LOG.warning("%s: the metrics cannot be written: %s", self._file, error)

    def _last_success(self) -> dict[str, float]:
        """Return the time of the last successful run from the file."""
        from prometheus_client.parser import text_string_to_metric_families

        # The ledger contains commits only. A file in another format is overwritten.
        with suppress(OSError, ValueError):
            text = "" if self._file is None else self._file.read_text(errors="replace")
            for family in text_string_to_metric_families(text):
                for sample in family.samples:
                    if sample.name == SUCCESS and list(sample.labels.values()) == self._labels:
                        return {"last_success_timestamp_seconds": sample.value}
        return {}


GAUGES: Mapping[str, str] = {
    "last_commit_timestamp_seconds": "Time of the last batch's commit.",
    "last_batch_rows": "Rows of the last batch.",
    "last_batch_seconds": "Duration of the last batch in seconds.",
    "lag_seconds": "Time from the last change of the oldest file of the last batch to its commit.",
    "waiting_files": "Files that were found and not read yet.",
    "waiting_bytes": "Bytes of them, as stored.",
    "last_run_success": "1 if the last run succeeded, else 0.",
    "last_run_timestamp_seconds": "When the last run ended.",
    "last_run_duration_seconds": "Duration of the last run in seconds.",
    "last_success_timestamp_seconds": "Time at which the last successful run ended.",
}


def _checked(file: str) -> Path:
    path = Path(file)
    if path.suffix != ENDING:
        raise WireloomError(
            f"prometheus_file must end with {ENDING}, since node_exporter ignores other files", path=file
        )
    if not path.parent.is_dir():
        raise WireloomError("no such folder: create the folder that node_exporter reads", path=file)
    return path


def _snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
