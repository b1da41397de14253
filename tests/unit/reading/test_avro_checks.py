"""Bytes that are no objects of an Avro schema, some of which fastavro reads, are damage."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import fastavro
import pytest
import wireloom
from wireloom import WireloomError

ENUM = {"type": "enum", "name": "E", "symbols": ["a", "b"]}
POINT = {"type": "record", "name": "P", "fields": [{"name": "x", "type": "int"}, {"name": "e", "type": ENUM}]}
SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "long", "type": "long"},
        {"name": "int", "type": "int"},
        {"name": "ok", "type": "boolean"},
        {"name": "text", "type": "string"},
        {"name": "data", "type": "bytes"},
        {"name": "key", "type": {"type": "fixed", "name": "K", "size": 3}},
        {"name": "half", "type": "double"},
        {"name": "some", "type": ["null", "E2"]},
        {"name": "points", "type": {"type": "array", "items": POINT}},
        {"name": "last", "type": ["P", "null"]},
    ],
}
SCHEMA["fields"][7]["type"][1] = {**ENUM, "name": "E2"}
ROW = {
    "long": -(2**40),
    "int": 70_000,
    "ok": True,
    "text": "häuser",
    "data": b"\0\xff",
    "key": b"abc",
    "half": 0.5,
    "some": "b",
    "points": [{"x": 1, "e": "a"}, {"x": -1, "e": "b"}],
    "last": {"x": 0, "e": "a"},
}


def raw_file(schema: Any, *values: bytes) -> bytes:
    """Return a file of blocks, each of one object."""
    rows = [{"count": 1, "data": value, "schema": json.dumps(schema)} for value in values]
    file = io.BytesIO()
    wireloom.write("avro_blocks", rows, file)
    return file.getvalue()


def record(kind: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": "d", "type": kind}]}


LONGS = {"type": "array", "items": "long"}
WRONG: list[tuple[Any, str, str]] = [
    (ENUM, "01", "the index at byte 0 is -1, of 2"),
    (ENUM, "04", "the index at byte 0 is 2, of 2"),
    (["null", "int"], "0104", "the index at byte 0 is -1, of 2"),
    (["int", "string"], "0302", "the index at byte 0 is -2, of 2"),
    ("long", "80" * 40 + "01", "the long at byte 0 has more than 64 bits"),
    ("long", "80" * 10 + "00", "the long at byte 0 has more than 64 bits"),
    ("long", "ff" * 9 + "7f", "the long at byte 0 has more than 64 bits"),
    ("int", "ffffffff10", "the int at byte 0 has more than 32 bits"),
    ("int", "808080808000", "the int at byte 0 has more than 32 bits"),
    ("boolean", "02", "the boolean at byte 0 is 2"),
    ("string", "09616263", "the value at byte 0 has -5 bytes, and 3 are left"),
    ("bytes", "0861", "the value at byte 0 has 4 bytes, and 1 are left"),
    ("string", "02ff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ("double", "00" * 7, "its bytes end early"),
    (LONGS, "0308020400", "the items at byte 2 have 2 bytes, and 4 are claimed"),
    (LONGS, "020280", "its bytes end early"),
    ({"type": "array", "items": "double"}, "fe" + "ff" * 8 + "01", "its bytes end early"),
    ({"type": "map", "values": "boolean"}, "0202610300", "the boolean at byte 3 is 3"),
]


@pytest.mark.parametrize(("kind", "data", "said"), WRONG)
def test_bytes_that_avro_does_not_allow_are_damage(kind: Any, data: str, said: str) -> None:
    file = raw_file(record(kind), bytes.fromhex(data))
    table, report = wireloom.read_with_report("avro_blocks", file, table="rows", columns=["d", "_error"])
    assert table["_error"].to_pylist() == [f"message: object 1 of 1 is not one of the schema: {said}"]
    assert [each.reason for each in report.files[0].damaged] == ["message"]


@pytest.mark.parametrize("kind", ["long", "boolean"])
def test_fields_that_the_schema_to_read_by_lacks_are_checked(kind: str, tmp_path: Path) -> None:
    fields = [{"name": "a", "type": kind}, {"name": "b", "type": "long"}]
    reader = tmp_path / "b.avsc"
    reader.write_text(json.dumps({"type": "record", "name": "R", "fields": fields[1:]}))
    wrong = b"\x02" if kind == "boolean" else b"\x80" * 12 + b"\0"
    file = raw_file({"type": "record", "name": "R", "fields": fields}, b"\1\4", wrong + b"\4")
    table, report = wireloom.read_with_report("avro_blocks", file, table="rows", schemas=str(reader))
    assert (table["b"].to_pylist(), report.damaged) == ([2], 1)


RIGHT: list[tuple[Any, str, Any]] = [
    ("long", "ff" * 9 + "01", -(2**63)),
    ("long", "8000", 0),
    ("int", "ffffffff0f", -(2**31)),
    (LONGS, "0304020400", [1, 2]),
    (LONGS, "020202 0400".replace(" ", ""), [1, 2]),
]


@pytest.mark.parametrize(("kind", "data", "value"), RIGHT)
def test_bytes_that_avro_allows_are_rows(kind: Any, data: str, value: Any) -> None:
    file = raw_file(record(kind), bytes.fromhex(data))
    assert wireloom.read("avro_blocks", file, table="rows")["d"].to_pylist() == [value]


def test_every_changed_bit_is_a_row_that_is_written_so_or_damage() -> None:
    content = io.BytesIO()
    fastavro.schemaless_writer(content, SCHEMA, ROW)
    data, found = content.getvalue(), Counter[str]()
    changed = [data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :] for at in range(len(data)) for bit in range(8)]
    table = wireloom.read("avro_blocks", raw_file(SCHEMA, *changed), table="rows", columns=[*ROW, "_error"])
    for value, row in zip(changed, table.to_pylist(), strict=True):
        error = row.pop("_error")
        stream, again = io.BytesIO(value), io.BytesIO()
        try:
            read: Any = fastavro.schemaless_reader(stream, SCHEMA, None)
            is_whole = stream.tell() == len(value)
            fastavro.schemaless_writer(again, SCHEMA, read)
        except Exception:
            is_whole = False
        if error is None:
            assert is_whole
            assert row == read
            # A number may be written with more bytes than it needs.
            found["row" if again.getvalue() == value else "other bytes"] += 1
        else:
            assert not is_whole or again.getvalue() != value
            found["damage" if not is_whole else "fastavro reads it"] += 1
    assert found["row"] > 100
    assert found["damage"] > 30
    assert found["fastavro reads it"] >= 10
    assert found["other bytes"] < 10


def fixed(size: Any) -> dict[str, Any]:
    return record({"type": "fixed", "name": "F", "size": size})


@pytest.mark.parametrize("size", [2**31, 2**33, 2**40, 2**70])
def test_an_enormous_fixed_costs_its_file_only(size: int, tmp_path: Path) -> None:
    (tmp_path / "1.avro").write_bytes(raw_file(fixed(3), b"abc"))
    (tmp_path / "2.avro").write_bytes(raw_file(fixed(size), b"abc"))
    for names in (("1.avro", "2.avro"), ("2.avro", "1.avro")):
        paths = [str(tmp_path / name) for name in names]
        table, report = wireloom.read_with_report("avro_blocks", paths, table="rows")
        if names[0] == "1.avro":
            assert table.to_pylist() == [{"d": b"abc"}]
        assert {each.reason for file in report.files for each in file.damaged} == {"message"}


def test_a_large_fixed_is_a_column_of_bytes() -> None:
    value = bytes(range(256)) * 5
    table = wireloom.read("avro_blocks", raw_file(fixed(1280), value), table="rows")
    assert table.to_pydict() == {"d": [value]}


@pytest.mark.parametrize("size", [-4, "4", None, True, 1.5])
def test_a_size_that_is_none_is_no_schema(size: Any) -> None:
    with pytest.raises(WireloomError, match="the schema is no schema of Avro"):
        wireloom.read("avro_blocks", raw_file(fixed(size), b"abc"), table="rows")
