"""Aggregates contain records of one shard, so that readers of any shard get all of their records."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom.kpl import LARGEST_HASH_KEY, Aggregator, KinesisRecord, Shard, ShardMap, UserRecord, hash_of

from ...storage_server import Store
from .vectors import FORMAT

MIDDLE = 2**127
HALVES = [f"0-{MIDDLE - 1}", f"{MIDDLE}-{LARGEST_HASH_KEY}"]
ROWS: list[dict[str, Any]] = [{"partition_key": f"key-{n % 300}", "data": b"event %d" % n} for n in range(3000)]
ROWS += [{"partition_key": "k", "explicit_hash_key": str(MIDDLE - 2 + n % 4), "data": b"%d" % n} for n in range(40)]


def delivered(blobs: Any, ranges: list[str]) -> list[bytes]:
    """Return the data that readers of these shards get, each from the aggregates of only its shard."""
    lists = [wireloom.from_wire(blobs, FORMAT, columns=["data"], hash_range=each).to_pylist() for each in ranges]
    return [row["data"] for each in lists for rows in each for row in rows or ()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "count"),
    [
        # 300 partition keys and 4 explicit hash keys.
        ({}, 304),
        ({"shards": HALVES}, 2),
        ({"shards": ",".join(HALVES)}, 2),
        ({"shards": ShardMap(HALVES)}, 2),
        # One for the range; 145 partition keys and 2 explicit hash keys are outside it.
        ({"shards": HALVES[0]}, 148),
    ],
)
def test_readers_of_both_halves_get_all_records(options: dict[str, Any], count: int) -> None:
    blobs = wireloom.to_wire(ROWS, FORMAT, **options)
    assert sorted(delivered(blobs, HALVES)) == sorted(row["data"] for row in ROWS)
    assert len(blobs) == count


@pytest.mark.slow
def test_records_of_one_shard_as_of_many_are_lost_to_readers_of_half() -> None:
    blobs = wireloom.to_wire(ROWS, FORMAT, shards="one")
    assert len(blobs) == 1
    assert delivered(blobs, ["0-" + str(LARGEST_HASH_KEY)]) == [row["data"] for row in ROWS]
    assert delivered(blobs, HALVES) == []


keys = st.sampled_from(["a", "b", "key", "ключ"])
hash_keys = st.sampled_from([None, "0", "7", "07", "100", str(MIDDLE), str(LARGEST_HASH_KEY)])
records = st.builds(UserRecord, keys, st.binary(max_size=50), hash_keys)
cuts = st.lists(st.integers(1, LARGEST_HASH_KEY), unique=True, max_size=6).map(sorted)


def shard_map(cuts: list[int]) -> ShardMap:
    """Return a map of all hash keys, cut before each of these."""
    return ShardMap(zip([0, *cuts], [*(cut - 1 for cut in cuts), LARGEST_HASH_KEY], strict=True))


def users_of(made: KinesisRecord) -> list[UserRecord]:
    if not made.aggregated:
        return [UserRecord(made.partition_key, made.data, made.explicit_hash_key)]
    rows = wireloom.read(FORMAT, made.data).to_pylist()
    return [UserRecord(row["partition_key"], row["data"], row["explicit_hash_key"]) for row in rows]


@pytest.mark.slow
@given(
    st.lists(records, min_size=1, max_size=30),
    st.none() | cuts,
    st.integers(60, 500),
    st.sampled_from([1, 3000, 10**9]),
    st.sampled_from(["aggregated", "plain"]),
)
def test_an_aggregate_is_of_one_shard_and_keeps_the_order(
    given_records: list[UserRecord], cuts: list[int] | None, target: int, buffer_size: int, single: str
) -> None:
    shards = None if cuts is None else shard_map(cuts)
    aggregator = Aggregator(shards=shards, target_size=target, buffer_size=buffer_size, single=single)
    out = [made for each in given_records for made in aggregator.add_record(each)] + aggregator.flush()
    assert len(aggregator) == 0

    def place(record: UserRecord) -> Any:
        number = hash_of(record.partition_key, record.explicit_hash_key)
        return number if shards is None else shards.shard_of(number)

    found = []
    for made in out:
        users = users_of(made)
        found += users
        assert len({place(each) for each in users}) == 1
        # Kinesis selects the shard by the outer keys.
        assert place(UserRecord(made.partition_key, b"", made.explicit_hash_key)) == place(users[0])
    for each in {place(record) for record in given_records}:
        assert [record for record in found if place(record) == each] == [
            record for record in given_records if place(record) == each
        ]


def test_the_shard_of_an_aggregate_is_named() -> None:
    shards = [Shard(0, 9, "shardId-000000000000"), Shard(20, LARGEST_HASH_KEY, "shardId-000000000001")]
    aggregator = Aggregator(shards=shards)
    for number in (1, 2, 30, 15, 16, 15):
        assert aggregator.add("k", b"x", str(number)) == []
    made = aggregator.flush()
    assert [(each.shard_id, each.explicit_hash_key, each.count) for each in made] == [
        ("shardId-000000000000", "1", 2),
        ("shardId-000000000001", "30", 1),
        # No shard of the map contains them: each hash key is separate.
        (None, "15", 2),
        (None, "16", 1),
    ]


def test_after_a_split_what_waits_is_divided_anew() -> None:
    aggregator = Aggregator(shards="one")
    for number in (3, 8, 4, 9):
        assert aggregator.add("k", b"x" * 10, str(number)) == []
    with pytest.raises(wireloom.WireloomError, match="overlap"):
        aggregator.reshard(["0-5", "5-9"])
    assert aggregator.reshard(["0-5", "6-9"]) == []
    assert [[each.explicit_hash_key for each in users_of(made)] for made in aggregator.flush()] == [
        ["3", "4"],
        ["8", "9"],
    ]


def test_too_many_that_wait_are_given_out_the_oldest_first() -> None:
    aggregator = Aggregator(buffer_size=20_000)
    given_out: list[str] = []
    for number in range(100):
        given_out += [made.partition_key for made in aggregator.add(f"key-{number}", bytes(1000))]
        assert len(aggregator) < 20
    assert given_out == [f"key-{number}" for number in range(len(given_out))]
    given_out += [made.partition_key for made in aggregator.flush()]
    assert len(given_out) == 100


def test_one_aggregate_may_be_larger_than_the_buffer() -> None:
    aggregator = Aggregator(shards="one", target_size=10**6, buffer_size=1)
    for _ in range(100):
        assert aggregator.add("k", bytes(1000)) == []
    assert [made.count for made in aggregator.flush()] == [100]


# Files and lists -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_file_holds_rows_of_one_shard() -> None:
    for rows in (ROWS, pa.Table.from_pylist(ROWS)):
        with pytest.raises(wireloom.WireloomError, match=r"a file of kpl_aggregated_record is one: .*shards='FIRST"):
            wireloom.write(FORMAT, rows, io.BytesIO())
        with pytest.raises(wireloom.WireloomError, match="rows of one shard"):
            wireloom.write(FORMAT, rows, io.BytesIO(), shards=HALVES)
    [first] = {hash_of(row["partition_key"], None) < MIDDLE for row in ROWS[:1]}
    lower = [row for row in ROWS[:3000] if (hash_of(row["partition_key"], None) < MIDDLE) == first]
    target = io.BytesIO()
    assert wireloom.write(FORMAT, lower, target, shards=",".join(HALVES)).rows == len(lower)
    assert wireloom.read(FORMAT, target.getvalue())["data"].to_pylist() == [row["data"] for row in lower]


@pytest.mark.slow
def test_a_list_holds_rows_of_one_shard() -> None:
    lists = wireloom.from_wire(wireloom.to_wire(ROWS, FORMAT, shards=HALVES), FORMAT)
    with pytest.raises(
        wireloom.WireloomError, match=r"list 0 is not a single message.*make \d+ messages: an aggregate ho"
    ):
        wireloom.to_wire(lists, FORMAT)
    again = wireloom.to_wire(lists, FORMAT, shards=HALVES)
    assert wireloom.from_wire(again, FORMAT) == lists
    assert sorted(delivered(again, HALVES)) == sorted(row["data"] for row in ROWS)


# Shard maps ----------------------------------------------------------------------------------------------------------


def described(number: int, first: int, last: int, *, closed: bool = False) -> dict[str, Any]:
    """Return a shard as ``ListShards`` describes it."""
    numbers = {"StartingSequenceNumber": "49"} | ({"EndingSequenceNumber": "50"} if closed else {})
    keys = {"StartingHashKey": str(first), "EndingHashKey": str(last)}
    return {"ShardId": f"shardId-{number:012}", "HashKeyRange": keys, "SequenceNumberRange": numbers}


class Client:
    """Answers like Kinesis, two shards at a time."""

    def __init__(self, shards: list[dict[str, Any]]) -> None:
        self.shards = shards
        self.calls: list[dict[str, Any]] = []

    def list_shards(self, **asked: Any) -> dict[str, Any]:
        self.calls.append(asked)
        first = int(asked.get("NextToken", "0"))
        page = {"Shards": self.shards[first : first + 2]}
        return page | ({"NextToken": str(first + 2)} if first + 2 < len(self.shards) else {})


def test_the_open_shards_of_a_stream() -> None:
    client = Client(
        [
            described(0, 0, LARGEST_HASH_KEY, closed=True),
            described(2, MIDDLE, LARGEST_HASH_KEY),
            described(1, 0, MIDDLE - 1),
        ]
    )
    found = ShardMap.from_stream(client, "events")
    assert str(found) == ",".join(HALVES)
    assert [each.shard_id for each in found.shards] == ["shardId-000000000001", "shardId-000000000002"]
    assert client.calls == [
        {"StreamName": "events", "ShardFilter": {"Type": "AT_LATEST"}, "MaxResults": 1000},
        {"NextToken": "2", "MaxResults": 1000},
    ]
    assert str(ShardMap.of(client.shards)) == str(found)
    ShardMap.from_stream(client, stream_arn="arn:aws:kinesis:eu-west-1:1:stream/events")
    assert "StreamARN" in client.calls[-2]


@pytest.mark.slow
def test_the_shards_of_a_stream_of_boto3(object_store: Store) -> None:
    boto3 = pytest.importorskip("boto3")
    client = boto3.client("kinesis", endpoint_url=object_store.endpoint, region_name="us-east-1")
    client.create_stream(StreamName="events", ShardCount=2)
    before = ShardMap.from_stream(client, "events")
    assert len(before.shards) == 2
    aggregator = Aggregator(shards=before)
    for row in ROWS:
        aggregator.add(row["partition_key"], row["data"], row.get("explicit_hash_key"))
    for made in aggregator.flush():
        keys = {"PartitionKey": made.partition_key, "StreamName": "events"}
        if made.explicit_hash_key is not None:
            keys["ExplicitHashKey"] = made.explicit_hash_key
        assert client.put_record(Data=made.data, **keys)["ShardId"] == made.shard_id
    client.split_shard(StreamName="events", ShardToSplit=before.shards[0].shard_id, NewStartingHashKey=str(2**126))
    after = ShardMap.from_stream(client, "events")
    assert len(after.shards) == 3
    assert before.shards[0].shard_id not in [each.shard_id for each in after.shards]


@pytest.mark.parametrize(
    "answer", [None, {}, {"Shards": None}, {"Shards": [{"ShardId": "x"}]}, {"Shards": [], "NextToken": "1"}]
)
def test_answers_that_are_none(answer: Any) -> None:
    class Odd:
        def list_shards(self, **_asked: Any) -> Any:
            return answer

    with pytest.raises(wireloom.WireloomError, match=r"list_shards (did not return|returned)|HashKeyRange"):
        ShardMap.from_stream(Odd(), "events")
    with pytest.raises(wireloom.WireloomError, match="stream_name"):
        ShardMap.from_stream(Odd())


@pytest.mark.parametrize(
    "value",
    [
        "0-5,5-9",
        "5",
        "",
        ["0-9", "3-4"],
        [(0, 2**128)],
        [5],
        (0, 9),
        b"0-9",
        [{"HashKeyRange": {}}],
        [{"HashKeyRange": {"StartingHashKey": "a", "EndingHashKey": "9"}}],
        [Shard(3, 2)],
    ],
)
def test_maps_that_are_none(value: Any) -> None:
    with pytest.raises(wireloom.WireloomError, match="shard"):
        ShardMap.of(value)
    with pytest.raises(wireloom.WireloomError, match="shard"):
        wireloom.to_wire([], FORMAT, shards=value)


def test_where_a_hash_key_belongs() -> None:
    found = ShardMap(["10-19", "30-39"])
    assert [found.shard_of(number) is None for number in (0, 9, 10, 19, 20, 29, 30, 39, 40)] == [
        True, True, False, False, True, True, False, False, True,
    ]  # fmt: skip
    assert ShardMap.of(str(found)).shards == found.shards
    assert ShardMap.of("one").shards == (Shard(0, LARGEST_HASH_KEY),)


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (ShardMap, {"shards": 5}, "^shards must be a list of ranges, not 5"),
        (ShardMap, {"shards": "0-99"}, "^shards must be a list of ranges, not '0-99'"),
        (
            UserRecord,
            {"partition_key": "a", "data": b"", "explicit_hash_key": 5},
            "^an explicit hash key must be a decimal number .*, not 5",
        ),
    ],
)
def test_arguments_of_a_wrong_kind(function: Callable[..., Any], given: dict[str, Any], message: str) -> None:
    with pytest.raises(wireloom.WireloomError, match=message):
        function(**given)
