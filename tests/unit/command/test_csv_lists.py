"""Cells of CSV that contain lists: numbers of any length are read exactly, or refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom.command import main

SPEC = """meta: {id: lists, -wireloom: {message: {at: unit, type: unit, rows: rows}}}
seq: [{id: unit, type: unit, size-eos: true}]
types:
  unit: {-wireloom: {message: {fields: [{id: rows, number: 1, label: repeated, type: row}]}}}
  row:
    -wireloom:
      message:
        fields:
          - {id: v, number: 1, type: uint64, label: repeated}
          - {id: w, number: 2, type: sint64, label: repeated}
          - {id: x, number: 3, type: double, label: repeated}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "lists.ksy"
    path.write_text(SPEC)
    return path


def encoded(spec: Path, name: str, cell: str) -> tuple[int, str]:
    quoted = cell.replace('"', '""')
    rows, out = spec.with_name("rows.csv"), spec.with_name("out.bin")
    rows.write_text(f'{name}\n[]\n"{quoted}"\n')
    result = CliRunner().invoke(main, ["encode", str(spec), str(rows), "-o", str(out)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stderr


@pytest.mark.parametrize(
    ("name", "cell", "reason"),
    [
        ("v", "[18446744073709551616]", "too large"),
        ("v", f"[{'1' * 100}]", "too large"),
        ("v", f"[{'1' * 6000}]", "a number of 6,000 digits, at most 4,000 are read"),
        ("v", "[-1]", "negative"),
        ("v", "[1e30]", "too large"),
        ("v", "[true]", "Expected integer"),
        ("v", '["a"]', "str"),
        ("w", "[9223372036854775808]", "too large"),
        ("x", f"[{'1' * 400}]", "too large"),
        ("v", "[" * 100_000, "too deep"),
    ],
    ids=range(10),
)
def test_cells_that_are_refused(name: str, cell: str, reason: str, spec: Path) -> None:
    code, said = encoded(spec, name, cell)
    assert code == 2
    assert f"row 2, column {name}: " in said
    assert reason in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("v", [0, 2**64 - 1]), ("w", [-(2**63), 2**63 - 1]), ("x", [1e308, 5e-324, 0.1, 123456789.125])],
)
def test_the_largest_numbers_come_back(name: str, numbers: list[float], spec: Path) -> None:
    assert encoded(spec, name, json.dumps(numbers))[0] == 0
    out, again = spec.with_name("out.bin"), spec.with_name("again.csv")
    command = ["decode", str(spec), str(out), "--columns", name, "-o", str(again)]
    assert CliRunner().invoke(main, command).exit_code == 0
    cells = [json.loads(line[1:-1]) for line in again.read_text().splitlines()[1:]]
    assert cells == [[], numbers]
