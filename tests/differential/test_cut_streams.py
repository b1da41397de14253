"""Rows in streams that end at a terminator or before padding, and positions of streams around the one that is read."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ..examples import examples
from ..unit.columns_backend.specs import format_of
from .agreement import agreed

ROWS = """
meta: {id: sample, endian: be, -wireloom: {rows: rows}}
seq:
  - {id: rows, type: row, repeat: eos, END}
types:
  row:
    seq:
      - {id: kind, type: u1, valid: {max: 200}}
      - {id: more, type: u2, if: kind == 1}
      - {id: rest, size-eos: true}
"""
"""Rows that are cut themselves."""

UNITS = """
meta: {id: sample, endian: be, -wireloom: {rows: units.rows}}
seq:
  - {id: units, type: unit, REPEAT, END}
  - {id: last, size-eos: true}
types:
  unit:
    seq:
      - {id: kind, type: u1, valid: {max: 200}}
      - {id: rows, type: row, repeat: eos}
  row:
    seq:
      - {id: at, type: u1, valid: {max: 9}}
      - {id: text, size: at & 3}
"""
"""Rows in units that are cut: damage in one ends with it."""

FOUND = """
meta: {id: sample, endian: be, -wireloom: {rows: units.body.rows}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: len, type: u1, valid: {max: 30}}
      - {id: body, type: body, size: len, END}
      - {id: mark, contents: [9]}
  body: {seq: [{id: rows, type: row, repeat: until, repeat-until: _.value.size == 2}]}
  row: {seq: [{id: value, terminator: 3}]}
"""
"""Rows up to one that is found in what is cut."""

ENDS = [
    "terminator: 2",
    "terminator: 2, include: true",
    "terminator: 2, eos-error: false",
    "size: 5, terminator: 2",
    "size: 5, pad-right: 0",
    "size: 5, pad-right: 0, terminator: 2, include: true",
]

PLACED = """
meta: {id: sample, endian: be, -wireloom: {rows: units.body.rows}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: len, type: u1, valid: {max: 20}}
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: at, size: (_parent._io.pos + _root._io.pos) % 2}
      - {id: key, type: u1}
      - {id: rows, type: row, repeat: until, repeat-until: _.seen % 3 == 0 or _io.eof}
  row:
    seq:
      - {id: first, type: u1, valid: {max: 250}}
      - {id: part, type: part, size: first % 4, process: xor(_io.pos + _parent.key)}
      - {id: inner, size: 2, type: inner}
    instances:
      seen: {value: first}
  inner:
    seq: [{id: value, type: u1}]
    instances:
      inside: {value: _parent._io.pos}
  part:
    seq:
      - {id: values, type: u1, repeat: eos}
"""
"""Positions of the streams around a part, when that is read."""

TURNED = """
meta: {id: sample, endian: le, -wireloom: {rows: blocks}}
seq:
  - {id: blocks, size: 3, process: PROCESS, type: block, repeat: expr, repeat-expr: 3}
  - {id: last, type: u1}
types:
  block: {seq: [{id: a, type: u2, valid: {max: 0xF000}}]}
"""
"""A key that depends on where the bytes are."""

SPECS = [
    *(ROWS.replace("END", each) for each in ENDS),
    *(
        UNITS.replace("END", end).replace("REPEAT", repeat)
        for number, end in enumerate(ENDS)
        for repeat in [["repeat: expr, repeat-expr: 3", "repeat: until, repeat-until: _.kind == 3"][number % 2]]
    ),
    *(FOUND.replace("END", each) for each in ["terminator: 2", "pad-right: 0"]),
    PLACED,
    *(TURNED.replace("PROCESS", each) for each in ("rol(_io.pos - 2 * _index)", "xor(0x9b ^ (_index << 4 | _io.pos))")),
]


def some_bytes(random: Random, most: int) -> bytes:
    common = [0, 1, 2, 2, 3, 5, 5, 9]
    return bytes(
        random.choice(common) if random.random() < 0.9 else random.randrange(256) for _ in range(random.randrange(most))
    )


def some_options(random: Random, streaming: bool) -> dict[str, Any]:
    always: list[dict[str, Any]] = [{}, {"mode": "drop"}, {"batch_rows": 2}]
    return random.choice([*always, {"recover": True}, {"max_record": 6}] if streaming else always)


@pytest.mark.parametrize("spec", SPECS)
def test_both_readers(spec: str) -> None:
    format = format_of(spec)
    assert format.engine_refusal is None
    random = Random(3)
    for _ in range(examples(200)):
        agreed(format, some_bytes(random, 50), **some_options(random, format.streaming))
