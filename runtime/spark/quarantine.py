"""What becomes of the tasks' findings: one report per file, and the quarantine table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..report import Damage, FileReport, ReadReport
from .folders import Folder
from .sidechannel import QUARANTINE_SCHEMA, Findings

Row = tuple[str | None, int, int | None, str, bytes | None]
"""A row of the quarantine table: path, offset, length, error, bytes."""


def merged(reports: Iterable[Mapping[str, Any]]) -> list[FileReport]:
    """One report per file: those of its slices put together, in order."""
    by_path: dict[str | None, list[Mapping[str, Any]]] = {}
    for each in sorted(reports, key=lambda one: (str(one["path"]), one["begin"])):
        by_path.setdefault(each["path"], []).append(each)
    return [_file_report(path, slices) for path, slices in by_path.items()]


def _file_report(path: str | None, slices: Sequence[Mapping[str, Any]]) -> FileReport:
    known = {"path", "rows", "bytes", "damaged", "unlisted", "tail", "tail_offset", "tail_size", "error", "begin"}
    last = slices[-1]
    damaged = sorted({tuple(each) for one in slices for each in one["damaged"]})
    return FileReport(
        path,
        rows=sum(one["rows"] for one in slices),
        bytes=sum(one["bytes"] for one in slices),
        damaged=[Damage(*each) for each in damaged],
        tail=last["tail"],
        tail_offset=last["tail_offset"],
        tail_size=last["tail_size"],
        error=next((one["error"] for one in slices if "error" in one), None),
        options={name: value for name, value in last.items() if name not in known},
    )


class _Quarantine:
    """The quarantine table while it is written: one file, through Arrow, since damage is rare."""

    def __init__(self, writer: Any, report: ReadReport) -> None:
        self._writer = writer
        self._report = report
        self._lengths = {(each.path, damage.offset): damage.length for each in report.files for damage in each.damaged}
        self._seen: set[tuple[str | None, int]] = set()
        self.rows = 0

    def add(self, records: pa.Table) -> None:
        """Takes records with their bytes, which may be the first ones only; the report has their full lengths."""
        places = list(zip(records.column("_path").to_pylist(), records.column("_offset").to_pylist(), strict=True))
        lengths = pa.array([self._lengths.get(place) for place in places], pa.int64())
        self._seen.update(places)
        number = QUARANTINE_SCHEMA.get_field_index("_length")
        self._write(records.set_column(number, QUARANTINE_SCHEMA.field(number), lengths))

    def add_missing(self) -> None:
        """Takes every damaged range that no record stands for, and the unread ends of files."""
        rows = [row for each in self._report.files for row in _ranges(each) if row[:2] not in self._seen]
        columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(QUARANTINE_SCHEMA)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, QUARANTINE_SCHEMA.types, strict=True)]
        self._write(pa.Table.from_arrays(arrays, schema=QUARANTINE_SCHEMA))

    def _write(self, records: pa.Table) -> None:
        self.rows += records.num_rows
        self._writer.write_table(records)


def _ranges(report: FileReport) -> Iterator[Row]:
    for damage in report.damaged:
        said = report.error is not None and damage.reason in ("codec", "missing", "digest")
        more = f": {report.error}" if said else ""
        yield report.path, damage.offset, damage.length, f"{damage.reason}{more}", None
    begins = {damage.offset for damage in report.damaged}
    if report.tail not in ("clean", "unread") and report.tail_offset not in begins:
        reason = report.tail.removeprefix("invalid_")
        yield report.path, report.tail_offset, None, f"{reason}: the rest of the file could not be read", None


def write_quarantine(place: Folder, name: str, findings: Findings, report: ReadReport) -> int:
    """Writes a file of the quarantine table, also where nothing was damaged; gives its number of rows.

    Raises ``WireloomError`` where it cannot be written.
    """
    place.make()
    with place.created(name) as file, pq.ParquetWriter(file, QUARANTINE_SCHEMA, compression="zstd") as writer:
        written = _Quarantine(writer, report)
        for table in findings.records():
            written.add(table)
        written.add_missing()
    return written.rows
