"""Streams are read shard by shard, children after their parents, and user records by their positions."""

from __future__ import annotations

import gzip
import importlib.util
from typing import Any

import pytest
from wireloom import DamagedInputError, WireloomError
from wireloom.kinesis import LostRecordsError, Producer, read
from wireloom.kpl import Aggregator

from ...kinesis_server import REGION, Streams


def reading(streams: Streams, stream: str, **options: Any) -> Any:
    return read(stream, region=REGION, endpoint_url=streams.endpoint, **options)


def producer(streams: Streams, stream: str, **options: Any) -> Producer:
    return Producer(stream, region=REGION, endpoint_url=streams.endpoint, **options)


def aggregate(*datas: bytes) -> bytes:
    aggregator = Aggregator(shards="one")
    for each in datas:
        aggregator.add(f"key {each.decode('latin-1')[:9]}", each)
    return aggregator.flush()[0].data


def test_user_records_have_their_outer_columns(kinesis: Streams) -> None:
    stream = kinesis.new()
    kinesis.put(stream, ("outer", aggregate(b"a", b"b")), ("plain", b"c"))
    rows = reading(kinesis, stream).read_all().to_pylist()
    assert [(row["data"], row["sequence_number"], row["sub_sequence_number"]) for row in rows] == [
        (b"a", "1", 0),
        (b"b", "1", 1),
        (b"c", "2", 0),
    ]
    assert [row["partition_key"] for row in rows] == ["key a", "key b", "plain"]
    assert [row["aggregated"] for row in rows] == [True, True, False]
    assert {(row["stream"], row["shard_id"]) for row in rows} == {(stream, "shardId-000000000000")}
    assert list(reading(kinesis, stream, columns=["data"]).read_all().column_names) == ["data"]


def test_data_is_decompressed(kinesis: Streams) -> None:
    """Subscriptions of CloudWatch's logs put data in gzip."""
    stream, cut = kinesis.new(), gzip.compress(b"two")[:-3]
    kinesis.put(stream, ("a", gzip.compress(b"one")), ("b", b"plain"), ("c", cut))
    kinesis.put(stream, ("outer", aggregate(gzip.compress(b"three"))))
    assert reading(kinesis, stream, codec="gzip", columns=["data"]).read_all().to_pydict() == {
        "data": [b"one", b"three"]
    }
    columns = ["data", "_error", "_corrupt_record"]
    rows = reading(kinesis, stream, codec="auto", columns=columns).read_all().to_pylist()
    assert [row["data"] for row in rows] == [b"one", b"plain", None, b"three"]
    assert [row["_error"] is None for row in rows] == [True, True, False, True]
    assert rows[2]["_error"].startswith("codec: ")
    assert rows[2]["_corrupt_record"] == cut
    with pytest.raises(DamagedInputError, match=r"the data of record 2: codec: "):
        reading(kinesis, stream, codec="gzip", mode="failfast").read_all()
    with pytest.raises(WireloomError, match="unknown codec 'gizp'"):
        reading(kinesis, stream, codec="gizp")


@pytest.mark.slow
def test_children_come_after_their_parents(kinesis: Streams) -> None:
    stream = kinesis.new()
    keys = [f"key {n}" for n in range(20)]
    kinesis.put(stream, *((key, b"0") for key in keys))
    follows = reading(kinesis, stream, follow=True)
    found = next(follows)["data"].to_pylist()
    kinesis.split(stream)
    kinesis.put(stream, *((key, b"1") for key in keys))
    kinesis.merge(stream, 1, 2)
    kinesis.put(stream, *((key, b"2") for key in keys))
    rows: list[Any] = []
    while len(rows) < 40:
        rows += next(follows).to_pylist()
    found += [row["data"] for row in rows]
    assert found == [b"0"] * 20 + [b"1"] * 20 + [b"2"] * 20
    assert len({row["shard_id"] for row in rows}) == 3
    assert reading(kinesis, stream, columns=["data"]).read_all()["data"].to_pylist() == found


@pytest.mark.slow
def test_a_reading_goes_on_from_its_positions(kinesis: Streams) -> None:
    stream = kinesis.new()
    kinesis.put(stream, ("k", aggregate(b"a", b"b")))
    first = reading(kinesis, stream)
    assert first.read_all().num_rows == 2
    kinesis.put(stream, ("k", b"c"))
    start = first.positions
    assert reading(kinesis, stream, start=start).read_all()["data"].to_pylist() == [b"c"]
    start["shardId-000000000000"] = {"sequence_number": "1", "sub_sequence_number": 0}
    assert reading(kinesis, stream, start=start).read_all()["data"].to_pylist() == [b"b", b"c"]
    kinesis.trim(stream, keep=1)
    with pytest.raises(LostRecordsError, match="the record 1, up to which it was read, no longer exists"):
        reading(kinesis, stream, start=start).read_all()
    assert reading(kinesis, stream, start=start, fail_on_loss=False).read_all().num_rows == 1


@pytest.mark.slow
@pytest.mark.parametrize("aggregated", [True, False])
def test_what_is_put_is_read_in_the_order_of_each_key(aggregated: bool, kinesis: Streams) -> None:
    stream = kinesis.new(3)
    with producer(kinesis, stream, aggregated=aggregated, target_size=200) as made:
        for n in range(60):
            made.put(f"key {n % 7}", b"%d" % n)
            if n == 30:
                kinesis.split(stream, 1)
    assert made.user_records == 60
    rows = reading(kinesis, stream).read_all().to_pylist()
    assert sorted(int(row["data"]) for row in rows) == list(range(60))
    for key in range(7):
        own = [int(row["data"]) for row in rows if row["partition_key"] == f"key {key}"]
        assert own == sorted(own)


@pytest.mark.slow
def test_aggregates_of_another_shard_are_dropped(kinesis: Streams, caplog: pytest.LogCaptureFixture) -> None:
    """Their producer writes them again."""
    stream = kinesis.new(2)
    kinesis.put(stream, ("k", aggregate(*(b"%d" % n for n in range(20)))), ("k", b"alone"))
    found = reading(kinesis, stream)
    assert found.read_all()["data"].to_pylist() == [b"alone"]
    assert found.dropped == 1
    assert "1 aggregates dropped" in caplog.text
    assert reading(kinesis, stream, hash_range="all").read_all().num_rows == 21


def test_refusals(kinesis: Streams) -> None:
    with pytest.raises(WireloomError, match="ResourceNotFoundException"):
        reading(kinesis, "nothing")
    with pytest.raises(WireloomError, match="start is 'first'"):
        reading(kinesis, kinesis.new(), start="first")
    with pytest.raises(WireloomError, match="1 to 256 characters"):
        producer(kinesis, kinesis.new()).put("", b"")


@pytest.mark.skipif(
    importlib.util.find_spec("aws_kinesis_agg") is None,
    reason="aws-kinesis-agg is not installed: pip install aws-kinesis-agg",
)
def test_the_view_of_amazons_own_library(kinesis: Streams) -> None:
    import base64

    from aws_kinesis_agg import deaggregator

    stream = kinesis.new()
    with producer(kinesis, stream, target_size=100) as made:
        for n in range(20):
            made.put(f"key {n % 3}", b"%d" % n)
    shard = kinesis.model(stream).shards["shardId-000000000000"]
    events = [
        {
            "kinesis": {
                "kinesisSchemaVersion": "1.0",
                "partitionKey": each.partition_key,
                "sequenceNumber": str(number),
                "data": each.data if isinstance(each.data, str) else base64.b64encode(each.data).decode(),
                "approximateArrivalTimestamp": 1.0,
            },
            "eventSource": "aws:kinesis",
            "eventVersion": "1.0",
            "eventID": f"shardId-0:{number}",
            "eventName": "aws:kinesis:record",
            "invokeIdentityArn": "",
            "awsRegion": REGION,
            "eventSourceARN": "",
        }
        for number, each in shard.records.items()
    ]
    theirs = [
        (
            each["kinesis"]["partitionKey"],
            base64.b64decode(each["kinesis"]["data"]),
            each["kinesis"]["sequenceNumber"],
            each["kinesis"]["subSequenceNumber"],
        )
        for each in deaggregator.deaggregate_records(events)
    ]
    columns = ["partition_key", "data", "sequence_number", "sub_sequence_number"]
    rows = reading(kinesis, stream, columns=columns).read_all().to_pylist()
    assert [tuple(row.values()) for row in rows] == theirs
