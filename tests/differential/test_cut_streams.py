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

NESTED = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: count, type: u1}
      - {id: pairs, type: pair, repeat: expr, repeat-expr: count}
    instances: {half: {value: count / 2.0}}
  pair:
    seq: [{id: k, type: u1}, {id: wide, type: u4}, {id: v, FIRST}, {id: last, type: u1}]
  part:
    seq: [{id: w, PART}, {id: inner, type: inner}]
  inner:
    seq: [{id: x, type: u2, valid: {max: 0x7fff}}]
"""
"""Structs in structs of a list, after fields that are read at once."""
TEXT = "type: str, encoding: ASCII"

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
    always: list[dict[str, Any]] = [{}, {"mode": "dropmalformed"}, {"batch_rows": 2}]
    return random.choice([*always, {"recover": True}, {"max_record": 6}] if streaming else always)


@pytest.mark.parametrize("spec", SPECS)
def test_both_readers(spec: str) -> None:
    format = format_of(spec)
    assert format.engine_refusal is None
    random = Random(3)
    for _ in range(examples(200)):
        agreed(format, some_bytes(random, 50), **some_options(random, format.streaming))


@pytest.mark.parametrize("part", ["type: u1", f"{TEXT}, size: 3, valid: '\"a,b\"'", f"{TEXT}, terminator: 0x2c"])
@pytest.mark.parametrize("first", ["type: part", f"{TEXT}, size: 2", "type: part, repeat: expr, repeat-expr: 2"])
def test_an_input_that_ends_anywhere(first: str, part: str) -> None:
    format = format_of(NESTED.replace("FIRST", first).replace("PART", part))
    item = {"type: part": 1, "type: part, repeat: expr, repeat-expr: 2": 2}.get(first, 0)
    value = (b"\5" if part == "type: u1" else b"a,b" if "size" in part else b"ab,") + b"\1\2"
    row = b"\2" + 2 * (b"\1\2\3\4\5" + (value * item or b"zz") + b"\6")
    data = b"\0" + row
    ends = (1, len(data))
    for end in range(1, len(data) + 1):
        rows, [report] = agreed(format, data[:end])
        assert report["tail"] == ("clean" if end in ends else "truncated"), end
        assert len(rows["count"]) == 1 + (end == len(data))
