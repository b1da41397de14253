"""No value that an expression can have is outside its interval."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom.codegen.backends.columns.interval import BINARY, LARGEST, Interval, checked
from wireloom.codegen.backends.columns.refusal import NotForEngineError

OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}

numbers = st.integers(-300, 300) | st.integers(-(1 << 64), 1 << 64)


@st.composite
def samples(draw: st.DrawFn, values: st.SearchStrategy[int]) -> tuple[Interval, int]:
    """Return an interval, and a value in it."""
    low, value, high = sorted(draw(st.tuples(values, values, values)))
    return Interval(low, high), value


@settings(deadline=None)
@given(st.sampled_from(sorted(set(OPERATIONS) - {"<<", ">>"})), samples(numbers), samples(numbers))
def test_holds_every_result(name: str, left: tuple[Interval, int], right: tuple[Interval, int]) -> None:
    if name in "/%" and right[1] == 0:
        return
    result = OPERATIONS[name](left[1], right[1])
    assert BINARY[name](left[0], right[0]).within(-(1 << 140), 1 << 140)
    assert Interval(result, result).within(BINARY[name](left[0], right[0]).low, BINARY[name](left[0], right[0]).high)


@settings(deadline=None)
@given(st.sampled_from(["<<", ">>"]), samples(numbers), samples(st.integers(0, 126)))
def test_shifts(name: str, left: tuple[Interval, int], count: tuple[Interval, int]) -> None:
    found, result = BINARY[name](left[0], count[0]), OPERATIONS[name](left[1], count[1])
    assert found.low <= result <= found.high or abs(result) > LARGEST


def test_what_shifts_and_products_make_is_limited() -> None:
    assert BINARY["<<"](Interval(0, 1), Interval(-9, 1 << 32)) == Interval(0, LARGEST)
    assert BINARY[">>"](Interval(-9, 9), Interval(-9, 1 << 32)) == Interval(-9, 9)
    assert BINARY["*"](Interval(-1, 1 << 64), Interval(0, 1 << 64)) == Interval(-(1 << 64), LARGEST)
    for count in (-1, 128):
        with pytest.raises(NotForEngineError, match=f"shifts by {count} bits"):
            BINARY["<<"](Interval(0, 1), Interval(count, count))
    with pytest.raises(NotForEngineError, match="127 bits"):
        BINARY["*"](Interval(1 << 64, 1 << 65), Interval(1 << 64, 1 << 65))


def test_division_by_zero_alone_is_refused() -> None:
    with pytest.raises(NotForEngineError, match="divides by zero"):
        BINARY["/"](Interval(0, 1), Interval(0, 0))


def test_registers_have_127_bits() -> None:
    assert checked(Interval(-LARGEST, LARGEST)) == Interval(-LARGEST, LARGEST)
    with pytest.raises(NotForEngineError, match="127 bits"):
        checked(Interval(0, LARGEST + 1))
