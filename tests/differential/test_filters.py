"""Filters of generated tables: the engine, which skips rows while it reads, returns the same rows and report as
filtering its result, and objects do the same."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from hypothesis import given
from wireloom import Format
from wireloom.codegen.loading import load_format
from wireloom.reading.pushed_filter import Pushed, pushed
from wireloom.reading.request import of_table
from wireloom.rows.predicates import Domain

from .agreement import objects_only, outcome
from .damage import damaged
from .specs import Made
from .strategies import bounded, randoms, records, some, tables, units

READERS: tuple[dict[str, Any], ...] = (
    {},
    {"recover": True},
    {"mode": "failfast"},
    {"batch_rows": 2},
    {"verify": False},
)
SPEC = """
meta: {id: chosen, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: at, type: u8}
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: maybe_value, type: s4, if: kind < 2}
      - {id: body, type: {switch-on: kind, cases: {0: pair, 1: byte}}}
      - {id: maybe, size: len, if: kind != 1}
    instances:
      sum: {value: at + kind}
  pair: {seq: [{id: a, type: u2}, {id: b, type: s2}]}
  byte: {seq: [{id: c, type: u1}]}
"""
COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("specs")


def format_of(made: Made, folder: Path) -> Format:
    path = folder / hashlib.sha256(made.text.encode()).hexdigest()[:16] / "sample.ksy"
    path.parent.mkdir(exist_ok=True)
    path.write_text(made.text)
    return load_format(path)


def nothing_pushed() -> Any:
    """Apply filters to the complete result in this context."""
    return patch("wireloom.reading.request.pushed", lambda _, expression: Pushed(expression, (), expression))


def atom(random: Random, table: pa.Table, field: pa.Field) -> Any:
    """Return a condition on a column that is true for some of its values, if possible."""
    column, kind = pc.field(field.name), field.type
    if random.random() < 0.15:
        return random.choice([column.is_null(), column.is_valid()])
    values = [each for each in table[field.name] if each.is_valid]
    value = random.choice(values) if values else pa.scalar(0, pa.int64()).cast(kind)
    if random.random() < 0.2 and not pa.types.is_floating(kind):
        return column.isin(pa.array([value.as_py() if not pa.types.is_timestamp(kind) else value.value], kind))
    if pa.types.is_boolean(kind):
        return random.choice([column, column == value, column != value])
    return getattr(column, random.choice(COMPARISONS))(value)


def condition(random: Random, table: pa.Table, fields: list[pa.Field]) -> Any:
    made = atom(random, table, random.choice(fields))
    for _ in range(random.randrange(3)):
        other = atom(random, table, random.choice(fields))
        made = made & other if random.random() < 0.6 else made | other
    made = ~made if random.random() < 0.2 else made
    return made & (pc.field("_offset") > random.randrange(20)) if random.random() < 0.1 else made


def check(random: Random, format: Format, data: bytes, **options: Any) -> int:
    """Compare filters of an input. Return how many were evaluated by the engine."""
    table_format = of_table(format, dict(options))[0]
    fields = [each for each in table_format.schema if Domain.of(each.type)]
    names = [each.name for each in table_format.columns if not each.engine_refusal]
    fields = [each for each in fields if each.name in names]
    if not fields:
        return 0
    asked = 0
    with objects_only():
        try:
            table = wireloom.read(format, data, columns=names, check_format=False, recover=True, **options)
        except wireloom.WireloomError:
            return 0
    for reader in some(random, READERS):
        filter = condition(random, table, fields)
        asked += bool(pushed(table_format, filter).predicates)
        by_engine = outcome(format, data, filter=filter, **options, **reader)
        with nothing_pushed():
            after = outcome(format, data, filter=filter, **options, **reader)
            with objects_only():
                by_objects = outcome(format, data, filter=filter, **options, **reader)
        assert by_engine == after == by_objects, (
            f"{format.name}, {filter}, {options} {reader}\ninput   {data.hex()}\n"
            f"engine  {by_engine}\nafter   {after}\nobjects {by_objects}"
        )
    return asked


def test_rows_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "conditions.ksy"
    path.write_text(SPEC)
    format = wireloom.load_spec(path)
    chance = Random(5)
    rows = []
    for number in range(250):
        kind, size = chance.randrange(4), chance.randrange(6)
        parts = {0: 8 + size, 1: 5}.get(kind, size)
        rows.append(struct.pack("<QBB", number, kind, size) + chance.randbytes(parts))
    data = b"".join(rows)
    assert sum(check(chance, format, data) for _ in range(8)) > 8
    near = pc.field("maybe_value").is_valid() & (pc.field("at") > 200)
    found, _ = outcome(format, data, filter=near)
    assert found["at"] == [n for n in range(201, 250) if rows[n][8] < 2]


@bounded(10)
@given(made=tables(), random=randoms)
def test_rows(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    good = made.write(random, {})
    for data in (good, damaged(random, good), damaged(random, good)):
        check(random, format, data)


@bounded(10)
@given(made=units(), random=randoms)
def test_rows_inside_of_units(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    good = made.write(random, {})
    for data in (good, damaged(random, good), damaged(random, good)):
        check(random, format, data)


@bounded(4)
@given(made=records(), random=randoms)
def test_rows_inside_of_records(folder: Path, made: Made, random: Random) -> None:
    format = format_of(made, folder)
    good = made.write(random, {})
    for data in (good, damaged(random, good)):
        for table in ("inner", "records"):
            check(random, format, data, table=table)
