"""Damage has bytes: what has none, such as a row that is counted but not there, is damage of its unit."""

from __future__ import annotations

import pytest

from ..unit.columns_backend.specs import format_of
from .agreement import agreed

COUNTED = """
meta:
  id: counted
  -wireloom: {rows: units.body.rows}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit: {seq: [{id: len, type: u1}, {id: body, type: body, size: len}]}
  body: {seq: [{id: many, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: many}]}
"""
GROUPED = """
meta:
  id: grouped
  -wireloom: {rows: groups.units.rows}
seq: [{id: groups, type: group, repeat: eos}]
types:
  group: {seq: [{id: many, type: u1}, {id: units, type: unit, repeat: expr, repeat-expr: many}]}
  unit: {seq: [{id: kind, type: u1}, {id: rows, type: row(kind), repeat: expr, repeat-expr: 2}]}
"""
BYTE = "  row: {seq: [{id: n, type: u1}]}"
NO_BYTES = """
  row:
    params: [{id: kind, type: u1}]
    seq: [{id: nothing, size: 0, valid: {expr: kind != 3}}]
    instances: {share: {value: 12 / kind}}
"""
PLACED = """
meta:
  id: placed
  -wireloom: {rows: rows}
seq: [{id: nothing, size: 0, valid: {expr: _io.size != 4}}]
instances:
  rows: {pos: 1, type: row, repeat: expr, repeat-expr: 2}
types:
"""


def test_rows_that_are_counted_but_not_there_are_damage_of_their_unit() -> None:
    rows, [report] = agreed(format_of(COUNTED + BYTE), b"\3\2ab" + b"\3\3cd" + b"\0" + b"\2\1e")
    assert (rows["n"], report["damaged"]) == ([97, 98, None, None, 101], [[4, 4, "length"], [8, 1, "length"]])
    assert rows["_corrupt_record"] == [None, None, b"\3\3cd", b"\0", None]


@pytest.mark.parametrize("kind", [b"\3", b"\0"], ids=["refused", "without a value"])
def test_damaged_rows_without_bytes_are_damage_of_their_unit(kind: bytes) -> None:
    data = b"\1\4" + b"\1" + kind + b"\1\6"
    rows, [report] = agreed(format_of(GROUPED + NO_BYTES), data)
    assert (rows["share"], report["damaged"]) == ([3, 3, None, 2, 2], [[3, 1, "value"]])
    assert rows["_corrupt_record"] == [None, None, kind, None, None]


def test_bits_that_an_item_leaves_are_no_beginning_of_the_next_one() -> None:
    row = "  row: {seq: [{id: bits, type: b3, repeat: expr, repeat-expr: 3}, {id: n, type: u1, if: 'bits[0] == 0'}]}"
    rows, [report] = agreed(format_of(COUNTED.replace("expr, repeat-expr: many", "eos") + row), b"\6\1\xff\xff\0\7\5")
    assert (rows["n"], report["damaged"]) == ([None, 5], [])


def test_an_input_whose_rows_are_all_at_positions_is_damaged_as_a_whole() -> None:
    format = format_of(PLACED + BYTE)
    assert agreed(format, b"\0ab")[1][0]["damaged"] == []
    assert agreed(format, b"\0abc")[1][0]["damaged"] == [[0, 4, "value"]]
