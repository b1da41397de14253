"""Columns computed from arrays that are not what they seem: nothing outside of their buffers is read."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from wireloom import engine
from wireloom.format.program import ColumnProgram, Kind, Op, Step, Storage
from wireloom.rows.messages.computed_columns import BITS, BYTES, SIZES
from wireloom.rows.reader import Status

from .harness import _engine

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")

ROWS = 4
NUMBER = ColumnProgram(
    steps=(Step(Op.INPUT, 0, 0, 0), Step(Op.COLUMN_REGISTER, 0, 0, Kind.S8LE), Step(Op.END)),
    columns=(Storage.FIXED64,),
    registers=1,
)
ITEM = ColumnProgram(
    steps=(Step(Op.INPUT, 0, 0, 2), Step(Op.COLUMN_REGISTER, 0, 0, Kind.S8LE), Step(Op.END)),
    columns=(Storage.FIXED64,),
    registers=1,
)
TEXT = ColumnProgram(
    steps=(Step(Op.INPUT_BYTES, 0, 0, 0), Step(Op.COLUMN_BYTES, 0, 0), Step(Op.END)),
    columns=(Storage.VARIABLE,),
    registers=0,
    spans=1,
)
TEXTS = ColumnProgram(
    steps=(
        Step(Op.INPUT, 0, 1, 0),
        Step(Op.INPUT_ITEMS, 0, 0),
        Step(Op.TEXT_ITEM, 0, 0, 0),
        Step(Op.COLUMN_BYTES, 0, 0),
        Step(Op.END),
    ),
    columns=(Storage.VARIABLE,),
    registers=1,
    spans=1,
    series=1,
)


def computed(program: ColumnProgram, *inputs: Any, first: int = 0) -> list[Any]:
    """Return the values of the column of a program for a few rows."""
    loaded = _engine.Program(program.pack())
    variable = program.columns[0] is Storage.VARIABLE
    layout = (loaded, b"\1", ROWS, False)
    arena = pa.allocate_buffer(_engine.arena_size(*layout, ()))
    data = (pa.allocate_buffer(100),) if variable else ()
    status, rows, _, nulls, _ = _engine.compute(loaded, inputs, first, ROWS, b"\1", arena, data)
    assert (status, rows) == (Status.END, ROWS)
    _, address = _engine.export_arena(*layout, arena, data, rows, nulls)
    schema = pa.schema([pa.field("", pa.binary() if variable else pa.int64())])
    return list(pa.RecordBatch._import_from_c(address, schema).column(0).to_pylist())


def ints(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


NUMBERS = (Kind.S4LE, 0, None, ints(1, -2, 3), None, None, 0)
WORDS = (BYTES, 0, None, ints(0, 1, 3, 6), b"abbccc", None, 0)


def test_elements_that_the_buffers_lack_are_null() -> None:
    assert computed(NUMBER, NUMBERS) == [1, -2, 3, None]
    assert computed(NUMBER, NUMBERS, first=2) == [3, None, None, None]
    assert computed(NUMBER, NUMBERS, first=2**62) == [None] * ROWS
    assert computed(NUMBER, (*NUMBERS[:1], 2, *NUMBERS[2:])) == [3, None, None, None]
    assert computed(NUMBER, (BITS, 6, b"\xdf", b"\x7f", None, None, 0)) == [1, 0, None, None]
    assert computed(NUMBER, (Kind.U1, 0, b"", b"abcd", None, None, 0)) == [None] * ROWS
    assert computed(NUMBER) == [None] * ROWS
    assert computed(TEXT) == [None] * ROWS


@pytest.mark.parametrize("offsets", [(0, 7, 6, 6), (-1, 1, 3, 6), (5, 1, 3, 6), (0, 2**31 - 1, -(2**31), 6)])
def test_offsets_outside_of_the_data_are_null(offsets: tuple[int, ...]) -> None:
    valid = [0 <= begin <= end <= 6 for begin, end in pairwise(offsets)]
    found = computed(TEXT, (BYTES, 0, None, ints(*offsets), b"abbccc", None, 0))
    assert [each is not None for each in found] == [*valid, False]
    lists = ints(*offsets)
    computed(ITEM, (Kind.S4LE, 0, None, ints(1, 2, 3), None, lists, 0))
    computed(TEXTS, (*WORDS[:5], lists, 0), (SIZES, 0, None, lists, None, None, 0))


def test_items() -> None:
    lists = ints(0, 2, 2, 3, 3)
    assert computed(ITEM, (*NUMBERS[:5], lists, 0)) == [-2, None, None, None]
    assert computed(ITEM, (*NUMBERS[:5], lists, 4)) == [None] * ROWS
    index = (Kind.S1, 0, None, bytes([1, 0, 0, 255]), None, None, 0)
    assert computed(TEXTS, (*WORDS[:5], lists, 0), index) == [b"bb", None, b"ccc", None]
    assert computed(NUMBER, (SIZES, 0, None, lists, None, None, 0)) == [2, 0, 1, 0]


def test_what_is_no_array_is_refused() -> None:
    for kind in (Kind.F4LE, Kind.F8BE, SIZES + 1):
        with pytest.raises(ValueError, match="no array of"):
            computed(NUMBER, (kind, 0, None, b"", None, None, 0))
    with pytest.raises(ValueError, match="no array of"):
        computed(NUMBER, (Kind.U1, -1, None, b"", None, None, 0))
    with pytest.raises(ValueError, match="no program of rows of arrays"):
        computed(NUMBER, NUMBERS, first=-1)
    rows = ColumnProgram((Step(Op.ROW, 0), Step(Op.ROW_END), Step(Op.END)), (Storage.FIXED64,), 0, whole=True)
    with pytest.raises(ValueError, match="no program of rows of arrays"):
        computed(rows)
