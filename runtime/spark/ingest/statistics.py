"""Statistics of a Parquet file in the form of a Delta table's log."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

LONGEST = 64
"""Maximum length of strings in bounds; longer ones would make the log too large."""


def statistics_of(found: pq.FileMetaData, schema: pa.Schema) -> dict[str, Any]:
    """Return ``numRecords``, and ``minValues``, ``maxValues`` and ``nullCount`` of the columns that have them."""
    least: dict[str, Any] = {}
    most: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    places = {found.schema.column(each).path: each for each in range(found.num_columns)}
    for name in schema.names:
        if name not in places or "." in name:
            continue
        groups = [found.row_group(each).column(places[name]).statistics for each in range(found.num_row_groups)]
        if any(each is None for each in groups):
            continue
        if all(each.has_null_count for each in groups):
            nulls[name] = sum(each.null_count for each in groups)
        # A row group of nulls has no bounds and needs none.
        bounds = [each for each in groups if each.num_values]
        if bounds and all(each.has_min_max for each in bounds):
            low, high = _plain(min(each.min for each in bounds)), _plain(max(each.max for each in bounds))
            if low is not None and high is not None:
                least[name], most[name] = low, high
    return {"numRecords": found.num_rows, "minValues": least, "maxValues": most, "nullCount": nulls}


def _plain(value: Any) -> Any:
    """Return a value in the log's representation; ``None`` if it is not stored there."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, int | str):
        # NaN has no place in the order of floats.
        return None
    return None if isinstance(value, str) and len(value) > LONGEST else value
