"""The options of ``kinesis_stream``."""

from __future__ import annotations

from datetime import datetime

from .... import codecs
from ....base.dataclass import dataclass, field
from ....base.errors import WireloomError
from ....base.options import CHOICE, FLAG, NUMBER, OTHER, TEXT, WORD, check_options, option
from ....kinesis import Calls, start_of, time_of
from ....reading.options import MODES
from ...option_values import documentation, one_of
from ..source import LiveReadOptions


@dataclass(frozen=True, kw_only=True)
class _Stream:
    """The stream of a source."""

    stream: str = option("", "Name or ARN of the stream; also the argument of load(…) or save(…).", TEXT)
    region: str | None = option(
        None, "Region of the stream; default: that of the ARN, otherwise of the environment.", TEXT
    )
    endpoint_url: str | None = option(None, "Address of the service; default: that of the region.", TEXT)
    calls: Calls = field(init=False)

    def __post_init__(self) -> None:
        check_options(self)
        if not self.stream:
            raise WireloomError("name the stream: option stream")
        object.__setattr__(self, "calls", Calls(self.stream, self.region, self.endpoint_url))


@dataclass(frozen=True, kw_only=True)
class KinesisReadOptions(_Stream, LiveReadOptions):
    """The checked options of a read."""

    start: str | datetime = option(
        "TRIM_HORIZON",
        "Where to begin: TRIM_HORIZON (default), LATEST, or a time such as 2026-03-01T00:00:00Z (AT_TIMESTAMP).",
        OTHER,
        check=start_of,
    )
    end: datetime | None = option(
        None,
        "End of a batch read: before the first record of each shard that arrived at this time or later; default: now.",
        OTHER,
        check=lambda value: time_of("option end", value),
    )
    max_records_per_trigger: int | None = option(
        None,
        "Maximum number of user records per batch of a streaming read; default: no limit. With a limit, the driver"
        " reads them too, to count them.",
        NUMBER,
    )
    fail_on_data_loss: bool = option(
        True,
        "The query fails if records that were to be read may be lost.",
        FLAG,
        off="This is logged, and reading continues with the existing records.",
    )
    hash_range: str = option(
        "shard",
        "Aggregates with records outside of their shard's range.",
        CHOICE,
        values={"shard": "dropped, as by Kinesis' own client", "all": "every record is read"},
    )
    mode: str = option(
        "permissive",
        "Handling of damaged aggregates: PERMISSIVE (default), DROPMALFORMED, FAILFAST.",
        WORD,
        check=lambda value: one_of("mode", value, MODES),
    )
    codec: str = option(
        "none",
        f"How the data of user records is compressed: {codecs.listed('auto (by content)')}. Data that does not"
        " decompress is damage. Default none.",
        WORD,
        check=codecs.checked,
    )


@dataclass(frozen=True, kw_only=True)
class KinesisWriteOptions(_Stream):
    """The checked options of a write."""

    aggregated: bool = option(
        True, "Many rows of one shard are combined in a record of Kinesis.", FLAG, off="Each row is one record."
    )
    target_size: int = option(50 << 10, "Size in bytes at which an aggregate is full.", NUMBER)


READ_OPTIONS = documentation(KinesisReadOptions)
WRITE_OPTIONS = documentation(KinesisWriteOptions)
