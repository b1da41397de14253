"""The options of ``s2_stream``."""

from __future__ import annotations

from ....base.dataclass import dataclass
from ....base.errors import WireloomError
from ....base.options import CHOICE, FLAG, NUMBER, OTHER, TEXT, option
from ....s2.endpoint import endpoint_of
from ....s2.places import place_of
from ...option_values import documentation
from ..source import LiveReadOptions

EARLIEST = "earliest"


@dataclass(frozen=True, kw_only=True)
class S2ReadOptions(LiveReadOptions):
    """The checked options of a read."""

    basin: str = option("", "Name of the basin.", TEXT)
    stream: str | None = option(None, "Name of the stream.", TEXT)
    stream_prefix: str | None = option(
        None,
        "Instead of stream: all streams whose names have this prefix, including those that are created later.",
        TEXT,
    )
    endpoint: str | None = option(
        None, "Address of the server; default: S2_BASIN_ENDPOINT of the environment, otherwise S2's own.", TEXT
    )
    start: str = option(
        EARLIEST,
        "Where to begin: earliest (default), latest, a sequence number, a time such as 2026-03-01T00:00:00Z, or"
        " latest-100. A stream that is created later is read from its first record.",
        OTHER,
        check=str.strip,
    )
    end: str | None = option(
        None,
        "End of a batch read: before this sequence number or time; default latest, the end at that moment.",
        TEXT,
    )
    unsigned64: str = option(
        "decimal",
        "The columns seq_num and timestamp.",
        CHOICE,
        values={"decimal": "as decimal(20,0)", "long": "as long, or an error"},
    )
    max_records_per_partition: int | None = option(
        None, "Maximum number of records that a task reads; default: a task reads all of a stream.", NUMBER
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.stream is None) == (self.stream_prefix is None):
            raise WireloomError("name what to read by one of the options stream and streamPrefix")
        _check_basin(self.basin, self.endpoint)
        if self.start != EARLIEST:
            place_of("option start", self.start)
        if self.end is not None and "tail_offset" in place_of("option end", self.end) and self.end != "latest":
            raise WireloomError(f"option end is {self.end!r}: expected a sequence number, a time, or latest")


@dataclass(frozen=True, kw_only=True)
class S2WriteOptions:
    """The checked options of a write."""

    basin: str = option("", "Name of the basin.", TEXT)
    stream: str = option(
        "",
        "Name of the stream. {partition} in it is replaced by the number of the task, so that each task has its own"
        " stream; without it, or writer, the rows have to be in one partition.",
        TEXT,
    )
    writer: str | None = option(
        None,
        "Name of the query or the job: rows are in any number of partitions, and the stream may have other writers."
        " Each record gets a header wireloom-writer with this name and the number of its partition.",
        TEXT,
    )
    match_seq_num: bool = option(
        True,
        "The stream has no other writers, unless option writer is given.",
        FLAG,
        off="Rows are in any number of partitions, the stream may have other writers, and a row is appended again if it"
        " is not known whether it was.",
    )
    endpoint: str | None = option(None, "As for reads.", TEXT)
    fencing_token: str | None = option(None, "The stream's fencing token; default: none is sent.", TEXT)
    state_location: str | None = option(
        None,
        "Of streaming writes: folder for the position of each stream at the beginning of the batch that is being"
        " written; default: s2_stream in checkpointLocation.",
        TEXT,
    )

    def __post_init__(self) -> None:
        if not self.stream:
            raise WireloomError("name what to write to: option stream")
        if self.writer is not None and self.fencing_token is not None:
            raise WireloomError("give option fencingToken or writer: named writers set the token by themselves")
        _check_basin(self.basin, self.endpoint)


READ_OPTIONS = documentation(S2ReadOptions)
WRITE_OPTIONS = documentation(S2WriteOptions)


def _check_basin(basin: str, endpoint: str | None) -> None:
    if not basin:
        raise WireloomError("name the basin: option basin")
    endpoint_of(basin, endpoint)
