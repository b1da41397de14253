"""Spark's filters on Arrow batches: the same rows stay as if Spark had looked at them itself.

A filter holds, does not hold, or is unknown, which is null here; rows for which it is unknown go. Floating-point
numbers are compared as Spark does and Arrow does not: NaN equals itself and is larger than all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isnan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
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

Comparison = Callable[[Any, Any], Any]

COMPARISONS: Mapping[type[Filter], Comparison] = {
    EqualTo: pc.equal,
    GreaterThan: pc.greater,
    GreaterThanOrEqual: pc.greater_equal,
    LessThan: pc.less,
    LessThanOrEqual: pc.less_equal,
}

IN_TEXT: Mapping[type[Filter], Comparison] = {
    StringStartsWith: lambda array, value: pc.starts_with(array, pattern=value),
    StringEndsWith: lambda array, value: pc.ends_with(array, pattern=value),
    StringContains: lambda array, value: pc.match_substring(array, pattern=value),
}


def column_of(filter: Filter) -> str | None:
    """The column that a filter looks at; ``None`` for a part of a struct."""
    if isinstance(filter, Not):
        return column_of(filter.child)
    path: tuple[str, ...] = filter.attribute  # type: ignore[attr-defined]
    return path[0] if len(path) == 1 else None


def is_exact(filter: Filter, kind: pa.DataType) -> bool:
    """Whether ``mask`` decides about a column of that type as Spark would."""
    if isinstance(filter, Not):
        return is_exact(filter.child, kind)
    if isinstance(filter, IsNull | IsNotNull):
        return True
    if type(filter) in IN_TEXT:
        return pa.types.is_string(kind) and isinstance(filter.value, str)  # type: ignore[attr-defined]
    if isinstance(filter, In):
        return all(value is None or _fits(value, kind) for value in filter.value)
    if isinstance(filter, EqualNullSafe) and filter.value is None:
        return True
    known = type(filter) in COMPARISONS or isinstance(filter, EqualNullSafe)
    return known and _fits(filter.value, kind)  # type: ignore[attr-defined]


def mask(filters: Sequence[Filter], batch: pa.RecordBatch) -> pa.Array:
    """Of every row whether all the filters hold; never null. ``batch`` is in Spark's own types."""
    found = None
    for each in filters:
        holds = pc.fill_null(_evaluated(each, batch.column(column_of(each))), False)
        found = holds if found is None else pc.and_(found, holds)
    return pa.array([True] * batch.num_rows, pa.bool_()) if found is None else found


def _evaluated(filter: Filter, array: pa.Array) -> pa.Array:
    match filter:
        case Not():
            return pc.invert(_evaluated(filter.child, array))
        case IsNull():
            return array.is_null()
        case IsNotNull():
            return array.is_valid()
        case EqualNullSafe(value=None):
            return array.is_null()
        case EqualNullSafe():
            return pc.fill_null(_compared(EqualTo, array, filter.value), False)
        case In():
            return _among(array, filter.value)
        case StringStartsWith() | StringEndsWith() | StringContains():
            return IN_TEXT[type(filter)](array, filter.value)
        case _:
            return _compared(type(filter), array, filter.value)  # type: ignore[attr-defined]


def _compared(kind: type[Filter], array: pa.Array, value: Any) -> pa.Array:
    if not pa.types.is_floating(array.type):
        return COMPARISONS[kind](array, pa.scalar(value, array.type))
    if not isnan(value):
        found = COMPARISONS[kind](array, pa.scalar(value, array.type))
        return pc.or_(found, pc.is_nan(array)) if kind in (GreaterThan, GreaterThanOrEqual) else found
    if kind in (EqualTo, GreaterThanOrEqual):
        return pc.is_nan(array)
    if kind is LessThan:
        return pc.invert(pc.is_nan(array))
    # Nothing is larger than NaN, and nothing that is there is not at most NaN.
    return pc.if_else(array.is_valid(), kind is LessThanOrEqual, pa.scalar(None, pa.bool_()))


def _among(array: pa.Array, values: Sequence[Any]) -> pa.Array:
    there = [each for each in values if each is not None]
    found: Any = pc.if_else(array.is_valid(), False, pa.scalar(None, pa.bool_()))
    if pa.types.is_floating(array.type):
        for each in there:
            found = pc.or_(found, _compared(EqualTo, array, each))
    elif there:
        found = pc.if_else(array.is_valid(), pc.is_in(array, pa.array(there, array.type)), found)
    if len(there) < len(values):
        # It may be the value that is not known.
        found = pc.if_else(found, True, pa.scalar(None, pa.bool_()))
    return found


def _fits(value: Any, kind: pa.DataType) -> bool:
    """Whether the value is one of that type, exactly."""
    types = pa.types
    if types.is_boolean(kind):
        fits = isinstance(value, bool)
    elif types.is_integer(kind):
        fits = isinstance(value, int) and not isinstance(value, bool)
    elif types.is_decimal(kind):
        fits = isinstance(value, int | Decimal) and not isinstance(value, bool)
    elif types.is_floating(kind):
        fits = isinstance(value, float)
    elif types.is_string(kind):
        fits = isinstance(value, str)
    elif types.is_binary(kind):
        fits = isinstance(value, bytes)
    elif types.is_timestamp(kind):
        fits = isinstance(value, datetime) and (value.tzinfo is None) == (kind.tz is None)
    else:
        fits = types.is_date32(kind) and isinstance(value, date) and not isinstance(value, datetime)
    if not fits:
        return False
    try:
        same = pa.scalar(value, kind).as_py()
    except (pa.ArrowException, OverflowError, ValueError):
        return False
    return bool(same == value) or (isinstance(value, float) and isnan(value))
