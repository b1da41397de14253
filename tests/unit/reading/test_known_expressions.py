"""Expressions of which the engine knows more than their codes: what depends on one byte, rotations of checksums, and
conditions that are the same for all rows."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

import crc32c
import pytest
from wireloom.checksums import algorithm, function

from tests.differential.agreement import agreed

from ..specs import format_of

CHANCE = Random(3)

BY_BYTE = """
meta: {id: by_byte, endian: le, -wireloom: {rows: rows}}
seq: [{id: shift, type: u1}, {id: factor, type: s8}, {id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - {id: flags, type: s1, if: (kind + _root.shift) % 3 != 0}
      - {id: rest, type: u2, if: (kind ^ _root.shift) > 100}
    instances:
      sum: {value: kind * _root.factor + _root.shift}
"""
IN_ROWS_WITH_LISTS = """
meta: {id: lists, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u2}
      - {id: count, type: u1}
      - {id: items, type: u1, repeat: expr, repeat-expr: count}
      - {id: extra, type: u1, if: kind >= 4 and kind <= 8 or kind == 300 or kind == 301}
    instances:
      quotient: {value: '100 / (kind - 7) + (kind > 200 ? kind - 200 : 0)'}
"""
MASKED = """
meta: {{id: masked, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
      - {{id: len, type: u1}}
      - {{id: body, size: len}}
      - {{id: crc, type: {kind}, -wireloom: {{checksum: {{algorithm: {algorithm}, over: body, stored: '{stored}'}}}}}}
"""
CHOICE = """
meta: {id: choice, endian: le, -wireloom: {rows: rows}}
seq: [{id: a, type: s8}, {id: b, type: s8}, {id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: x, type: s8}, {id: y, type: u8}]
    instances:
      one: {value: '_root.a > 0 ? x - 1 : x * x * x'}
      both: {value: '_root.a > 0 ? (_root.b > 0 ? _root.a - x : y) : (_root.b > 0 ? -x : _root.b - y)'}
      inner: {value: '(x > 5 ? (_root.b > 0 ? x : y) : (_root.a > 0 ? _root.a : _root.b)) + 1'}
      condition: {value: '(_root.a > 0 ? x > 0 : y > 9) ? 7 : _root.b'}
"""

BY_POSITION = """
meta: {id: by_position, endian: le, -wireloom: {rows: blocks.rows}}
seq: [{id: blocks, type: block, size: 4096, repeat: eos}]
types:
  block:
    seq: [{id: rows, type: row, repeat: until, repeat-until: _io.size - _io.pos < 16}, {id: rest, size-eos: true}]
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: place, type: place, if: kind == 9}
      - {id: extra, type: u2, if: is_long}
      - {id: data, size: len}
    instances:
      is_long: {value: 'kind == 9 ? len != 4 or place.at > 1000 : kind == 12'}
      piece: {value: 'is_long ? kind - 8 : kind >= 5 and kind <= 8 ? kind - 4 : 12 / kind'}
  place:
    instances:
      at: {value: _io.pos}
"""
"""Blocks of rows cannot run the condition on a position, which rows of one kind alone have."""


@pytest.mark.slow
def test_more_tables_than_a_program_keeps() -> None:
    """The values that a byte gives are kept from one input to the next, with those of the input's header in them."""
    format = format_of(BY_BYTE)
    for shift in range(0, 256, 3):
        rows = bytearray()
        for kind in CHANCE.choices(range(256), k=300):
            rows.append(kind)
            rows += CHANCE.randbytes(1) if (kind + shift) % 3 else b""
            rows += CHANCE.randbytes(2) if kind ^ shift > 100 else b""
        factor = CHANCE.choice((-1, 3, 1 << 54))
        read, _ = agreed(format, struct.pack("<Bq", shift, factor) + rows)
        assert len(read["kind"]) == 300
        assert all(
            (each is None) == ((kind + shift) % 3 == 0) for each, kind in zip(read["flags"], read["kind"], strict=True)
        )


def test_conditions_on_one_field_row_by_row() -> None:
    """Values beyond a byte, and one for which there is no result."""
    format = format_of(IN_ROWS_WITH_LISTS)
    kinds = CHANCE.choices([3, 4, 6, 7, 8, 9, 255, 256, 300, 301, 302, 65535], k=2000)
    data = bytearray()
    for kind in kinds:
        items = CHANCE.randbytes(CHANCE.randrange(4))
        data += struct.pack("<HB", kind, len(items)) + items
        data += b"x" if 4 <= kind <= 8 or kind in (300, 301) else b""
    assert format.engine_refusal is None
    read, _ = agreed(format, bytes(data))
    assert read["kind"] == [None if kind == 7 else kind for kind in kinds]
    assert {each for kind, each in zip(kinds, read["extra"], strict=True) if kind in (4, 301)} == {ord("x")}


@pytest.mark.parametrize("phase", [1, 5, 40, 700])
def test_a_part_that_few_rows_have(phase: int) -> None:
    format = format_of(BY_POSITION)
    assert format.engine_refusal is None
    data, made = bytearray(), []
    while len(made) < 4000:
        kind = (1, 5, 9, 12, 2, 0)[len(made) // phase % 6] if CHANCE.random() < 0.95 else CHANCE.choice((0, 1, 9, 12))
        content = CHANCE.randbytes(CHANCE.choice((0, 4, 4, 9)))
        begin = len(data) % 4096
        is_long = kind == 12 or (kind == 9 and (len(content) != 4 or begin + 2 > 1000))
        data += bytes([kind, len(content)]) + (CHANCE.randbytes(2) if is_long else b"") + content
        made.append((kind, content))
        if 4096 - len(data) % 4096 < 16:
            data += bytes(4096 - len(data) % 4096)
    data += bytes(-len(data) % 4096)
    read, _ = agreed(format, bytes(data))
    count = len(made)
    assert read["kind"][:count] == [kind or None for kind, _ in made]
    assert [each for each in read["data"][:count] if each is not None] == [content for kind, content in made if kind]
    assert {each for each, (kind, _) in zip(read["piece"], made, strict=False) if kind == 12} == {4}


ROTATIONS: dict[str, Any] = {
    "(_ >> 15 | _ << 17) + 0xa282ead8 & 0xffffffff": lambda x: (x >> 15 | x << 17) + 0xA282EAD8 & 0xFFFFFFFF,
    "(_ << 17 | _ >> 15) + 0xa282ead8 & 0xffffffff": lambda x: (x >> 15 | x << 17) + 0xA282EAD8 & 0xFFFFFFFF,
    "(_ >> 31 | _ << 1) + 1 & 0xffffffff": lambda x: (x >> 31 | x << 1) + 1 & 0xFFFFFFFF,
    "(_ >> 15 | _ << 18) + 7 & 0xffffffff": lambda x: (x >> 15 | x << 18) + 7 & 0xFFFFFFFF,
    "(_ >> 16 | _ << 16) + 7 & 0xffff": lambda x: (x >> 16 | x << 16) + 7 & 0xFFFF,
    "(_ >> 15 | _ >> 17) + 7 & 0xffffffff": lambda x: (x >> 15 | x >> 17) + 7 & 0xFFFFFFFF,
}


@pytest.mark.parametrize("stored", ROTATIONS)
def test_rotated_checksums(stored: str) -> None:
    format = format_of(MASKED.format(kind="u4", algorithm="crc32c", stored=stored))
    bodies = [CHANCE.randbytes(CHANCE.randrange(40)) for _ in range(400)]
    sums = [ROTATIONS[stored](crc32c.crc32c(body)) for body in bodies]
    damaged = {5, 6, 130, 399}
    rows = [
        bytes([len(body)]) + body + struct.pack("<I", each ^ (number in damaged))
        for number, (body, each) in enumerate(zip(bodies, sums, strict=True))
    ]
    assert format.engine_refusal is None
    read, _ = agreed(format, b"".join(rows))
    assert [number for number, body in enumerate(read["body"]) if body is None] == sorted(damaged)


def test_a_rotation_of_more_than_32_bits() -> None:
    """Only values of 32 bits are rotated in one operation."""
    stored = "(_ >> 15 | _ << 17) + 7 & 0xffffffff"
    format = format_of(MASKED.format(kind="u4", algorithm="crc-40/gsm", stored=stored))
    crc_40 = function(algorithm("crc-40/gsm"))
    bodies = [CHANCE.randbytes(CHANCE.randrange(40)) for _ in range(300)]
    sums = [crc_40(body) for body in bodies]
    masked = [(each >> 15 | each << 17) + 7 & 0xFFFFFFFF for each in sums]
    rows = [bytes([len(body)]) + body + struct.pack("<I", each) for body, each in zip(bodies, masked, strict=True)]
    read, _ = agreed(format, b"".join(rows))
    assert read["body"] == bodies


@pytest.mark.parametrize("a", [-3, 4])
@pytest.mark.parametrize("b", [-(1 << 63), 2])
def test_conditions_that_are_the_same_for_all_rows(a: int, b: int) -> None:
    """A value that does not exist in the arm that is not taken does no harm."""
    format = format_of(CHOICE)
    rows = [(CHANCE.choice((0, -7, 9, 1 << 40)), CHANCE.choice((0, 8, 1 << 40))) for _ in range(300)]
    data = struct.pack("<qq", a, b) + b"".join(struct.pack("<qQ", *each) for each in rows)
    read, _ = agreed(format, data)
    # The cube of 2^40, and less than -2^63.
    beyond = [a <= 0 and (x == 1 << 40 or (b < 0 and y > 0)) for x, y in rows]
    assert read["x"] == [None if each else x for each, (x, _) in zip(beyond, rows, strict=True)]


ROWS_IN_ONE_CASE = """
meta: {id: records, endian: le, -wireloom: {rows: records.body.as<named>, columns: [name]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: kind, type: u1, valid: {max: 3}}
      - {id: len, type: u2}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: named, 2: number, 3: pair}}}
  named: {seq: [{id: size, type: u1}, {id: name, size: size}, {id: rest, size-eos: true}]}
  number: {seq: [{id: value, type: u4}]}
  pair: {seq: [{id: first, type: u2}, {id: more, type: u1, repeat: eos}]}
"""


@pytest.mark.parametrize("kinds", [(2, 1), (3, 1, 2), (2,), (1,), (1, 2, 1, 3)])
def test_records_without_rows_are_no_rows(kinds: tuple[int, ...]) -> None:
    """Long runs of records of one kind, of which one alone has a row."""
    format = format_of(ROWS_IN_ONE_CASE)
    names: list[bytes] = []
    data = b""
    for kind in kinds:
        for number in range(2000):
            name = b"name %d" % number
            bodies = {1: bytes([len(name)]) + name + b"rest", 2: struct.pack("<I", number), 3: b"\1\2" + name}
            data += struct.pack("<BH", kind, len(bodies[kind])) + bodies[kind]
            names += [name] * (kind == 1)
    read, _ = agreed(format, data)
    assert read["name"] == names
