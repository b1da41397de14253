"""What objects are given: both readers compute it when an object begins, used or not, and lose it where that fails."""

from __future__ import annotations

from random import Random

import pytest

from ..unit.columns_backend.specs import format_of
from .agreement import agreed

ITEMS = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: n, type: u1}
  - {id: rows, type: "row(ARGUMENT)", repeat: eos}
types:
  row:
    params: [{id: given, type: u1}]
    seq:
      - {id: a, type: u1}
      - {id: b, size: 1, if: a == 2}
      - {id: c, type: u1, if: a == 3 and given == 2}
      - {id: d, size: "a == 5 ? given % 2 : 0"}
    INSTANCES
"""

LISTS = """
meta: {id: sample, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: n, type: u1}
      - {id: bytes, size: 2}
      - {id: items, type: "item(10 / (n - _index), _io.pos)", repeat: expr, repeat-expr: n % 3}
      - {id: part, type: "part(items[n], share, here, bytes[n % 3])", size: 2}
      - {id: last, type: u1}
    instances:
      share: {value: 20 / n}
      here: {value: _io.pos}
  item:
    params: [{id: by, type: u1}, {id: at, type: u1}]
    seq: [{id: a, type: u1}, {id: b, size: "a == 1 ? by % 4 : at % 2"}]
  part:
    params: [{id: item, type: item}, {id: share, type: u1}, {id: at, type: u1}, {id: byte, type: u1}]
    seq: [{id: a, type: u1}, {id: b, size: "a == 1 ? item.a % 2 : at % 2"}]
"""

INSTANCES = "instances: {x: {value: given}, y: {value: 'a == 1 ? given : 3'}}"
ARGUMENTS = ["10 / n", "10 / _index", "rows[_index - 1].a", "_index == 0 ? 0 : rows.last.a", "_io.pos"]


def some_bytes(random: Random) -> bytes:
    return bytes(random.choices([0, 1, 2, 2, 3, 5, 9, 65], k=random.randrange(40)))


@pytest.mark.parametrize("instances", ["", INSTANCES])
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_arguments_of_rows(argument: str, instances: str) -> None:
    format = format_of(ITEMS.replace("ARGUMENT", argument).replace("INSTANCES", instances))
    assert format.engine_refusal is None
    random = Random(5)
    for _ in range(40):
        agreed(format, some_bytes(random))


def test_arguments_inside_of_rows() -> None:
    format = format_of(LISTS)
    assert format.engine_refusal is None
    random = Random(5)
    for _ in range(150):
        agreed(format, some_bytes(random), recover=random.random() < 0.5)


def test_an_argument_that_nothing_uses_loses_what_it_is_for() -> None:
    format = format_of(ITEMS.replace("ARGUMENT", "10 / n").replace("INSTANCES", ""))
    rows, [report] = agreed(format, b"\0\5\5")
    assert rows["a"] == []
    assert (report["tail"], report["tail_offset"]) == ("invalid_value", 0)
    rows, _ = agreed(format, b"\1\4\4")
    assert rows["a"] == [4, 4]


def test_a_position_that_is_given_is_that_where_the_object_begins() -> None:
    format = format_of(ITEMS.replace("ARGUMENT", "_io.pos").replace("INSTANCES", INSTANCES))
    rows, _ = agreed(format, b"\0\2x\4\4")
    assert rows["x"] == [1, 3, 4]
