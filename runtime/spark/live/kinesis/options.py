"""The options of ``kinesis_stream``. Spark passes them as strings, with their names in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ....base.errors import WireloomError
from ....kinesis import HASH_RANGES, Calls, start_of, time_of
from ....reading.options import MODES
from ...option_values import flag, one_of, size
from ..options import LiveReadOptions, common_options, known_options

SOURCE = "kinesis_stream"
OTHER_NAMES = {"path": "stream"}
"""Alternative names of options."""

COMMON = {
    "stream": "Name or ARN of the stream; also the argument of load(…).",
    "region": "Region of the stream; default: that of the ARN, otherwise of the environment.",
    "endpointUrl": "Address of the service; default: that of the region.",
}
READ_OPTIONS = {
    **COMMON,
    "start": "Where to begin: TRIM_HORIZON (default), LATEST, or a time such as 2026-03-01T00:00:00Z (AT_TIMESTAMP).",
    "end": "End of a batch read: before the first record of each shard that arrived at this time or later; "
    "default: now.",
    "columns": "Names of columns, separated by commas.",
    "maxRecordsPerTrigger": "Maximum number of user records per batch of a streaming read; default: no limit. With a "
    "limit, the driver reads them too, to count them.",
    "failOnDataLoss": "true (default): the query fails if records that were to be read may be lost; false: this is "
    "logged, and reading continues with the existing records.",
    "hashRange": "shard (default): an aggregate with records outside of its shard's range is dropped, as by Kinesis' "
    "own client; all: every record is read.",
    "mode": "Handling of damaged aggregates: PERMISSIVE (default), DROPMALFORMED, FAILFAST.",
}
"""Documentation of the options of reads."""
WRITE_OPTIONS = {
    **COMMON,
    "stream": "Name or ARN of the stream; also the argument of save(…).",
    "aggregated": "true (default): many rows of one shard are combined in a record of Kinesis; false: each row is "
    "one record.",
    "targetSize": "Size in bytes at which an aggregate is full; default 50k.",
}
"""Documentation of the options of writes."""


@dataclass(frozen=True, kw_only=True)
class KinesisReadOptions(LiveReadOptions):
    """The checked options of a read."""

    calls: Calls
    start: str | datetime
    end: datetime | None
    hash_range: str
    mode: str


@dataclass(frozen=True)
class KinesisWriteOptions:
    """The checked options of a write."""

    calls: Calls
    aggregated: bool
    target_size: int


def read_options(given: Mapping[str, str]) -> KinesisReadOptions:
    """Return the checked options of a read. Raises ``UnknownNameError`` and ``WireloomError``."""
    values = known_options(SOURCE, given, READ_OPTIONS, OTHER_NAMES)
    mode = values.get("mode", "permissive").lower()
    return KinesisReadOptions(
        calls=_calls(values),
        start=start_of(values.get("start", "TRIM_HORIZON")),
        end=time_of("option end", values["end"]) if "end" in values else None,
        **common_options(values),
        hash_range=one_of("hashRange", values.get("hashRange", "shard").lower(), HASH_RANGES),
        mode=one_of("mode", mode, MODES),
    )


def write_options(given: Mapping[str, str]) -> KinesisWriteOptions:
    """Return the checked options of a write. Raises ``UnknownNameError`` and ``WireloomError``."""
    values = known_options(SOURCE, given, WRITE_OPTIONS, OTHER_NAMES)
    target = size("targetSize", values.get("targetSize", "50k"))
    return KinesisWriteOptions(_calls(values), flag("aggregated", values.get("aggregated", "true")), target)


def _calls(values: Mapping[str, str]) -> Calls:
    if "stream" not in values:
        raise WireloomError("name the stream: option stream")
    return Calls(values["stream"], values.get("region"), values.get("endpointUrl"))
