"""Aggregates with a record outside the shard are dropped as a whole."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest
import wireloom
from wireloom.kpl import hash_of, range_of
from wireloom.objects.messages import write_varint

from .vectors import FORMAT, Case, blob_of, cases, identity

RANGES = cases("hash_range")
WHOLE = f"0-{2**128 - 1}"


def field(number: int, content: bytes) -> bytes:
    """Return a field with a length."""
    return write_varint(number << 3 | 2) + write_varint(len(content)) + content


@pytest.mark.parametrize("case", RANGES, ids=identity)
def test_a_blob_against_a_range(case: Case) -> None:
    chosen = f"{case['starting_hash_key']}-{case['ending_hash_key']}"
    table, report = wireloom.read_with_report(FORMAT, blob_of(case), hash_range=chosen)
    expect = case["expect"]
    assert table.num_rows == expect["n"]
    file = report.to_dict()["files"][0]
    assert file["dropped"] == (1 if expect["status"] == "dropped" else 0)
    assert file["damaged"] == []


def test_the_columns_asked_for_do_not_matter() -> None:
    case = next(each for each in RANGES if each["expect"]["status"] == "dropped")
    chosen = (int(case["starting_hash_key"]), int(case["ending_hash_key"]))
    assert wireloom.read(FORMAT, blob_of(case), columns=["data"], hash_range=chosen).num_rows == 0
    assert wireloom.read(FORMAT, blob_of(case), columns=["data"], hash_range=WHOLE).num_rows > 0


def test_a_column_of_blobs_is_filtered_blob_by_blob() -> None:
    blobs = [blob_of(case) for case in RANGES] + [b"plain"]
    chosen = f"{RANGES[1]['starting_hash_key']}-{RANGES[1]['ending_hash_key']}"
    lists = wireloom.from_wire(pa.array(blobs, pa.binary()), FORMAT, columns=["data"], hash_range=chosen)
    alone = [wireloom.read(FORMAT, blob, columns=["data"], hash_range=chosen).to_pylist() for blob in blobs]
    assert lists.to_pylist() == alone
    assert alone[-1] == [{"data": b"plain"}]
    assert [] in alone


def test_records_before_a_wrong_index_stay_only_inside_the_range() -> None:
    case = next(each for each in cases("malformed") if each["id"] == "m_pk_idx_oor_mid")
    table, report = wireloom.read_with_report(FORMAT, blob_of(case), hash_range=WHOLE)
    assert table.num_rows == 2
    assert len(report.files[0].damaged) == 1
    table, report = wireloom.read_with_report(FORMAT, blob_of(case), hash_range="0-1")
    assert table.num_rows == 0
    assert report.to_dict()["files"][0]["dropped"] == 1


@pytest.mark.parametrize(
    ("key", "kept"),
    [
        ("9" * 5000, 0),
        ("0" * 5000 + "5", 1),
        ("+7", 1),
        ("-0", 1),
        ("-5", 0),
        ("٣", 1),
        (str(2**128 - 1), 1),
        (str(2**128), 0),
        ("0" + str(2**128), 0),
        ("0" + str(2**128 - 1), 1),
        ("٩" * 39, 0),
    ],
)
def test_hash_keys_of_any_length_and_script(key: str, kept: int) -> None:
    """As Java's BigInteger reads them, which Kinesis' own client uses."""
    message = field(1, b"k") + field(2, key.encode()) + field(3, b"\x08\x00\x10\x00\x1a\x01x")
    blob = b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message, usedforsecurity=False).digest()
    ordinary = blob_of(next(each for each in cases("valid") if each["id"] == "py_n2_uniq"))
    for name in ("binary", "large_binary"):
        column = pa.array([ordinary, blob, ordinary], getattr(pa, name)())
        lists = wireloom.from_wire(column, FORMAT, columns=["explicit_hash_key", "data"], hash_range=WHOLE)
        assert [len(each) for each in lists.to_pylist()] == [2, kept, 2]
        # Like the client without a range: it compares with the smallest and the largest hash key.
        without, report = wireloom.from_wire_with_report(column, FORMAT, columns=["data"])
        assert [len(each) for each in without.to_pylist()] == [2, kept, 2]
        assert report.to_dict()["dropped"] == 1 - kept


@pytest.mark.parametrize("key", ["", "+", "1 ", "²", "𝟎", "0x1", "1-"])
def test_a_hash_key_that_is_no_integer_ends_the_aggregate(key: str) -> None:
    message = field(1, b"k") + field(2, key.encode()) + field(3, b"\x08\x00\x10\x00\x1a\x01x")
    blob = b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message, usedforsecurity=False).digest()
    table, report = wireloom.read_with_report(FORMAT, blob)
    assert table.num_rows == 0
    assert [each.reason for each in report.files[0].damaged] == ["value"]


def test_an_explicit_hash_key_that_is_none_drops_the_records_before_it_too() -> None:
    record = b"\x08\x00\x1a\x01x"
    message = field(1, b"k") + field(2, str(2**128).encode()) + field(3, record) + field(3, b"\x10\x00" + record)
    blob = b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message, usedforsecurity=False).digest()
    for columns in (["data"], ["partition_key", "_error"], None):
        table, report = wireloom.read_with_report(FORMAT, blob, columns=columns)
        assert table.num_rows == 0
        assert report.files[0].facts["dropped"] == 1
        assert report.files[0].clean


# Columns beside the blobs --------------------------------------------------------------------------------------------

HALVES = [f"0-{2**127 - 1}", f"{2**127}-{2**128 - 1}"]


def shards() -> pa.Table:
    """Return records of both halves of a stream, each beside the hash range of its shard, and others."""
    rows = [{"partition_key": f"key-{n}", "data": b"%d" % n} for n in range(50)]
    of_halves = wireloom.to_wire(rows, FORMAT, shards=HALVES)
    of_all = wireloom.to_wire(rows, FORMAT, shards="one")[0]
    lower = hash_of("key-0", None) < 2**127
    ranges = [*(HALVES if lower else HALVES[::-1]), HALVES[0], None, HALVES[0], HALVES[0]]
    blobs = [*of_halves.to_pylist(), of_all.as_py(), of_all.as_py(), b"plain", None]
    return pa.table({"range": ranges, "partitionKey": list("abcdef"), "blob": pa.array(blobs, pa.binary())})


def test_frames_of_several_shards() -> None:
    table = shards()
    rows = wireloom.explode(table, "blob", FORMAT, columns=["data"], hash_range="range")
    found = [list(rows["partitionKey"]).count(pa.scalar(key)) for key in "abcdef"]
    assert found[0] + found[1] == 50
    assert found[2:] == [0, 50, 1, 0]
    structs = [
        None if each is None else dict(zip(("StartingHashKey", "EndingHashKey"), each.split("-"), strict=True))
        for each in table["range"].to_pylist()
    ]
    again = wireloom.explode(
        table.set_column(0, "range", pa.array(structs)).to_batches(max_chunksize=2)[0].slice(1),
        "blob",
        FORMAT,
        columns=["data"],
        hash_range="range",
    )
    assert again.num_rows == found[1]


def test_ranges_of_a_column_that_are_none() -> None:
    table = shards().set_column(0, "range", pa.array([HALVES[0], HALVES[1], None, "0-99", "7", None]))
    with pytest.raises(wireloom.WireloomError, match="row 4, column range: hash_range is 'FIRST-LAST'"):
        wireloom.explode(table, "blob", FORMAT, hash_range="range")
    with pytest.raises(wireloom.WireloomError, match=r"'rang'.*'range'"):
        wireloom.explode(table, "blob", FORMAT, hash_range="rang")
    with pytest.raises(wireloom.WireloomError, match="hash_range='range' refers to a column"):
        wireloom.from_wire(table["blob"], FORMAT, hash_range="range")
    with pytest.raises(wireloom.WireloomError, match="hash_range is 'FIRST-LAST'"):
        wireloom.explode(table, "blob", FORMAT, hash_range="5-4")


def test_records_that_are_not_aggregated_keep_the_outer_partition_key() -> None:
    table = shards()
    columns = ["partition_key", "aggregated", "data"]
    rows = wireloom.explode(table, "blob", FORMAT, columns=columns, keep=[], partition_key="partitionKey")
    plain = [row for row in rows.to_pylist() if not row["aggregated"]]
    assert plain == [{"partition_key": "e", "aggregated": False, "data": b"plain"}]
    without = wireloom.explode(table, "blob", FORMAT, columns=columns, keep=[])
    assert rows.filter(rows["aggregated"]).equals(without.filter(without["aggregated"]))
    assert without.num_rows == rows.num_rows
    only = wireloom.explode(table, "blob", FORMAT, columns=["partition_key"], keep=[], partition_key="partitionKey")
    assert only["partition_key"].equals(rows["partition_key"])


@pytest.mark.parametrize("kind", [pa.utf8(), pa.large_utf8(), pa.dictionary(pa.int8(), pa.utf8()), pa.string_view()])
def test_a_column_that_is_named_as_that_of_the_format_is_replaced(kind: pa.DataType) -> None:
    table = pa.table(
        {
            "partition_key": pa.array(["outer", None, "x"]).cast(kind),
            "data_": pa.array(
                [b"plain", b"plain", wireloom.to_wire([{"partition_key": "k", "data": b""}], FORMAT)[0].as_py()]
            ),
        }
    )
    rows = wireloom.explode(table, "data_", FORMAT, columns=["partition_key", "data"], partition_key="partition_key")
    assert rows.column_names == ["partition_key", "data"]
    assert rows["partition_key"].to_pylist() == ["outer", None, "k"]
    with pytest.raises(wireloom.WireloomError, match="both have a column 'partition_key'"):
        wireloom.explode(table, "data_", FORMAT, partition_key="partition_key", keep=["partition_key"])


def test_damaged_blobs_have_no_outer_partition_key() -> None:
    case = next(each for each in cases("malformed") if each["id"] == "m_pk_idx_oor_mid")
    table = pa.table({"key": ["outer"], "blob": pa.array([blob_of(case)], pa.binary())})
    rows = wireloom.explode(table, "blob", FORMAT, columns=["partition_key", "_error"], partition_key="key")
    assert rows["partition_key"].to_pylist()[-1] is None
    assert rows["_error"].to_pylist()[-1] is not None


def test_partition_keys_are_those_of_a_table_of_text() -> None:
    with pytest.raises(wireloom.WireloomError, match="partition_key"):
        wireloom.read(FORMAT, b"plain", partition_key="key")
    table = pa.table({"key": pa.array([[1]]), "blob": pa.array([b"plain"])})
    with pytest.raises(wireloom.WireloomError, match="column key: partition keys must be text"):
        wireloom.explode(table, "blob", FORMAT, partition_key="key")


# Digests -------------------------------------------------------------------------------------------------------------


def test_digests_that_do_not_hold_are_counted_by_themselves() -> None:
    good = blob_of(next(each for each in cases("valid") if each["id"] == "py_n2_uniq"))
    bad = good[:-1] + bytes([good[-1] ^ 1])
    table, report = wireloom.read_with_report(FORMAT, bad)
    assert table["data"].to_pylist() == [bad]
    assert report.to_dict()["files"][0] | {"whole": 1, "digest_failed": 1} == report.to_dict()["files"][0]
    assert report.clean
    blobs = pa.array([good, bad, b"plain", good[:20], bad, None], pa.binary())
    for options in ({}, {"columns": ["data"]}, {"hash_range": WHOLE}):
        _, found = wireloom.from_wire_with_report(blobs, FORMAT, **options)
        assert (found.to_dict()["whole"], found.to_dict()["digest_failed"]) == (4, 2)
    _, found = wireloom.from_wire_with_report(blobs, FORMAT, verify=False)
    assert found.to_dict()["digest_failed"] == 0


def test_hashes() -> None:
    assert hash_of("a", None) == 0x0CC175B9C0F1B6A831C399E269772661
    assert hash_of("a", "340282366920938463463374607431768211455") == 2**128 - 1


@pytest.mark.parametrize("value", ["", "5", "5-4", "a-b", "-1-5", (1,), (0, 2**128), 7, "1-2-3"])
def test_a_range_that_is_none(value: object) -> None:
    with pytest.raises(wireloom.WireloomError, match="hash_range"):
        range_of(value)
    with pytest.raises(wireloom.WireloomError, match="hash_range"):
        wireloom.read(FORMAT, b"x", hash_range=value)
