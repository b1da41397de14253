"""Every type that a decoded column can have, in every output of the commands that print or write rows."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import wireloom
from wireloom import WireloomError
from wireloom.command.sinks import sink
from wireloom.command.text import json_text

from tests.unit.commands import run


def vint(number: int) -> bytes:
    """Return a ``long``."""
    left, data = (number << 1) ^ (number >> 63), b""
    while left > 127:
        data, left = data + bytes([left & 127 | 128]), left >> 7
    return data + bytes([left])


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


def fixed(size: int, **more: Any) -> dict[str, Any]:
    return {"type": "fixed", "name": "F", "size": size, **more}


LEAST, MOST = (vint(each) for each in (-(2**63), 2**63 - 1))
DATES = vint(2**31 - 1) + vint(-(2**31))
LATE = {"k": "6364", "d": "+5881580-07-11"}
POINT = {"type": "record", "name": "P", "fields": [{"name": "k", "type": fixed(2)}, {"name": "d", "type": "int"}]}
POINT["fields"][1]["type"] = logical("int", "date")  # type: ignore[index]  # a list of fields
TYPES: dict[str, tuple[Any, bytes, list[Any]]] = {
    "null": ("null", b"", [None, None]),
    "null in a union": (["null"], b"\0\0", [None, None]),
    "boolean": ("boolean", b"\0\1", [False, True]),
    "long": ("long", LEAST + MOST, [-(2**63), 2**63 - 1]),
    "float": ("float", b"\0\0\xc0\x7f\0\0\0\x3f", ["NaN", 0.5]),
    "double": ("double", b"\0\0\0\0\0\0\xf0\xff" + b"\0" * 8, ["-Infinity", 0.0]),
    "bytes": ("bytes", b"\4\0\xff\0", ["00ff", ""]),
    "string": ("string", b"\4\"\n\0", ['"\n', ""]),
    "enum": ({"type": "enum", "name": "E", "symbols": ["a", "b"]}, b"\2\0", ["b", "a"]),
    "fixed": (fixed(4), b"\0\xffab\n,\"'", ["00ff6162", "0a2c2227"]),
    "fixed or null": (["null", fixed(2)], b"\0\2ab", [None, "6162"]),
    "fixed without bytes": (fixed(0), b"", ["", ""]),
    "large fixed": (fixed(1025), bytes(2050), ["00" * 1025] * 2),
    "duration": (fixed(12, logicalType="duration"), bytes(24), ["00" * 12] * 2),
    "uuid of fixed": (fixed(16, logicalType="uuid"), bytes(32), ["00" * 16] * 2),
    "date": (logical("int", "date"), DATES, ["+5881580-07-11", "-5877641-06-23"]),
    "time-millis": (logical("int", "time-millis"), vint(1) + vint(86_399_999), ["00:00:00.001", "23:59:59.999"]),
    "time-micros": (logical("long", "time-micros"), vint(1) + vint(-1), ["00:00:00.000001", None]),
    "timestamp": (
        logical("long", "timestamp-micros"),
        LEAST + MOST,
        ["-290308-12-21T19:59:05.224192Z", "+294247-01-10T04:00:54.775807Z"],
    ),
    "local-timestamp": (
        logical("long", "local-timestamp-nanos"),
        b"\0\2",
        [f"1970-01-01T00:00:00.00000000{each}" for each in (0, 1)],
    ),
    "decimal": (logical("bytes", "decimal", precision=4, scale=2), b"\2\1\2\xff", [0.01, -0.01]),
    "decimal256": (fixed(20, logicalType="decimal", precision=45, scale=1), bytes(19) + b"\5" + bytes(20), [0.5, 0.0]),
    "decimal as bytes": (logical("bytes", "decimal", precision=77), b"\2\1\2\xff", ["01", "ff"]),
    "array": ({"type": "array", "items": fixed(1)}, b"\4ab\0\0", [["61", "62"], []]),
    "map": ({"type": "map", "values": fixed(1)}, b"\2\2ka\0\0", [[{"key": "k", "value": "61"}], []]),
    "record": (POINT, b"ab\0cd" + vint(2**31 - 1), [{"k": "6162", "d": "1970-01-01"}, LATE]),
    "record without fields": ({"type": "record", "name": "N", "fields": []}, b"", [True, True]),
    "record of null": (
        {"type": "record", "name": "N", "fields": [{"name": "n", "type": "null"}]},
        b"",
        [{"n": None}] * 2,
    ),
    "union": (["int", fixed(1)], b"\0\2\2a", [{"member0": 1, "member1": None}, {"member0": None, "member1": "61"}]),
}  # fmt: skip


@pytest.fixture(params=TYPES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, list[Any]]:
    """Return a file with two rows of a column ``d`` beside a number, and the values in JSON."""
    kind, data, values = TYPES[request.param]
    schema = {"type": "record", "name": "R", "fields": [{"name": "d", "type": kind}]}
    path = tmp_path / "1.avro"
    with path.open("wb") as file:
        wireloom.write("avro_blocks", [{"count": 2, "data": data, "schema": json.dumps(schema)}], file)
    return path, values


def table_of(path: Path) -> pa.Table:
    return wireloom.read("avro_blocks", path, table="rows")


def test_json_lines(case: tuple[Path, list[Any]]) -> None:
    path, values = case
    lines = run("decode", "avro_blocks", path, "--table", "rows").stdout.splitlines()
    assert [json.loads(each) for each in lines] == [{"d": each} for each in values]


def test_json_of_structs_without_fields() -> None:
    array = pa.array([{}, None, {}], pa.struct([]))
    assert json_text(array, "hex").to_pylist() == ["{}", None, "{}"]
    assert json_text(pa.array([[{}], []], pa.list_(array.type)), "hex").to_pylist() == ["[{}]", "[]"]


def test_structs_without_fields_are_refused_for_parquet() -> None:
    schema = pa.schema([("d", pa.struct([]))])
    with (
        pytest.raises(WireloomError, match="Parquet cannot have these columns: Cannot write struct type 'd'"),
        sink(io.BytesIO(), "d.parquet", "parquet", schema, None),
    ):
        pass


def test_records_without_fields_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "1.avro"
    schema = {"type": "record", "name": "R", "fields": []}
    with path.open("wb") as file:
        fastavro.writer(file, schema, [{}] * 5)
    given: list[Any] = ["avro_blocks", path, "--table", "rows"]
    assert run("count", *given).stdout == "5\n"
    assert run("decode", *given).stdout == '{"data":true}\n' * 5
    assert run("head", *given).stdout.count("True") == 5
    assert json.loads(run("stat", "--json", *given).stdout)["rows"] == 5
    table, report = wireloom.read_with_report("avro_blocks", path, table="rows")
    assert table.num_rows == report.rows == 5
    assert wireloom.read("avro_blocks", path, table="rows", columns=["_offset"]).num_rows == 5
    assert wireloom.dataset("avro_blocks", path, table="rows").count_rows() == 5


def test_csv(case: tuple[Path, list[Any]]) -> None:
    path, values = case
    content = run("decode", "avro_blocks", path, "--table", "rows", "--to", "csv").stdout
    rows = list(csv.reader(io.StringIO(content)))
    assert rows.pop(0) == ["d"]
    for cell, value in zip([each[0] if each else "" for each in rows], values, strict=True):
        if value is None or isinstance(value, str):
            # Arrow writes floats that are no numbers otherwise.
            assert {"nan": "NaN", "-inf": "-Infinity"}.get(cell, cell) == (value or "")
        else:
            assert json.loads(cell) == value


@pytest.mark.parametrize("suffix", ["arrow", "arrows", "parquet"])
def test_files(case: tuple[Path, list[Any]], suffix: str) -> None:
    path, _ = case
    output = path.with_suffix(f".{suffix}")
    run("decode", "avro_blocks", path, "--table", "rows", "--output", output)
    if suffix == "parquet":
        found = pq.read_table(output)
    else:
        opened = pa.ipc.open_stream if suffix == "arrows" else pa.ipc.open_file
        found = opened(output.read_bytes()).read_all()
    wanted = table_of(path)
    assert found.num_rows == 2
    assert suffix == "parquet" or found.schema.equals(wanted.schema)
    if "timestamp" not in str(wanted.schema) and "date" not in str(wanted.schema):
        assert repr(found.to_pylist()) == repr(wanted.to_pylist())
    elif suffix != "parquet":
        assert found.equals(wanted)


@pytest.mark.parametrize("form", [[], ["--bytes", "base64"], ["--bytes", "utf8"]])
def test_tables_for_people(case: tuple[Path, list[Any]], form: list[str]) -> None:
    path, values = case
    shown = [
        run("head", "avro_blocks", path, "--table", "rows", *form).stdout,
        run("decode", "avro_blocks", path, "--table", "rows", "--to", "table", *form).stdout,
        run("stat", "avro_blocks", path, "--table", "rows", *form).stdout,
    ]
    assert shown[0] == shown[1]
    assert "out of range" not in "".join(shown)
    assert "b'" not in "".join(shown)
    statistics = json.loads(run("stat", "avro_blocks", path, "--table", "rows", "--json", *form).stdout)
    assert statistics["rows"] == 2
    if not form and all(isinstance(each, str) for each in values) and "NaN" not in values:
        both = {statistics["columns"][0]["min"], statistics["columns"][0]["max"]}
        assert both <= {each[:128] for each in values}


def test_counts(case: tuple[Path, list[Any]]) -> None:
    path, _ = case
    assert run("count", "avro_blocks", path, "--table", "rows").stdout == "2\n"


@pytest.mark.parametrize("kind", ["ndjson", "csv", "table", "arrow", "parquet"])
def test_queries(case: tuple[Path, list[Any]], kind: str) -> None:
    pytest.importorskip("duckdb")
    path, values = case
    if pa.types.is_decimal256(table_of(path).schema.field("d").type):
        pytest.skip("DuckDB has no decimals of more than 38 digits")
    output = path.with_name(f"o.{kind}")
    query = f"select * from '{path}'"
    run("sql", query, "--format", "avro_blocks", "--option", "table=rows", "--to", kind, "--output", output)
    assert output.stat().st_size
    if (
        kind == "ndjson"
        and "59.999" not in str(values)
        and all(value is None or isinstance(value, str) for value in values)
    ):
        assert [json.loads(each)["d"] for each in output.read_text().splitlines()] == values
