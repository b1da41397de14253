"""``kinesis_stream`` as Spark uses it: plan, pickle, read; without Spark."""

from __future__ import annotations

import pickle
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from wireloom import WireloomError
from wireloom.kinesis import Calls
from wireloom.spark.live.kinesis import KinesisStreamSource

from ...kinesis_server import REGION, Streams
from ...waiting import SECONDS

Row = dict[str, Any]
LIMITS = (1000, None)
"""With a limit the driver reads what it plans, without one it searches for the ends."""


def source(streams: Streams, stream: str, **options: str) -> KinesisStreamSource:
    given = {"path": stream, "region": REGION, "endpointurl": streams.endpoint, **options}
    return KinesisStreamSource(given)


class Query:
    """A streaming query: its checkpoint is the list of its offsets."""

    def __init__(self, source: KinesisStreamSource, offsets: list[Any] | None = None) -> None:
        self.reader = source.streamReader(source.schema())
        self.offsets = offsets or [self.reader.initialOffset()]

    def batch(self, limit: int | None = 1000) -> list[Row] | None:
        """Return the rows of the next batch; ``None`` if there is none."""
        end = self.reader.latestOffset(self.offsets[-1], ReadAllAvailable() if limit is None else ReadMaxRows(limit))
        if end == self.offsets[-1]:
            return None
        self.offsets.append(pickle.loads(pickle.dumps(end)))
        return self.rows(-1)

    def rows(self, number: int) -> list[Row]:
        """Return the rows of a batch, read again."""
        found: list[Row] = []
        for each in self.reader.partitions(self.offsets[number - 1], self.offsets[number]):
            task = pickle.loads(pickle.dumps(self.reader))
            found += [row for batch in task.read(pickle.loads(pickle.dumps(each))) for row in batch.to_pylist()]
        return found

    def rest(self, limit: int | None = 1000) -> list[list[Row]]:
        """Return the batches of the existing records."""
        self.reader.prepareForTriggerAvailableNow()
        found: list[list[Row]] = []
        while (rows := self.batch(limit)) is not None:
            found.append(rows)
        return found


def datas(rows: list[Row]) -> list[str]:
    return [row["data"].decode() for row in rows]


@pytest.mark.slow
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


@pytest.mark.slow
def test_batches_end_inside_of_aggregates(kinesis: Streams) -> None:
    from .test_reading import aggregate

    stream = kinesis.new()
    kinesis.put(stream, ("k", aggregate(*(b"%d" % n for n in range(5)))), ("k", b"5"))
    query = Query(source(kinesis, stream))
    found = query.rest(limit=2)
    assert [datas(each) for each in found] == [[], ["0", "1"], ["2", "3"], ["4", "5"]]
    assert query.offsets[2]["shards"] == {"shardId-000000000000": {"sequence_number": "1", "sub_sequence_number": 1}}
    # A batch that another process runs again reads the same.
    again = Query(source(kinesis, stream), query.offsets)
    assert [datas(again.rows(number)) for number in range(1, 5)] == [datas(each) for each in found]


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS)
def test_shards_split_and_merge_between_batches(kinesis: Streams, limit: int | None) -> None:
    stream = kinesis.new()
    query = Query(source(kinesis, stream))
    seen: list[Row] = []
    for step in range(4):
        kinesis.put(stream, *((f"key {n}", b"%d" % step) for n in range(6)))
        seen += [row for rows in query.rest(limit) for row in rows]
        if step == 0:
            kinesis.split(stream)
        if step == 1:
            kinesis.merge(stream, 1, 2)
        # A new process continues from the checkpoint.
        query = Query(source(kinesis, stream), query.offsets)
    assert len(seen) == 24
    for key in range(6):
        assert [row["data"] for row in seen if row["partition_key"] == f"key {key}"] == [b"0", b"1", b"2", b"3"]
    assert [shard for shard, place in query.offsets[-1]["shards"].items() if place != "SHARD_END"] == [
        "shardId-000000000003"
    ]


@pytest.mark.parametrize("limit", LIMITS)
def test_latest_begins_where_the_query_was_first_started(kinesis: Streams, limit: int | None) -> None:
    stream = kinesis.new()
    query = Query(source(kinesis, stream, start="LATEST"))
    assert query.batch() == []
    kinesis.put(stream, ("k", b"new"))
    again = Query(source(kinesis, stream, start="LATEST"), query.offsets)
    assert [datas(each) for each in again.rest(limit)] == [["new"]]


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS)
def test_records_that_are_gone(kinesis: Streams, limit: int | None) -> None:
    stream = kinesis.new()
    kinesis.put(stream, ("k", b"0"))
    query = Query(source(kinesis, stream))
    query.rest()
    kinesis.put(stream, ("k", b"1"), ("k", b"2"))
    kinesis.trim(stream, keep=1)
    strict = Query(source(kinesis, stream), list(query.offsets))
    with pytest.raises(WireloomError, match="may be lost"):
        strict.rest(limit)
    again = Query(source(kinesis, stream, failondataloss="false"), query.offsets)
    assert [datas(each) for each in again.rest(limit)] == [["2"]]


def test_refusals(kinesis: Streams) -> None:
    stream = kinesis.new()
    with pytest.raises(WireloomError, match="did you mean 'maxRecordsPerTrigger'"):
        source(kinesis, stream, maxrecordspertriger="1").schema()
    made = source(kinesis, stream, start="LATEST")
    reader = made.reader(made.schema())
    with pytest.raises(WireloomError, match="LATEST, where a batch read ends"):
        reader.partitions()
    other = Query(source(kinesis, kinesis.new()))
    other.batch()
    foreign = Query(source(kinesis, stream), other.offsets)
    with pytest.raises(WireloomError, match="the checkpoint is of stream"):
        foreign.batch()


@pytest.mark.slow
def test_without_a_limit_the_driver_reads_the_last_records_only(
    kinesis: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = kinesis.new()
    kinesis.put(stream, *(("k", b"%d" % n) for n in range(50)))
    [shard] = kinesis.model(stream).shards.values()
    now = datetime.now(UTC).timestamp()
    for age, record in zip(range(5000, 0, -100), shard.records.values(), strict=True):
        record.created_at = now - age
    query = Query(source(kinesis, stream))
    read: list[int] = []
    call = Calls.__call__

    def counted(self: Calls, operation: str, **asked: Any) -> Any:
        answer = call(self, operation, **asked)
        read.append(len(answer.get("Records", ())))
        return answer

    query.reader.prepareForTriggerAvailableNow()
    query.batch(None)
    monkeypatch.setattr(Calls, "__call__", counted)
    end = query.reader.latestOffset(query.offsets[-1], ReadAllAvailable())
    assert 0 < sum(read) < 10
    # Nothing has arrived since: finding that out reads just as little.
    read.clear()
    assert query.reader.latestOffset(end, ReadAllAvailable()) == end
    assert sum(read) < 10
    monkeypatch.setattr(Calls, "__call__", call)
    query.offsets.append(end)
    assert datas(query.rows(-1)) == [str(n) for n in range(50)]


@pytest.mark.slow
def test_a_query_without_end_goes_on(kinesis: Streams) -> None:
    stream = kinesis.new(2)
    query = Query(source(kinesis, stream))
    seen: list[str] = []
    assert query.batch(None) == []
    for step in range(3):
        kinesis.put(stream, *((f"key {n}", b"%d.%d" % (step, n)) for n in range(4)))
        deadline = time.monotonic() + SECONDS
        while len(seen) < 4 * (step + 1) and time.monotonic() < deadline:
            seen += datas(query.batch(None) or [])
    assert sorted(seen) == [f"{step}.{n}" for step in range(3) for n in range(4)]
