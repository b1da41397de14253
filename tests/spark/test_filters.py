"""Filters on batches, against what Spark's documentation says of nulls, NaN and ``IN``, told once more in Python."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)
from wireloom.spark.filters import column_of, is_exact, mask

NAN = math.nan
TIME = datetime(2026, 3, 1, tzinfo=UTC)
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "long": (pa.int64(), [None, -(1 << 63), -1, 0, 1, (1 << 63) - 1]),
    "byte": (pa.int8(), [None, -128, 0, 127]),
    "decimal": (pa.decimal128(20, 0), [None, Decimal(0), Decimal(7), Decimal((1 << 64) - 1)]),
    "double": (pa.float64(), [None, NAN, -math.inf, -1.5, -0.0, 0.0, 1.5, math.inf]),
    "time": (pa.timestamp("us", "UTC"), [None, TIME, TIME.replace(microsecond=1), TIME.replace(year=1969)]),
    "wall": (pa.timestamp("us"), [None, TIME.replace(tzinfo=None)]),
    "day": (pa.date32(), [None, date(2026, 3, 1), date(1969, 12, 31)]),
    "text": (pa.string(), [None, "", "a", "ab", "ba", "ä", "\U0001f600"]),
    "bytes": (pa.binary(), [None, b"", b"a", b"\xff"]),
    "flag": (pa.bool_(), [None, True, False]),
}


def order(one: Any, other: Any) -> int:
    """Spark's order: NaN is equal to itself and larger than all others."""
    if isinstance(one, float) and (math.isnan(one) or math.isnan(other)):
        return math.isnan(one) - math.isnan(other)
    if isinstance(one, str):
        one, other = one.encode(), other.encode()
    return (one > other) - (one < other)


def holds(filter: Filter, value: Any) -> bool | None:
    """What Spark says of one value; ``None``: it is not known."""
    match filter:
        case Not():
            found = holds(filter.child, value)
            return None if found is None else not found
        case IsNull():
            return value is None
        case IsNotNull():
            return value is not None
        case EqualNullSafe():
            if value is None or filter.value is None:
                return value is filter.value
            return order(value, filter.value) == 0
        case _ if value is None:
            return None
        case In():
            if any(each is not None and order(value, each) == 0 for each in filter.value):
                return True
            return None if None in filter.value else False
        case StringStartsWith():
            return bool(value.startswith(filter.value))
        case StringEndsWith():
            return bool(value.endswith(filter.value))
        case StringContains():
            return filter.value in value
    compared = order(value, filter.value)  # type: ignore[attr-defined]
    return {
        EqualTo: compared == 0,
        GreaterThan: compared > 0,
        GreaterThanOrEqual: compared >= 0,
        LessThan: compared < 0,
        LessThanOrEqual: compared <= 0,
    }[type(filter)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, Filter]:
    name = draw(st.sampled_from(sorted(VALUES)))
    path, values = (name,), VALUES[name][1]
    there = st.sampled_from(values[1:])
    kinds: list[st.SearchStrategy[Filter]] = [
        st.sampled_from([IsNull(path), IsNotNull(path)]),
        st.builds(EqualNullSafe, st.just(path), st.sampled_from(values)),
        st.builds(In, st.just(path), st.lists(st.sampled_from(values), max_size=4).map(tuple)),
    ]
    kinds += [
        st.builds(kind, st.just(path), there)
        for kind in (EqualTo, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual)
    ]
    if name == "text":
        kinds += [st.builds(kind, st.just(path), there) for kind in (StringStartsWith, StringEndsWith, StringContains)]
    found = draw(st.one_of(kinds))
    return name, Not(found) if draw(st.booleans()) else found


@given(cases())
def test_rows_are_those_of_spark(case: tuple[str, Filter]) -> None:
    name, filter = case
    kind, values = VALUES[name]
    assert is_exact(filter, kind)
    batch = pa.record_batch({name: pa.array(values, kind)})
    assert mask([filter], batch).to_pylist() == [holds(filter, each) is True for each in values]


def test_all_filters_have_to_hold() -> None:
    batch = pa.record_batch({"a": pa.array([1, 2, None, 3]), "b": pa.array(["x", None, "x", "x"])})
    assert mask([GreaterThan(("a",), 1), EqualTo(("b",), "x")], batch).to_pylist() == [False, False, False, True]
    assert mask([], batch).to_pylist() == [True] * 4


@pytest.mark.parametrize(
    ("filter", "kind"),
    [
        (EqualTo(("a",), 1.5), pa.int64()),
        (EqualTo(("a",), True), pa.int64()),
        (EqualTo(("a",), 1 << 63), pa.int64()),
        (EqualTo(("a",), Decimal("0.5")), pa.decimal128(20, 0)),
        (EqualTo(("a",), 0.1), pa.float32()),
        (EqualTo(("a",), TIME), pa.timestamp("us")),
        (EqualTo(("a",), TIME.replace(tzinfo=None)), pa.timestamp("us", "UTC")),
        (EqualTo(("a",), TIME), pa.date32()),
        (In(("a",), (1, "x")), pa.int64()),
        (StringStartsWith(("a",), "x"), pa.binary()),
        (Not(EqualTo(("a",), [1])), pa.list_(pa.int64())),
    ],
)
def test_what_is_left_to_spark(filter: Filter, kind: pa.DataType) -> None:
    assert not is_exact(filter, kind)


def test_parts_of_structs_are_no_columns() -> None:
    assert column_of(EqualTo(("a", "b"), 1)) is None
    assert column_of(Not(EqualTo(("a",), 1))) == "a"
