"""The quarantine table: the damaged records of all tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...base.report import ReadReport
from ..folders import Folder
from ..read.damaged_ranges import losses
from ..read.task_reports import QUARANTINE_SCHEMA, Findings

Place = tuple[str | None, int, str]
"""Path, offset and reason; a range of no bytes may begin where another one does."""


class _Quarantine:
    """The quarantine table while it is written: one file, through Arrow, since damage is rare."""

    def __init__(self, writer: Any, report: ReadReport) -> None:
        self._writer = writer
        self._report = report
        self._losses = {(each.path, loss.offset, loss.reason): loss for each in report.files for loss in losses(each)}
        self._seen: set[Place] = set()
        self.rows = 0

    def add(self, records: pa.Table) -> None:
        """Takes records with their bytes, which may be the first ones only; the report has their full lengths."""
        paths, offsets, errors = (records.column(each).to_pylist() for each in ("_path", "_offset", "_error"))
        places = list(zip(paths, offsets, (each.partition(":")[0] for each in errors), strict=True))
        found = [self._losses.get(place) for place in places]
        lengths = pa.array([None if each is None else each.length for each in found], pa.int64())
        self._seen.update(places)
        number = QUARANTINE_SCHEMA.get_field_index("_length")
        self._write(records.set_column(number, QUARANTINE_SCHEMA.field(number), lengths))

    def add_missing(self) -> None:
        """Takes every damaged range, and every end that could not be read, for which no record stands."""
        rows = [
            (place[0], each.offset, each.length, each.error, None)
            for place, each in self._losses.items()
            if place not in self._seen
        ]
        columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(QUARANTINE_SCHEMA)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, QUARANTINE_SCHEMA.types, strict=True)]
        self._write(pa.Table.from_arrays(arrays, schema=QUARANTINE_SCHEMA))

    def _write(self, records: pa.Table) -> None:
        self.rows += records.num_rows
        self._writer.write_table(records)


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
