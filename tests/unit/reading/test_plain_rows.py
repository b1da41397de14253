"""Rows of one byte string between fixed fields, which are read in groups: every size, every kind of length, checksums
as they are and in a stored form."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import crc32c
import pytest
import wireloom

from tests.differential.agreement import agreed

from ..specs import format_of

SPEC = """
meta: {{id: plain, endian: {endian}, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
      - {{id: len, type: {kind}}}
      - {{id: len_crc, type: u4, -wireloom: {{checksum: {{algorithm: crc32c, over: len{stored}}}}}}}
      - {{id: body, size: len}}
      - {{id: crc, type: u4, -wireloom: {{checksum: {{algorithm: crc32c, over: body{stored}}}}}}}
      - {{id: number, type: u2}}
"""
SIZED = """
meta: {id: sized, endian: le, -wireloom: {rows: batches.body.rows}}
seq: [{id: batches, type: batch, repeat: eos}]
types:
  batch:
    seq:
      - {id: len, type: u2}
      - {id: body, type: rows, size: len}
  rows:
    seq: [{id: rows, type: row, repeat: eos}]
  row:
    seq: [{id: factor, type: s8}]
    instances:
      product: {value: (_io.size * factor) / 1000}
"""
MASKED = ", stored: (_ >> 15 | _ << 17) + 0xa282ead8"
KINDS = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q"}


def made(kind: str, order: str, body: bytes, number: int, *, masked: bool) -> bytearray:
    length = struct.pack(order + KINDS[kind], len(body))
    sums = [crc32c.crc32c(each) for each in (length, body)]
    if masked:
        sums = [((each >> 15 | each << 17) + 0xA282EAD8) & 0xFFFFFFFF for each in sums]
    first, last = (struct.pack(order + "I", each) for each in sums)
    return bytearray(length + first + body + last + struct.pack(order + "H", number))


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("masked", [False, True])
def test_rows_of_every_size(tmp_path: Path, kind: str, order: str, *, masked: bool) -> None:
    """A flipped bit costs the row that it is in."""
    path = tmp_path / "plain.ksy"
    endian = "le" if order == "<" else "be"
    path.write_text(SPEC.format(endian=endian, kind=kind, stored=MASKED if masked else ""))
    format, chance = wireloom.load_spec(path), Random(kind)
    assert format.engine_refusal is None
    sizes = [*range(256)] if kind == "u1" else sorted([*range(0, 800, 2), *range(1, 200, 2), 1999, 2500, 4000])
    # Then in order: the checksums of rows of about the same size are computed together.
    sizes = [*chance.sample(sizes, len(sizes)), *sizes]
    bodies = [chance.randbytes(size) for size in sizes]
    rows = [made(kind, order, body, number, masked=masked) for number, body in enumerate(bodies)]
    read, _ = agreed(format, b"".join(rows))
    assert read["body"] == bodies
    damaged = {number for number in chance.sample(range(len(rows)), 18) if bodies[number]}
    for number in damaged:
        place = struct.calcsize(order + KINDS[kind] + "I") + chance.randrange(len(bodies[number]))
        rows[number][place] ^= 1 << chance.randrange(8)
    read, _ = agreed(format, b"".join(rows))
    assert {number for number, body in enumerate(read["body"]) if body is None} == damaged


def test_the_size_of_a_stream_in_products_of_more_than_64_bits() -> None:
    format, chance = format_of(SIZED), Random(3)
    factors = [[chance.randrange(-(2**40), 2**40) for _ in range(count)] for count in (90, 40, 120)]
    factors[1][7] = 2**62
    data = b"".join(struct.pack(f"<H{len(each)}q", 8 * len(each), *each) for each in factors)
    read, _ = agreed(format, data)
    assert read["factor"] == [factor for each in factors for factor in each]
    assert read["product"] == [8 * len(each) * factor // 1000 for each in factors for factor in each]
