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
