"""Numbers, text and bytes before the rows, as parent columns and in expressions of rows: with both readers."""

from __future__ import annotations

import struct
from random import Random

import pytest

from ..unit.columns_backend.specs import format_of
from .agreement import agreed

SPEC = """
meta: {{id: sample, endian: le, -wireloom: {{rows: rows, parent-columns: [scale, big, name, raw, rest, wide, code]}}}}
seq:
  - {{id: scale, type: f4}}
  - {{id: big, type: f8}}
  - {{id: len, type: u1}}
  - {{id: name, type: str, size: len, encoding: UTF-8}}
  - {{id: raw, size: 4}}
  - {{id: rest, size: len % 3}}
  - {{id: wide, type: str, size: 4, encoding: UTF-16LE}}
  - {{id: code, type: str, size: 2, encoding: ISO-8859-1}}
  - {{id: inner, type: inner}}
  - {{id: rows, type: row, repeat: eos}}
types:
  inner: {{seq: [{{id: text, type: strz, encoding: ASCII}}]}}
  row:
    seq:
      - {{id: a, type: u1}}
      - {{id: n, size: a % 3}}
    instances:
      is_it: {{value: _root.name == "abc"}}
      longer: {{value: _root.name.length + a}}
      size: {{value: _root.rest.size}}
      chosen: {{value: 'a == 1 ? "one" : a == 2 ? _root.name : a == 3 ? _root.inner.text : _root.wide'}}
      scaled: {{value: a * _root.scale + _root.big}}
      same: {{value: '_root.raw == [1, 2, 3, 4] or n == _root.rest'}}
      first: {{value: '_root.rest == [7] or _root.code == "ab"'}}
      byte: {{value: '_root.raw[1]'}}
{more}
"""


@pytest.mark.parametrize("more", ["", "      size_of_input: {value: _root._io.size}"])
def test_what_is_before_the_rows_is_used_in_them(more: str) -> None:
    """Rows are read one after another or, since they need its size, in an input that is read as a whole."""
    random, format = Random(1), format_of(SPEC.format(more=more))
    assert format.engine_refusal is None
    assert format.streaming == (not more)
    for name in ("", "abc", "ü€x", "abcdef"):
        text = name.encode()
        data = struct.pack("<fdB", 1.5, -2.25, len(text)) + text + bytes(random.choice([[1, 2, 3, 4], [5, 6, 7, 8]]))
        data += bytes([7] * (len(text) % 3)) + "hé".encode("utf-16le") + b"\xe9xtxt\0"
        for _ in range(300):
            first = random.randrange(5)
            data += bytes([first]) + bytes([7] * (first % 3))
        for window in (None, 16, 100):
            rows, _ = agreed(format, data, window=window)
            assert set(rows["name"]) == {name}


OPTIONAL = """
meta:
  id: sample
  endian: le
  -wireloom:
    rows: rows
    parent-columns: [number, single, double, name, raw, rest, wide, shown, deep, whole, id, label, place, level]
seq:
  - {id: flags, type: u1}
  - {id: number, type: u8, if: flags & 1 != 0}
  - {id: single, type: f4, if: flags & 1 != 0}
  - {id: double, type: f8, if: flags & 2 != 0}
  - {id: name, type: strz, encoding: UTF-8, if: flags & 2 != 0}
  - {id: raw, size: 4, if: flags & 1 != 0}
  - {id: rest, size: flags % 3, if: flags & 2 != 0}
  - {id: wide, type: str, size: 4, encoding: UTF-16LE, if: flags & 1 != 0}
  - {id: inner, type: inner, if: flags & 4 != 0}
  - {id: len, type: u1}
  - {id: sent, type: sent, size: len}
  - {id: rows, type: row, repeat: eos}
instances:
  shown: {value: inner.count, if: flags & 4 != 0}
  deep: {value: inner.more.size, if: flags & 4 != 0 and inner.count == 1}
  whole: {value: inner.part.note, if: flags & 4 != 0}
  id: {value: sent.id}
  label: {value: sent.label}
  place: {value: sent.place}
  level: {value: sent.from.level * 2}
types:
  inner:
    seq:
      - {id: count, type: u1}
      - {id: more, size: 2, if: count == 1}
      - {id: part, type: part, if: count != 0}
  part: {seq: [{id: note, type: strz, encoding: ASCII}]}
  sent:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: id, number: 1, type: uint32}
          - {id: label, number: 2, type: bytes}
          - {id: place, number: 3, type: double}
          - {id: from, number: 4, type: from}
          - {id: text, number: 5, type: string}
  from:
    -wireloom: {message: {syntax: proto2, fields: [{id: level, number: 1, type: sint32}]}}
  row:
    seq: [{id: a, type: u1}]
    instances:
      tested: {value: 'a + (_root.flags & 1 != 0 ? _root.number % 100 : 1000)'}
      sum: {value: a + _root.inner.count}
      float: {value: a + _root.double}
      is_it: {value: '_root.name == "abc"'}
      same: {value: '_root.raw == [1, 2, 3, 4]'}
      size: {value: _root.rest.size}
      chosen: {value: 'a == 1 ? "one" : a == 2 ? _root.name : _root.wide'}
      byte: {value: '_root.raw[1]'}
      level: {value: _root.sent.from.level}
      note: {value: _root.inner.part.note}
"""


def _field(number: int, kind: int, content: bytes) -> bytes:
    return bytes([number << 3 | kind]) + content


def _sent(random: Random) -> bytes:
    fields = [
        _field(1, 0, bytes([random.randrange(128)])),
        _field(2, 2, b"\2\xffx"),
        _field(3, 1, struct.pack("<d", 0.5)),
        _field(4, 2, random.choice([b"\0", b"\2\x08\3"])),
        _field(5, 2, random.choice([b"\0", b"\2ok", b"\2\xc3\xbc", b"\1\xff"])),
    ]
    return b"".join(each for each in fields if random.random() < 0.5)


def test_what_may_be_absent_before_the_rows_is_null_in_them() -> None:
    """Attributes with ``if``, also inside of objects that may be absent, and fields of messages."""
    random, format = Random(2), format_of(OPTIONAL)
    assert format.engine_refusal is None
    for number in range(64):
        flags, data = number % 8, bytes([number % 8])
        if flags & 1:
            data += struct.pack("<Qf", 2**63 + number, -1.5)
        if flags & 2:
            data += struct.pack("<d", 2.25) + random.choice([b"", b"abc", "ü€".encode()]) + b"\0"
        data += bytes([1, 2, 3, number % 5]) * (flags & 1) + bytes(flags % 3 * (flags >> 1 & 1))
        data += "hé".encode("utf-16le") * (flags & 1)
        if flags & 4:
            data += [b"\0", b"\1ab\0", b"\2x\0", b"\1abnote\0"][number // 8 % 4]
        sent = _sent(random)
        data += bytes([len(sent)]) + sent + bytes(random.randrange(4) for _ in range(20))
        for window in (None, 16):
            agreed(format, data, window=window)
