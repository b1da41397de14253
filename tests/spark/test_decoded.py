"""Tables whose columns are those of a schema in the files."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import fastavro
import pytest
import wireloom
from wireloom import WireloomError

from .driver import planned, read
from .stream_driver import Query

FIELDS = [
    {"name": "id", "type": "long"},
    {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
    {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
    {"name": "key", "type": {"type": "fixed", "name": "Key", "size": 2}},
    {"name": "tags", "type": {"type": "map", "values": "int"}},
    {"name": "value", "type": ["null", "int", "string"]},
]
AT = datetime.datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=datetime.UTC)


def write(path: Path, first: int, count: int, *more: dict[str, Any]) -> None:
    rows = [
        {"id": number, "at": AT, "clock": datetime.time(0, 0, 1), "key": b"ab", "tags": {"a": 1}, "value": "x"}
        | {each["name"]: 1 for each in more}
        for number in range(first, first + count)
    ]
    schema = {"type": "record", "name": "R", "fields": [*FIELDS, *more]}
    with path.open("wb") as file:
        fastavro.writer(file, schema, rows, sync_interval=200)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "a.avro", 0, 200)
    write(tmp_path / "b.avro", 200, 100, {"name": "more", "type": "int"})
    return tmp_path


def test_columns_are_those_of_the_first_file(folder: Path) -> None:
    table = read("avro_blocks", path=folder, table="rows")
    assert table.num_rows == 300
    row = sorted(table.to_pylist(), key=lambda each: each["id"])[-1]
    assert row["id"] == 299
    assert row["at"].timestamp() == AT.timestamp()
    assert (row["clock"], row["key"]) == (1000, b"ab")
    assert row["tags"] == [("a", 1)]
    assert row["value"] == {"member0": None, "member1": "x"}
    assert "more" not in row


def test_tasks_read_parts_of_files(folder: Path) -> None:
    options = {"path": folder, "table": "rows", "columns": "id", "maxPartitionBytes": 2000, "openCostInBytes": 0}
    assert len(planned("avro_blocks", **options)[1]) > 4
    assert sorted(each["id"] for each in read("avro_blocks", **options).to_pylist()) == [*range(300)]


def test_the_option_schemas_needs_no_file(folder: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer.avsc"
    fields = [FIELDS[0], {"name": "more", "type": "int", "default": 0}]
    newer.write_text(json.dumps({"type": "record", "name": "R", "fields": fields}))
    table = read("avro_blocks", path=str(folder / "*.avro"), table="rows", schemas=newer)
    assert sum(each["more"] for each in table.to_pylist()) == 100


def test_without_a_schema_there_are_no_columns(tmp_path: Path) -> None:
    (tmp_path / "empty.avro").write_bytes(b"")
    with pytest.raises(WireloomError, match="no file that has it"):
        read("avro_blocks", path=tmp_path, table="rows")


def test_values_of_a_registry(tmp_path: Path) -> None:
    pay = {
        "type": "record",
        "name": "Pay",
        "fields": [{"name": "id", "type": "long"}, {"name": "key", "type": "bytes"}],
    }
    (tmp_path / "registry.json").write_text(json.dumps({"1": pay}))
    values = [b"\0\0\0\0\1" + bytes([2 * number, 2, 65]) for number in range(50)]
    rows = [
        {"offset": number, "timestamp": 0, "key": None, "value": value, "headers": []}
        for number, value in enumerate([*values, None, b"junk"])
    ]
    wireloom.write("kafka_log", rows, tmp_path / "0.log")
    options = {"path": tmp_path / "0.log", "decode": "value:confluent", "schemas": tmp_path / "registry.json"}
    table = read("kafka_log", **options, columns="offset,value")
    assert table["value"].to_pylist() == [*({"id": number, "key": b"A"} for number in range(50)), None]
    [batch] = Query("kafka_log", **options, tail="growing").rest()
    assert batch.num_rows == 51
    assert batch["value"][3].as_py() == {"id": 3, "key": b"A"}
