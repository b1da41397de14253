"""Specs that the engine reads, one for each construct of Kaitai's gallery that needed special support: both readers
agree on a valid input, on all its beginnings, and on inputs with one byte changed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import pytest
import wireloom
from wireloom import engine
from wireloom.codegen.loading import load_format

from ...differential.agreement import agreed
from ...examples import examples

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")


class Case(NamedTuple):
    """A spec, a valid input, and the values of one column."""

    spec: str
    data: bytes
    column: str
    values: list[object]


CASES = {
    "several cases of a switch lead to the rows": Case(
        """
meta: {id: sample, endian: le, -wireloom: {rows: boxes.body.as<b>.items, columns: [v, up]}}
seq: [{id: boxes, type: box, repeat: eos}]
types:
  box:
    seq:
      - {id: kind, type: u1}
      - {id: count, type: u1}
      - {id: body, type: {switch-on: kind, cases: {1: b, 2: c, 3: b, 4: b}}}
    instances: {up: {value: kind * 2}}
  b: {seq: [{id: items, type: item, repeat: expr, repeat-expr: _parent.count}]}
  c: {seq: [{id: word, type: u2}]}
  item:
    seq: [{id: v, type: u1, valid: {max: 90}}, {id: w, type: u1, repeat: expr, repeat-expr: v % 3}]
    instances: {up: {value: _parent._parent.up + v}}
""",
        b"\1\2\5\0\0\6\2\0\1\1\3\1\7\0\4\3\1\0\2\0\0\0",
        "up",
        [7, 8, 13, 9, 10, 8],
    ),
    "more than 256 registers": Case(
        "meta: {id: sample, -wireloom: {rows: rows, columns: [total]}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\n"
        "types:\n  row:\n    seq:\n"
        + "".join(f"      - {{id: f{each}, type: u1}}\n" for each in range(300))
        + "    instances:\n"
        + "".join(
            f"      part{part}: {{value: {' + '.join(f'f{each}' for each in range(part, 300, 10))}}}\n"
            for part in range(10)
        )
        + f"      total: {{value: {' + '.join(f'part{part} * {part}' for part in range(10))}}}\n",
        bytes(range(150)) * 2,
        "total",
        [sum(each % 150 * (each % 10) for each in range(300))],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_readers_agree(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = tmp_path / "sample.ksy"
    path.write_text(case.spec, encoding="utf-8")
    format = load_format(path)
    assert not format.engine_refusal
    table, report = wireloom.read_with_report(format, case.data, columns=[case.column])
    assert report.clean
    assert table[case.column].to_pylist() == case.values
    chance = random.Random(name)
    agreed(format, case.data, batch_rows=1)
    for end in range(len(case.data) if len(case.data) < 100 else 1):
        agreed(format, case.data[:end])
    for _ in range(examples(150)):
        changed = bytearray(case.data)
        for _ in range(chance.choice([1, 1, 2, 4])):
            changed[chance.randrange(len(changed))] = chance.choice([chance.randrange(256), chance.randrange(8)])
        agreed(format, bytes(changed))
