"""A format with everything that the built-in ones lack: a prologue, labels, text, optional fields, floats."""

import struct
from pathlib import Path
from typing import Any

import pytest
import wireloom
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom import engine

from ...examples import examples
from .running import ROW_READERS, read
from .samples import rows_of

JOURNAL = wireloom.load_spec(Path(__file__).parent / "specs" / "journal.ksy")
COLUMNS = ["_offset", "version", "kind", "stamp", "text", "flag", "weight", "more", "size", "doubled"]
PROLOGUE = b"JRNL\x03\x00"


def entry(
    text: bytes, kind: int = 1, stamp: int = 5, weight: float = 1.5, more: int | None = None, flag: int = 0
) -> bytes:
    head = struct.pack("<BBqBf", len(text), kind, stamp, flag if more is None else 1, weight)
    return head + (struct.pack("<H", more) if more is not None else b"") + text


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_rows(row_reader: str) -> None:
    data = PROLOGUE + entry(b"abc") + entry("é".encode(), kind=7, stamp=2**62, more=9) + entry(b"", kind=2, stamp=-1)
    table, report = read(row_reader, JOURNAL, data, columns=COLUMNS)
    assert rows_of(table.set_column(2, "kind", table["kind"].cast("string"))) == [
        {
            "_offset": 6,
            "version": 3,
            "kind": "start",
            "stamp": 5,
            "text": "abc",
            "flag": 0,
            "weight": 1.5,
            "more": None,
            "size": 3,
            "doubled": 6,
        },
        {
            "_offset": 24,
            "version": 3,
            "kind": "7",
            "stamp": None,
            "text": "é",
            "flag": 1,
            "weight": 1.5,
            "more": 9,
            "size": 2,
            "doubled": 4,
        },
        {
            "_offset": 43,
            "version": 3,
            "kind": "stop",
            "stamp": -1,
            "text": "",
            "flag": 0,
            "weight": 1.5,
            "more": None,
            "size": 0,
            "doubled": 0,
        },
    ]
    assert table.schema.field("kind").type == JOURNAL.schema.field("kind").type
    assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize(
    ("data", "tail", "offset", "damaged", "rows"),
    [
        (b"", "truncated", 0, [], 0),
        (b"JRN", "truncated", 0, [], 0),
        (b"JRNX\x03\x00" + entry(b"a"), "invalid_value", 0, [], 0),
        (b"JRNL\x0a\x00" + entry(b"a"), "clean", 22, [[0, 6, "value"]], 1),
        (PROLOGUE, "clean", 6, [], 0),
        (PROLOGUE + entry(b"a") + entry(b"\xff") + entry(b"b"), "clean", 54, [[22, 16, "encoding"]], 2),
        # The flag determines whether another field follows, so its value is not only invalid.
        (PROLOGUE + entry(b"a") + entry(b"", flag=2) + entry(b"b"), "invalid_value", 22, [], 1),
        (PROLOGUE + entry(b"a") + entry(b"x" * 41) + entry(b"b"), "invalid_length", 22, [], 1),
    ],
)
def test_damage(row_reader: str, data: bytes, tail: str, offset: int, damaged: list[Any], rows: int) -> None:
    table, report = read(row_reader, JOURNAL, data)
    assert table.num_rows == report["rows"] == rows
    assert (report["tail"], report["tail_offset"], report["damaged"]) == (tail, offset, damaged)


@st.composite
def journals(draw: st.DrawFn) -> bytes:
    more = st.one_of(st.none(), st.integers(0, 65535))
    data = bytearray(PROLOGUE)
    for _ in range(draw(st.integers(0, 6))):
        text = draw(st.one_of(st.text(max_size=8).map(str.encode), st.binary(max_size=8)))
        data += entry(text, draw(st.integers(0, 9)), draw(st.integers(-(2**63), 2**63 - 1)), more=draw(more))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(data) - 1))
        data[at] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))]) if draw(st.booleans()) else bytes(data)


@pytest.mark.slow
@pytest.mark.skipif(not engine.available, reason="the engine is not there")
@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    data=journals(),
    columns=st.lists(st.sampled_from([*COLUMNS, "_error", "_corrupt_record"]), min_size=1, unique=True),
    recover=st.booleans(),
    chunk=st.sampled_from([None, 1, 5, 30]),
)
def test_row_readers_agree(data: bytes, columns: list[str], recover: bool, chunk: int | None) -> None:
    expected, expected_report = read("objects", JOURNAL, data, columns=columns, recover=recover, codec="none")
    found, report = read(
        "columns", JOURNAL, data, columns=columns, recover=recover, codec="none", chunk=chunk, streamed=bool(chunk)
    )
    assert report == expected_report
    assert found.schema == expected.schema
    if "weight" in columns:
        number = columns.index("weight")
        # Not-a-number is not equal to itself.
        expected, found = (
            each.set_column(number, "weight", each["weight"].cast("string")) for each in (expected, found)
        )
    assert rows_of(found) == rows_of(expected)
