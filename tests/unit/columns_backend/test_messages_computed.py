"""Computed columns of messages have the values of the instances of the generated classes, on any rows."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom import Format
from wireloom.codegen.backends.columns.message_table import message_columns
from wireloom.format.message_program import ComputedSource
from wireloom.rows.messages.computed_columns import ComputedColumn
from wireloom.rows.messages.object_decoder import ObjectDecoder

from .message_specs import CONDITIONAL, EXPRESSIONS, computed_spec
from .specs import format_of, planned

DIRECT = ("huge", "part_number")
"""Instances that are just a field, so that they need no program."""


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


UINT32, UINT64 = st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1) | st.integers(0, 3)
INT32 = st.sampled_from([0, 1, 3, 7, -1]) | st.integers(-(2**31), 2**31 - 1)
BYTES = st.sampled_from([b"", b"\x01\x02", b"a", b"\xff\xc3", b"\xe2\x82", "é".encode()]) | st.binary(max_size=4)
SINGLES = st.sampled_from([0.5, -0.0]) | st.floats(width=32)
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
        "y": maybe(SINGLES),
        "singles": st.lists(SINGLES, max_size=3),
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


def computed() -> dict[str, tuple[ComputedColumn, ComputedSource]]:
    """Return the computed columns by name."""
    program: Any = described().message_program
    return {
        column.name: (ComputedColumn(source, described().schema.field(column.name).type), source)
        for column, source in zip(described().columns, program.columns, strict=True)
        if isinstance(source, ComputedSource)
    }


@pytest.mark.slow
@given(st.lists(ROWS, min_size=1, max_size=6), st.integers(0, 3))
def test_programs_agree_with_objects(rows: list[dict[str, Any]], skipped: int) -> None:
    columns = by_objects([message_of(each) for each in rows])
    assert computed().keys() == {*EXPRESSIONS, *CONDITIONAL} - {*DIRECT}
    for name, (column, source) in computed().items():
        # Slices are arrays whose buffers begin before them.
        expected = columns[name].slice(min(skipped, len(rows)))
        inputs = {each.column: columns[each.column].slice(min(skipped, len(rows))) for each in source.inputs}
        made = column.array(inputs, len(expected))
        assert made.type == described().schema.field(name).type, name
        assert comparable(made) == comparable(expected), name


def test_rows_of_nulls_compute_to_nulls() -> None:
    schema = described().schema
    for name, (column, source) in computed().items():
        nulls = {each.column: pa.nulls(3, schema.field(each.column).type) for each in source.inputs}
        assert column.array(nulls, 3).null_count == 3, name


def test_values_that_take_several_calls() -> None:
    """More rows without a value than one call records, and more bytes than the inputs have."""
    column, _ = computed()["text_of_word"]
    words = pa.array([[]] * 3000 + [[b"", b"\xff" * 9000]] * 3, pa.list_(pa.binary()))
    made = column.array({"words": words}, len(words)).to_pylist()
    assert made == [None] * 3000 + ["\ufffd" * 9000] * 3


REFUSED = {
    "constant": ("1 + 1", "is the same in every row"),
    "by zero": ("a / 0", "divides by zero"),
    "beyond 127 bits": ("large * large + large", "may exceed 127 bits"),
    "encoding": ("data.to_s('ASCII')", "does not decode ASCII"),
    "method": ("name.reverse", "in a way that the engine does not support"),
    "text of a number": ("a.to_s", "in a way that the engine does not support"),
    "part of text": ("name.substring(0, 1)", "cuts text"),
    "joined text": ("name + name", "in a way that the engine does not support"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_engine_does_not_compute_is_refused(name: str) -> None:
    expression, sentence = REFUSED[name]
    plan = planned(computed_spec() + f'      odd: {{value: "{expression}"}}\n')
    assert plan.units is not None
    refusals = {each.name: each.refusal for each in message_columns(plan, plan.units.kinds[0])}
    assert sentence in refusals["odd"]
    assert not any(refusal for name, refusal in refusals.items() if name != "odd")
