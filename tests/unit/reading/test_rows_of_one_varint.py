"""Rows of which each is one varint, which the engine locates several at a time."""

from __future__ import annotations

from itertools import accumulate
from random import Random

import pytest

from ..specs import format_of
from .running import ROW_READERS, read
from .test_varints import le, zigzag

ALONE = """
meta: {{id: alone, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row: {{seq: [{{id: value, type: number}}]}}
  number: {{-wireloom: {{varint: {{order: le{signed}}}}}}}
"""
IN_UNITS = """
meta: {{id: alone, endian: le, -wireloom: {{rows: units.content.rows, unit: units}}}}
seq: [{{id: units, type: unit, repeat: eos}}]
types:
  unit: {{seq: [{{id: len, type: u2}}, {{id: content, type: content, size: len}}]}}
  content: {{seq: [{{id: rows, type: row, repeat: eos}}]}}
  row: {{seq: [{{id: value, type: number}}]}}
  number: {{-wireloom: {{varint: {{order: le{signed}}}}}}}
"""
SIGNS = {"unsigned": "", "signed": ", signed: zigzag"}


def values(chance: Random, count: int, *, signed: bool) -> list[int]:
    """Return numbers of which most have one or two bytes; some more, in the middle and at the end."""
    bits = [60 if number % 97 in (0, 5, 6, 96) else 14 for number in range(count)]
    found = [chance.getrandbits(chance.randrange(1, most)) for most in bits]
    return [each // -2 if signed and chance.random() < 0.5 else each for each in found]


def encoded(value: int, *, signed: bool) -> bytes:
    return le(zigzag(value) if signed else value)


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("sign", SIGNS)
def test_a_cut_costs_the_row_that_it_is_in(reader: str, sign: str) -> None:
    signed = sign == "signed"
    format = format_of(ALONE.format(signed=SIGNS[sign]))
    assert format.engine_refusal is None
    rows = values(Random(3), 1200, signed=signed)
    parts = [encoded(each, signed=signed) for each in rows]
    data, offsets = b"".join(parts), [0, *accumulate(map(len, parts))]
    table, file = read(reader, format, data, columns=["_offset", "value"])
    assert (file["tail"], file["damaged"]) == ("clean", [])
    assert table.column("value").to_pylist() == rows
    assert table.column("_offset").to_pylist() == offsets[:-1]
    for count in range(40):
        cut = offsets[count] - 1 if count else 0
        table, file = read(reader, format, data[:cut])
        assert table.column("value").to_pylist() == rows[: table.num_rows]
        assert file["tail_size"] == cut - offsets[table.num_rows] < 10


@pytest.mark.parametrize("reader", ROW_READERS)
def test_small_windows_and_batches_give_all_rows(reader: str) -> None:
    format = format_of(ALONE.format(signed=""))
    rows = values(Random(4), 3000, signed=False)
    table, file = read(reader, format, b"".join(map(le, rows)), chunk=64, streamed=True, batch_rows=50)
    assert table.column("value").to_pylist() == rows
    assert file["tail"] == "clean"


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("sign", SIGNS)
def test_a_unit_that_ends_inside_of_a_varint_costs_that_row(reader: str, sign: str) -> None:
    """A unit may end inside of a varint, which costs that row and none of the next unit."""
    signed = sign == "signed"
    format = format_of(IN_UNITS.format(signed=SIGNS[sign]))
    assert format.engine_refusal is None
    chance = Random(5)
    data, expected, damaged = b"", [], 0
    for number in range(60):
        rows = values(chance, chance.choice([0, 1, 3, 4, 5, 17, 600]), signed=signed)
        content = b"".join(encoded(each, signed=signed) for each in rows)
        if number % 7 == 3:
            content, damaged = content + b"\x80", damaged + 1
        data += len(content).to_bytes(2, "little") + content
        expected += rows
    table, file = read(reader, format, data)
    assert table.column("value").to_pylist() == expected
    assert (len(file["damaged"]), file["tail"]) == (damaged, "clean")
