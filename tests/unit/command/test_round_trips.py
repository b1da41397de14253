"""The text that ``decode`` writes can be read by ``encode``, without any loss."""

import itertools
import struct
from decimal import Decimal
from pathlib import Path

import pytest

from ...writing import bytes_of
from ..commands import run as command

SPEC = """
meta: {id: extremes, endian: le, -wireloom: {rows: rows, columns: [single, double, list, nanos, millis]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: single, type: f4}
      - {id: double, type: f8}
      - {id: count, type: u1}
      - {id: list, type: f4, repeat: expr, repeat-expr: count}
      - {id: nanos, type: s8, -wireloom: {timestamp: ns}}
      - {id: millis, type: s8, -wireloom: {timestamp: ms}}
"""
FLOATS = (-0.0, 0.0, float("nan"), float("inf"), float("-inf"), 1.5)
NANOS = (-(2**63), -(2**63) + 1, 2**63 - 1, -1, 0)
MILLIS = (253_402_300_800_000, -62_135_596_800_001, 9_223_372_036_854_775, -9_223_372_036_854_775, 0)
WIRE = b"".join(
    struct.pack("<fdBffqq", number, number, 2, number, number, nanos, millis)
    for number, nanos, millis in itertools.zip_longest(FLOATS, NANOS, MILLIS, fillvalue=0)
)


def run(*arguments: object, code: int = 0) -> str:
    return command(*arguments, code=code).output


@pytest.mark.parametrize("kind", ["ndjson", "csv", "parquet", "arrow"])
def test_extreme_floats_and_times(kind: str, tmp_path: Path) -> None:
    spec, wire, text, again = (tmp_path / each for each in ("extremes.ksy", "a.bin", f"a.{kind}", "b.bin"))
    spec.write_text(SPEC)
    wire.write_bytes(WIRE)
    run("decode", spec, wire, "-o", text)
    run("encode", spec, text, "-o", again)
    assert again.read_bytes() == WIRE


@pytest.mark.parametrize("column", ["single", "list"])
def test_a_number_that_is_too_large_is_refused(column: str, tmp_path: Path) -> None:
    spec, text = tmp_path / "extremes.ksy", tmp_path / "a.ndjson"
    spec.write_text(SPEC)
    large = "[1e300]" if column == "list" else "1e300"
    values = {"single": "1", "double": "1", "list": "[]", "nanos": '"2026-01-01"', "millis": '"2026-01-01"'}
    text.write_text("{" + ",".join(f'"{name}":{value}' for name, value in (values | {column: large}).items()) + "}")
    said = run("encode", spec, text, "-o", tmp_path / "b.bin", code=2)
    assert f"line 1, column {column}: " in said
    assert "too large" in said


NESTED = """
meta: {id: nested, endian: le, -wireloom: {rows: rows, columns: [head, times]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: head, type: head}
      - {id: count, type: u1}
      - {id: times, type: time, repeat: expr, repeat-expr: count}
  head:
    seq:
      - {id: millis, type: s8, -wireloom: {timestamp: ms}}
      - {id: kind, type: u1, enum: kinds, -wireloom: {labels: true}}
  time:
    seq: [{id: local, type: s8, -wireloom: {timestamp: {unit: ns, zone: none}}}]
enums: {kinds: {1: opened}}
"""


@pytest.mark.parametrize("kind", ["ndjson", "csv", "parquet", "arrow"])
def test_times_inside_of_structs_and_lists(kind: str, tmp_path: Path) -> None:
    spec, wire, text, again = (tmp_path / each for each in ("nested.ksy", "a.bin", f"a.{kind}", "b.bin"))
    spec.write_text(NESTED)
    rows = [struct.pack("<qBBqq", millis, 1, 2, nanos, 5) for millis, nanos in zip(MILLIS, NANOS, strict=True)]
    wire.write_bytes(b"".join(rows))
    run("decode", spec, wire, "-o", text)
    run("encode", spec, text, "-o", again)
    assert again.read_bytes() == wire.read_bytes()


@pytest.mark.parametrize("kind", ["ndjson", "csv", "parquet", "arrow"])
@pytest.mark.parametrize("spec", [SPEC, NESTED], ids=["flat", "nested"])
def test_nanoseconds_as_integers(spec: str, kind: str, tmp_path: Path) -> None:
    path, wire, text, again = (tmp_path / each for each in ("spec.ksy", "a.bin", f"a.{kind}", "b.bin"))
    path.write_text(spec)
    rows = [struct.pack("<qBBqq", millis, 1, 2, nanos, 5) for millis, nanos in zip(MILLIS, NANOS, strict=True)]
    wire.write_bytes(WIRE if spec == SPEC else b"".join(rows))
    run("decode", path, wire, "-o", text, "--nanoseconds", "long")
    run("encode", path, text, "-o", again)
    assert again.read_bytes() == wire.read_bytes()


@pytest.mark.parametrize("kind", ["ndjson", "parquet"])
def test_nanoseconds_are_rounded_with_a_note(kind: str, tmp_path: Path) -> None:
    path, wire, text, again = (tmp_path / each for each in ("nested.ksy", "a.bin", f"a.{kind}", "b.bin"))
    path.write_text(NESTED)
    times = (-1, -(2**63) + 808, 2**63 - 1, 0)
    wire.write_bytes(b"".join(struct.pack("<qBBqq", 0, 1, 2, nanos, 5000) for nanos in times))
    said = run("decode", path, wire, "-o", text, "--nanoseconds", "micros", "--limit", 1)
    assert said == "wireloom: note: 1 time rounded down to microseconds\n"
    run("decode", path, wire, "-o", text, "--nanoseconds", "micros", "--limit", 5)
    run("encode", path, text, "-o", again)
    floors = [struct.pack("<qBBqq", 0, 1, 2, nanos // 1000 * 1000, 5000) for nanos in times]
    assert again.read_bytes() == b"".join(floors)
    said = run("decode", path, wire, "-o", text)
    assert said == (
        f"wireloom: note: {text} has times in nanoseconds (times), which Spark does not read from Parquet: "
        "--nanoseconds micros or long writes others\n"
        if kind == "parquet"
        else ""
    )


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ('{"millis":"yesterday","kind":"opened"}', "'yesterday' is not a time such as '2026-03-02T06:00:00Z', in ms"),
        ('{"millis":{},"kind":"opened"}', "line 1, column head.millis: {} does not fit into timestamp[ms, tz=UTC]"),
    ],
)
def test_an_inner_value_of_another_type_is_named(head: str, said: str, tmp_path: Path) -> None:
    spec, text = tmp_path / "nested.ksy", tmp_path / "a.ndjson"
    spec.write_text(NESTED)
    text.write_text(f'{{"head":{head},"times":[]}}')
    assert said in run("encode", spec, text, "-o", tmp_path / "b.bin", code=2)


PRICES = """
meta: {id: prices, endian: le, -wireloom: {rows: rows, columns: [price, of, weight, count]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: price, size: 16, -wireloom: {decimal: {form: packed, scale: 3}}}
      - {id: of, type: item}
      - {id: weight, type: f8}
      - {id: count, type: u2}
  item: {seq: [{id: price, size: 16, -wireloom: {decimal: {form: packed, scale: 15}}}, {id: weight, type: f4}]}
"""
"""Decimals, and floats and integers beside them, also inside of a struct."""
LONG = Decimal("1234567890123456789012345678.125")


@pytest.mark.parametrize("kind", ["ndjson", "csv", "parquet", "arrow"])
def test_decimals_keep_their_digits(kind: str, tmp_path: Path) -> None:
    spec, wire, text, again = (tmp_path / each for each in ("prices.ksy", "a.bin", f"a.{kind}", "b.bin"))
    spec.write_text(PRICES)
    rows = [
        {"price": price, "of": {"price": price.scaleb(-12), "weight": 0.5}, "weight": weight, "count": 7}
        for price, weight in ((LONG, 0.1), (-LONG, 1e300), (Decimal("2.000"), 3.0), (Decimal("0.000"), -0.0))
    ]
    wire.write_bytes(bytes_of(str(spec), rows))
    run("decode", spec, wire, "-o", text)
    run("encode", spec, text, "-o", again)
    assert again.read_bytes() == wire.read_bytes()
