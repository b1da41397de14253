"""Byte orders that are determined when an object is read: both readers agree."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.differential.agreement import agreed

from ..specs import format_of
from .running import ROW_READERS, read

UNITS = """
meta:
  id: made
  -wireloom: {rows: units.body.rows, columns: [base, small, real, number, list, inner, fixed, sum, wide]}
seq:
  - {id: units, type: unit, repeat: eos}
types:
  unit:
    seq:
      - {id: order, type: u1}
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
  body:
    meta: {endian: {switch-on: _parent.order, cases: CASES}}
    seq:
      - {id: base, type: u2}
      - {id: wide, type: f8}
      - {id: rows, type: row, repeat: eos}
    types:
      row:
        seq:
          - {id: small, type: u1}
          - {id: real, type: f4}
          - {id: number, type: s4, valid: {max: 1000}}
          - {id: count, type: u2, valid: {max: 3}}
          - {id: list, type: s2, repeat: expr, repeat-expr: count}
          - {id: inner, type: inner}
          - {id: fixed, type: u2be}
        instances:
          sum: {value: number + _parent.base}
      inner:
        seq:
          - {id: x, type: u8}
"""

FLAT = """
meta:
  id: made
  -wireloom: {rows: rows, columns: [a, b]}
seq:
  - {id: order, type: u1}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    meta: {endian: {switch-on: _parent.order, cases: {0x49: le, 0x4d: be}}}
    seq:
      - {id: a, type: u4}
      - {id: b, type: f4}
"""

MARKED = """
meta:
  id: made
  endian: {switch-on: mark, cases: {0x4949: le, 0x4d4d: be}}
  -wireloom: {rows: rows, columns: [a, b], parent-columns: [version]}
seq:
  - {id: order, type: u2le}
  - {id: version, type: u2}
  - {id: rows, type: row, repeat: eos}
instances:
  mark: {pos: 0, type: u2le}
types:
  row:
    seq:
      - {id: a, type: u4}
      - {id: b, type: f4}
"""


def unit(order: int, sign: str, base: int, *numbers: int) -> bytes:
    body = struct.pack(sign + "Hd", base, 2.5)
    for number in numbers:
        head = struct.pack(sign + "BfiH2hQ", 7, -0.5, number, 2, -1, 300, 1 << 40)
        body += head + struct.pack(">H", 9)
    return bytes((order, len(body))) + body


def row(base: int, number: int) -> dict[str, Any]:
    values = {"base": base, "small": 7, "real": -0.5, "number": number, "list": [-1, 300]}
    return {**values, "inner": {"x": 1 << 40}, "fixed": 9, "sum": number + base, "wide": 2.5}


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("cases", ["{1: le, 2: be}", "{1: le, _: be}", "{_: be, 3: be, 1: le}"])
def test_each_unit_has_its_own(reader: str, cases: str) -> None:
    format = format_of(UNITS.replace("CASES", cases))
    assert format.engine_refusal is None
    data = unit(1, "<", 500, -3, 1000) + unit(2, ">", 2, 8) + unit(1, "<", 0) + unit(2, ">", 65535, -(2**31))
    table, file = read(reader, format, data)
    assert table.to_pylist() == [row(500, -3), row(500, 1000), row(2, 8), row(65535, -(2**31))]
    assert (file["damaged"], file["tail"]) == ([], "clean")


@pytest.mark.parametrize("reader", ROW_READERS)
def test_an_order_that_is_none(reader: str) -> None:
    """The content of the sub-stream is lost, and the unit after it is read."""
    format = format_of(UNITS.replace("CASES", "{1: le, 2: be}"))
    wrong = unit(3, "<", 500, -3, 1000)
    table, file = read(reader, format, unit(1, "<", 1, 2) + wrong + unit(2, ">", 3, 4))
    assert table.to_pylist() == [row(1, 2), row(3, 4)]
    assert [reason for _, _, reason in file["damaged"]] == ["value"]


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize(("order", "sign"), [(0x49, "<"), (0x4D, ">")])
def test_the_input_decides(reader: str, order: int, sign: str) -> None:
    format = format_of(FLAT)
    assert format.engine_refusal is None
    data = bytes([order]) + b"".join(struct.pack(sign + "If", number, number / 2) for number in range(50))
    table, file = read(reader, format, data, chunk=13, streamed=True)
    assert table.to_pylist() == [{"a": number, "b": number / 2} for number in range(50)]
    assert file["tail"] == "clean"


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize(("order", "sign"), [(b"II", "<"), (b"MM", ">")])
def test_rows_inherit_the_order_of_the_input(reader: str, order: bytes, sign: str) -> None:
    format = format_of(MARKED)
    assert format.engine_refusal is None
    data = order + struct.pack(sign + "HIfIf", 3, 1, 0.5, 2, 1.5)
    table, file = read(reader, format, data)
    assert table.to_pylist() == [{"a": 1, "b": 0.5, "version": 3}, {"a": 2, "b": 1.5, "version": 3}]
    assert file["tail"] == "clean"
    _, file = read(reader, format, b"??" + data[2:])
    assert (file["rows"], file["tail"]) == (0, "invalid_value")


BY_BYTES = """
meta:
  id: made
  -wireloom: {rows: docs, columns: [number]}
seq:
  - {id: docs, type: doc, repeat: eos}
types:
  doc:
    seq:
      - {id: mark, size: 2}
      - {id: body, type: body}
    instances:
      number: {value: body.number}
  body:
    meta: {endian: {switch-on: _parent.mark, cases: {'[0x49, 0x49]': le, '[0x4d, 0x4d]': be}}}
    seq:
      - {id: number, type: u2}
"""


@pytest.mark.parametrize("data", [b"II\1\2MM\1\2", b"II\1\2IM\1\2MM\1\2", b"II\1\2M", b"??\1\2"])
def test_bytes_decide(data: bytes) -> None:
    format = format_of(BY_BYTES)
    assert format.engine_refusal is None
    rows, _ = agreed(format, data)
    assert rows["number"][:2] == ([0x201, 0x102] if len(data) == 8 else rows["number"][:2])
