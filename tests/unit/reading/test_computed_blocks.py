"""What many rows compute side by side: values up to and beyond 64 bits, what depends on one byte, masked checksums, and
rows that are units of their own."""

from __future__ import annotations

import struct
from random import Random

import crc32c
import pytest
import wireloom

from tests.differential.agreement import agreed

from ..specs import format_of

SPEC = """
meta: {id: computed, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: left, type: s8}
      - {id: right, type: s4}
      - {id: wide, type: u8}
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: 'len - (kind == 9 ? 4 : kind % 3)'}
      - id: crc
        type: u4
        -wireloom: {checksum: {algorithm: crc32c, over: [kind, body], stored: (_ >> 15 | _ << 17) + 0xa282ead8}}
    instances:
      sum: {value: left + right}
      difference: {value: (left - right) % 1000}
      product: {value: left * right & 0xffff}
      quotient: {value: left / 7}
      rest: {value: left % 7}
      negative_rest: {value: left % -7}
      half: {value: left >> 3}
      moved: {value: '(left >> kind % 8) + (right << kind % 40)'}
      more: {value: (left << 5) & 0xffffff}
      low: {value: (wide & 0xff) + 1}
      negative: {value: (-left ^ ~right) & 0xff}
      choice: {value: 'left < right and wide != 5 or not (right >= 0) ? right : kind * 2 + 1'}
      is_odd: {value: kind % 2 == 1}
"""
UNITS = """
meta: {id: inner, endian: be, -wireloom: {rows: batches.rows.body}}
seq: [{id: batches, type: batch, repeat: eos}]
types:
  batch:
    seq:
      - {id: count, type: u2}
      - {id: rows, type: row, repeat: expr, repeat-expr: count}
  row:
    seq:
      - {id: len, type: u1}
      - {id: mark, type: u1, valid: 7}
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: number, type: u2, valid: {max: 999}}
      - {id: text, size-eos: true}
"""
ABOVE = """
meta: {id: above, endian: be, -wireloom: {rows: batches.rows}}
seq: [{id: batches, type: batch, repeat: eos}]
types:
  batch:
    seq:
      - {id: base, type: s8}
      - {id: flags, type: u1}
      - {id: count, type: u2}
      - {id: rows, type: row, repeat: expr, repeat-expr: count}
  row:
    seq:
      - {id: delta, type: s4}
      - {id: len, type: u1}
      - {id: text, size: len}
    instances:
      at: {value: _parent.base + delta}
      after: {value: at + 1}
      chosen: {value: '_parent.flags & 1 != 0 ? _parent.base : at % 1000 + _parent.flags * 2'}
      mixed: {value: '(delta < 0 ? _parent.flags : -_parent.flags) + (_parent.flags > 1 ? delta : delta - 1) * 3'}
      flag: {value: 5 - _parent.flags}
"""
LIMITS = [-(2**63), 2**63 - 1, -(2**62), 2**62, -1, 0]


def load(text: str) -> wireloom.Format:
    format = format_of(text)
    assert format.engine_refusal is None
    return format


def row(chance: Random, left: int, wide: int) -> bytes:
    kind, body = chance.choice((1, 2, 3, 9, 250)), chance.randbytes(chance.randrange(20))
    size = len(body) + (4 if kind == 9 else kind % 3)
    crc = crc32c.crc32c(bytes([kind, size]) + body)
    head = struct.pack("<qiQBB", left, chance.randrange(-(2**31), 2**31), wide, kind, size)
    return head + body + struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


@pytest.mark.parametrize("limits", [0, 3, 60])
def test_values_of_64_bits_and_more(limits: int) -> None:
    """Of 300 rows, so many have values at the limits of 64 bits."""
    format, chance = load(SPEC), Random(limits)
    lefts = [chance.choice(LIMITS) if number < limits else chance.randrange(-(2**40), 2**40) for number in range(300)]
    wides = [2**64 - 1 - number if number < limits else number for number in range(300)]
    chance.shuffle(lefts)
    chance.shuffle(wides)
    data = b"".join(row(chance, left, wide) for left, wide in zip(lefts, wides, strict=True))
    rows, _ = agreed(format, data)
    for left, shown, half in zip(lefts, rows["left"], rows["half"], strict=True):
        assert shown is None or (shown, half) == (left, left >> 3)
    assert rows["left"].count(None) <= limits


def test_a_masked_checksum_that_does_not_match_costs_one_row() -> None:
    format, chance = load(SPEC), Random(5)
    parts = [bytearray(row(chance, number, number)) for number in range(200)]
    for number in (40, 41, 150):
        parts[number][chance.randrange(-4, 0)] ^= 1 << chance.randrange(8)
    rows, _ = agreed(format, b"".join(parts))
    assert rows["left"] == [None if number in (40, 41, 150) else number for number in range(200)]
    assert [each.partition(":")[0] for each in rows["_error"] if each] == ["checksum"] * 3


def test_rows_that_are_units_in_turns_of_a_loop() -> None:
    format, chance = load(UNITS), Random(6)
    parts = []
    for count in (200, 0, 1, 90):
        parts.append(bytearray(struct.pack(">H", count)))
        for _ in range(count):
            text = chance.randbytes(chance.randrange(30))
            parts.append(bytearray(struct.pack(">BBH", 2 + len(text), 7, chance.randrange(1000)) + text))
    rows, _ = agreed(format, b"".join(parts))
    assert len(rows["number"]) == 291
    parts[50][2:4] = b"\xff\xff"
    damaged, _ = agreed(format, b"".join(parts))
    assert [number for number, each in enumerate(damaged["number"]) if each is None] == [49]
    assert damaged["_offset"] == rows["_offset"]
    parts[50][1] = 0
    agreed(format, b"".join(parts))


def test_values_above_the_rows_in_expressions() -> None:
    """In some batches a sum has more than 64 bits, on which another expression depends."""
    format, chance = load(ABOVE), Random(7)
    parts, expected = [], []
    for base in (0, 2**63 - 1000, -5, -(2**63) + 500, 17):
        flags, deltas = chance.randrange(4), [chance.randrange(-2000, 2000) for _ in range(200)]
        parts.append(struct.pack(">qBH", base, flags, len(deltas)))
        for delta in deltas:
            text = chance.randbytes(chance.randrange(8))
            parts.append(struct.pack(">iB", delta, len(text)) + text)
        expected += [at if -(2**63) <= at < 2**63 - 1 else None for at in (base + delta for delta in deltas)]
    rows, _ = agreed(format, b"".join(parts))
    assert rows["at"] == expected
    assert rows["after"] == [None if at is None else at + 1 for at in expected]
