"""Positions in streams as columns: where rows begin and end."""

from random import Random

import pytest
import wireloom
from wireloom import engine

from tests.differential.agreement import agreed
from tests.differential.damage import damaged

from ...examples import examples
from ..specs import format_of

SPEC = """
meta: {id: log, endian: le, -wireloom: {rows: groups.body.rows, columns: [data, index, group, at, end, later, half]}}
seq:
  - {id: magic, contents: "LOG"}
  - {id: groups, type: group, repeat: eos}
types:
  group:
    seq:
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: rows, type: row(_index), repeat: eos}
    instances:
      room: {value: _io.size}
  row:
    params: [{id: number, type: u4}]
    seq:
      - {id: begin, size: 0, if: at >= 0}
      - {id: len, type: u1}
      - {id: data, size: len}
    instances:
      at: {value: _io.pos}
      index: {value: number}
      group: {value: _parent.room}
      end: {value: _io.pos}
      later: {value: "end * 2 + (_io.eof ? 1 : 0)"}
      half: {value: 12 / (_io.pos - 3), if: number < 3}
"""
FLAT = """
meta: {id: flat, endian: le, -wireloom: {rows: rows, columns: [data, at, end], where: end != 9}}
seq:
  - {id: magic, contents: "LOG"}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: begin, size: 0, if: at >= 0}
      - {id: len, type: u1}
      - {id: data, size: len}
    instances:
      at: {value: _io.pos}
      end: {value: _io.pos}
"""
SIZED = SPEC.replace("repeat: eos}\n    instances:\n      room", "repeat: eos, size: 4}\n    instances:\n      room")
DATA = b"LOG" + b"\x08\x01a\x02bc\x02de" + b"\x02\x01z" + b"\x00" + b"\x06\x05xxxxx"


def test_rows_inside_of_units() -> None:
    format = format_of(SPEC)
    assert format.engine_refusal is None or not engine.available
    for options in ({}, {"batch_rows": 1}):
        rows = wireloom.read(format, DATA, **options).to_pylist()
        assert [tuple(each.values()) for each in rows] == [
            (b"a", 0, 8, 0, 2, 4, -12),
            (b"bc", 1, 8, 2, 5, 10, 6),
            (b"de", 2, 8, 5, 8, 17, 2),
            (b"z", 0, 2, 0, 2, 5, -12),
            (b"xxxxx", 0, 6, 0, 6, 13, 4),
        ]


def test_rows_of_the_input() -> None:
    format = format_of(FLAT)
    rows = wireloom.read(format, b"LOG" + b"\x01a" + b"\x03bcd" + b"\x00" + b"\x01e").to_pylist()
    assert [tuple(each.values()) for each in rows] == [(b"a", 3, 5), (b"", 9, 10), (b"e", 10, 12)]


@pytest.mark.slow
@pytest.mark.parametrize("text", [SPEC, FLAT, SIZED])
def test_both_readers_agree_on_damage(text: str) -> None:
    format = format_of(text)
    for seed in range(examples(60)):
        for data in (damaged(Random(seed), DATA), damaged(Random(seed), DATA * 3)):
            for options in ({}, {"recover": True}, {"batch_rows": 1}, {"columns": ["at", "data"]}):
                agreed(format, data, **options)
