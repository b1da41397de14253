"""The aggregator: the public library's bytes, exact sizes, nothing lost at a limit."""

from __future__ import annotations

import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom.kpl import FRAME_SIZE, Aggregator, KinesisRecord, UserRecord

from .vectors import FORMAT, Case, cases, identity

LARGE = 10 * 1024 * 1024


@pytest.mark.parametrize("case", cases("aggregate"), ids=identity)
def test_the_bytes_of_the_public_library(case: Case) -> None:
    aggregator = Aggregator(shards="one", target_size=LARGE, max_size=LARGE)
    for partition_key, explicit_hash_key, data in case["records"]:
        assert aggregator.add(partition_key, bytes.fromhex(data), explicit_hash_key) == []
    size = aggregator.size
    [made] = aggregator.flush()
    # If only some records have an explicit hash key, the public library writes index 0 of tables of its own kind, but
    # the result of reading is always the same.
    assert made.data.hex() == case["python"]["blob_hex"] or case["node"].get("blob_hex") == made.data.hex()
    assert len(made.data) == size
    assert made.partition_key == case["python"]["put_partition_key"]
    assert made.explicit_hash_key == case["records"][0][1]
    assert made.count == len(case["records"])


def records_of(case: Case) -> list[UserRecord]:
    return [UserRecord(each["pk"], bytes.fromhex(each["fill"]) * each["len"], each["ehk"]) for each in case["records"]]


@pytest.mark.parametrize("case", cases("emission"), ids=identity)
def test_when_a_blob_is_given_out(case: Case) -> None:
    # The limit includes the outer partition key, which the libraries omit.
    longest = max(len(each["pk"].encode()) for each in case["records"])
    aggregator = Aggregator(shards="one", target_size=case["max_size"], max_size=case["max_size"] + longest)
    made: list[int | str] = []
    for record in records_of(case):
        try:
            finished = aggregator.add_record(record)
        except wireloom.WireloomError as error:
            made.append({"limit": "ValueError"}[str(error.reason)])
            continue
        made += [len(each.data) for each in finished]
    [last] = aggregator.flush()
    made.append(len(last.data))
    expected = case.get("emitted_bytes_keys") or case["emitted"]
    sizes = [each if isinstance(each, str) else each["actual"] for each in expected]
    if case["id"] == "e_ehk":
        # The library overestimates repeated explicit hash keys; exact sizes fill each blob completely.
        assert all(isinstance(size, int) and size <= case["max_size"] for size in made)
        assert len(made) <= len(sizes)
    else:
        assert made == sizes


keys = st.sampled_from(["a", "key", "ключ", "k" * 200])
hash_keys = st.sampled_from([None, "0", "17", str(2**128 - 1)])
tags = st.lists(st.tuples(st.text(max_size=5), st.none() | st.text(max_size=5)), max_size=2).map(tuple)
records = st.builds(UserRecord, keys, st.binary(max_size=300), hash_keys, tags)


@pytest.mark.slow
@given(st.lists(records, min_size=1, max_size=40), st.integers(60, 2000), st.sampled_from(["aggregated", "plain"]))
def test_nothing_is_lost_or_sent_twice_and_no_limit_is_passed(
    given_records: list[UserRecord], target: int, single: str
) -> None:
    aggregator = Aggregator(shards="one", target_size=target, max_size=4000, single=single)
    out: list[KinesisRecord] = []
    for record in given_records:
        out += aggregator.add_record(record)
    [last] = aggregator.flush()
    assert aggregator.flush() == []
    out.append(last)
    read: list[UserRecord] = []
    for each in out:
        assert len(each.data) <= target or each.count == 1
        assert len(each.data) + len(each.partition_key.encode()) <= 4000
        rows = wireloom.read(FORMAT, each.data).to_pylist()
        assert len(rows) == each.count
        assert rows[0]["aggregated"] == each.aggregated
        for row in rows:
            read.append(
                UserRecord(
                    row["partition_key"] if each.aggregated else each.partition_key,
                    row["data"],
                    row["explicit_hash_key"] if each.aggregated else each.explicit_hash_key,
                    tuple((tag["key"], tag["value"]) for tag in row["tags"] or ()),
                )
            )
    assert read == given_records


@pytest.mark.slow
@given(
    st.lists(records, min_size=1, max_size=30),
    st.sampled_from([None, "one", f"0-17,18-{2**127}"]),
    st.sampled_from(["aggregated", "plain"]),
)
def test_the_size_is_exact_at_every_moment(given_records: list[UserRecord], shards: str | None, single: str) -> None:
    for count in range(1, len(given_records) + 1):
        aggregator = Aggregator(shards=shards, target_size=LARGE, max_size=LARGE, single=single)
        for record in given_records[:count]:
            aggregator.add_record(record)
        assert len(aggregator) == count
        size = aggregator.size
        assert sum(len(each.data) for each in aggregator.flush()) == size
        assert (len(aggregator), aggregator.size) == (0, 0)
        if count > 5:
            break


def test_a_record_that_fits_nowhere_changes_nothing() -> None:
    aggregator = Aggregator(max_size=100)
    aggregator.add("k", b"x" * 10)
    size = aggregator.size
    with pytest.raises(wireloom.WireloomError, match=r"1032 bytes.*at most 100"):
        aggregator.add("k", b"y" * 1000)
    assert (len(aggregator), aggregator.size) == (1, size)


def test_a_limit_is_reached_exactly() -> None:
    alone = Aggregator()
    alone.add("k", b"x" * 70)
    limit = alone.size + 1
    exact = Aggregator(target_size=limit, max_size=limit)
    assert exact.add("k", b"x" * 70) == []
    with pytest.raises(wireloom.WireloomError):
        Aggregator(target_size=limit, max_size=limit).add("k", b"x" * 71)


def test_a_single_record_is_sent_plain() -> None:
    aggregator = Aggregator(single="plain")
    aggregator.add("k", b"data", "5")
    assert aggregator.flush() == [KinesisRecord(b"data", "k", "5", 1, aggregated=False)]


def test_a_single_record_that_looks_aggregated_is_aggregated() -> None:
    inner = Aggregator()
    inner.add("inner", b"x")
    [nested] = inner.flush()
    aggregator = Aggregator(single="plain")
    aggregator.add("outer", nested.data)
    [made] = aggregator.flush()
    assert made.aggregated
    assert wireloom.read(FORMAT, made.data)["data"].to_pylist() == [nested.data]


@pytest.mark.parametrize("key", ["", "abc", "1.5", "-1", "+1", str(2**128), "٣", "1 ", "9" * 5000])
def test_a_hash_key_that_is_none(key: str) -> None:
    aggregator = Aggregator()
    with pytest.raises(wireloom.WireloomError, match="explicit hash key"):
        aggregator.add("k", b"x", key)
    assert len(aggregator) == 0


@pytest.mark.parametrize(
    "options",
    [
        {"target_size": 0},
        {"max_size": True},
        {"max_size": "5"},
        {"single": "never"},
        {"buffer_size": 0},
        {"shards": 5},
        {"shards": "two"},
        {"shards": {"Shards": []}},
    ],
)
def test_options_that_are_none(options: dict[str, object]) -> None:
    with pytest.raises(wireloom.WireloomError):
        Aggregator(**options)  # type: ignore[arg-type]  # what a caller without types may give


def test_an_empty_aggregator() -> None:
    aggregator = Aggregator()
    assert (len(aggregator), aggregator.size, aggregator.flush()) == (0, 0, [])
    assert FRAME_SIZE == 20
