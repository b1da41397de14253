"""Data sources of formats with several kinds of message, without Spark: the option that selects one, schemas, rows."""

from __future__ import annotations

import struct
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom
from pyspark.sql.types import ArrayType, BinaryType, DecimalType, StructField, StructType
from wireloom import UnknownNameError
from wireloom.formats.s2_messages.parser import S2Messages
from wireloom.spark import source_of

from . import driver
from .driver import read, source

POSITION = StructType([StructField("seq_num", DecimalType(20, 0)), StructField("timestamp", DecimalType(20, 0))])
HEADERS = ArrayType(StructType([StructField("name", BinaryType()), StructField("value", BinaryType())]))


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    header = S2Messages.Header(name=b"", value=b"fence")
    records = [
        S2Messages.SequencedRecord(seq_num=(1 << 64) - 1, timestamp=3, headers=[header], body=b"x"),
        S2Messages.SequencedRecord(seq_num=7),
    ]
    path = tmp_path / "batch"
    path.write_bytes(S2Messages.ReadBatch(records=records).to_bytes())
    return path


@pytest.fixture
def ack(tmp_path: Path) -> Path:
    path = tmp_path / "ack"
    path.write_bytes(S2Messages.AppendAck(end=S2Messages.StreamPosition(seq_num=5)).to_bytes())
    return path


def test_the_default_kind(batch: Path) -> None:
    assert source("s2_messages", path=batch).schema()["headers"].dataType == HEADERS
    rows = read("s2_messages", path=batch).to_pylist()
    assert [each["seq_num"] for each in rows] == [Decimal((1 << 64) - 1), Decimal(7)]
    assert [each["command"] for each in rows] == ["fence", None]
    assert [each["headers"] for each in rows] == [[{"name": b"", "value": b"fence"}], []]
    assert read("s2_messages", path=batch, message="read_batch").to_pylist() == rows


@pytest.mark.parametrize("option", ["message", "MESSAGE"])
def test_another_kind(option: str, ack: Path) -> None:
    options = {option: "append_ack"}
    schema = source("s2_messages", path=ack, **options).schema()
    assert schema == StructType([StructField(name, POSITION) for name in ("start", "end", "tail")])
    position = {"seq_num": Decimal(5), "timestamp": Decimal(0)}
    assert read("s2_messages", path=ack, **options).to_pylist() == [{"start": None, "end": position, "tail": None}]


def test_columns_are_those_of_the_kind(ack: Path) -> None:
    assert read("s2_messages", path=ack, message="append_ack", columns="end").column_names == ["end"]
    with pytest.raises(UnknownNameError, match="seq_num"):
        source("s2_messages", path=ack, message="append_ack", columns="seq_num").schema()


def test_a_kind_that_does_not_exist(ack: Path) -> None:
    with pytest.raises(UnknownNameError, match="append_ack"):
        source("s2_messages", path=ack, message="append_ak").schema()
    with pytest.raises(UnknownNameError, match="message"):
        source("s2_messages", path=ack, mesage="append_ack").schema()


def test_writers_take_the_kind_too(tmp_path: Path) -> None:
    found = source("s2_messages", path=tmp_path / "out", message="append_ack")
    schema = found.schema()
    assert found.writer(schema, overwrite=False).options.format == {"message": "append_ack"}
    with pytest.raises(UnknownNameError, match="start"):
        source("s2_messages", path=tmp_path / "out").writer(schema, overwrite=False)


def test_columns_with_dots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pairs.ksy"
    path.write_text(
        "meta: {id: pairs, -wireloom: {rows: pairs, flatten: true}}\n"
        "seq: [{id: pairs, type: pair, repeat: eos}]\n"
        "types:\n"
        "  pair: {seq: [{id: left, type: u1}, {id: right, type: inner}]}\n"
        "  inner: {seq: [{id: x, type: u1}]}\n"
    )
    data = tmp_path / "data"
    data.write_bytes(b"\1\2\3\4")
    monkeypatch.setattr(driver, "sources", lambda: [source_of(wireloom.load_spec(path))])
    assert read("pairs", path=data).to_pylist() == [{"left": 1, "right.x": 2}, {"left": 3, "right.x": 4}]


def test_a_table_of_a_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pairs.ksy"
    path.write_text(
        "meta: {id: pairs, -wireloom: {tables: {lefts: {rows: pairs.left}, rights: {rows: pairs.right}}}}\n"
        "seq: [{id: pairs, type: pair, repeat: eos}]\n"
        "types:\n"
        "  pair: {seq: [{id: left, type: a}, {id: right, type: b}]}\n"
        "  a: {seq: [{id: x, type: u1}]}\n"
        "  b: {seq: [{id: y, type: u1}]}\n"
    )
    data = tmp_path / "data"
    data.write_bytes(b"\1\2\3\4")
    monkeypatch.setattr(driver, "sources", lambda: [source_of(wireloom.load_spec(path))])
    assert read("pairs", path=data).to_pylist() == [{"x": 1}, {"x": 3}]
    assert read("pairs", path=data, table="rights").to_pylist() == [{"y": 2}, {"y": 4}]
    with pytest.raises(UnknownNameError, match="it has lefts, rights"):
        read("pairs", path=data, table="middle")


EXTREMES = """
meta: {id: extremes, endian: le, -wireloom: {rows: rows, columns: [time, heads, head]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: time, type: s8, -wireloom: {timestamp: ns}}
      - {id: heads, type: head, repeat: expr, repeat-expr: 2}
      - {id: head, type: head}
  head: {seq: [{id: local, type: s8, -wireloom: {timestamp: {unit: ns, zone: none}}}]}
"""


@pytest.mark.parametrize("form", ["micros", "long"])
def test_nanoseconds_of_all_sizes_at_all_depths(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, path = tmp_path / "extremes.ksy", tmp_path / "a.bin"
    spec.write_text(EXTREMES)
    times = (-(2**63), -1, 0, 2**63 - 1)
    path.write_bytes(struct.pack("<4q", *times))
    monkeypatch.setattr(driver, "sources", lambda: [source_of(wireloom.load_spec(spec))])
    row = source("extremes", path=path, nanoseconds=form).schema()
    kinds = ("timestamp", "array<struct<local:timestamp_ntz>>", "struct<local:timestamp_ntz>")
    wanted = kinds if form == "micros" else ("bigint", "array<struct<local:bigint>>", "struct<local:bigint>")
    assert tuple(each.dataType.simpleString() for each in row.fields) == wanted
    table = read("extremes", path=path, nanoseconds=form)
    time, heads, head = (each.combine_chunks() for each in table.columns)
    arrays = (time, heads.flatten().field("local"), head.field("local"))
    found = pa.concat_arrays([each.cast(pa.int64()) for each in arrays])
    assert found.to_pylist() == [each // 1000 if form == "micros" else each for each in times]
