"""Bytes and text that are compared with literals: in conditions, switches, ``valid`` and computed columns."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import wireloom

from tests.differential.agreement import agreed

from ...examples import examples
from ..specs import format_of

SPEC = """
meta: {id: compared, endian: be, -wireloom: {rows: rows, columns: [kind, magic, text, extra, is_low, body]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, size: 2, type: str, encoding: ASCII}
      - {id: magic, size: 2, valid: {any-of: ["[1, 2]", "[3, 4]"]}}
      - {id: text, type: strz, encoding: UTF-8}
      - {id: extra, type: u1, if: 'text == "é" or kind != "ab"'}
      - {id: len, type: u1}
      - id: body
        size: len
        type: {switch-on: kind, cases: {'"ab"': one, '"cd"': two}}
    instances:
      is_low: {value: '[2] > magic'}
  one: {seq: [{id: x, type: u1}]}
  two: {seq: [{id: y, type: u2}]}
"""
ROWS = [b"ab\1\2\xc3\xa9\0\7\1\5", b"cd\3\4x\0\7\2\1\2", b"ab\1\2q\0\1\6", b"zz\1\2\0\0\3abc"]


@pytest.fixture
def compared() -> wireloom.Format:
    return format_of(SPEC)


def test_the_engine_compares(compared: wireloom.Format) -> None:
    assert compared.engine_refusal is None
    rows: list[dict[str, Any]] = wireloom.read(compared, b"".join(ROWS)).to_pylist()
    assert [each["extra"] for each in rows] == [7, 7, None, 0]
    assert [each["is_low"] for each in rows] == [True, False, True, True]
    assert [[name for name, value in each["body"].items() if value is not None] for each in rows] == [
        ["one"],
        ["two"],
        ["one"],
        ["raw"],
    ]


@pytest.mark.slow
def test_both_readers_agree_on_damage(compared: wireloom.Format) -> None:
    chance = Random(18)
    for _ in range(examples(600)):
        data = bytearray(b"".join(chance.choices(ROWS, k=chance.randint(1, 5))))
        for _ in range(chance.randrange(4)):
            data[chance.randrange(len(data))] = chance.choice((0, 1, 2, 3, 97, 0xBD, 0xEF, 0xFF))
        agreed(compared, bytes(data), recover=chance.random() < 0.5)


def test_a_refused_value_that_lays_out_the_row_loses_it() -> None:
    found = format_of(SPEC.replace("encoding: ASCII}", "encoding: ASCII, valid: {any-of: ['\"ab\"', '\"cd\"']}}"))
    assert found.engine_refusal is None
    rows, [report] = agreed(found, b"".join(ROWS))
    assert rows["kind"] == ["ab", "cd", "ab"]
    assert (report["tail"], report["tail_offset"]) == ("invalid_value", len(b"".join(ROWS[:3])))


AROUND = """
meta: {id: around, endian: be, -wireloom: {rows: units.rows, columns: [mark, alias, a]}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: mark, size: 3}
      - {id: other, size: 2}
      - {id: len, type: u1}
      - {id: rows, type: row, repeat: expr, repeat-expr: len}
    instances: {alias: {value: other}}
  row: {seq: [{id: a, type: u1}]}
"""


def test_bytes_of_a_fixed_size_around_rows(tmp_path: Path) -> None:
    path = tmp_path / "around.ksy"
    path.write_text(AROUND)
    data = b"abc\0\1\2\7\x08" + b"xyz\2\3\1\x09"
    rows, _ = agreed(wireloom.load_spec(path), data)
    assert rows["mark"] == [b"abc", b"abc", b"xyz"]
    assert rows["alias"] == [b"\0\1", b"\0\1", b"\2\3"]
    path.write_text(AROUND.replace("alias, ", "").replace("}}\nseq", ", selectable: []}}\nseq"))
    found = wireloom.load_spec(path)
    assert found.engine_refusal is None
    assert agreed(found, data)[0]["mark"] == [b"abc", b"abc", b"xyz"]


NAMED = """
meta: {id: named, endian: be, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: name, type: strz, encoding: ASCII}
      - {id: levels, type: u1, repeat: expr, repeat-expr: name.length}
"""


@pytest.mark.slow
def test_the_length_of_text_in_ascii() -> None:
    named = format_of(NAMED)
    assert named.engine_refusal is None
    assert wireloom.read(named, b"ab\0\1\2\0c\0\3").column("name").to_pylist() == ["ab", "", "c"]
    chance = Random(7)
    for _ in range(examples(300)):
        data = bytearray(b"ab\0\1\2\0c\0\3" * 3)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.choice((0, 1, 97, 0x80, 0xC3, 0xFF))
        agreed(named, bytes(data[: chance.randrange(len(data) + 1)]))
