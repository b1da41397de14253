"""Ways, sizes, bits and numbers that engine and objects both read: generated inputs of small specs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed
from .strategies import some

TWICE = """
meta: {id: sample, endian: le, -wireloom: {rows: body.inner.as<pair>.items}}
seq:
  - {id: kind, type: u1}
  - {id: body, type: node}
  - {id: last, type: u1, valid: {max: 250}}
types:
  node:
    seq:
      - {id: kind, type: u1, valid: {max: 200}}
      - {id: inner, type: {switch-on: kind % 4, cases: {1: pair, 2: text}}}
  pair:
    seq:
      - {id: count, type: u1, valid: {max: 5}}
      - {id: items, type: node, repeat: expr, repeat-expr: count}
  text:
    seq: [{id: text, type: strz, encoding: ASCII}]
"""
"""Rows of a type that also occurs above them, and inside them again."""

SIZED = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: len, type: u1, valid: {min: 2}}
  - {id: rows, type: row, repeat: eos, size: len}
types:
  row:
    seq:
      - {id: kind, type: u1, valid: {max: 200}}
      - {id: n, type: u1, valid: {max: 100}}
      - {id: items, type: u2, repeat: expr, repeat-expr: n}
      - {id: more, type: u2, valid: {max: 0x4142}, if: kind == 1}
"""

BITS = spec_text(
    """
    seq:
      - {id: more, type: b1, valid: true}
      - {id: low, type: b7, valid: {max: 100}}
      - {id: len, type: b3, valid: {max: 6}}
      - {id: rest, type: b5}
      - {id: body, size: len}
    """
)

MARKED = spec_text(
    """
    seq:
      - {id: len, type: u1, valid: {max: 40}}
      - {id: mark, contents: [1, 2]}
      - {id: body, size: len}
    """,
    meta="columns: [len, mark, body]",
)

SHIFTED = spec_text(
    """
    seq:
      - {id: by, type: s1}
      - {id: number, type: s8}
      - {id: body, size: 1 << by, if: by < 3}
    instances:
      up: {value: number << by}
      down: {value: number >> by}
      times: {value: (number * number * number) % 1000}
    """
)

AT_POSITIONS = """
meta: {id: sample, endian: le, -wireloom: {rows: block.rows}}
instances: {block: {pos: 1, type: block}}
types:
  block:
    seq:
      - {id: flags, type: b1, repeat: expr, repeat-expr: 12}
      - {id: rest, type: b4}
      - {id: rows, type: "row(flags[_index % 12])", repeat: eos}
  row:
    params: [{id: has_more, type: bool}]
    seq:
      - {id: kind, type: u1}
      - {id: more, type: u1, if: has_more}
"""

GIVEN = """
meta: {id: sample, endian: le, -wireloom: {rows: groups, columns: [value, sum]}}
seq:
  - {id: count, type: u1}
  - {id: groups, type: "group(_index == 0 ? 0 : groups[_index - 1].value)", repeat: expr, repeat-expr: count}
types:
  group:
    params: [{id: before, type: u1}]
    seq: [{id: value, type: u1, valid: {max: 210}}]
    instances: {sum: {value: before + value}}
"""
"""A column of a value that an item receives from the previous item."""

UNPLACED = """
meta: {id: sample, endian: le, -wireloom: {rows: places.entry.items}}
seq:
  - {id: count, type: u1, valid: {max: 9}}
  - {id: offsets, type: u1, repeat: expr, repeat-expr: count}
instances:
  places: {type: place(_index), repeat: expr, repeat-expr: count}
types:
  place:
    params: [{id: number, type: u1}]
    instances:
      offset: {value: '_root.offsets[number]'}
      entry: {io: _root._io, pos: offset, type: entry}
  entry:
    seq:
      - {id: len, type: u1, valid: {max: 4}}
      - {id: items, type: item, repeat: expr, repeat-expr: len}
  item: {seq: [{id: value, type: u1, valid: {max: 200}}]}
"""
"""Rows in objects at positions, inside objects that have neither bytes nor a position."""


def some_bytes(random: Random, most: int) -> bytes:
    common = [0, 1, 1, 2, 2, 3, 5, 65, 130]
    return bytes(
        random.choice(common) if random.random() < 0.9 else random.randrange(256) for _ in range(random.randrange(most))
    )


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"mode": "dropmalformed"},
    {"batch_rows": 2},
    {"recover": True},
    {"max_record": 6},
)


@pytest.mark.parametrize("spec", [TWICE, SIZED, BITS, MARKED, SHIFTED, AT_POSITIONS, GIVEN, UNPLACED])
def test_both_readers(spec: str) -> None:
    random = Random(1)
    format = format_of(spec)
    assert format.engine_refusal is None
    for _ in range(40):
        data = some_bytes(random, 60)
        for options in some(random, OPTIONS if format.streaming else OPTIONS[:3]):
            agreed(format, data, **options)
    if spec is TWICE:
        rows, _ = agreed(format, b"\0\1\3\2a\0\1\1\2b\0\2c\0\7")
        assert rows["kind"] == [2, 1, 2]
    if spec is UNPLACED:
        rows, _ = agreed(format, b"\2\3\5\2\7\1\4")
        assert rows["value"] == [7, 1, 4]
