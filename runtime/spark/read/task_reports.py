"""The reports of the tasks of the ingest pipeline: damaged records, and the report of each file.

Each task writes two files to a folder that all tasks share, named after its partition: the damaged records as Parquet,
then the reports as JSON. A task that is retried, or runs twice at once, writes the same files again; each appears under
its name only when it is complete. The driver thus finds the results of one run of each task.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...base.report import Damage, FileReport
from ...format.columns import CORRUPT_RECORD, ERROR, OFFSET, PATH
from ...input.inputs import Location
from ...rows.selected_columns import end_explained, explained
from ...writing import opened
from ..folders import Folder, folder
from .file_listing import microseconds
from .split_planning import Slice

QUARANTINE_SCHEMA = pa.schema(
    [
        pa.field(PATH, pa.string()),
        pa.field(OFFSET, pa.int64()),
        pa.field("_length", pa.int64()),
        pa.field(ERROR, pa.string()),
        pa.field(CORRUPT_RECORD, pa.binary()),
    ]
)
"""A damaged record, or the end of a file that could not be read: its location, its length in bytes, the error (a
reason, a colon and details), and its bytes if known.
"""

FLUSH_BYTES = 8 * 1024 * 1024
"""Size in bytes of the damaged records that a task buffers before it writes them."""

EXPLAINED_BY_ERROR = ("codec", "missing", "digest")
"""Reasons for which the report's error contains more details."""

KNOWN = {"path", "rows", "bytes", "damaged", "unlisted", "unlisted_reasons", "tail", "tail_offset", "tail_size"}
SET_ASIDE = "set_aside"
"""Key of a report: the number of rows that were read and that the table cannot hold."""

MODIFIED = "modified"
"""Key of a report: the modification time of the file in seconds since 1970; 0 if it is not known."""

KNOWN |= {"skipped", "skipped_bytes", "tail_zeros", "error", "begin", "foreign", SET_ASIDE, MODIFIED}
"""Keys of a report that are no options."""


class TaskReportWriter:
    """Writes the report of one task; a context manager. Nothing is written if the block raises."""

    def __init__(self, address: str, index: int, location: Location | None = None) -> None:
        self._location = location
        self._records = f"{address.rstrip('/')}/damaged-{index:06d}.parquet"
        self._reports = f"{address.rstrip('/')}/report-{index:06d}.json"
        self._found: list[dict[str, Any]] = []
        self._held: list[pa.RecordBatch] = []
        self._aside: Counter[str | None] = Counter()
        self._bytes = 0
        self._stack = ExitStack()
        self._writer: Any = None

    def __enter__(self) -> TaskReportWriter:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            self._flush()
        self._stack.__exit__(kind, error, traceback)
        if kind is None:
            for each in self._found:
                count = self._aside.pop(each["path"], 0)
                if count:
                    each[SET_ASIDE] = count
            with opened(self._reports, self._location) as file:
                file.write(json.dumps(self._found).encode())

    def take(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Record the damaged rows of a batch; return the good ones."""
        errors = batch.column(ERROR)
        if errors.null_count == batch.num_rows:
            return batch
        damaged = batch.filter(pc.is_valid(errors))
        self._keep(damaged, damaged.column(ERROR), damaged.column(CORRUPT_RECORD))
        return batch.filter(pc.is_null(errors))

    def set_aside(self, rows: pa.RecordBatch, errors: Sequence[str], records: Sequence[bytes]) -> None:
        """Record rows that were read but that the table cannot hold. ``records``: the bytes that are kept of each."""
        self._keep(rows, pa.array(errors, pa.string()), pa.array(records, pa.binary()))
        self._aside.update(rows.column(PATH).to_pylist())

    def _keep(self, origins: pa.RecordBatch, errors: pa.Array, records: pa.Array) -> None:
        lengths = pa.nulls(origins.num_rows, pa.int64())
        columns = [origins.column(PATH), origins.column(OFFSET).cast(pa.int64()), lengths, errors, records]
        kept = pa.RecordBatch.from_arrays(columns, schema=QUARANTINE_SCHEMA)
        self._held.append(kept)
        self._bytes += kept.nbytes
        if self._bytes >= FLUSH_BYTES:
            self._flush()

    def add(self, report: FileReport, piece: Slice) -> None:
        """Add the report of a file, or of a slice of a file."""
        modified = microseconds(piece.input.modified) / 1e6
        self._found.append({**report.to_dict(), "begin": piece.begin, MODIFIED: modified})

    def _flush(self) -> None:
        if not self._held:
            return
        if self._writer is None:
            file = self._stack.enter_context(opened(self._records, self._location))
            self._writer = self._stack.enter_context(pq.ParquetWriter(file, QUARANTINE_SCHEMA, compression="zstd"))
        self._writer.write_table(pa.Table.from_batches(self._held))
        self._held, self._bytes = [], 0


class TaskReports:
    """The reports of all completed tasks; each file is read once."""

    def __init__(self, directory: Folder) -> None:
        self._directory = directory
        self._reports: dict[str, list[dict[str, Any]]] = {}
        self._records: list[str] = []

    def refresh(self) -> None:
        """Read the reports that were written since the last call."""
        names = self._directory.names()
        for name in names:
            if name.startswith("report-") and name.endswith(".json") and name not in self._reports:
                self._reports[name] = json.loads(self._directory.read(name))
        done = {name[len("report-") : -len(".json")] for name in self._reports}
        self._records = [each for each in names if each.startswith("damaged-") and each[len("damaged-") : -8] in done]

    @property
    def partitions(self) -> int:
        """Return the number of completed tasks."""
        return len(self._reports)

    @property
    def reports(self) -> list[dict[str, Any]]:
        """Return one mapping per slice: ``FileReport.to_dict``, with the offset ``begin`` of the slice."""
        return [each for name in sorted(self._reports) for each in self._reports[name]]

    @property
    def oldest(self) -> float | None:
        """Return the earliest modification time of the files, in seconds since 1970; ``None`` if it is not known."""
        return min((each[MODIFIED] for each in self.reports if each.get(MODIFIED)), default=None)

    def records(self) -> Iterator[pa.Table]:
        """Yield the damaged records, task by task."""
        for name in self._records:
            yield pq.read_table(f"{self._directory.path}/{name}", filesystem=self._directory.store, partitioning=None)


def merge_reports(reports: Iterable[Mapping[str, Any]]) -> list[FileReport]:
    """Return one report per file, which combines those of its slices in order."""
    by_path: dict[str | None, list[Mapping[str, Any]]] = {}
    for each in sorted(reports, key=lambda one: (str(one["path"]), one["begin"])):
        by_path.setdefault(each["path"], []).append(each)
    return [_file_report(path, slices) for path, slices in by_path.items()]


def _file_report(path: str | None, slices: Sequence[Mapping[str, Any]]) -> FileReport:
    last = slices[-1]
    aside = sum(one.get(SET_ASIDE, 0) for one in slices)
    damaged = sorted({tuple(each) for one in slices for each in one["damaged"]})
    unlisted: Counter[str] = Counter()
    for each in slices:
        unlisted.update(each.get("unlisted_reasons", {}))
    return FileReport(
        path,
        rows=sum(one["rows"] for one in slices) - aside,
        bytes=sum(one["bytes"] for one in slices),
        damaged=[Damage(*each) for each in damaged],
        unlisted=unlisted.total(),
        unlisted_reasons=dict(unlisted),
        skipped=[Damage(*each) for one in slices for each in one.get("skipped", ())],
        skipped_bytes=sum(one.get("skipped_bytes", 0) for one in slices),
        tail=last["tail"],
        tail_offset=last["tail_offset"],
        tail_size=last["tail_size"],
        tail_zeros=last.get("tail_zeros", False),
        error=next((one["error"] for one in slices if "error" in one), None),
        foreign=any(one.get("foreign", False) for one in slices),
        options={name: value for name, value in last.items() if name not in KNOWN},
        facts={SET_ASIDE: aside} if aside else {},
    )


class ReportedDamage(NamedTuple):
    """A range of a file at ``offset``. ``length`` is in bytes, ``None`` if it is not known; ``error`` is the reason,
    followed by a colon and details.
    """

    offset: int
    length: int | None
    reason: str
    error: str


def damaged_ranges(report: FileReport) -> list[ReportedDamage]:
    """Return the ranges that the report lists, in file order, except that the end comes last."""
    found = []
    for damage in report.damaged:
        told = report.error is not None and damage.reason in EXPLAINED_BY_ERROR
        error = f"{damage.reason}: {report.error}" if told else explained(damage.reason)
        found.append(ReportedDamage(damage.offset, damage.length, damage.reason, error))
    reason = report.lost_end
    if reason is not None:
        found.append(ReportedDamage(report.tail_offset, report.tail_size, reason, end_explained(reason)))
    return found


def count_by_reason(report: FileReport) -> dict[str, int]:
    """Return the number of damaged ranges by reason, including those that are not listed."""
    found = Counter(each.reason for each in damaged_ranges(report))
    found.update(report.unlisted_reasons)
    return dict(sorted(found.items()))


def folder_of(address: str, batch: int) -> str:
    """Return the folder to which the tasks of a batch write their reports and damaged records."""
    return f"{address.rstrip('/')}/batch-{batch:09d}"


class BatchReports:
    """The totals of the reports on the driver, from the first batch of this process on."""

    def __init__(self, address: str, location: Location) -> None:
        self._location = location
        self._address = address
        self._before = {"rows": 0, "damaged": 0}
        self._current: TaskReports | None = None
        self._batch = 0

    def begin(self, batch: int) -> None:
        """Begin a batch, or begin it again."""
        if self._current is not None and self._batch == batch:
            return
        self._before = self.totals() or self._before
        directory = folder(folder_of(self._address, batch), self._location)
        # An earlier process may have read the same batch in more parts and left their reports when it died.
        directory.remove()
        directory.make()
        self._current, self._batch = TaskReports(directory), batch

    def totals(self) -> dict[str, int]:
        """Return the number of good rows and damaged ranges so far; empty before the first batch."""
        if self._current is None:
            return {}
        self._current.refresh()
        reports = self._current.reports
        damaged = sum(sum(count_by_reason(each).values()) for each in merge_reports(reports))
        rows = sum(each["rows"] for each in reports)
        return {"rows": self._before["rows"] + rows, "damaged": self._before["damaged"] + damaged}
