"""Aggregates of which a record lies outside of the shard are dropped as a whole."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest
import wireloom
from wireloom.kpl.hash_range import hash_of, range_of
from wireloom.messages.wire import write_varint

from .vectors import FORMAT, Case, blob_of, cases, identity

RANGES = cases("hash_range")
WHOLE = f"0-{2**128 - 1}"


def field(number: int, content: bytes) -> bytes:
    """A field with a length."""
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
    ("key", "kept"), [("9" * 5000, 0), ("0" * 5000 + "5", 1), ("+7", 1), ("-0", 1), ("-5", 0), ("٣", 1)]
)
def test_hash_keys_of_any_length_and_script(key: str, kept: int) -> None:
    """As Java's BigInteger reads them, which is what Kinesis' own client uses."""
    message = field(1, b"k") + field(2, key.encode()) + field(3, b"\x08\x00\x10\x00\x1a\x01x")
    blob = b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message, usedforsecurity=False).digest()
    ordinary = blob_of(next(each for each in cases("valid") if each["id"] == "py_n2_uniq"))
    for name in ("binary", "large_binary"):
        column = pa.array([ordinary, blob, ordinary], getattr(pa, name)())
        lists = wireloom.from_wire(column, FORMAT, columns=["explicit_hash_key", "data"], hash_range=WHOLE)
        assert [len(each) for each in lists.to_pylist()] == [2, kept, 2]
        without = wireloom.from_wire(column, FORMAT, columns=["explicit_hash_key"])
        assert without.to_pylist()[1] == [{"explicit_hash_key": key}]


@pytest.mark.parametrize("key", ["", "+", "1 ", "²", "𝟎", "0x1", "1-"])
def test_a_hash_key_that_is_no_integer_ends_the_aggregate(key: str) -> None:
    message = field(1, b"k") + field(2, key.encode()) + field(3, b"\x08\x00\x10\x00\x1a\x01x")
    blob = b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message, usedforsecurity=False).digest()
    table, report = wireloom.read_with_report(FORMAT, blob)
    assert table.num_rows == 0
    assert [each.reason for each in report.files[0].damaged] == ["value"]


def test_hashes() -> None:
    assert hash_of("a", None) == 0x0CC175B9C0F1B6A831C399E269772661
    assert hash_of("a", "340282366920938463463374607431768211455") == 2**128 - 1


@pytest.mark.parametrize("value", ["", "5", "5-4", "a-b", "-1-5", (1,), (0, 2**128), 7, "1-2-3"])
def test_a_range_that_is_none(value: object) -> None:
    with pytest.raises(wireloom.WireloomError, match="hash_range"):
        range_of(value)
    with pytest.raises(wireloom.WireloomError, match="hash_range"):
        wireloom.read(FORMAT, b"x", hash_range=value)
