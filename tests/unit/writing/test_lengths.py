"""Lengths that a writer derives: beside the bytes, inside of an object before them, in numbers of several forms, and
those of which one is there at a time."""

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
  varint: {-wireloom: {varint: le}}
  head: {seq: [{id: kind, type: u1}, {id: len, type: LEN}]}
  made_head: {seq: [{id: magic, contents: HD}, {id: len, type: LEN}]}
  compact:
    seq:
      - {id: first, type: u1, -wireloom: {default: 'value < 253 ? value : value < 65536 ? 253 : 254'}}
      - {id: two, type: u2, if: first == 253}
      - {id: four, type: u4, if: first == 254}
    instances: {value: {value: 'first == 253 ? two : first == 254 ? four : first'}}
  row: {seq: [SEQ]}
"""
SHORT = bytes(range(5))
CASES = {
    "in a header": ("head, data", "u1", "{id: head, type: head}, {id: data, size: head.len}", b"\x09\x05" + SHORT),
    "in a header that is made": (
        "data",
        "u2",
        "{id: head, type: made_head}, {id: data, size: head.len}",
        b"HD\0\5" + SHORT,
    ),
    "in a header, with its own size": (
        "data",
        "u1",
        "{id: head, type: made_head, size: 3}, {id: data, size: head.len - 3}",
        b"HD\x08" + SHORT,
    ),
    "in a header whose size is derived": (
        "data",
        "u1",
        "{id: len, type: u1}, {id: head, type: made_head, size: len}, {id: data, size: head.len}",
        b"\3HD\5" + SHORT,
    ),
    "a varint in a header": (
        "data",
        "varint",
        "{id: head, type: made_head}, {id: data, size: head.len.value}",
        b"HD\5" + SHORT,
    ),
    "a count in a header": (
        "items",
        "u1",
        "{id: head, type: made_head}, {id: items, type: u1, repeat: expr, repeat-expr: head.len}",
        b"HD\5" + SHORT,
    ),
    "of one byte": ("data", "u1", "{id: len, type: compact}, {id: data, size: len.value}", b"\5" + SHORT),
    "of two bytes": ("data", "u1", "{id: len, type: compact}, {id: data, size: len.value}", b"\xfd\1\0" + bytes(256)),
    "of four bytes": (
        "data",
        "u1",
        "{id: len, type: compact}, {id: data, size: len.value}",
        b"\xfe\0\1\0\1" + bytes(65537),
    ),
    "with a constant": ("data", "u1", "{id: len, type: compact}, {id: data, size: len.value - 2}", b"\7" + SHORT),
    "a count": (
        "items",
        "u1",
        "{id: len, type: compact}, {id: items, type: u1, repeat: expr, repeat-expr: len.value}",
        b"\5" + SHORT,
    ),
    "under a condition": (
        "kind, data",
        "u1",
        "{id: kind, type: u1}, {id: len, type: compact, if: kind == 1}, {id: data, size: len.value, if: kind == 1}",
        b"\1\5" + SHORT + b"\0\1\0",
    ),
    "one of several": (
        "tag, data",
        "u1",
        "{id: tag, type: u1}, {id: a, type: u1, if: tag == 1}, {id: b, type: u2, if: tag == 2}, "
        "{id: data, size: 'tag == 1 ? a : tag == 2 ? b : tag - 10'}",
        b"\1\5" + SHORT + b"\2\0\5" + SHORT + b"\x0f" + SHORT,
    ),
    "one of several, by an instance": (
        "tag, data",
        "u1",
        "{id: tag, type: u1}, {id: a, type: u1, if: tag == 1}, {id: data, size: size}], "
        "instances: {size: {value: 'tag == 1 ? a : 3'}}, doc-ref: [x",
        b"\1\5" + SHORT + b"\2abc",
    ),
}


def format(columns: str, kind: str, fields: str) -> wireloom.Format:
    return format_of(SPEC.replace("COLUMNS", columns).replace("LEN", kind).replace("SEQ", fields))


@pytest.mark.parametrize("case", CASES)
def test_rows_are_written_as_they_were_read(case: str) -> None:
    columns, kind, fields, data = CASES[case]
    made = format(columns, kind, fields)
    assert bytes_of(made, wireloom.read(made, data)) == data
    root = made.root_class().from_bytes(data)
    assert root.to_bytes() == data


def test_a_length_in_a_header_is_that_of_the_bytes() -> None:
    made = format("head, data", "u1", "{id: head, type: head}, {id: data, size: head.len}")
    assert bytes_of(made, [{"head": {"kind": 9, "len": 77}, "data": b"ab"}]) == b"\x09\2ab"
    assert bytes_of(made, [{"head": {"kind": 9}, "data": b"ab"}]) == b"\x09\2ab"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("{id: head, type: head}, {id: data, size: head.len, if: head.kind == 1}", "'len' of 'head' cannot be derived"),
        (
            "{id: heads, type: head, repeat: expr, repeat-expr: 2}, {id: data, size: 'heads[0].len'}",
            "'len' of 'head' cannot",
        ),
        ("{id: a, type: u1}, {id: b, type: u1}, {id: data, size: 'a > b ? a : b'}", ""),
    ],
)
def test_what_cannot_be_derived_is_said(fields: str, said: str) -> None:
    made = format("data", "u1", fields)
    with pytest.raises(WireloomError, match=said or "without the column a, b"):
        bytes_of(made, [{"data": b"ab"}])


def test_the_first_error_is_named_where_fewer_rows_are_tried() -> None:
    text = """
meta: {id: sample, endian: be, -wireloom: {rows: box.rows, columns: [x]}}
seq: [{id: len, type: u1}, {id: box, type: box, size: len}]
types:
  box: {seq: [{id: rows, type: row, repeat: eos}]}
  row: {seq: [{id: x, type: u1}]}
"""
    with pytest.raises(WireloomError, match="len = 300 does not fit its field"):
        bytes_of(format_of(text), [{"x": 1}] * 300)
