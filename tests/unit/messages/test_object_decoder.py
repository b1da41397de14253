"""The decoder of units with the generated classes: rows, nulls, problems of a unit, and what is valid nevertheless."""

from __future__ import annotations

import pyarrow as pa
import pytest
from wireloom import Format, WireloomError
from wireloom.rows.messages.object_decoder import ObjectDecoder

from ..columns_backend.message_specs import AGGREGATE, KINDS, STREAM
from ..columns_backend.specs import format_of
from .units import Outcome, enveloped, outcome, placed


def decoded(format: Format, *units: bytes, **options: bool) -> Outcome:
    wanted = range(len(format.columns))
    return outcome(ObjectDecoder(format, wanted, **options), format, wanted, units)


def aggregate(
    *records: dict[str, object], keys: tuple[str, ...] = ("a", "b"), hashes: tuple[str, ...] = ("7",)
) -> bytes:
    """Return a complete unit of the aggregate format."""
    batch = format_of(AGGREGATE).message_class
    record = batch._types()["records"]  # type: ignore[attr-defined]
    message = batch(keys=list(keys), hashes=list(hashes), records=[record(**each) for each in records])
    return enveloped(message.to_bytes())


def test_rows_with_their_look_ups() -> None:
    found = decoded(
        format_of(AGGREGATE),
        aggregate({"key_index": 1, "data": b"x"}, {"key_index": (1 << 32), "hash_index": 0, "data": b""}),
        aggregate(),
    )
    assert found.counts == [2, 0]
    assert found.problems == []
    assert found.rows == [
        {"key": "b", "hash": None, "number": 0, "data": b"x", "tags": [], "whole": True, "key_index": 1}
        | {"size": 1, "text": "x"},
        {"key": "a", "hash": "7", "number": 1, "data": b"", "tags": [], "whole": True, "key_index": 1 << 32}
        | {"size": 0, "text": ""},
    ]


WHOLE = {
    "nothing": (b"", "length", 0),
    "prefix alone": (b"\1\2", "length", 2),
    "another prefix": (b"\1\3" + bytes(40), "magic", 0),
    "too few bytes": (enveloped(b""), "length", 18),
    "another digest": (enveloped(b"\x0a\0")[:-1] + b"\0", "digest", 4),
    "no message": (enveloped(b"\x0a\5a"), "message", 2),
    "a required field is missing": (enveloped(b"\x1a\2\x08\1"), "message", 6),
}


@pytest.mark.parametrize("name", WHOLE)
def test_units_that_do_not_hold_are_rows(name: str) -> None:
    unit, reason, offset = WHOLE[name]
    for null_rows in (False, True):
        found = decoded(format_of(AGGREGATE), aggregate(), unit, null_rows=null_rows)
        assert found.counts == [0, 1]
        assert found.wholes == [1]
        nulls = dict.fromkeys(("key", "hash", "tags", "key_index", "size", "text"))
        assert found.rows == [{**nulls, "number": 0, "data": unit, "whole": False}]
        (problem,) = found.problems
        assert (problem.unit, problem.reason, problem.offset, problem.rows) == (1, reason, offset, 0)
        assert problem.detail


LOST = {
    "index": ({"key_index": 2, "data": b"z"}, "index"),
    "masked index": ({"key_index": (1 << 32) + 2, "data": b"z"}, "index"),
    "other index": ({"key_index": 0, "hash_index": 2, "data": b"z"}, "index"),
    "huge index": ({"key_index": 0, "hash_index": (1 << 64) - 1, "data": b"z"}, "index"),
    "no integer": ({"key_index": 0, "hash_index": 1, "data": b"z"}, "value"),
}


@pytest.mark.parametrize("name", LOST)
@pytest.mark.parametrize("wanted", [(), (3,), (0, 1, 2, 3, 4, 5, 6)])
def test_look_ups_that_fail_end_the_rows_of_their_unit(name: str, wanted: tuple[int, ...]) -> None:
    record, reason = LOST[name]
    good = {"key_index": 0, "data": b"x"}
    unit = aggregate(good, good, record, good, hashes=("1", "x1"))
    format = format_of(AGGREGATE)
    for null_rows in (False, True):
        found = outcome(ObjectDecoder(format, wanted, null_rows=null_rows), format, wanted, [unit, aggregate(good)])
        assert found.counts == [3 if null_rows else 2, 1]
        assert found.wholes == []
        (problem,) = found.problems
        assert (problem.unit, problem.reason, problem.rows) == (0, reason, 2)
        if wanted and null_rows:
            assert set(found.rows[2].values()) == {None}


@pytest.mark.parametrize("text", ["0", "+5", "-5", "007", "1" * 40])
def test_decimal_integers(text: str) -> None:
    found = decoded(format_of(AGGREGATE), aggregate({"key_index": 0, "hash_index": 0, "data": b""}, hashes=(text,)))
    assert [each["hash"] for each in found.rows] == [text]


@pytest.mark.parametrize("text", ["", "+", "1 ", " 1", "1_0", "0x1", "--1", "1.0", "²"])
def test_text_that_is_no_decimal_integer(text: str) -> None:
    found = decoded(format_of(AGGREGATE), aggregate({"key_index": 0, "hash_index": 0, "data": b""}, hashes=(text,)))
    assert [each.reason for each in found.problems] == ["value"]


def test_digests_are_not_computed_unless_requested() -> None:
    unit = aggregate({"key_index": 0, "data": b"x"})[:-1] + b"\0"
    assert decoded(format_of(AGGREGATE), unit).rows[0]["whole"] is False
    found = decoded(format_of(AGGREGATE), unit, verify=False)
    assert found.rows[0]["whole"] is True
    assert found.problems == []


def test_text_that_is_no_utf8_shows_replacement_characters() -> None:
    message = b"\x0a\3a\xff\xfe" + b"\x1a\4\x08\0\x1a\0"
    assert decoded(format_of(AGGREGATE), enveloped(message)).rows[0]["key"] == "a\ufffd\ufffd"


def test_units_that_are_damage() -> None:
    format = format_of(STREAM)
    good = b"\x0a\2\x08\5"
    for null_rows in (False, True):
        found = decoded(format, good, b"\x0a\3\x09\1\2", good, b"\xff", null_rows=null_rows)
        assert found.counts == ([1, 1, 1, 1] if null_rows else [1, 0, 1, 0])
        assert [(each.unit, each.reason, each.rows) for each in found.problems] == [
            (1, "message", 0),
            (3, "message", 0),
        ]
        assert found.problems[0].detail
        assert found.wholes == []
        assert [each["seq_num"] for each in found.rows] == ([5, None, 5, None] if null_rows else [5, 5])


def test_unit_columns() -> None:
    found = decoded(format_of(STREAM), b"", b"\x12\2\x08\7\x18\3", b"\xff")
    assert found.units == [(None, None), ({"seq_num": 7, "timestamp": 0}, 3), (None, None)]


def test_times_that_no_column_can_hold_are_null() -> None:
    record = b"\x0a\x0b\x10" + b"\xff" * 9 + b"\1"
    (row,) = decoded(format_of(STREAM), record).rows
    assert (row["time"], row["at"]) == ((1 << 64) - 1, None)


def test_units_are_rows() -> None:
    ack = format_of(STREAM).of_table("ack")
    found = decoded(ack, b"", b"\x0a\2\x08\x05", b"\x0a\0")
    assert found.counts == [1, 1, 1]
    assert [each["start_seq_num"] for each in found.rows] == [None, 5, 0]
    assert found.rows[0] == {"start": None, "tail": None, "start_seq_num": None}


def test_absent_fields_and_defaults() -> None:
    (row,) = decoded(format_of(KINDS), b"").rows
    assert (row["a_uint64"], row["a_string"], row["a_int32"], row["a_message"]) == (7, "x", None, None)
    assert (row["numbers"], row["by_name"]) == ([], [])


def test_nested_values() -> None:
    part = b"\x08\1\x10\x05\x1a\2\7\x09"
    message = b"\x5a\x08" + part + b"\x78\7" + b"\xba\1\x0d\x0a\1k\x12\x08" + part + b"\xe2\1\1c"
    (row,) = decoded(format_of(KINDS), message).rows
    value = {"from": 1, "at": 5, "colors": [7, 9]}
    assert row["a_message"] == value
    assert row["a_label"] == "blue"
    assert row["by_name"] == [{"key": "k", "value": value}]
    assert row["class"] == b"c"


def test_calls_end_at_whole_units() -> None:
    format = format_of(STREAM)
    two = b"\x0a\0\x0a\0"
    wanted = (0,)
    found = outcome(ObjectDecoder(format, wanted), format, wanted, [two] * 5, capacity=3)
    assert (found.calls, found.counts) == (3, [2] * 5)
    found = outcome(ObjectDecoder(format, wanted), format, wanted, [two] * 5, capacity=1)
    assert found.calls == 5


def test_calls_end_after_some_megabytes() -> None:
    format = format_of(STREAM)
    header = b"\x12" + _varint(3 << 20) + bytes(3 << 20)
    record = b"\x1a" + _varint(len(header)) + header
    unit = b"\x0a" + _varint(len(record)) + record
    found = outcome(ObjectDecoder(format, (0,)), format, (0,), [unit] * 4)
    assert (found.calls, found.counts) == (2, [1] * 4)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def test_depth_is_limited() -> None:
    format = format_of(STREAM)
    record = b"\x0a\4\x1a\2\x0a\0"
    assert decoded(format, record).problems == []
    found = outcome(ObjectDecoder(format, (0,), max_depth=1), format, (0,), [record])
    assert [each.reason for each in found.problems] == ["limit"]


def test_units_outside_of_the_source_are_refused() -> None:
    source, begins, _ = placed([b"ab"])
    decoder = ObjectDecoder(format_of(STREAM), (0,))
    with pytest.raises(WireloomError, match="outside of"):
        decoder.decode(source, begins, pa.array([3], pa.uint64()), capacity=1)
