"""The quarantine table: the damaged records of all tasks."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from ...base.report import ReadReport
from ..folders import Folder
from ..read.task_reports import QUARANTINE_SCHEMA, TaskReports, damaged_ranges


def write_quarantine(place: Folder, name: str, found: TaskReports, report: ReadReport) -> int:
    """Write a file of the quarantine table, even if nothing is damaged; return its number of rows.

    Records contain their first bytes only; ``report`` contains their full lengths, and ranges without a record. Raises
    ``WireloomError`` if the file cannot be written.
    """
    # By path, offset and reason, since an empty range may begin where another one does.
    ranges = {(each.path, one.offset, one.reason): one for each in report.files for one in damaged_ranges(each)}
    seen: set[tuple[str | None, int, str]] = set()
    rows = 0
    place.make()
    # Damage is rare, so the driver writes a single file.
    with place.created(name) as file, pq.ParquetWriter(file, QUARANTINE_SCHEMA, compression="zstd") as writer:
        for records in found.records():
            paths, offsets, errors = (records.column(each).to_pylist() for each in ("_path", "_offset", "_error"))
            places = list(zip(paths, offsets, (each.partition(":")[0] for each in errors), strict=True))
            lengths = [ranges[each].length if each in ranges else None for each in places]
            number = QUARANTINE_SCHEMA.get_field_index("_length")
            field = QUARANTINE_SCHEMA.field(number)
            writer.write_table(records.set_column(number, field, pa.array(lengths, pa.int64())))
            seen.update(places)
            rows += records.num_rows
        missing = [
            {"_path": key[0], "_offset": each.offset, "_length": each.length, "_error": each.error}
            for key, each in ranges.items()
            if key not in seen
        ]
        writer.write_table(pa.Table.from_pylist(missing, schema=QUARANTINE_SCHEMA))
    return rows + len(missing)
