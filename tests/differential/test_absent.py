"""Expressions and columns of what may be absent: the engine reads them, and both readers agree."""

from __future__ import annotations

from random import Random

import pytest
from wireloom import Format

from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed

LISTS = """
seq:
  - {id: flags, type: u1}
  - {id: count, type: u1, if: flags & 1 != 0, valid: {max: 3}}
  - {id: items, type: u1, repeat: expr, repeat-expr: count, if: flags & 1 != 0}
  - {id: words, type: str, size: 1, encoding: ASCII, repeat: expr, repeat-expr: 2, if: flags & 2 != 0}
instances:
  size: {value: items.size}
  first: {value: items.first}
  second: {value: "items[1]"}
  most: {value: items.max}
  word: {value: "words[1]"}
  either: {value: "flags & 1 != 0 ? items.size : 7"}
"""

TEXTS = """
seq:
  - {id: flags, type: u1}
  - {id: a, type: str, size: 2, encoding: ASCII, if: flags & 1 != 0}
  - {id: b, type: str, size: 2, encoding: ASCII, if: flags & 2 != 0}
  - {id: box, type: box, if: flags & 4 != 0}
instances:
  same: {value: a == b}
  differ: {value: a != b}
  less: {value: a < b}
  same_c: {value: a == box.c}
  c: {value: box.c}
  c_size: {value: box.c.length}
"""
BOX = """
box: {seq: [{id: c, type: str, size: 1, encoding: ASCII, if: _parent.flags & 8 != 0}, {id: d, type: u1}]}
"""

NESTED = """
seq:
  - {id: flags, type: u1}
  - {id: outer, type: 'outer(flags / (flags & 6))', if: flags & 1 != 0}
instances:
  given: {value: outer.given}
  more: {value: outer.kind + 1}
  text: {value: outer.inner.text}
  size: {value: outer.inner.items.size}
  item: {value: 'outer.inner.items[0]'}
  node: {value: outer.node.x}
  next: {value: outer.node.next.x}
  word: {value: outer.inner.words.last}
"""
OUTER = """
outer:
  params: [{id: given, type: u1}]
  seq:
    - {id: kind, type: u1}
    - {id: inner, type: inner, if: kind & 1 != 0}
    - {id: node, type: node, if: kind & 2 != 0}
inner:
  seq:
    - {id: text, type: str, size: 1, encoding: ASCII}
    - {id: n, type: u1}
    - {id: items, type: u1, repeat: expr, repeat-expr: n & 3, if: n & 4 != 0}
    - {id: words, type: str, size: 1, encoding: ASCII, repeat: expr, repeat-expr: n & 1}
node:
  seq: [{id: x, type: u1}, {id: next, type: node, if: x == 1}]
"""

CONTINUED = """
seq:
  - {id: flags, type: u1}
  - {id: a, type: u1, if: flags & 1 != 0}
  - {id: data, size: 2}
  - id: sum
    type: u1
    -wireloom: {checksum: {algorithm: crc32, over: data, stored: '_ & 0', continues: CONTINUES}}
"""

AROUND = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: flags, type: u1}
  - {id: a, type: u1, if: flags & 1 != 0}
  - {id: name, type: str, size: 1, encoding: ASCII, if: flags & 2 != 0}
  - {id: number, type: f4, if: flags & 4 != 0}
  - {id: body, size: 2, if: flags & 8 != 0}
  - {id: rows, type: row, repeat: expr, repeat-expr: 2}
types:
  row:
    seq: [{id: x, type: u1}]
    instances:
      more: {value: _parent.a + x}
      up_name: {value: _parent.name}
"""

SETS = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
instances: {last: {value: 0, -wireloom: {variable: true}}}
types:
  row:
    seq:
      - {id: flags, type: u1}
      - {id: a, type: u1, if: flags & 1 != 0}
    instances:
      note: {value: a, -wireloom: {sets: _root.last}}
      before: {value: _root.last}
"""

MESSAGES = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: len, type: u1}
      - {id: m, type: m, size: len, if: len > 2}
    instances:
      size: {value: m.data.size}
      is_a: {value: 'm.data == [0x61]'}
      in_size: {value: m.inner.text.size}
      first: {value: m.data.first}
      n: {value: m.n}
      more: {value: m.inner.k + 1}
      certain: {value: m.e}
  m:
    -wireloom:
      message:
        fields:
          - {id: data, number: 1, type: bytes, label: optional}
          - {id: n, number: 2, type: int32, label: optional}
          - {id: inner, number: 3, type: inner}
          - {id: e, number: 4, type: int32}
  inner:
    -wireloom:
      message:
        fields:
          - {id: text, number: 1, type: bytes}
          - {id: k, number: 2, type: int32}
"""
FIELDS = (b"\x0a\x01a", b"\x0a\x00", b"\x10\x05", b"\x1a\x00", b"\x1a\x03\x0a\x01b", b"\x1a\x02\x10\x03", b"\x20\x07")
"""Fields of the message, some of them twice."""

FORMATS = {
    "lists": format_of(spec_text(LISTS)),
    "texts": format_of(spec_text(TEXTS, types=BOX)),
    "nested": format_of(spec_text(NESTED, types=OUTER)),
    "continues what is absent": format_of(spec_text(CONTINUED.replace("CONTINUES", "a"))),
    "continues a quotient": format_of(spec_text(CONTINUED.replace("CONTINUES", "8 / flags"))),
    "around rows": format_of(AROUND),
    "sets": format_of(SETS),
}


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS.keys())
def test_both_readers(format: Format) -> None:
    assert format.engine_refusal is None
    assert not any(each.engine_refusal for each in format.columns)
    random = Random(format.name)
    for _ in range(200):
        agreed(format, bytes(random.choice([0, 1, 2, 3, 5, 7, 8, 15, 97, 97, 98]) for _ in range(random.randrange(40))))


def test_messages() -> None:
    format, random = format_of(MESSAGES), Random(5)
    assert format.engine_refusal is None
    for _ in range(200):
        messages = [b"".join(each for each in FIELDS if random.random() < 0.3) for _ in range(random.randrange(5))]
        data = b"".join(bytes([len(each)]) + each for each in messages if len(each) > 2)
        _, files = agreed(format, data + bytes(random.randrange(3)))
        assert files[0]["tail"] == "clean"
