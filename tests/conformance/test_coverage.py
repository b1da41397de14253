"""The count of repeated types that can be rows, for wireloom's own specs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.gallery.coverage import Specs, counts, coverage, printed

HEAD = "meta: {id: NAME, endian: le}\n".replace(": {", ":\n  ").replace("}", "").replace(", ", "\n  ")
"""In the form that ``with_rows`` accepts: a block."""

SPECS = {
    "flat": """
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: a, type: u2}]}}
""",
    "batches": """
seq: [{id: batches, type: batch, repeat: eos}]
types:
  batch: {seq: [{id: len, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: len}]}
  row: {seq: [{id: a, type: u2}]}
""",
    "encoded": """
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: len, type: u1}, {id: text, type: str, size: len, encoding: Shift_JIS}]}}
""",
    "broken": """
seq: [{id: rows, type: rwo, repeat: eos}]
""",
    "hidden": """
seq: [{id: a, type: u1}]
types:
  unused: {seq: [{id: rows, type: row, repeat: eos}]}
  row: {seq: [{id: a, type: u2}]}
""",
}


@pytest.fixture
def specs(tmp_path: Path) -> Specs:
    for name, text in SPECS.items():
        (tmp_path / f"{name}.ksy").write_text(HEAD.replace("NAME", name) + text)
    return Specs("own", sorted(tmp_path.glob("*.ksy")), ())


def test_the_counts(specs: Specs) -> None:
    found = {(each.spec, each.type): each for each in coverage(specs)}
    assert list(found) == [
        ("batches", "batches::batch"),
        ("batches", "batches::row"),
        ("encoded", "encoded::row"),
        ("flat", "flat::row"),
        ("hidden", "hidden::row"),
    ]
    assert found["batches", "batches::row"].rows == "batches.rows"
    assert {key for key, each in found.items() if each.in_engine} == {
        ("batches", "batches::batch"),
        ("batches", "batches::row"),
        ("flat", "flat::row"),
    }
    assert found["encoded", "encoded::row"].declared
    assert found["encoded", "encoded::row"].refusal.startswith("the engine does not support the encoding Shift_JIS")
    assert not found["hidden", "hidden::row"].declared
    assert {key: value for key, value in counts(found.values()).items() if isinstance(value, int)} == {
        "types": 5,
        "declared": 4,
        "engine": 3,
    }


def test_the_text(specs: Specs) -> None:
    lines = printed("own", coverage(specs)).splitlines()
    assert lines[:3] == [
        "own: 5 repeated types",
        "       4  80 %  can be declared as rows",
        "       3  60 %  run in the engine",
    ]
    assert any(line.endswith(" 20 %  no attribute of the root leads to it") for line in lines)
    assert "    encoded: encoded::row (rows)" not in "\n".join(lines)
    assert "encoded: encoded::row (rows)" in printed("own", coverage(specs), each_type=True)
