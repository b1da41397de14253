"""Lists in the result of ``process`` and codecs: too many items lose the row, and reading continues after it."""

from __future__ import annotations

import zlib
from random import Random

import pytest

from ..examples import examples
from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed

ROW = """
seq:
  - {id: n, type: u1, valid: {max: 250}}
  - {id: len, type: u1}
  - {id: packed, size: len, type: packed, PROCESS}
  - {id: after, type: u1}
"""
TYPES = """
packed:
  seq:
    - {id: count, type: u1}
    - {id: pairs, type: pair, repeat: expr, repeat-expr: count}
    - {id: rest, type: node, repeat: eos}
pair:
  seq:
    - {id: a, type: u1}
    - {id: inner, type: u1, repeat: expr, repeat-expr: a & 3}
node:
  seq:
    - {id: kind, type: u1}
    - {id: pairs, type: pair, repeat: expr, repeat-expr: kind & 1}
    - {id: idle, type: idle, repeat: expr, repeat-expr: kind}
idle: {}
"""
UNITS = """
meta: {id: sample, endian: le, -wireloom: {rows: units.rows, columns: [n, packed, after]}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: many, type: u1}
      - {id: rows, type: row, repeat: expr, repeat-expr: many & 3}
      - {id: end, type: u1, valid: {max: 200}}
"""


def indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.strip("\n").splitlines())


def spec_of(shape: str, process: str) -> str:
    row = ROW.replace("PROCESS", process)
    if shape == "units":
        return UNITS + "  row:\n" + indented(indented(row)) + indented(TYPES)
    columns = "columns: [n, packed, after]" if shape == "lists" else "columns: [n, after]"
    return spec_text(row, types=TYPES, meta=columns)


def some_row(random: Random) -> bytes:
    made = bytes([random.choice([0, 1, 2, 9])]) + bytes(random.choices([0, 1, 2, 3, 7, 200], k=random.randrange(25)))
    packed = zlib.compress(made + bytes(random.choice([0, 40, 400])))
    return bytes([random.choice([1, 2, 255]), len(packed)]) + packed + b"\5"


@pytest.mark.parametrize("process", ["process: zlib", "-wireloom: {codec: zlib}"])
@pytest.mark.parametrize("shape", ["rows", "lists", "units"])
def test_both_readers_agree(shape: str, process: str) -> None:
    format = format_of(spec_of(shape, process))
    assert format.engine_refusal is None
    random, limits = Random(29), 0
    for _ in range(examples(100)):
        rows = [some_row(random) for _ in range(random.randrange(1, 4))]
        data = bytes([len(rows)]) * (shape == "units") + b"".join(rows) + b"\1" * (shape == "units")
        for options in ({}, {"max_computed": random.choice([3, 8, 30])}, {"max_computed": 8, "mode": "dropmalformed"}):
            limits += "'limit'" in repr(agreed(format, data, **options))
        agreed(format, data[: random.randrange(len(data))], max_computed=8)
    assert limits > 4


def test_objects_that_contain_themselves_are_left_to_the_object_reader() -> None:
    row = ROW.replace("PROCESS", "process: zlib").replace("type: packed", "type: node")
    node = "node:\n  seq:\n    - {id: kind, type: u1}\n    - {id: next, type: node, if: kind == 1}"
    format = format_of(spec_text(row, types=node, meta="columns: [n, after]"))
    assert "whose type contains itself" in str(format.engine_refusal)
    packed = zlib.compress(b"\1" * 40 + b"\0")
    data = bytes([1, len(packed)]) + packed + b"\5"
    assert "'limit'" in repr(agreed(format, data, max_computed=30))
    assert agreed(format, data, max_computed=41)[0]["after"] == [5]
