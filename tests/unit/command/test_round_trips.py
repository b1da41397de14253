"""What ``decode`` writes as text is what ``encode`` reads, to the last bit."""

import itertools
import struct
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom.command import main

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
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.output


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
