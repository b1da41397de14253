"""Sizes and positions that need an absent value, integers that a switch selects, and bit fields in lists: both readers
agree."""

import pytest
import wireloom
from wireloom import Format

from tests.differential.agreement import agreed

from ..specs import format_of

CHOSEN = """
meta: {id: chosen, endian: le, -wireloom: {rows: rows, columns: [kind, data]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: {switch-on: kind, cases: {1: u1, 2: u2, 3: s1}}}
      - {id: data, size: len + 1}
"""
ABSENT = """
meta: {id: absent, endian: le, -wireloom: {rows: rows, columns: [kind, data]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1, if: kind != 0}
      - {id: data, size: 'kind > 1 ? len : len * 2'}
"""
BITS = """
meta: {id: bits, endian: be, -wireloom: {rows: rows, columns: [first, last]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: flag, type: b1}
      - {id: first, type: b3}
      - {id: four, type: b8}
      - {id: rest, type: b1, repeat: expr, repeat-expr: 4}
      - {id: nibbles, type: b4, repeat: expr, repeat-expr: 3}
      - {id: last, type: u1}
"""


def loaded(text: str) -> Format:
    format = format_of(text)
    assert format.engine_refusal is None
    return format


def test_a_size_of_one_of_several_types() -> None:
    format = loaded(CHOSEN)
    rows, _ = agreed(format, b"\1\2abc" + b"\2\1\0de" + b"\3\xff" + b"\1\0z")
    assert rows["data"] == [b"abc", b"de", b"", b"z"]


@pytest.mark.parametrize("data", [b"\1\0a\4\0a", b"\4", b"\3\xfe", b"\1\0a\1\0b\7\0\1\0c"])
@pytest.mark.parametrize("recover", [False, True])
def test_no_case_is_no_size(data: bytes, recover: bool) -> None:
    agreed(loaded(CHOSEN), data, recover=recover)


@pytest.mark.parametrize("data", [b"\1\1ab\2\2cd\0\1\1ef", b"\0", b"\2\0\0\1\1ab"])
@pytest.mark.parametrize("recover", [False, True])
def test_what_is_absent_is_no_size(data: bytes, recover: bool) -> None:
    _, [report] = agreed(loaded(ABSENT), data, recover=recover)
    assert report["tail"] == ("clean" if recover and len(data) > 1 else "invalid_value")


def test_bits_go_on_in_lists() -> None:
    data = bytes([0b10110000, 0b11110101, 0b00010010, 0b00110000, 7])
    rows, _ = agreed(loaded(BITS), data + data)
    assert (rows["first"], rows["last"]) == ([3, 3], [7, 7])


def test_a_list_of_bits_is_for_objects() -> None:
    """If the next item begins inside a byte."""
    format = format_of(BITS.replace("[first, last]", "[rest, last]"))
    assert format.engine_refusal == 'an item of "rest" may end inside a byte'
    data = bytes([0b10110000, 0b11110101, 0b00010010, 0b00110000, 7])
    assert wireloom.read(format, data).to_pylist() == [{"rest": [False, True, False, True], "last": 7}]
