"""Appends the rows of a data frame to streams, exactly once even if a task or a batch is run again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamWriter, WriterCommitMessage
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    ByteType,
    DataType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampType,
)

from ....base.errors import WireloomError
from ....base.text import unknown
from ....s2.appending import Appender
from ....s2.commands import check_token
from ....s2.messages import AppendRecord, Header
from ....s2.streams import end_or_beginning, streams_of, tail_of
from ...errors import HideTraceback
from ...folders import Folder, folder
from .options import S2WriteOptions
from .reader import PATIENCE

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

PARTITION = "{partition}"
QUERY_PROPERTY = "sql.streaming.queryId"
BATCH_PROPERTY = "streaming.sql.batchId"
"""Local properties in which Spark passes the ids of the query and of the batch to the tasks of a stream."""
KEPT = 2
"""Number of batches whose positions are kept, including the one that is being written."""


class StreamsWriter:
    """The common base of batch and streaming writers. It is pickled to be sent to the tasks, without access tokens."""

    def __init__(self, options: S2WriteOptions, schema: StructType, overwrite: bool) -> None:
        check_columns(schema)
        if overwrite:
            raise WireloomError("records of a stream cannot be replaced: use mode append")
        if options.fencing_token is not None:
            check_token(options.fencing_token)
        self.options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Append the rows of one task. Raises ``WireloomError``."""
        with HideTraceback():
            filled = (batch for batch in iterator if batch.num_rows)
            first = next(filled, None)
            if first is not None:
                options, number = self.options, _partition()
                stream = self._stream(number)
                keeps_position = options.match_seq_num or options.writer is not None
                appender = Appender(
                    options.basin,
                    stream,
                    self._begin(stream, number) if keeps_position else None,
                    match_seq_num=options.match_seq_num,
                    writer=None if options.writer is None else f"{options.writer}/{number}",
                    fencing_token=options.fencing_token,
                    endpoint=options.endpoint,
                    patience=PATIENCE,
                )
                appender.append(records_of(_chained(first, filled)))
        return WriterCommitMessage()

    def _stream(self, number: int) -> str:
        options = self.options
        if number and PARTITION not in options.stream and options.match_seq_num and options.writer is None:
            raise WireloomError(
                f"rows are in partition {number}, and only one task can write to a stream in order: use coalesce(1), "
                f"{PARTITION} in option stream, or option writer"
            )
        return options.stream.replace(PARTITION, str(number))

    def _begin(self, stream: str, number: int) -> int:
        """Return a sequence number before which the stream has none of the rows of the task."""
        raise NotImplementedError


def _partition() -> int:
    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


class S2Writer(StreamsWriter, DataSourceArrowWriter):
    """Appends a data frame. The end of each stream is requested before any task begins, so that tasks can
    be run again."""

    def __init__(self, options: S2WriteOptions, schema: StructType, overwrite: bool) -> None:
        super().__init__(options, schema, overwrite)
        basin, endpoint = options.basin, options.endpoint
        prefix, placed, _ = options.stream.partition(PARTITION)
        if placed:
            names = streams_of(basin, prefix, endpoint=endpoint)
            self._tails = {name: tail_of(basin, name, endpoint=endpoint).seq_num for name in names}
        else:
            self._tails = {prefix: end_or_beginning(basin, prefix, endpoint=endpoint).seq_num}

    def _begin(self, stream: str, number: int) -> int:
        return self._tails.get(stream, 0)


class S2StreamWriter(StreamsWriter, DataSourceStreamWriter, DataSourceArrowWriter):  # type: ignore[misc]
    """Appends the batches of a stream, each exactly once. The position at which a batch begins is kept until the batch
    after the next."""

    def __init__(self, options: S2WriteOptions, schema: StructType, overwrite: bool) -> None:
        super().__init__(options, schema, overwrite)
        if options.state_location is None:
            raise WireloomError(
                "the position at which a batch begins has to be stored: set checkpointLocation, or option stateLocation"
            )

    def _begin(self, stream: str, number: int) -> int:
        query, batch = (_property(name) for name in (QUERY_PROPERTY, BATCH_PROPERTY))
        # The end is requested first: if no position has been stored after that, no other attempt has appended anything
        # before.
        end = end_or_beginning(self.options.basin, stream, endpoint=self.options.endpoint).seq_num
        kept = self._kept(query, stream, number)
        name = f"{int(batch):012d}.json"
        if kept.holds(name):
            return int(json.loads(kept.read(name))["seq_num"])
        kept.make()
        kept.write(name, json.dumps({"seq_num": end}).encode())
        for each in kept.names()[:-KEPT]:
            kept.delete(each)
        return end

    def _kept(self, query: str, stream: str, number: int) -> Folder:
        place = (self.options.state_location or "").rstrip("/")
        own = [] if self.options.writer is None else [str(number)]
        return folder(place, None).inside(query, quote(stream, safe=""), *own)


def _property(name: str) -> str:
    context = TaskContext.get()
    value = context.getLocalProperty(name) if context is not None else None
    if value is None:
        raise WireloomError(f"Spark does not provide the {name} of this task: use foreachBatch and a batch write")
    return value


def _chained(first: pa.RecordBatch, others: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from others


COLUMNS = ("body", "headers", "timestamp")
TEXT = (BinaryType, StringType)
NUMBERS = (ByteType, ShortType, IntegerType, LongType, TimestampType)


def check_columns(schema: StructType) -> None:
    """Raise ``WireloomError`` for columns that cannot be appended."""
    for each in schema.fields:
        if each.name not in COLUMNS:
            raise unknown("column that s2_stream can write", each.name, COLUMNS)
        if not _fits(each.name, each.dataType):
            raise WireloomError(
                f"column {each.name} is {each.dataType.simpleString()}: body is binary or string, headers an array of "
                "structs of name and value, both binary or string, timestamp a whole number or a timestamp"
            )
    if "body" not in schema.names:
        raise WireloomError("missing column body")


def _fits(name: str, kind: DataType) -> bool:
    if name == "body":
        return isinstance(kind, TEXT)
    if name == "timestamp":
        return isinstance(kind, NUMBERS) or (isinstance(kind, DecimalType) and not kind.scale)
    item = kind.elementType if isinstance(kind, ArrayType) else None
    if not isinstance(item, StructType) or item.names != ["name", "value"]:
        return False
    return all(isinstance(each.dataType, TEXT) for each in item.fields)


def records_of(rows: Iterable[pa.RecordBatch]) -> Iterator[AppendRecord]:
    """Yield the rows as records; a null body becomes an empty one. Raises ``WireloomError`` for a null header."""
    for batch in rows:
        columns = {field.name: _plain(batch.column(index)) for index, field in enumerate(batch.schema)}
        bodies = columns["body"]
        headers = columns.get("headers") or [None] * len(bodies)
        stamps = columns.get("timestamp") or [None] * len(bodies)
        for body, several, stamp in zip(bodies, headers, stamps, strict=True):
            yield AppendRecord(
                timestamp=int(stamp) if isinstance(stamp, Decimal) else stamp,
                headers=[_header(each) for each in several or ()],
                body=_bytes(body),
            )


def _plain(array: pa.Array) -> list[Any]:
    if pa.types.is_timestamp(array.type):
        array = array.cast(pa.timestamp("ms", array.type.tz), safe=False).cast(pa.int64())
    values: list[Any] = array.to_pylist()
    return values


def _header(found: dict[str, Any] | None) -> Header:
    if found is None or found["name"] is None:
        raise WireloomError("a header without a name")
    return Header(name=_bytes(found["name"]), value=_bytes(found["value"]))


def _bytes(value: str | bytes | None) -> bytes:
    return value.encode() if isinstance(value, str) else value or b""
