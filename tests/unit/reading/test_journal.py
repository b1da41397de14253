"""A format with everything that the built-in ones lack: a prologue, labels, text, optional fields, floats."""

import struct
from pathlib import Path
from typing import Any

import pytest
import wireloom

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
def test_labels_texts_times_and_optional_fields_are_read(row_reader: str) -> None:
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
def test_damage_costs_its_entry_and_a_wrong_length_or_flag_the_rest(
    row_reader: str, data: bytes, tail: str, offset: int, damaged: list[Any], rows: int
) -> None:
    table, report = read(row_reader, JOURNAL, data)
    assert table.num_rows == report["rows"] == rows
    assert (report["tail"], report["tail_offset"], report["damaged"]) == (tail, offset, damaged)
