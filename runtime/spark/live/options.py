"""Options that the sources of all services have, and the readers that have them. Spark passes options as strings, with
their names in lower case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql.datasource import DataSourceReader

from ...base.nearest import unknown
from ..option_values import flag, size

FOREIGN = ("path", "paths", "checkpointlocation", "querywatermark", "queryname")
"""Options that Spark may add by itself."""


@dataclass(frozen=True, kw_only=True)
class LiveReadOptions:
    """The checked options of a read that all services have. ``columns``, ``max_records``: ``None`` for all. ``end``:
    the end of a batch read, ``None`` for the end of the stream at that moment."""

    end: str | datetime | None
    columns: tuple[str, ...] | None
    max_records: int | None
    fail_on_data_loss: bool


class LiveBatchReader(DataSourceReader):
    """The batch reader of a service. It is pickled to be sent to the tasks, without credentials."""

    options: LiveReadOptions


def common_options(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of ``LiveReadOptions``. Raises ``WireloomError``."""
    columns, most = values.get("columns"), values.get("maxRecordsPerTrigger")
    return {
        "columns": None if columns is None else tuple(each.strip() for each in columns.split(",") if each.strip()),
        "max_records": None if most is None else size("maxRecordsPerTrigger", most),
        "fail_on_data_loss": flag("failOnDataLoss", values.get("failOnDataLoss", "true")),
    }


def known_options(
    source: str, given: Mapping[str, str], names: Iterable[str], other_names: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the given options by their usual spelling. ``other_names``: alternative names, in lower case, for some of
    ``names``.

    Raises ``UnknownNameError``, with the nearest known option, for one that ``source`` does not have.
    """
    spelling = {**{name.lower(): name for name in names}, **(other_names or {})}
    found = {}
    for key, value in given.items():
        if key.lower() in spelling:
            found[spelling[key.lower()]] = value
        elif key.lower() not in FOREIGN:
            raise unknown(f"option of {source}", key, dict.fromkeys(spelling.values()))
    return found
