"""Expressions about objects that a switch selects: generated inputs, with both readers."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from wireloom import Format

from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed
from .damage import damaged

POOL = """
meta: {id: sample, endian: le, encoding: ASCII, -wireloom: {rows: rows}}
seq:
  - {id: count, type: u1}
  - {id: pool, type: 'entry(_index != 0 ? pool[_index - 1].is_wide : false)', repeat: expr, repeat-expr: count}
  - {id: num_rows, type: u1}
  - {id: rows, type: row, repeat: expr, repeat-expr: num_rows}
  - {id: last, type: u1}
types:
  entry:
    params: [{id: after_wide, type: bool}]
    seq:
      - {id: kind, type: u1, if: not after_wide}
      - id: info
        if: not after_wide
        type: {switch-on: kind, cases: {1: text, 2: pair, 3: wide, 4: pair, 6: nested}}
    instances:
      is_wide: {value: 'after_wide ? false : kind == 3'}
  text:
    seq: [{id: len, type: u1}, {id: value, type: str, size: len}]
  pair:
    seq: [{id: value, type: u1}, {id: more, type: u1, if: value > 1}]
    instances:
      always: {value: 77}
      sum: {value: value + more}
  wide:
    seq: [{id: value, type: u2}]
  nested:
    seq: [{id: inner, type: {switch-on: _root.count % 2, cases: {0: pair, _: wide}}}]
  row:
    seq:
      - {id: number, type: u1}
      - {id: other, type: u1, valid: {max: 240}}
    instances:
      entry: {value: '_root.pool[number].info'}
      as_text: {value: entry.as<text>}
      name: {value: as_text.value}
      other_name: {value: '_root.pool[other].info.as<text>.value'}
      len: {value: as_text.len}
      more: {value: entry.as<pair>.more}
      is_two: {value: entry.as<pair>.more == 2}
      is_other: {value: entry.as<pair>.more != 3}
      always: {value: entry.as<pair>.always}
      sum: {value: entry.as<pair>.sum}
      kind: {value: '_root.pool[number].kind'}
      is_one: {value: '_root.pool[number].kind == 1'}
      chosen: {value: 'is_one ? entry.as<text>.len : number'}
      inner: {value: entry.as<nested>.inner.as<pair>.more}
"""
"""Rows that look up items of a preceding list of several types."""

BESIDE = spec_text(
    """
    seq:
      - {id: kind, type: u1, valid: {max: 9}}
      - {id: flag, type: u1, if: kind > 0}
      - id: body
        type: {switch-on: kind, cases: {1: first, 2: second, 3: second, 4: u1}}
      - {id: last, type: u1, if: kind == 2 and body.as<second>.n == 7}
      - {id: choice, type: {switch-on: flag, cases: {1: first, _: second}}}
      - {id: end, type: u1, valid: {max: 200}}
    instances:
      n: {value: body.as<second>.n}
      known: {value: 'kind == 1 ? body.as<first>.a + body.as<first>.b : -1'}
      ten: {value: 'choice.as<first>.a / 10'}
      word: {value: choice.as<second>.word}
      long: {value: word.length}
      none_of: {value: choice.as<second>.more != 0x61}
    """,
    types="""
    first: {seq: [{id: a, type: u1, valid: {max: 220}}, {id: b, type: u2}]}
    second:
      seq:
        - {id: n, type: u1}
        - {id: word, type: str, size: 1, encoding: ASCII}
        - {id: more, type: u1, if: n == 1}
    """,
)
"""Objects that fields, conditions and columns of the same row use."""


def pool(random: Random) -> bytes:
    entries, count, wide = b"", random.randrange(7), False
    for _ in range(count):
        kind = random.choice([1, 1, 2, 3, 4, 5, 6])
        pair = random.choice([b"\0", b"\2\2", b"\2\3", b"\5\0"])
        rest = {1: random.choice([b"\3abc", b"\1x", b"\0"]), 2: pair, 3: b"\1\1", 4: pair, 5: b""}
        entries += b"" if wide else bytes([kind]) + rest.get(kind, b"\1\1" if count % 2 else pair)
        wide = not wide and kind == 3
    rows = bytes(random.randrange(count + 1) for _ in range(2 * random.randrange(1, 9)))
    return bytes([count]) + entries + bytes([len(rows) // 2]) + rows + b"\1"


def beside(random: Random) -> bytes:
    return bytes(random.choice([0, 1, 1, 2, 2, 3, 4, 7, 97, 97]) for _ in range(random.randrange(60)))


@pytest.mark.parametrize("options", [{}, {"mode": "dropmalformed"}, {"recover": True}, {"batch_rows": 2}])
@pytest.mark.parametrize(("spec", "write"), [(POOL, pool), (BESIDE, beside)])
def test_both_readers(spec: str, write: Any, options: dict[str, Any]) -> None:
    format, random = format_of(spec), Random(5)
    assert not refused(format)
    names = [each.name for each in format.columns if each.default]
    if not format.streaming:
        options = {name: value for name, value in options.items() if name != "recover"}
    for _ in range(20):
        good = write(random)
        for data in (good, damaged(random, good)):
            agreed(format, data, **options)
            agreed(format, data, columns=[random.choice(names), "_offset"], **options)


def refused(format: Format) -> dict[str, str]:
    """Return the columns of rows that the engine does not read, and why."""
    found = {each.name: each.engine_refusal for each in format.columns if each.default and each.engine_refusal}
    return {**found, **({"": format.engine_refusal} if format.engine_refusal else {})}


def test_an_object_of_another_type_is_damage_and_an_absent_one_is_null() -> None:
    # Four entries: text, a pair, one without a type, text. Rows: the text, the pair, the missing one.
    data = bytes([4, 1, 3]) + b"abc" + bytes([2, 2, 2, 5, 1, 1]) + b"x" + bytes([3, 0, 3, 1, 3, 2, 3, 1])
    rows, [report] = agreed(format_of(POOL), data, columns=["name", "other_name", "_offset"])
    assert rows["name"] == ["abc", None]
    assert rows["other_name"] == ["x", "x"]
    assert [each[2] for each in report["damaged"]] == ["value"]


def test_an_item_that_asks_for_later_ones_is_left_to_objects() -> None:
    spec = """
    meta: {id: sample, -wireloom: {rows: rows}}
    seq:
      - {id: pool, type: entry, repeat: expr, repeat-expr: 2}
      - {id: rows, type: row, repeat: expr, repeat-expr: 2}
    types:
      entry:
        seq: [{id: next, type: u1}, {id: value, type: u1}]
        instances: {following: {value: '_root.pool[next].value'}}
      row:
        seq: [{id: number, type: u1}]
        instances: {found: {value: '_root.pool[number].following'}}
    """
    format = format_of(spec)
    assert format.engine_refusal
    rows, _ = agreed(format, bytes([1, 7, 0, 8, 0, 1]))
    assert rows["found"] == [8, 7]
