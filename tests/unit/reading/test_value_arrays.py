"""Arrays of Python values that are made without ``pyarrow.array``: they are those that it would make."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom.rows import numbers

SINGLE = {
    **{
        kind: st.integers(0, 127)
        for kind in (pa.int8(), pa.uint8(), pa.int32(), pa.uint64(), pa.timestamp("ns", "UTC"))
    },
    **{kind: st.floats(width=32) for kind in (pa.float32(), pa.float64())},
    **{kind: st.text(max_size=3) for kind in (pa.utf8(), pa.large_utf8())},
    **{kind: st.binary(max_size=3) for kind in (pa.binary(), pa.large_binary())},
    pa.bool_(): st.booleans(),
}
Typed = tuple[pa.DataType, st.SearchStrategy[Any]]


def nested(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    def a_list(item: Typed) -> Typed:
        return pa.list_(item[0]), st.lists(st.none() | item[1], max_size=3)

    def a_map(item: Typed) -> Typed:
        return pa.map_(pa.int32(), item[0]), st.lists(st.tuples(st.integers(0, 9), st.none() | item[1]), max_size=3)

    def a_struct(fields: list[Typed]) -> Typed:
        values = {f"f{number}": st.none() | field[1] for number, field in enumerate(fields)}
        types = [(name, field[0]) for name, field in zip(values, fields, strict=True)]
        return pa.struct(types), st.fixed_dictionaries({}, optional=values)

    return inner.map(a_list) | inner.map(a_map) | st.lists(inner, max_size=3).map(a_struct)


TYPED = st.recursive(st.sampled_from(sorted(SINGLE.items(), key=str)), nested, max_leaves=5)


@given(st.data())
def test_arrays_equal_those_of_arrow(data: st.DataObject) -> None:
    kind, value = data.draw(TYPED)
    values = data.draw(st.lists(st.none() | value, max_size=4))
    made = numbers._array(values, kind)
    assert made is not None
    made.validate(full=True)
    assert made.type == kind
    assert str(made) == str(pa.array(values, kind))  # Equality of arrays is false for NaN.


@pytest.mark.parametrize(
    "values",
    [[], [None], [None, True], [1, 2.5], [True, 1], [1, "a"], [2**63], [2**65], [[1]], [{"a": 1}], [b"a", "a"]],
)
def test_types_are_those_that_arrow_infers(values: list[Any]) -> None:
    try:
        wanted = pa.array(values)
    except (pa.ArrowException, OverflowError) as error:
        with pytest.raises(type(error)):
            numbers.value_array(values)
    else:
        assert numbers.value_array(values).equals(wanted)


@pytest.mark.parametrize("kind", [pa.decimal128(5), pa.dictionary(pa.int32(), pa.utf8()), pa.date32(), pa.null()])
def test_other_types_take_arrows_own_array(kind: pa.DataType) -> None:
    assert numbers.value_array([None, None], kind).equals(pa.array([None, None], kind))


def test_null_keys_of_maps_are_errors() -> None:
    """Arrow would end the process for such an array."""
    with pytest.raises(pa.ArrowException):
        numbers.value_array([[(None, 1)]], pa.map_(pa.int32(), pa.int32()))


@pytest.mark.parametrize(("value", "kind"), [(300, pa.uint8()), (-1, pa.uint64()), (2**65, pa.timestamp("ns"))])
def test_numbers_that_do_not_fit_are_errors(value: int, kind: pa.DataType) -> None:
    with pytest.raises((pa.ArrowException, OverflowError)):
        numbers.value_array([value], kind)
