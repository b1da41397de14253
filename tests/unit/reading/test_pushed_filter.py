"""Filters as predicates of the engine: which conditions are supported, and their meaning."""

from __future__ import annotations

import datetime
import math
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from wireloom.reading.pushed_filter import pushed
from wireloom.rows.predicates import Domain, common, union, without

from ..specs import format_of

SPEC = """
meta: {id: kinds_of_values, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: wide, type: u8}
      - {id: narrow, type: s1}
      - {id: single, type: f4}
      - {id: double, type: f8}
      - {id: word, type: u2}
      - {id: at, type: s8, -wireloom: {timestamp: ms}}
    instances:
      is_odd: {value: word % 2 == 1}
"""
NAN = math.nan
VALUES: list[tuple[int, int, float, float, int, int]] = [
    (0, -128, 0.0, -0.0, 0, 0),
    (1, -1, -0.0, 0.1, 1, 1000),
    ((1 << 63) + 5, 0, NAN, -NAN, 2, -1000),
    ((1 << 64) - 1, 127, 0.1, math.inf, 65535, 1_790_000_000_000),
    (17, 5, -math.inf, NAN, 17, 1_790_000_000_001),
    (17, 5, 1.5, -1.5, 18, 1_790_000_000_002),
]
WIDE, NARROW, SINGLE, DOUBLE, WORD, AT, ODD = map(
    pc.field, ("wide", "narrow", "single", "double", "word", "at", "is_odd")
)
MOMENT = datetime.datetime.fromtimestamp(1_790_000_000.001, datetime.UTC)


@pytest.fixture(scope="module")
def format() -> wireloom.Format:
    return format_of(SPEC)


DATA = b"".join(struct.pack("<QbfdHq", *each) for each in VALUES)


@pytest.mark.parametrize(
    "filter",
    [
        WORD == 17,
        pc.scalar(17) > WORD,
        (WORD >= 2) & (WORD < 18),
        (WORD < 2) | (WORD > 17),
        ~(WORD == 17),
        (WORD >= 2) & (NARROW != 5) & ODD,
        WORD == 70_000,
        WORD != 70_000,
        WORD > -1,
        WORD.isin([2, 17, 70]),
        ~WORD.isin([2, 17, 18, None]),
        NARROW == -1,
        NARROW < 0,
        NARROW > 300,
        NARROW.isin(pa.array([-128, 127], pa.int8())),
        ODD,
        ~ODD,
        ODD == False,  # noqa: E712
        SINGLE == 0.0,
        SINGLE == 0.1,
        SINGLE != 0.1,
        SINGLE < 0.1,
        SINGLE <= 0.1,
        SINGLE > 0.1,
        SINGLE >= 0.1,
        ~(SINGLE < 0.1),
        SINGLE > 1,
        -math.inf <= SINGLE,
        DOUBLE <= 0.1,
        DOUBLE != 0.1,
        DOUBLE == 0,
        math.inf > DOUBLE,
        AT == MOMENT,
        AT < MOMENT,
        AT.is_valid(),
        AT.is_null(),
        ~AT.is_null(),
        pc.is_null(AT),
        ~pc.is_null(DOUBLE),
        pc.is_null(WORD, nan_is_null=False),
        pc.is_valid(WORD),
        pc.and_kleene(pc.equal(WORD, 17), pc.invert(ODD)),
        pc.is_in(WORD, value_set=pa.array([17])),
    ],
    ids=str,
)
def test_all_of_it_is_asked_of_the_engine(format: wireloom.Format, filter: Any) -> None:
    below = pushed(format, filter)
    assert below.predicates
    assert below.residual is None
    whole = wireloom.read(format, DATA)
    table, report = wireloom.read_with_report(format, DATA, filter=filter)
    assert repr(table.to_pylist()) == repr(whole.filter(filter).to_pylist())
    assert report.rows == len(VALUES)
    assert report.clean


@pytest.mark.parametrize(
    ("filter", "predicates"),
    [
        (WORD + 1 == 18, 0),
        (WORD == 17.5, 0),
        ((WORD == 17) & (WORD + 1 == 18), 1),
        ((WORD == 17) | (NARROW == 5), 0),
        ((WORD == 17) & (pc.field("_offset") > 30), 1),
        (pa.scalar(None, pa.int32()) == WORD, 0),
        (SINGLE.isin([1.5]), 0),
        (SINGLE.is_nan(), 0),
        (SINGLE.is_null(nan_is_null=True), 0),
        (MOMENT + datetime.timedelta(microseconds=1) == AT, 0),
        (WORD == NARROW, 0),
        (WORD.cast("int8", safe=False) == 17, 0),
        (pc.is_in(WORD, value_set=pa.array([17]), skip_nulls=True), 0),
        (pc.index_in(WORD, value_set=pa.array([17])) == 0, 0),
        (pc.match_substring(WORD.cast("string"), "7"), 0),
        (pc.scalar(1) > WORD.cast("int32") - 17, 0),
    ],
    ids=str,
)
def test_the_rest_is_for_batches(format: wireloom.Format, filter: Any, predicates: int) -> None:
    below = pushed(format, filter)
    assert len(below.predicates) == predicates
    assert below.residual.equals(filter)
    whole = wireloom.read(format, DATA, columns=["wide", "narrow", "single", "word", "at", "_offset"])
    table = wireloom.read(format, DATA, columns=whole.schema.names, filter=filter)
    assert repr(table.to_pylist()) == repr(whole.filter(filter).to_pylist())


def test_large_values_beside_a_signed_constant(format: wireloom.Format) -> None:
    # Arrow casts the column, and fails: the constant has the column's type.
    damaged = DATA + DATA[:5]
    for data in (DATA, damaged):
        table = wireloom.read(format, data, filter=WIDE > 17)
        assert table["wide"].to_pylist() == [(1 << 63) + 5, (1 << 64) - 1]


def test_ranges() -> None:
    one, other = ((0, 5), (8, 9)), ((4, 8), (12, 12))
    assert union(one, other) == ((0, 9), (12, 12))
    assert union(((6, 7),), one) == ((0, 9),)
    assert without(one, other) == ((0, 3), (9, 9))
    assert common(one, other) == ((4, 5), (8, 8))
    assert without(((0, 9),), ((2, 1), (3, 3), (5, 6))) == ((0, 2), (4, 4), (7, 9))
    assert Domain.of(pa.binary()) is None


@pytest.mark.slow
def test_the_memory_of_chosen_rows_is_theirs(tmp_path: Path) -> None:
    path = tmp_path / "a.wal"
    rows = [{"fmt": 0, "tenant": n % 1000, "ts_millis": n, "payload": b"x" * 100} for n in range(20_000)]
    wireloom.write("edgemq_segment", rows, path, codec="none")
    table = wireloom.read("edgemq_segment", path, filter=pc.field("tenant") == 7)
    assert len(table) == 20
    assert sum(each.size for column in table.columns for chunk in column.chunks for each in chunk.buffers() if each) < (
        1 << 20
    )
