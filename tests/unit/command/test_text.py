"""Columns as text: every Arrow type, slices, nulls."""

import base64
import json
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom.base.iso_times import UNITS, iso_time, time_count
from wireloom.command import BYTES, hexadecimal, lines, plain_text, time_text

COLUMNS: dict[str, tuple[pa.DataType, list[Any], list[Any]]] = {
    "unsigned": (pa.uint64(), [2**64 - 1, 0, None], [2**64 - 1, 0, None]),
    "signed": (pa.int8(), [-128, 127, None], [-128, 127, None]),
    "boolean": (pa.bool_(), [True, False, None], [True, False, None]),
    "float": (pa.float64(), [1.5, float("nan"), None], [1.5, "NaN", None]),
    "infinite": (pa.float32(), [float("inf"), -0.5, 1e30], ["Infinity", -0.5, pytest.approx(1e30)]),
    "text": (pa.string(), ['a"\\\n\u0000', "é\u2028", None], ['a"\\\n\u0000', "é\u2028", None]),
    "labels": (pa.dictionary(pa.int32(), pa.string()), ["x", "y", None], ["x", "y", None]),
    "bytes": (pa.binary(), [b"\x00\xff", b"", None], ["00ff", "", None]),
    "seconds": (pa.timestamp("s"), [0, 1, None], ["1970-01-01T00:00:00", "1970-01-01T00:00:01", None]),
    "micros": (
        pa.timestamp("us", "UTC"),
        [1, -1, None],
        ["1970-01-01T00:00:00.000001Z", "1969-12-31T23:59:59.999999Z", None],
    ),
    "late": (pa.timestamp("ms", "UTC"), [253_402_300_799_999, 253_402_300_800_000, None],
             ["9999-12-31T23:59:59.999Z", "+10000-01-01T00:00:00.000Z", None]),
    "list": (pa.list_(pa.binary()), [[b"a", None], [], None], [["61", None], [], None]),
    "struct": (
        pa.struct([("name", pa.binary()), ("count", pa.int32())]),
        [{"name": b"a", "count": 1}, {"name": None, "count": None}, None],
        [{"name": "61", "count": 1}, {"name": None, "count": None}, None],
    ),
    "nested": (
        pa.list_(pa.struct([("name", pa.string())])),
        [[{"name": "a"}, None], [], None],
        [[{"name": "a"}, None], [], None],
    ),
}  # fmt: skip


def batch() -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [pa.array(values, kind) for kind, values, _ in COLUMNS.values()], names=list(COLUMNS)
    )


@pytest.mark.parametrize(("start", "count"), [(0, 3), (1, 2), (1, 1), (2, 1), (0, 0)])
def test_lines_of_every_type(start: int, count: int) -> None:
    found = [json.loads(line) for line in lines(batch().slice(start, count), "hex").splitlines()]
    expected = [{name: column[2][row] for name, column in COLUMNS.items()} for row in range(start, start + count)]
    assert found == expected
    assert [list(line) for line in found] == [list(COLUMNS)] * count


def test_lines_without_columns() -> None:
    assert lines(batch().select([]), "hex") == b"{}\n" * 3


@given(values=st.lists(st.one_of(st.none(), st.binary(max_size=20))), cut=st.integers(0, 5))
def test_bytes(values: list[bytes | None], cut: int) -> None:
    array = pa.array(values, pa.binary()).slice(cut)
    values = values[cut:]
    decode = {"hex": bytes.fromhex, "base64": base64.b64decode}
    for way, back in decode.items():
        text = BYTES[way](array).to_pylist()
        assert [None if each is None else back(each) for each in text] == values
    text = BYTES["utf8"](array).to_pylist()
    assert text == [None if each is None else each.decode(errors="replace") for each in values]


def test_hexadecimal_is_lower_case() -> None:
    assert hexadecimal(pa.array([b"\xab\xcd"])).to_pylist() == ["abcd"]


@given(count=st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_times_are_those_of_the_standard_library(count: int) -> None:
    [text] = time_text(pa.array([count], pa.timestamp("ms"))).to_pylist()
    assert text == (datetime(1970, 1, 1) + timedelta(milliseconds=count)).isoformat(timespec="milliseconds")


def test_plain_text_keeps_numbers() -> None:
    assert plain_text(pa.array([1, None]), "hex").to_pylist() == [1, None]
    assert plain_text(pa.array([[b"a"]]), "utf8").to_pylist() == ['["a"]']


@given(count=st.integers(-(2**63), 2**63 - 1), unit=st.sampled_from(sorted(UNITS)))
def test_times_of_any_year(count: int, unit: str) -> None:
    assert time_count(f"{iso_time(count, unit)}Z", unit) == count


@pytest.mark.parametrize("text", ["", "2026-02-29T00:00:00", "2026-13-01T00:00:00", "2026-01-01T24:00:00", "+1-01-01"])
def test_text_that_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        time_count(text, "s")
    with pytest.raises(ValueError, match="not a valid time in that unit"):
        time_count("2026-01-01T00:00:00.5", "s")
