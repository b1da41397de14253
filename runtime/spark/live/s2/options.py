"""The options of ``s2_stream``. Spark passes them as strings, with their names in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....base.errors import WireloomError
from ....s2.endpoint import endpoint_of
from ....s2.places import place_of
from ...option_values import one_of, size
from ..options import LiveReadOptions, common_options, known_options

SOURCE = "s2_stream"

READ_OPTIONS = {
    "basin": "Name of the basin.",
    "stream": "Name of the stream.",
    "streamPrefix": "Instead of stream: all streams whose names have this prefix, including those that are "
    "created later.",
    "endpoint": "Address of the server; default: S2_BASIN_ENDPOINT of the environment, otherwise S2's own.",
    "start": "Where to begin: earliest (default), latest, a sequence number, a time such as 2026-03-01T00:00:00Z, or "
    "latest-100. A stream that is created later is read from its first record.",
    "end": "End of a batch read: before this sequence number or time; default latest, the end at that moment.",
    "columns": "Names of columns, separated by commas; default: all.",
    "unsigned64": "decimal (default): seq_num and timestamp as decimal(20,0); long: as long, or an error.",
    "maxRecordsPerTrigger": "Maximum number of records per batch of a streaming read, divided among the streams; "
    "default: no limit.",
    "maxRecordsPerPartition": "Maximum number of records that a task reads; default: a task reads all of a stream.",
    "failOnDataLoss": "true (default): the query fails if records that were to be read, or a stream, no longer exist; "
    "false: this is logged, and reading continues after them.",
}
"""Documentation of the options of reads."""
WRITE_OPTIONS = {
    "basin": "Name of the basin.",
    "stream": "Name of the stream. {partition} in it is replaced by the number of the task, so that each task has its "
    "own stream; without it, the rows have to be in one partition.",
    "endpoint": "As for reads.",
    "fencingToken": "The stream's fencing token; default: none is sent.",
    "stateLocation": "Of streaming writes: folder for the position of each stream at the beginning of the batch that "
    "is being written; default: s2_stream in checkpointLocation.",
}
"""Documentation of the options of writes."""
EARLIEST = "earliest"


@dataclass(frozen=True, kw_only=True)
class S2ReadOptions(LiveReadOptions):
    """The checked options of a read. ``prefix``: whether ``stream`` is a prefix of stream names."""

    basin: str
    stream: str
    prefix: bool
    endpoint: str | None
    start: str
    end: str | None
    narrow: bool
    max_partition: int | None


def read_options(given: Mapping[str, str]) -> S2ReadOptions:
    """Return the checked options of a read. Raises ``UnknownNameError`` and ``WireloomError``."""
    values = known_options(SOURCE, given, READ_OPTIONS)
    streams = [name for name in ("stream", "streamPrefix") if name in values]
    if len(streams) != 1:
        raise WireloomError("name what to read: option stream, or streamPrefix")
    part = values.get("maxRecordsPerPartition")
    found = S2ReadOptions(
        basin=_basin(values),
        stream=values[streams[0]],
        prefix=streams[0] == "streamPrefix",
        endpoint=values.get("endpoint"),
        start=values.get("start", EARLIEST).strip(),
        end=values.get("end"),
        narrow=one_of("unsigned64", values.get("unsigned64", "decimal").lower(), ("decimal", "long")) == "long",
        max_partition=None if part is None else size("maxRecordsPerPartition", part),
        **common_options(values),
    )
    if found.start != EARLIEST:
        place_of("option start", found.start)
    if found.end is not None and "tail_offset" in place_of("option end", found.end) and found.end != "latest":
        raise WireloomError(f"option end is {found.end!r}: expected a sequence number, a time, or latest")
    return found


@dataclass(frozen=True)
class S2WriteOptions:
    """The checked options of a write."""

    basin: str
    stream: str
    endpoint: str | None
    token: str | None
    state: str | None


def write_options(given: Mapping[str, str]) -> S2WriteOptions:
    """Return the checked options of a write. Raises ``UnknownNameError`` and ``WireloomError``."""
    values = known_options(SOURCE, given, WRITE_OPTIONS)
    if "stream" not in values:
        raise WireloomError("name what to write to: option stream")
    checkpoint = next((value for name, value in given.items() if name.lower() == "checkpointlocation"), None)
    state = values.get("stateLocation") or (f"{checkpoint.rstrip('/')}/s2_stream" if checkpoint else None)
    return S2WriteOptions(_basin(values), values["stream"], values.get("endpoint"), values.get("fencingToken"), state)


def _basin(values: Mapping[str, str]) -> str:
    if "basin" not in values:
        raise WireloomError("name the basin: option basin")
    endpoint_of(values["basin"], values.get("endpoint"))
    return values["basin"]
