"""Attributes in the bytes of another one: writers create these bytes from what is there."""

from __future__ import annotations

import pytest
import wireloom
from wireloom import WireloomError

from ...writing import bytes_of
from ..specs import format_of

SPEC = """
meta: {id: sample, endian: be, -wireloom: {rows: rows, columns: [COLUMNS]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: data, size: len}
      - {id: point, type: point, if: kind == 1, -wireloom: {within: data}}
      - {id: text, type: str, encoding: ASCII, if: kind == 2, -wireloom: {within: data}}
      - {id: again, type: str, encoding: ASCII, if: kind == 2, -wireloom: {within: data}}
  point: {seq: [{id: x, type: u1}, {id: y, type: u2}]}
"""
DATA = b"\1\3\7\0\x09" + b"\2\2hi" + b"\3\2??"
NESTED = """
meta: {id: sample, endian: be, -wireloom: {rows: rows, columns: [kind, inner]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: len, type: u2}
      - {id: head, type: head, size: len}
      - {id: middle, type: middle, -wireloom: {within: head.body}}
      - {id: inner, type: inner, -wireloom: {within: middle.data}}
    instances: {kind: {value: head.kind}}
  head: {seq: [{id: kind, type: u1, -wireloom: {default: 5}}, {id: body, size-eos: true}]}
  middle: {seq: [{id: len, type: u1}, {id: data, size: len}]}
  inner: {seq: [{id: a, type: u1}]}
"""


@pytest.mark.parametrize("columns", ["kind, data, point, text", "kind, point, text, data", "kind, data"])
def test_rows_are_written_as_they_were_read(columns: str) -> None:
    format = format_of(SPEC.replace("COLUMNS", columns))
    assert bytes_of(format, wireloom.read(format, DATA)) == DATA


def test_the_bytes_follow_from_the_attribute() -> None:
    format = format_of(SPEC.replace("COLUMNS", "kind, point, text"))
    rows = [{"kind": 1, "point": {"x": 7, "y": 9}, "text": None}, {"kind": 2, "point": None, "text": "hi"}]
    assert bytes_of(format, rows) == b"\1\3\7\0\x09" + b"\2\2hi"
    with pytest.raises(WireloomError, match=r"row 0 cannot be written: .*no value for 'data'"):
        bytes_of(format, [{"kind": 3, "point": None, "text": None}])
    with pytest.raises(WireloomError, match="column point"):
        bytes_of(format, [{"kind": 3, "point": {"x": 7, "y": 9}, "text": None, "data": b""}])


def test_two_attributes_in_the_same_bytes_must_agree() -> None:
    format = format_of(SPEC.replace("COLUMNS", "kind, text, again"))
    assert bytes_of(format, [{"kind": 2, "text": "hi", "again": "hi"}]) == b"\2\2hi"
    with pytest.raises(WireloomError, match="row 0 cannot be written"):
        bytes_of(format, [{"kind": 2, "text": "hi", "again": "ho"}])


def test_objects_in_bytes_inside_of_each_other() -> None:
    format = format_of(NESTED)
    data = b"\0\3\5\1\x41" + b"\0\3\7\1\x42"
    root = format.root_class().from_bytes(data)
    root.rows[1].inner.a = 0x43
    assert root.to_bytes() == data.replace(b"B", b"C")


def test_what_follows_an_object_in_its_bytes_is_not_lost() -> None:
    format = format_of(SPEC.replace("COLUMNS", "kind, data, point"))
    root = format.root_class().from_bytes(b"\1\4\7\0\x09\xff")
    with pytest.raises(WireloomError, match="1 bytes after point would be lost"):
        root.to_bytes()
    del root.rows[0].point
    assert root.to_bytes() == b"\1\4\7\0\x09\xff"
