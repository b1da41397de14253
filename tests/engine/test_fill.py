"""The engine compared with the reference: generated programs on generated inputs, in one piece and in several."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom import engine
from wireloom.format.program import ColumnProgram, Kind, Op, Step, Storage

from ..examples import examples
from .harness import COBS, EDGEMQ, WORD_STUFFED, Options, frame, read, record
from .programs import inputs, programs
from .reference import Result
from .reference_inputs import back_to_back, frames

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def expected(program: ColumnProgram, data: bytes, options: Options) -> Result:
    read_plainly = frames if program.delimiter else partial(back_to_back, padding=options.padding)
    return read_plainly(
        program,
        data,
        max_record=options.max_record,
        stop=options.stop,
        verify=options.verify,
        null_rows=options.null_rows,
        input_registers=options.input_registers,
    )


@st.composite
def all_options(draw: st.DrawFn, program: ColumnProgram) -> Options:
    return Options(
        padding=draw(st.sampled_from([0, 0, 1, 3])),
        max_record=draw(st.sampled_from([1 << 20, 40, 7])),
        stop=draw(st.just(-1) | st.integers(0, 100)),
        verify=draw(st.booleans()),
        null_rows=draw(st.booleans()),
        input_registers=tuple(draw(st.integers(-5, 300)) for _ in program.input_registers),
    )


@settings(max_examples=examples(600), deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_made_up_programs(data: st.DataObject) -> None:
    program = data.draw(programs())
    content = data.draw(inputs())
    options = data.draw(all_options(program))
    wanted = expected(program, content, options)
    assert read(program, content, options) == wanted
    pieces = data.draw(st.integers(1, 30))
    assert read(program, content, options, chunk=pieces, capacity=1 + pieces % 7, room=pieces, damages=2) == wanted


def test_what_a_function_reads_before_a_row_sets_it_is_zero() -> None:
    """Here a size that the row only sets after the call."""
    row = (
        Step(Op.CALL),
        Step(Op.NEED, 1),
        Step(Op.REGISTER_FIXED, 0, Kind.U1),
        Step(Op.COLUMN_REGISTER, 0, 0, Kind.U1),
    )
    function = (Step(Op.FUNCTION), Step(Op.SKIP_REGISTER, 0), Step(Op.NEED, 1), Step(Op.RETURN))
    program = ColumnProgram((*row, Step(Op.END), *function), columns=(Storage.FIXED8,), registers=1)
    assert read(program, b"\0\1\0\2\0\3").rows == [(0, (1,)), (2, (2,)), (4, (3,))]


@settings(max_examples=examples(150), deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_columns_that_are_not_wanted_change_nothing(data: st.DataObject) -> None:
    """The rows and damages are those of a read of all columns, except where only an unrequested value fails."""
    program = data.draw(programs())
    content = data.draw(inputs())
    input_registers = (1,) * len(program.input_registers)
    whole = read(program, content, Options(input_registers=input_registers))
    some = frozenset(data.draw(st.sets(st.integers(0, len(program.columns) - 1))))
    found = read(program, content, Options(input_registers=input_registers, wanted=some))
    if any(step.op.name == "EXPRESSION" for step in program.steps):
        return
    assert (found.damages, found.tail, found.position) == (whole.damages, whole.tail, whole.position)
    for (position, values), (other_position, others) in zip(found.rows, whole.rows, strict=True):
        assert position == other_position
        assert all(values[number] == others[number] for number in some)


MUTATIONS = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=4)


def mutated(data: bytes, changes: list[tuple[int, int]]) -> bytes:
    content = bytearray(data)
    for at, value in changes:
        content[at % len(content)] = value
    return bytes(content)


@settings(max_examples=examples(150), deadline=None)
@given(
    st.sampled_from(["edgemq", "word", "cobs"]),
    st.lists(
        st.binary(max_size=40) | st.sampled_from([b"\xfe\xfd" * 9, b"z" * 300, b"\0" * 5]), min_size=1, max_size=8
    ),
    MUTATIONS,
    st.integers(1, 400),
    st.booleans(),
)
def test_formats_in_the_box(
    name: str, payloads: list[bytes], changes: list[tuple[int, int]], chunk: int, null_rows: bool
) -> None:
    if name == "edgemq":
        program, content = EDGEMQ, b"".join(map(frame, payloads))
    elif name == "word":
        program, content = WORD_STUFFED, b"".join(map(record, payloads))
    else:
        program, content = COBS, b"".join(engine.stuff(payload, b"\2") + b"\0" for payload in payloads)
    options = Options(null_rows=null_rows)
    clean = read(program, content, options)
    assert (len(clean.rows), clean.damages, clean.tail) == (len(payloads), [], "end")
    content = mutated(content, changes)
    wanted = expected(program, content, options)
    assert read(program, content, options) == wanted
    assert read(program, content, options, chunk=chunk, capacity=3, room=50, damages=1) == wanted


@pytest.mark.parametrize("chunk", range(1, 60))
def test_every_chunk_size(chunk: int) -> None:
    payloads = [bytes(range(size)) for size in (0, 1, 5, 30, 0, 60)]
    for program, content in (
        (EDGEMQ, b"".join(map(frame, payloads))),
        (WORD_STUFFED, b"".join(map(record, payloads))),
    ):
        assert read(program, content, chunk=chunk) == read(program, content)


@settings(max_examples=examples(200), deadline=None, suppress_health_check=SLOW)
@given(programs(delimited=True), inputs(), st.integers(0, 130))
def test_ranges_of_delimited_rows(program: ColumnProgram, content: bytes, cut: int) -> None:
    """A range's rows are those that begin in it: two ranges give the same rows as one read."""
    cut = min(cut, len(content))
    options = Options(input_registers=(1,) * len(program.input_registers))
    whole = expected(program, content, options)
    first = read(program, content, replace(options, stop=cut))
    second = frames(program, content, at_start=cut == 0, begin=cut, input_registers=options.input_registers)
    assert first.rows + second.rows == whole.rows
    assert first.damages + second.damages == whole.damages
