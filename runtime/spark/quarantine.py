"""What becomes of the tasks' findings: one report per file, and the quarantine table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..base.report import Damage, FileReport, ReadReport
from .folders import Folder
from .losses import losses
from .sidechannel import QUARANTINE_SCHEMA, Findings

Place = tuple[str | None, int, str]
"""Path, offset and reason; a range of no bytes may begin where another one does."""


KNOWN = {"path", "rows", "bytes", "damaged", "unlisted", "unlisted_reasons", "tail", "tail_offset", "tail_size"}
KNOWN |= {"tail_zeros", "error", "begin", "foreign"}
"""Keys of a report that are no options."""


def merged(reports: Iterable[Mapping[str, Any]]) -> list[FileReport]:
    """One report per file: those of its slices put together, in order."""
    by_path: dict[str | None, list[Mapping[str, Any]]] = {}
    for each in sorted(reports, key=lambda one: (str(one["path"]), one["begin"])):
        by_path.setdefault(each["path"], []).append(each)
    return [_file_report(path, slices) for path, slices in by_path.items()]


def _file_report(path: str | None, slices: Sequence[Mapping[str, Any]]) -> FileReport:
    last = slices[-1]
    damaged = sorted({tuple(each) for one in slices for each in one["damaged"]})
    unlisted: Counter[str] = Counter()
    for each in slices:
        unlisted.update(each.get("unlisted_reasons", {}))
    return FileReport(
        path,
        rows=sum(one["rows"] for one in slices),
        bytes=sum(one["bytes"] for one in slices),
        damaged=[Damage(*each) for each in damaged],
        unlisted=unlisted.total(),
        unlisted_reasons=dict(unlisted),
        tail=last["tail"],
        tail_offset=last["tail_offset"],
        tail_size=last["tail_size"],
        tail_zeros=last.get("tail_zeros", False),
        error=next((one["error"] for one in slices if "error" in one), None),
        foreign=any(one.get("foreign", False) for one in slices),
        options={name: value for name, value in last.items() if name not in KNOWN},
    )


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
