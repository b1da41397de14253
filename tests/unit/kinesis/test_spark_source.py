"""``kinesis_stream`` on the way that Spark takes: plan, pickle, read; without Spark."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadMaxRows
from wireloom import WireloomError
from wireloom.spark.live.kinesis import KinesisStreamSource

from ...kinesis_server import REGION, Streams

Row = dict[str, Any]


def source(streams: Streams, stream: str, **options: str) -> KinesisStreamSource:
    given = {"path": stream, "region": REGION, "endpointurl": streams.endpoint, **options}
    return KinesisStreamSource(given)


class Query:
    """A streaming query: its checkpoint is the list of its offsets."""

    def __init__(self, source: KinesisStreamSource, offsets: list[Any] | None = None) -> None:
        self.reader = source.streamReader(source.schema())
        self.offsets = offsets or [self.reader.initialOffset()]

    def batch(self, limit: int = 1000) -> list[Row] | None:
        """The rows of the next batch; ``None`` where there is none."""
        end = self.reader.latestOffset(self.offsets[-1], ReadMaxRows(limit))
        if end == self.offsets[-1]:
            return None
        self.offsets.append(pickle.loads(pickle.dumps(end)))
        return self.rows(-1)

    def rows(self, number: int) -> list[Row]:
        """The rows of a batch, read again."""
        found: list[Row] = []
        for each in self.reader.partitions(self.offsets[number - 1], self.offsets[number]):
            task = pickle.loads(pickle.dumps(self.reader))
            found += [row for batch in task.read(pickle.loads(pickle.dumps(each))) for row in batch.to_pylist()]
        return found

    def rest(self, limit: int = 1000) -> list[list[Row]]:
        """The batches of what is there now."""
        self.reader.prepareForTriggerAvailableNow()
        found: list[list[Row]] = []
        while (rows := self.batch(limit)) is not None:
            found.append(rows)
        return found


def datas(rows: list[Row]) -> list[str]:
    return [row["data"].decode() for row in rows]


def test_a_batch_reads_all_shards(kinesis: Streams) -> None:
    stream = kinesis.new(2)
    kinesis.put(stream, *((f"key {n}", b"%d" % n) for n in range(10)))
    made = source(kinesis, stream)
    reader = pickle.loads(pickle.dumps(made.reader(made.schema())))
    parts = reader.partitions()
    assert len(parts) == 2
    rows = [row for each in parts for batch in reader.read(each) for row in batch.to_pylist()]
    assert sorted(map(int, datas(rows))) == list(range(10))
    assert list(rows[0]) == made.schema().names


def test_batches_end_inside_of_aggregates(kinesis: Streams) -> None:
    from .test_reading import aggregate

    stream = kinesis.new()
    kinesis.put(stream, ("k", aggregate(*(b"%d" % n for n in range(5)))), ("k", b"5"))
    query = Query(source(kinesis, stream))
    found = query.rest(limit=2)
    assert [datas(each) for each in found] == [[], ["0", "1"], ["2", "3"], ["4", "5"]]
    assert query.offsets[2]["shards"] == {"shardId-000000000000": {"sequence_number": "1", "sub_sequence_number": 1}}
    # A batch that is run again by another process reads the same.
    again = Query(source(kinesis, stream), query.offsets)
    assert [datas(again.rows(number)) for number in range(1, 5)] == [datas(each) for each in found]


def test_shards_split_and_merge_between_batches(kinesis: Streams) -> None:
    stream = kinesis.new()
    query = Query(source(kinesis, stream))
    seen: list[Row] = []
    for step in range(4):
        kinesis.put(stream, *((f"key {n}", b"%d" % step) for n in range(6)))
        seen += [row for rows in Query.rest(query) for row in rows]
        if step == 0:
            kinesis.split(stream)
        if step == 1:
            kinesis.merge(stream, 1, 2)
        # A new process goes on from the checkpoint.
        query = Query(source(kinesis, stream), query.offsets)
    assert len(seen) == 24
    for key in range(6):
        assert [row["data"] for row in seen if row["partition_key"] == f"key {key}"] == [b"0", b"1", b"2", b"3"]
    assert [shard for shard, place in query.offsets[-1]["shards"].items() if place != "SHARD_END"] == [
        "shardId-000000000003"
    ]


def test_latest_begins_where_the_query_was_first_started(kinesis: Streams) -> None:
    stream = kinesis.new()
    query = Query(source(kinesis, stream, start="LATEST"))
    assert query.batch() == []
    kinesis.put(stream, ("k", b"new"))
    again = Query(source(kinesis, stream, start="LATEST"), query.offsets)
    assert [datas(each) for each in again.rest()] == [["new"]]


def test_records_that_are_gone(kinesis: Streams) -> None:
    stream = kinesis.new()
    kinesis.put(stream, ("k", b"0"))
    query = Query(source(kinesis, stream))
    query.rest()
    kinesis.put(stream, ("k", b"1"), ("k", b"2"))
    kinesis.trim(stream, keep=1)
    strict = Query(source(kinesis, stream), query.offsets)
    with pytest.raises(WireloomError, match="may be lost"):
        strict.rest()
    again = Query(source(kinesis, stream, failondataloss="false"), query.offsets)
    assert [datas(each) for each in again.rest()] == [["2"]]


def test_refusals(kinesis: Streams) -> None:
    stream = kinesis.new()
    with pytest.raises(WireloomError, match="did you mean 'maxRecordsPerTrigger'"):
        source(kinesis, stream, maxrecordspertriger="1").schema()
    made = source(kinesis, stream, start="LATEST")
    reader = made.reader(made.schema())
    with pytest.raises(WireloomError, match="LATEST: a batch read ends there"):
        reader.partitions()
    other = Query(source(kinesis, kinesis.new()))
    other.batch()
    foreign = Query(source(kinesis, stream), other.offsets)
    with pytest.raises(WireloomError, match="the checkpoint is of stream"):
        foreign.batch()
