"""Functions of computed columns return the same as the instances of the generated classes, on any rows."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom import Format
from wireloom.codegen.backends.columns.message_table import message_columns
from wireloom.format.message_program import ComputedSource
from wireloom.rows.messages.object_decoder import ObjectDecoder

from .message_specs import CONDITIONAL, EXPRESSIONS, computed_spec
from .specs import format_of, planned

DIRECT = ("huge", "part_number")
"""Instances that are just a field, so that the engine needs no function for them."""


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


UINT32, UINT64 = st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1) | st.integers(0, 3)
INT32 = st.sampled_from([0, 1, 3, 7, -1]) | st.integers(-(2**31), 2**31 - 1)
BYTES = st.sampled_from([b"", b"\x01\x02", b"a", b"\xff\xc3", b"\xe2\x82", "é".encode()]) | st.binary(max_size=4)
PARTS = st.fixed_dictionaries({"n": UINT64, "data": BYTES, "small": maybe(INT32)})
ROWS = st.fixed_dictionaries(
    {
        "a": st.integers(0, 9) | UINT32,
        "b": maybe(INT32),
        "large": UINT64,
        "signed": maybe(st.integers(-(2**63), 2**63 - 1)),
        "flag": st.booleans(),
        "x": st.floats(),
        "name": st.sampled_from(["", "ab", "b", "ü"]) | st.text(max_size=3),
        "data": maybe(BYTES),
        "parts": st.lists(PARTS, max_size=3),
        "numbers": st.lists(INT32, max_size=4),
        "part": maybe(PARTS),
        "hue": st.sampled_from([0, 1, 7, 5, -2]),
        "words": st.lists(BYTES, max_size=3),
    }
)


@cache
def described() -> Format:
    return format_of(computed_spec())


def message_of(row: dict[str, Any]) -> bytes:
    """Return the row as a message."""
    kind = described().message_class
    part_of = kind._types()["part"]  # type: ignore[attr-defined]
    part = None if row["part"] is None else part_of(**row["part"])
    parts = [part_of(**each) for each in row["parts"]]
    return kind(**{**row, "part": part, "parts": parts}).to_bytes()


def by_objects(units: list[bytes]) -> dict[str, pa.Array]:
    """Return all columns, computed by the objects."""
    decoder = ObjectDecoder(described(), range(len(described().columns)))
    begins, position = [], 0
    for each in units:
        begins.append(position)
        position += len(each)
    sizes = pa.array([len(each) for each in units], pa.uint64())
    decoded = decoder.decode(b"".join(units), pa.array(begins, pa.uint64()), sizes, capacity=len(units))
    assert not decoded.problems
    return {each.name: decoded.arrays[number] for number, each in enumerate(described().columns)}


def comparable(array: pa.Array) -> list[Any]:
    return [repr(each) if isinstance(each, float) else each for each in array.to_pylist()]


@pytest.mark.slow
@given(st.lists(ROWS, min_size=1, max_size=6), st.integers(0, 3))
def test_functions_agree_with_objects(rows: list[dict[str, Any]], skipped: int) -> None:
    columns = by_objects([message_of(each) for each in rows])
    program: Any = described().message_program
    functions = importlib.import_module(f"{described().module}.columns").COMPUTED
    assert {name for _, name in functions} == {*EXPRESSIONS, *CONDITIONAL} - {*DIRECT}
    for column, source in zip(described().columns, program.columns, strict=True):
        if not isinstance(source, ComputedSource):
            continue
        # Slices are arrays whose buffers begin before them.
        inputs = [columns[name].slice(min(skipped, len(rows))) for name in source.inputs]
        made = functions["", column.name](*inputs)
        expected = columns[column.name].slice(min(skipped, len(rows)))
        assert made.type == described().schema.field(column.name).type, column.name
        assert comparable(made) == comparable(expected), column.name


def test_rows_of_nulls_compute_to_nulls() -> None:
    program: Any = described().message_program
    functions = importlib.import_module(f"{described().module}.columns").COMPUTED
    schema = described().schema
    for column, source in zip(described().columns, program.columns, strict=True):
        if isinstance(source, ComputedSource):
            made = functions["", column.name](*(pa.nulls(3, schema.field(name).type) for name in source.inputs))
            assert made.null_count == len(made) == 3, column.name


REFUSED = {
    "beyond 64 bits": ("large + 1", "may exceed 64 bits"),
    "negative and unsigned": ("large + b", "may exceed 64 bits"),
    "division": ("b / 2", "may be negative"),
    "by zero": ("a / part.n", "may be zero"),
    "by a float": ("x / 2", "divides floats"),
    "shift": ("1 << a", "may be outside"),
    "constant": ("1 + 1", "is the same in every row"),
    "encoding": ("data.to_s('ASCII')", "Arrow does not support"),
    "index that is computed": ("numbers[a]", "Arrow does not support"),
    "method": ("name.reverse", '".reverse"'),
    "text of a number": ("a.to_s", '".to_s"'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_kernel_does_is_refused(name: str) -> None:
    expression, sentence = REFUSED[name]
    plan = planned(computed_spec() + f'      odd: {{value: "{expression}"}}\n')
    assert plan.units is not None
    refusals = {each.name: each.refusal for each in message_columns(plan, plan.units.kinds[0])}
    assert sentence in refusals["odd"]
    assert not any(refusal for name, refusal in refusals.items() if name != "odd")
