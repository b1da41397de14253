"""Puts the rows of a data frame into a stream, each at least once."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamWriter, WriterCommitMessage
from pyspark.sql.types import ArrayType, BinaryType, DataType, StringType, StructType

from ....base.dataclass import dataclass
from ....base.errors import WireloomError
from ....base.text import unknown
from ....kinesis import Producer
from ...errors import HideTraceback
from .options import KinesisWriteOptions

COLUMNS: dict[str, tuple[type[DataType], ...]] = {
    "partition_key": (StringType,),
    "data": (BinaryType, StringType),
    "explicit_hash_key": (StringType,),
    "tags": (ArrayType,),
}
NEEDED = ("partition_key", "data")


@dataclass
class Put(WriterCommitMessage):
    """The result of a task: the number of user records, and of the Kinesis records that contain them."""

    user_records: int
    records: int


class KinesisWriter(DataSourceArrowWriter):
    """Puts rows as they come. Rows of a failed task are not removed, so they are in the stream twice."""

    def __init__(self, options: KinesisWriteOptions, schema: StructType, overwrite: bool) -> None:
        if overwrite:
            raise WireloomError("records of a stream cannot be replaced: use mode append")
        for name in NEEDED:
            if name not in schema.names:
                raise WireloomError(f"there is no column {name!r}: rows need partition_key and data")
        for each in schema.fields:
            if each.name not in COLUMNS:
                raise unknown("column to write", each.name, COLUMNS)
            if not isinstance(each.dataType, COLUMNS[each.name]):
                wanted = " or ".join(kind.typeName() for kind in COLUMNS[each.name])
                raise WireloomError(f"column {each.name} is {each.dataType.simpleString()}, not {wanted}")
        self.options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Put:
        """Put the rows of one task."""
        options, calls = self.options, self.options.calls
        with (
            HideTraceback(),
            Producer(
                calls.stream,
                region=calls.region,
                endpoint_url=calls.endpoint_url,
                aggregated=options.aggregated,
                target_size=options.target_size,
                patience=calls.patience,
            ) as producer,
        ):
            for batch in iterator:
                for row in batch.to_pylist():
                    data = row["data"]
                    if data is None or row["partition_key"] is None:
                        raise WireloomError("a row has no partition_key, or no data: a record of Kinesis needs both")
                    tags = [(each["key"], each["value"]) for each in row.get("tags") or ()]
                    encoded = data.encode() if isinstance(data, str) else data
                    producer.put(row["partition_key"], encoded, row.get("explicit_hash_key"), tags)
        return Put(producer.user_records, producer.records)


class KinesisStreamWriter(KinesisWriter, DataSourceStreamWriter):
    """Puts the batches of a stream."""

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # type: ignore[override]  # noqa: N803
        """Do nothing, since the rows are already in the stream."""

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # type: ignore[override]  # noqa: N803
        """Do nothing, since records cannot be removed from a stream."""
