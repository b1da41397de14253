"""Columns that are read at positions: a failure there refuses the row with the column, in both readers."""

from __future__ import annotations

import zlib
from random import Random
from typing import Any

import pytest

from ..examples import examples
from ..unit.columns_backend.specs import format_of
from .agreement import agreed

WHOLE = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: count, type: u1}
  - {id: rows, type: row, size: 5, repeat: until, repeat-until: "_.is_last or _index == count"}
  - {id: end, type: u1}
instances:
  header: {pos: _io.size - 4, type: header}
types:
  header: {seq: [{id: kind, type: u1, valid: {max: 200}}, {id: more, type: u1, if: kind > 2}, {id: third, type: u1}]}
  name:
    seq: [{id: text, size-eos: true}]
  row:
    seq:
      - {id: name, type: name, size: 2}
      - {id: at, type: s1}
      - {id: len, type: u1}
      - {id: kind, type: u1, valid: {max: 220}}
    instances:
      ahead: {pos: 0, size: 3}
      there: {io: _root._io, pos: at, size: len & 7}
      text: {io: _root._io, pos: at + 1, type: str, size: len & 3, encoding: ASCII}
      thing: {io: _root._io, pos: at, type: thing}
      maybe: {io: _root._io, pos: at, type: u2, if: kind > 3}
      numbers: {io: _root._io, pos: len, type: u1, repeat: expr, repeat-expr: 3}
      is_last: {value: at == 9}
      starts: {value: "there == [1, 2] or ahead == [0, 1, 2]"}
      number: {value: "kind == 1 ? thing.a : kind == 2 ? thing.inner.b : len"}
      twice: {value: number + number}
      both: {value: "kind > 5 and thing.a > 1"}
      either: {value: "kind > 5 or thing.a > 1"}
      shown: {value: "kind == 7 ? text : 'none'"}
      big: {value: maybe + 1, if: kind > 3}
      third: {value: "numbers[kind % 4]"}
      of_root: {value: _root.header.third}
      size: {value: thing.numbers.size}
  thing:
    seq:
      - {id: a, type: u1, valid: {max: 100}}
      - {id: numbers, type: u1, repeat: expr, repeat-expr: a & 3}
    instances:
      inner: {pos: a, type: inner}
  inner: {seq: [{id: b, type: u2}]}
"""

UNITS = """
meta: {id: sample, endian: le, -wireloom: {rows: units.rows, where: "kind != 3 or thing.a > 1"}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: len, type: u1, valid: {max: 60}}
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: rows, type: row, repeat: eos}
  row:
    seq: [{id: at, type: u1}, {id: kind, type: u1}]
    instances:
      thing: {pos: at, type: thing}
      packed: {pos: at, size: "kind < 8 ? kind : 2", process: zlib}
      value: {value: thing.a + thing.b}
      content: {value: packed.length, if: kind == 9}
  thing:
    seq: [{id: a, type: u1}, {id: b, type: u2, valid: {max: 0x1000}}]
"""

PACKED = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: count, type: u1}
  - {id: rows, type: row, repeat: expr, repeat-expr: count & 3}
types:
  row:
    seq: [{id: at, type: u1}, {id: len, type: u1}, {id: kind, type: u1}]
    instances:
      raw: {pos: at, size: len, if: kind == 0}
      packed: {pos: at, size: len, process: zlib, if: kind == 1}
      content: {value: "kind == 1 ? packed : raw", if: kind == 0 or kind == 1}
"""


def some_bytes(random: Random) -> bytes:
    return bytes(random.choices([0, 1, 2, 3, 4, 5, 7, 9, 11, 0x61, 130, 255], k=random.randrange(3, 45)))


@pytest.mark.parametrize("spec", [WHOLE, UNITS.replace("units.rows", "units.body.rows")], ids=["whole", "units"])
def test_both_readers_agree(spec: str) -> None:
    format, random, rows, damages = format_of(spec), Random(31), 0, 0
    assert format.engine_refusal is None
    assert [each.name for each in format.columns if each.engine_refusal] in ([], ["end"])
    names = [each.name for each in format.columns if not each.engine_refusal]
    for _ in range(examples(800)):
        data = some_bytes(random)
        wanted: list[dict[str, Any]] = [{}, {"verify": False}, {"columns": random.sample(names, 2)}]
        found = agreed(format, data, **random.choice(wanted))
        rows += len(found[0]["_offset"]) if "_offset" in found[0] else 0
        damages += "[[" in repr(found)
    assert rows > 100
    assert damages > 25


def test_what_one_condition_chooses() -> None:
    format, random = format_of(PACKED), Random(37)
    assert format.engine_refusal is None
    for _ in range(examples(400)):
        packed = zlib.compress(random.randbytes(random.randrange(9)))
        heads = [
            bytes([random.choice([7, 10, 60]), random.choice([len(packed), 3]), random.choice([0, 1, 1, 2])])
            for _ in range(3)
        ]
        data = b"\3" + b"".join(heads) + packed
        agreed(format, data)
        agreed(format, data[: random.randrange(1, len(data))])


NAMES = """
meta: {id: sample, endian: le, -wireloom: {rows: ROWS}}
seq:
  - {id: head, type: head}
  - {id: rows, type: row, repeat: expr, repeat-expr: head.count & 7}
instances:
  names: {pos: head.at, type: name, repeat: expr, repeat-expr: head.most & 3}
  kinds: {pos: head.at + 1, type: kind, repeat: expr, repeat-expr: 2}
  groups: {pos: head.last, type: group}
types:
  head:
    seq: [{id: count, type: u1}, {id: at, type: s1}, {id: most, type: u1}, {id: last, type: u1}]
  row:
    seq: [{id: name, type: u1, valid: {max: 200}}, {id: kind, type: u1}]
    instances:
      text: {value: "_root.names[name].value.text"}
      of_kind: {value: "_root.kinds[kind & 3].text"}
      length: {value: "_root.names[kind].value.text.length"}
      size: {value: _root.names.size + name}
      some: {value: "_root.names[kind].twice", if: kind < 3}
  name:
    seq: [{id: at, type: u1, valid: {max: 240}}]
    instances:
      value: {pos: at, type: value}
      twice: {value: at * 2}
  value: {seq: [{id: len, type: u1}, {id: text, size: len & 3, type: str, encoding: ASCII}]}
  kind:
    seq: [{id: name, type: u1}]
    instances: {text: {value: "_root.names[name & 1].value.text"}}
  group:
    seq:
      - {id: count, type: u1}
      - {id: inner, type: inner, repeat: expr, repeat-expr: count & 3}
  inner:
    seq: [{id: rows, type: row, repeat: expr, repeat-expr: 2}, {id: end, type: u1, valid: {max: 130}}]
"""


def with_names(random: Random) -> bytes:
    """Return rows, groups of rows, names and texts at their positions, some of which may be changed."""
    rows = bytes(random.choices([0, 1, 2, 3], k=6))
    groups = b"\1" + bytes(random.choices([0, 1, 2], k=4)) + b"\1"
    texts = b"\2ab\1c\3def"
    data = bytearray(bytes([3, 16, 3, 10]) + rows + groups + bytes([19, 22, 24]) + texts)
    for _ in range(random.choice([0, 0, 1, 2])):
        data[random.randrange(len(data))] = random.choice([0, 1, 3, 20, 130, 250])
    return bytes(data)


@pytest.mark.parametrize("rows", ["rows", "groups.inner.rows"])
def test_what_lists_before_the_rows_lead_to(rows: str) -> None:
    format, random, texts = format_of(NAMES.replace("ROWS", rows)), Random(41), 0
    assert format.engine_refusal is None
    assert not [each for each in format.columns if each.default and each.engine_refusal]
    names = [each.name for each in format.columns if not each.engine_refusal]
    for number in range(examples(800)):
        data = with_names(random) if number % 2 else some_bytes(random)
        wanted: list[dict[str, Any]] = [{}, {"verify": False}, {"columns": random.sample(names, 2)}]
        found = agreed(format, data, **random.choice(wanted))
        texts += sum(map(bool, found[0].get("text", ()))) if isinstance(found[0], dict) else 0
    assert texts > 30
