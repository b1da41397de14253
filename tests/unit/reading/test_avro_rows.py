"""Objects of Avro's files by the schema of the file, against fastavro."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import pickle
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from wireloom import DamagedInputError, UnsupportedError, WireloomError

from tests.unit.commands import run

UTC = datetime.UTC
POINT = {"type": "record", "name": "Point", "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "float"}]}
SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Event",
    "namespace": "shop.events",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "ok", "type": "boolean"},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["start", "stop"]}},
        {"name": "before", "type": ["null", "Kind"]},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}]},
        {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
        {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-millis"}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}},
        {
            "name": "rate",
            "type": {"type": "fixed", "name": "Rate", "size": 5, "logicalType": "decimal", "precision": 9},
        },
        {"name": "key", "type": {"type": "fixed", "name": "Key", "size": 4}},
        {"name": "point", "type": ["null", POINT]},
        {"name": "path", "type": {"type": "array", "items": "Point"}},
        {"name": "counts", "type": {"type": "map", "values": ["null", "long"]}},
        {"name": "times", "type": {"type": "map", "values": {"type": "long", "logicalType": "timestamp-millis"}}},
        {"name": "value", "type": ["null", "string", "double", "Point"]},
    ],
}


def event(number: int) -> dict[str, Any]:
    at = datetime.datetime(2026, 3, 1, 12, 0, 0, 250 * number, tzinfo=UTC)
    return {
        "id": -number,
        "ok": number % 2 == 0,
        "kind": ["start", "stop"][number % 2],
        "before": None if number % 3 else "start",
        "at": at,
        "day": at.date() if number % 2 else None,
        "clock": datetime.time(1, 2, number % 60, 7000),
        "local": datetime.datetime(2026, 3, 1, 12, number % 60),
        "price": Decimal(number * 125 - 1000).scaleb(-2),
        "rate": Decimal(-number),
        "key": number.to_bytes(4, "big"),
        "point": {"x": number, "y": 0.5} if number % 4 else None,
        "path": [{"x": each, "y": -0.25} for each in range(number % 3)],
        "counts": {f"k{each}": None if each else number for each in range(number % 3)},
        "times": {"noon": datetime.datetime(2026, 1, 1, 12, tzinfo=UTC)},
        "value": [None, "text", 1.5, {"x": 1, "y": 2.0}][number % 4],
    }


EVENTS = [event(number) for number in range(40)]


def file_of(schema: Any, rows: list[Any], **options: Any) -> bytes:
    file = io.BytesIO()
    fastavro.writer(file, schema, rows, **options)
    return file.getvalue()


def expected(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as columns have it: maps as pairs, and the types of a union beside each other."""
    member = {str: "member0", float: "member1", dict: "member2"}
    value = row["value"]
    union = None if value is None else dict.fromkeys(member.values()) | {member[type(value)]: value}
    return row | {name: list(row[name].items()) for name in ("counts", "times")} | {"value": union}


def plain(value: Any) -> Any:
    """Return times with a zone of which only the moment counts."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "bzip2", "xz", "zstandard"])
def test_rows_of_all_types_are_those_of_fastavro(codec: str) -> None:
    data = file_of(SCHEMA, EVENTS, codec=codec, sync_interval=500)
    assert wireloom.read("avro_blocks", data).num_rows > 5
    table, report = wireloom.read_with_report("avro_blocks", data, table="rows")
    assert [dict(each, times=[tuple(plain([*pair])) for pair in each["times"]]) for each in table.to_pylist()] == [
        expected(each) for each in EVENTS
    ]
    assert report.rows == len(EVENTS)
    assert report.clean
    types = {
        "at": pa.timestamp("us", "UTC"),
        "local": pa.timestamp("ms"),
        "clock": pa.time32("ms"),
        "price": pa.decimal128(20, 2),
        "rate": pa.decimal128(9, 0),
        "counts": pa.map_(pa.utf8(), pa.int64()),
        "key": pa.binary(4),
    }
    assert {name: table.schema.field(name).type for name in types} == types


def test_columns_filters_and_positions() -> None:
    data = file_of(SCHEMA, EVENTS, sync_interval=500)
    blocks = wireloom.read("avro_blocks", data, columns=["_offset", "count"]).to_pylist()
    offsets = [each["_offset"] for each in blocks for _ in range(each["count"])]
    rows = wireloom.read("avro_blocks", data, table="rows", columns=["_offset", "id"], filter=pc.field("id") < -30)
    assert rows.to_pylist() == [{"_offset": offsets[number], "id": -number} for number in range(31, 40)]
    assert wireloom.read("avro_blocks", data, table="rows", columns=["id"], limit=3)["id"].to_pylist() == [0, -1, -2]
    with pytest.raises(WireloomError, match=r"unknown column of avro_blocks 'idd'. did you mean 'id'"):
        wireloom.read("avro_blocks", data, table="rows", columns=["idd"])


def test_byte_ranges_have_each_object_once() -> None:
    data = file_of(SCHEMA, EVENTS, sync_interval=500)
    found: list[int] = []
    for begin in range(0, len(data), 300):
        ranged = wireloom.read("avro_blocks", data, table="rows", columns=["id"], byte_range=(begin, begin + 300))
        found += ranged["id"].to_pylist()
    assert found == [-number for number in range(40)]


def test_a_type_that_is_no_record_is_a_column() -> None:
    data = file_of("long", [1, 2, 3])
    assert wireloom.read("avro_blocks", data, table="rows").to_pydict() == {"data": [1, 2, 3]}


def test_null_in_place_of_a_record_is_a_row_of_nulls() -> None:
    table = wireloom.read("avro_blocks", file_of(["null", POINT], [None, {"x": 1, "y": 0.5}]), table="rows")
    assert table.to_pylist() == [{"x": None, "y": None}, {"x": 1, "y": 0.5}]


def damaged_block(data: bytes, number: int, change: bytes) -> bytes:
    """Return a file with other bytes at the beginning of a block's objects."""
    block = wireloom.read("avro_blocks", data, columns=["data"])["data"][number].as_py()
    begin = data.index(block)
    return data[:begin] + change + data[begin + len(change) :]


@pytest.mark.parametrize("number", range(4))
def test_a_block_that_does_not_decode_is_damage_and_costs_no_other(number: int) -> None:
    data = file_of("string", [f"text {each}" for each in range(40)], sync_interval=80)
    blocks = wireloom.read("avro_blocks", data, columns=["_offset", "count"]).to_pylist()
    assert len(blocks) >= 4
    first = sum(each["count"] for each in blocks[:number])
    lost = range(first, first + blocks[number]["count"])
    broken = damaged_block(data, number, b"\x0d")  # a negative length
    table, report = wireloom.read_with_report("avro_blocks", broken, table="rows")
    assert table["data"].to_pylist() == [f"text {each}" for each in range(40) if each not in lost]
    [damage] = report.files[0].damaged
    assert (damage.offset, damage.reason) == (blocks[number]["_offset"], "message")
    assert report.rows == 40 - len(lost)
    rows = wireloom.read("avro_blocks", broken, table="rows", columns=["data", "_offset", "_error"]).to_pylist()
    assert rows[first]["_offset"] == blocks[number]["_offset"]
    assert rows[first]["_error"].startswith(f"message: object 1 of {len(lost)} is not one of the schema")
    with pytest.raises(DamagedInputError, match=r"object 1 of .* is not one of the schema"):
        wireloom.read("avro_blocks", broken, table="rows", mode="failfast")


def test_damage_of_both_kinds_is_reported_in_order() -> None:
    data = file_of("string", [f"text {each}" for each in range(40)], sync_interval=80)
    blocks = wireloom.read("avro_blocks", data, columns=["_offset", "count"]).to_pylist()
    broken = bytearray(damaged_block(data, 2, b"\x0d"))
    broken[blocks[1]["_offset"] - 1] ^= 1  # the marker of the first block
    table, report = wireloom.read_with_report("avro_blocks", bytes(broken), table="rows")
    assert table.num_rows == 40 - blocks[0]["count"] - blocks[2]["count"]
    assert [(each.offset, each.reason) for each in report.files[0].damaged] == [
        (blocks[0]["_offset"], "value"),
        (blocks[2]["_offset"], "message"),
    ]


def raw_file(schema: Any, *blocks: tuple[int, bytes]) -> bytes:
    """Return a file of blocks, each of which claims a number of objects."""
    rows = [{"count": count, "data": data, "schema": json.dumps(schema)} for count, data in blocks]
    file = io.BytesIO()
    wireloom.write("avro_blocks", rows, file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("count", "data", "said"),
    [
        (3, b"\x02\x04", "object 3 of 3 is not one of the schema"),
        (1, b"\x02\x04", "1 bytes follow the last of 1 objects"),
        (0, b"\x02", "1 bytes follow the last of 0 objects"),
    ],
)
def test_a_block_with_another_number_of_objects_is_damage(count: int, data: bytes, said: str) -> None:
    data = raw_file("long", (1, b"\x02"), (count, data), (1, b"\x06"))
    table = wireloom.read("avro_blocks", data, table="rows", columns=["data", "_error"])
    assert table["data"].to_pylist() == [1, None, 3]
    assert said in table["_error"][1].as_py()


def test_claims_of_objects_without_bytes_are_limited() -> None:
    data = raw_file("null", (1 << 60, b""), (2, b""))
    table, report = wireloom.read_with_report("avro_blocks", data, table="rows")
    assert table.num_rows == 2
    assert [each.reason for each in report.files[0].damaged] == ["limit"]


LIST = {"type": "record", "name": "Node", "fields": [{"name": "next", "type": ["null", "Node"]}]}
DEEP: Any = "int"
for _ in range(100):
    DEEP = {"type": "array", "items": DEEP}
WIDE: list[Any] = [{"type": "record", "name": "R0", "fields": [{"name": "a", "type": "int"}]}]
for level in range(1, 40):
    fields = [{"name": "a", "type": WIDE[-1]}, {"name": "b", "type": f"R{level - 1}"}]
    WIDE.append({"type": "record", "name": f"R{level}", "fields": fields})


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (LIST, "the type Node contains itself"),
        (DEEP, "nested more than 64 times"),
        (WIDE[-1], "more than 10000 types"),
        ({"type": "array", "items": "null"}, "items without bytes"),
        ({"type": "record", "name": "R", "fields": [{"name": "_error", "type": "int"}]}, "has a field _error"),
        ({"type": "nothing"}, "no schema of Avro"),
        ({"type": "record"}, "no schema of Avro"),
    ],
)
def test_schemas_without_columns_are_refused(schema: Any, said: str) -> None:
    data = raw_file(schema, (1, b"\0"))
    with pytest.raises(WireloomError, match=said):
        wireloom.read("avro_blocks", data, table="rows")
    # The bytes are still there.
    assert wireloom.read("avro_blocks", data).num_rows == 1


def test_a_decimal_beyond_its_precision_is_damage_and_a_time_beyond_a_day_null() -> None:
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 1}
    data = raw_file(decimal, (1, b"\x04\x03\xe7"), (1, b"\x04\x03\xe8"))
    table = wireloom.read("avro_blocks", data, table="rows", columns=["data", "_error"])
    assert table["data"].to_pylist() == [Decimal("99.9"), None]
    assert "a value is none of its type" in table["_error"][1].as_py()
    data = raw_file({"type": "int", "logicalType": "time-millis"}, (2, b"\x02\x01"))
    assert wireloom.read("avro_blocks", data, table="rows")["data"].to_pylist() == [datetime.time(0, 0, 0, 1000), None]


def evolved(name: str, **more: Any) -> dict[str, Any]:
    fields = [{"name": "id", "type": "long"}, {"name": name, "type": ["int", "string"], **more}]
    return {"type": "record", "name": "R", "fields": fields}


def test_files_of_another_schema_are_read_by_avros_rules(tmp_path: Path) -> None:
    first = file_of({"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}, [{"id": 1}])
    second = file_of(evolved("size", default=5), [{"id": 2, "size": "large"}])
    table = wireloom.read("avro_blocks", [first, second], table="rows")
    assert table.to_pydict() == {"id": [1, 2]}
    newer = tmp_path / "newer.avsc"
    newer.write_text(json.dumps(evolved("size", default=5)))
    table = wireloom.read("avro_blocks", [first, second], table="rows", schemas=str(newer))
    sizes = [{"member0": 5, "member1": None}, {"member0": None, "member1": "large"}]
    assert table.to_pydict() == {"id": [1, 2], "size": sizes}
    assert wireloom.schema("avro_blocks", table="rows", schemas=str(newer)).names == ["id", "size"]
    # Without a default, objects that lack the field are damage.
    newer.write_text(json.dumps(evolved("size")))
    table, report = wireloom.read_with_report("avro_blocks", [first, second], table="rows", schemas=str(newer))
    assert table["id"].to_pylist() == [2]
    assert [each.clean for each in report.files] == [False, True]


def test_a_file_whose_own_schema_is_none_is_damage() -> None:
    good = file_of("long", [1, 2])
    bad = raw_file({"type": "nothing"}, (1, b"\x02"))
    table, report = wireloom.read_with_report("avro_blocks", [good, bad], table="rows")
    assert table["data"].to_pylist() == [1, 2]
    assert [each.damaged[0].reason if each.damaged else "" for each in report.files] == ["", "message"]


def test_without_an_input_the_columns_are_not_known(tmp_path: Path) -> None:
    for call in (
        lambda: wireloom.schema("avro_blocks", table="rows"),
        lambda: wireloom.read("avro_blocks", b"", table="rows"),
    ):
        with pytest.raises(WireloomError, match="no file that has it"):
            call()
    with pytest.raises(WireloomError, match="No such file"):
        wireloom.schema("avro_blocks", table="rows", schemas=str(tmp_path / "none.avsc"))
    with pytest.raises(UnsupportedError, match="decoded by a schema cannot be written"):
        wireloom.write("avro_blocks", [{"data": b""}], io.BytesIO(), table="rows")


def test_datasets_lazy_frames_and_commands(tmp_path: Path) -> None:
    path = tmp_path / "events.avro"
    path.write_bytes(file_of(SCHEMA, EVENTS, sync_interval=500))
    dataset = pickle.loads(pickle.dumps(wireloom.dataset("avro_blocks", path, table="rows")))
    assert dataset.count_rows() == 40
    assert dataset.to_table(columns=["id"], filter=pc.field("kind") == "stop").num_rows == 20
    frame = wireloom.scan("avro_blocks", path, table="rows").lazy()
    assert frame.select("id").head(2).collect().rows() == [(0,), (-1,)]
    name = str(path)
    assert run("count", "avro_blocks", name, "--table", "rows").stdout == "40\n"
    rows = run("decode", "avro_blocks", name, "--table", "rows", "--columns", "id,kind").stdout.splitlines()
    assert json.loads(rows[1]) == {"id": -1, "kind": "stop"}
    query = f"select kind, count(*) as n from '{name}' group by 1 order by 1"
    asked = run("sql", query, "--format", "avro_blocks", "--table", "rows", "--to", "ndjson")
    assert asked.stdout == '{"kind":"start","n":20}\n{"kind":"stop","n":20}\n'
    query = query.replace(name, "-")
    assert (
        run(
            "sql", query, "--format", "avro_blocks", "--table", "rows", "--to", "ndjson", input=path.read_bytes()
        ).stdout
        == asked.stdout
    )


class Pipe(io.RawIOBase):
    """Bytes that can be read only once, a few at a time."""

    def __init__(self, data: bytes, piece: int) -> None:
        self._file, self._piece = io.BytesIO(data), piece

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self._file.readinto(memoryview(buffer)[: self._piece])


@pytest.mark.parametrize("piece", [1, 100, 1 << 20])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_what_can_be_read_only_once(piece: int, compress: Callable[[bytes], bytes]) -> None:
    data = file_of(SCHEMA, EVENTS, sync_interval=500)
    expected = wireloom.read("avro_blocks", data, table="rows")
    packed = compress(data)
    assert wireloom.read("avro_blocks", Pipe(packed, piece), table="rows") == expected
    assert wireloom.read("avro_blocks", [b"", Pipe(packed, piece), data], table="rows").num_rows == 80
    dataset = wireloom.dataset("avro_blocks", Pipe(packed, piece), table="rows")
    assert dataset.to_table() == expected
    with pytest.raises(WireloomError, match=r"can be read only once, and it is needed again"):
        dataset.to_table()


def test_damage_in_what_can_be_read_only_once() -> None:
    data = bytearray(file_of(SCHEMA, EVENTS, sync_interval=500))
    data[len(data) // 2] ^= 0xFF
    scans = [wireloom.scan("avro_blocks", each, table="rows") for each in (bytes(data), Pipe(bytes(data), 64))]
    assert scans[0].read_all() == scans[1].read_all()
    assert scans[0].report.files[0].damaged == scans[1].report.files[0].damaged


def test_what_is_read_only_once_and_has_no_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireloom.input.rereading.LARGEST_BEGINNING", 64)
    with pytest.raises(
        WireloomError,
        match=r"only once, and its first 64 bytes have no schema: name the schema by",
    ):
        wireloom.read("avro_blocks", Pipe(file_of(SCHEMA, EVENTS), 1 << 20), table="rows")
