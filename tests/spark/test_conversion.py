"""Numbers of one type in a column of another: the same value, or none."""

from __future__ import annotations

from decimal import Decimal
from math import inf, isnan, nan
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom.spark.ingest.conversion import cast_exactly

from ..examples import examples

KINDS = [pa.int8(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(20, 0), pa.decimal128(9, 0)]
LARGE = 1 << 63


def values_of(kind: pa.DataType) -> st.SearchStrategy[Any]:
    """Return values of a type, including those at its bounds and at those of others."""
    if pa.types.is_floating(kind):
        odd = st.sampled_from([0.5, 2.0**63, -(2.0**63), 2.0**31, 127.0, 1e30, inf, -inf, nan])
        return st.one_of(odd, st.floats(width=kind.bit_width))
    if pa.types.is_decimal(kind):
        most = 10**kind.precision - 1
        near = st.sampled_from([min(max(each, -most), most) for each in (LARGE, LARGE - 1, -LARGE, -LARGE - 1, most)])
        return st.one_of(near, st.integers(-most, most)).map(Decimal)
    return st.integers(-(1 << kind.bit_width - 1), (1 << kind.bit_width - 1) - 1)


@settings(max_examples=examples(400))
@given(st.data(), st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_every_value_is_the_same_or_null(data: st.DataObject, kind: pa.DataType, wanted: pa.DataType) -> None:
    array = pa.array(data.draw(st.lists(st.none() | values_of(kind), max_size=6)), kind)
    cast = cast_exactly(array, wanted)
    assert (cast.type, len(cast)) == (wanted, len(array))
    for old, new in zip(array.to_pylist(), cast.to_pylist(), strict=True):
        assert new is None or new == old or (isnan(old) and isnan(new)), (old, new)
    assert cast_exactly(cast, kind).is_valid().equals(cast.is_valid())


def test_what_fits_is_cast() -> None:
    assert cast_exactly(pa.array([1, -(1 << 31), 1 << 31, None]), pa.int32()).to_pylist() == [1, -(1 << 31), None, None]
    assert cast_exactly(pa.array([2.0, -(2.0**63), 2.0**63]), pa.int64()).to_pylist() == [2, -LARGE, None]
    found = cast_exactly(pa.array([LARGE - 1, 12]), pa.decimal128(10, 0))
    assert found.to_pylist() == [None, Decimal(12)]
