"""The valid content of a column program, up to the largest valid numbers: one more is refused."""

from __future__ import annotations

import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from wireloom import engine
from wireloom.engine import _engine
from wireloom.format.program import (
    OPERANDS,
    ChecksumRule,
    Code,
    ColumnProgram,
    Kind,
    Op,
    Outcome,
    Reason,
    Step,
    Storage,
    Stuffing,
)

FAR = 1 << 40
HEADER = 84
ROOT = Path(__file__).parents[2]
NEED = Step(Op.NEED, 8)
END = Step(Op.END)
REST = Step(Op.BYTES_REST, 1)
CONSTANTS = bytes((Code.REGISTER, 2, 0, Code.SPAN_SIZE, 1, 0, Code.ADD, Code.NEGATE, Code.REGISTER, 3, 0))
SUM = ChecksumRule("crc32c", 0xFFFFFFFF, 0xFFFFFFFF, replace=0, own=1, own_size=16)
BASE = ColumnProgram(
    steps=(),
    columns=(Storage.FIXED32, Storage.VARIABLE, Storage.FIXED64, Storage.FIXED8),
    registers=3,
    spans=2,
    marks=2,
    constants=CONSTANTS,
    checksums=(SUM,),
    input_registers=("given",),
)
GOOD, BAD = Outcome.LOST | Reason.ENCODING << 8, Outcome.REFUSED | Reason.LENGTH << 8


def load(*steps: Step, **changes: Any) -> None:
    _engine.Program(replace(BASE, steps=steps, **changes).pack())


def refused(part: str, *steps: Step, **changes: Any) -> None:
    with pytest.raises(ValueError, match=part):
        load(*steps, **changes)


@pytest.mark.parametrize(
    "step",
    [
        Step(Op.NEED, 65535),
        Step(Op.COLUMN_FIXED, 0, Kind.U4LE, 4),
        Step(Op.COLUMN_FIXED, 2, Kind.F8BE, 0),
        Step(Op.COLUMN_FIXED, 3, Kind.S1, 7),
        Step(Op.REGISTER_FIXED, 2, Kind.U8BE, 0),
        Step(Op.REGISTER_FIXED, 1, Kind.S2LE, 6),
        Step(Op.BYTES_REGISTER, 1, 2, FAR),
        Step(Op.BYTES_REGISTER, 0, 0, -FAR),
        Step(Op.BYTES_FIXED, 1, 0, FAR),
        Step(Op.BYTES_TERMINATED, 1, 255, 7),
        Step(Op.COLUMN_BYTES, 1, 1),
        Step(Op.COLUMN_REGISTER, 2, 2, Kind.S8BE),
        Step(Op.COLUMN_REGISTER, 3, 2, Kind.U1),
        Step(Op.COLUMN_TIMESTAMP, 2, 2),
        Step(Op.CHECK_RANGE, 2, GOOD),
        Step(Op.CHECK_TRUE, 2, BAD),
        Step(Op.CHECK_TRUE, 2, GOOD | 0x80),
        Step(Op.CHECK_CONSTANT, 0, GOOD, 0, 8),
        Step(Op.CHECK_CONSTANT, 8, GOOD, 8, 0),
        Step(Op.CHECKSUM, 0, 2, 1, 1),
        Step(Op.MARK, 1, 1),
        Step(Op.MARK, 1, 0, 8),
        Step(Op.EXPRESSION, 1, 0, 0, 8),
        Step(Op.EXPRESSION, 1, 1, 0, 8),
        Step(Op.EXPRESSION, 2, 0, 3, 3),
        Step(Op.SKIP_IF_ZERO, 2, 0, 2),
        Step(Op.JUMP, 0, 0, 2),
        Step(Op.COLUMN_NULL, 3),
        Step(Op.SKIP_REGISTER, 2, 0, FAR),
        Step(Op.CHECK_UTF8, 1, 0, 1),
        Step(Op.TRIM_RIGHT, 1, 0, 255),
        Step(Op.CUT_TERMINATOR, 1, 0, 255),
        Step(Op.SLICE, 1, 1, 2, 2),
        Step(Op.VARINT, 2, GOOD, 10 | 10 << 8 | 127 << 16 | 3 << 24, BAD),
        Step(Op.VARINT, 1, GOOD, 1, GOOD),
    ],
    ids=repr,
)
def test_the_last_that_is_right(step: Step) -> None:
    load(NEED, step, END)


TOO_MUCH = [
    (Step(Op.COLUMN_FIXED, 4, Kind.U4LE, 0), "no column 4, the program has 4"),
    (Step(Op.COLUMN_FIXED, 0, Kind.U4LE, 5), "4 bytes at base . 5, but the NEED before it covers 8"),
    (Step(Op.COLUMN_FIXED, 0, Kind.U4LE, 9), "covers 8"),
    (Step(Op.COLUMN_FIXED, 0, Kind.U4LE, -1), "covers 8"),
    (Step(Op.COLUMN_FIXED, 0, Kind.U4LE, -(2**63)), "covers 8"),
    (Step(Op.COLUMN_FIXED, 0, Kind.U4LE, 2**63 - 1), "covers 8"),
    (Step(Op.COLUMN_FIXED, 0, 18), "no kind 18"),
    (Step(Op.COLUMN_FIXED, 0, Kind.U2LE), "column 0 is not stored that way"),
    (Step(Op.COLUMN_FIXED, 2, Kind.U4LE), "column 2 is not stored that way"),
    (Step(Op.REGISTER_FIXED, 1, Kind.F4LE), "cannot hold a float"),
    (Step(Op.REGISTER_FIXED, 1, Kind.F8BE), "cannot hold a float"),
    (Step(Op.REGISTER_FIXED, 1, Kind.U1, 8), "covers 8"),
    (Step(Op.BYTES_REST, 1), "neither a frame nor a sub-stream"),
    (Step(Op.BYTES_TERMINATED, 1, 0, 3), "neither a frame nor a sub-stream"),
    (Step(Op.BYTES_TERMINATED, 1, 256, 4), "byte 256"),
    (Step(Op.BYTES_TERMINATED, 1, 0, 8), "operand c 8"),
    (Step(Op.BYTES_TERMINATED, 1, 0, 12), "operand c 12"),
    (Step(Op.BYTES_TERMINATED, 1, 0, -1), "operand c -1"),
    (Step(Op.COLUMN_BYTES, 0, 1), "column 0 is not stored that way"),
    (Step(Op.COLUMN_BYTES, 4, 1), "no column 4"),
    (Step(Op.COLUMN_REGISTER, 0, 1, Kind.F4LE), "kind 14"),
    (Step(Op.COLUMN_REGISTER, 0, 1, -1), "kind -1"),
    (Step(Op.COLUMN_REGISTER, 0, 1, Kind.U8LE), "column 0 is not stored that way"),
    (Step(Op.COLUMN_TIMESTAMP, 0, 1), "column 0 is not stored that way"),
    (Step(Op.CHECK_CONSTANT, 8, GOOD, 0, 4), "constants 8 … . 4"),
    (Step(Op.CHECK_CONSTANT, 12, GOOD, 0, 0), "constants 12"),
    (Step(Op.CHECK_CONSTANT, 0, GOOD, 5, 4), "covers 8"),
    (Step(Op.CHECK_CONSTANT, 0, GOOD, 0, -1), "constants 0"),
    (Step(Op.CHECKSUM, 0, 3, 1, 1), "no register 3"),
    (Step(Op.MARK, 1, 5), "operand b 5"),
    (Step(Op.MARK, 1, 0, 9), "covers 8"),
    (Step(Op.MARK, 1, 0, -1), "covers 8"),
    (Step(Op.EXPRESSION, 1, 3, 0, 8), "operand b 3"),
    (Step(Op.EXPRESSION, 1, 0, 0, 12), "constants 0 … . 12"),
    (Step(Op.EXPRESSION, 1, 0, 0, -1), "constants 0 … . -1"),
    (Step(Op.EXPRESSION, 1, 0, -1, 2), "constants -1"),
    (Step(Op.EXPRESSION, 1, 0, 12, -1), "constants 12"),
    (Step(Op.EXPRESSION, 1, 0, 0, 1), "ends inside a code"),
    (Step(Op.EXPRESSION, 1, 0, 0, 6), "does not leave exactly one value"),
    (Step(Op.EXPRESSION, 1, 0, 0, 0), "does not leave exactly one value"),
    (Step(Op.EXPRESSION, 1, 0, 3, 4), "takes a value that is not there"),
    (Step(Op.EXPRESSION, 1, 0, 7, 1), "takes a value that is not there"),
    (Step(Op.EXPRESSION, 1, 0, 8, 3), "reads a register that does not exist"),
    (Step(Op.SKIP_IF_ZERO, 1, 2, 2), "operand b 2"),
    (Step(Op.SKIP_IF_ZERO, 1, 0, 1), "goes to step 1, which is not further on"),
    (Step(Op.SKIP_IF_ZERO, 1, 0, 0), "not further on"),
    (Step(Op.JUMP, 0, 0, 3), "not further on"),
    (Step(Op.JUMP, 0, 0, -1), "not further on"),
    (Step(Op.JUMP, 0, 0, 2**32 + 2), "not further on"),
    (Step(Op.COLUMN_NULL, 4), "no column 4"),
    (Step(Op.ATTEMPT, 1), "operation 0 cannot be in an attempt"),
    (Step(Op.ATTEMPT_END, 1), "ends an attempt"),
    (Step(Op.REFUSE, 0, 5), "no column 4"),
    (Step(Op.LIMIT_REGISTER, 1), "the row ends inside a sub-stream"),
    (Step(Op.LIMIT_END), "no sub-stream is open"),
    (Step(Op.CHECK_UTF8, 1, 0, 5), "operand c 5"),
    (Step(Op.TRIM_RIGHT, 1, 0, 256), "byte 256"),
    (Step(Op.CUT_TERMINATOR, 1, 0, -1), "byte -1"),
    (Step(Op.VARINT, 1, BAD, 1, GOOD), "a varint without an end is lost"),
    (Step(Op.VARINT, 1, GOOD, 1, 1), "not an outcome"),
    (Step(Op.VARINT, 1, GOOD, 1, 1 << 32 | GOOD), "operand d"),
    (Step(Op.VARINT, 1, GOOD, 0, GOOD), "a number of groups"),
    (Step(Op.VARINT, 1, GOOD, 11, GOOD), "a number of groups"),
    (Step(Op.VARINT, 1, GOOD, 3 | 2 << 8, GOOD), "a number of bytes"),
    (Step(Op.VARINT, 1, GOOD, 3 | 11 << 8, GOOD), "a number of bytes"),
    (Step(Op.VARINT, 1, GOOD, 1 | 128 << 16, GOOD), "the last group"),
    (Step(Op.VARINT, 1, GOOD, 1 | 1 << 26, GOOD), "operand c"),
    (Step(Op.VARINT, 1, GOOD, -1, GOOD), "operand c"),
]


WITHIN = {
    "REGISTER": 1,
    "REGISTER_OR_NONE": -1,
    "RESULT": 1,
    "SPAN": 0,
    "SPAN_CHANGED": 0,
    "SPAN_RESULT": 0,
    "TEXT": 0,
    "TEXT_OR_NONE": -1,
    "TEXT_RESULT": 1,
    "OUTCOME": GOOD,
    "KIND": Kind.U1,
    "COLUMN": 3,
    "VARIABLE_COLUMN": 1,
    "TIMESTAMP_COLUMN": 2,
}
"""An operand of each kind that is valid in ``BASE``, if not 0."""

BEYOND = {
    "REGISTER": "no register {}",
    "REGISTER_OR_NONE": "no register {}",
    "RESULT": "no register {}",
    "SPAN": "no span {}",
    "SPAN_CHANGED": "no span {}",
    "SPAN_RESULT": "no span {}",
    "TEXT": "no span {}",
    "TEXT_OR_NONE": "no span {}",
    "TEXT_RESULT": "no span {}",
    "MARK": "no mark {}",
    "MARK_RESULT": "no mark {}",
    "VARIABLE_COLUMN": "no column {}",
    "TIMESTAMP_COLUMN": "no column {}",
    "STRUCT_COLUMN": "no column {}",
    "CARRIED_VALUE": "no carried value {}",
    "CARRIED_VALUE_OR_NONE": "no carried value {}",
    "SERIES": "no series {}",
    "STORE": "no store {}",
    "MESSAGE": "no message {}",
    "FUNCTION": "no function {}",
    "CHECKSUM": "no checksum {}",
    "KIND": "no kind {}",
    "OUTCOME": "not an outcome",
    "ENCODING": "operand . {}",
    "FLAG": "operand . {}",
    "BYTE": "byte {}",
    "UNIT": "unit {}",
    "SIZE": "a size of {}",
    "ADDEND": "operand . {}",
}
"""What is said of an operand of each kind that does not exist."""

NEGATIVE = {kind for kind in BEYOND if not kind.endswith("_OR_NONE") and kind not in ("OUTCOME", "ADDEND")}
ENCLOSED = (Op.ATTEMPT, Op.ATTEMPT_END, Op.EXPAND, Op.FIELDS, Op.INDEX, Op.ROW)
"""Steps that need others, or messages."""
MORE: dict[str, Any] = {"running_checksums": 1, "series": 1, "variables": ((0,),)}


def beyond(kind: str, name: str) -> list[int]:
    """Return numbers that no operand of the kind may be."""
    above = {"SIZE": [FAR + 1], "ADDEND": [FAR + 1, -FAR - 1], "OUTCOME": [0, 1, 2 | Reason.VALUE << 8, 99 << 8]}
    signed = [-1, -(2**63)] if name in "cd" and kind in NEGATIVE else []
    return [*above.get(kind, [300]), *signed, *([2**32 + 1] if name in "cd" and kind not in above else [])]


@pytest.mark.parametrize("op", [each for each in Op if each not in ENCLOSED], ids=lambda op: op.name)
def test_operands_that_do_not_exist(op: Op) -> None:
    """Also -1 where none is not allowed: a step that reads register -1 reads outside of the registers."""
    kinds = dict(zip("abcd", OPERANDS[op], strict=False))
    valid = {name: WITHIN.get(kind, 0) for name, kind in kinds.items()}
    for name, kind in kinds.items():
        for number in beyond(kind, name) if kind in BEYOND else ():
            step = Step(op, **{**valid, name: number})
            refused(BEYOND[kind].format(number), NEED, step, END, **MORE)


def test_the_end_of_the_input_is_asked_outside_sub_streams() -> None:
    load(NEED, Step(Op.STREAM, 1, 3, 0), END)
    refused("stream", NEED, Step(Op.STREAM, 1, 3, 1), END)
    refused("sub-stream", NEED, Step(Op.LIMIT_FIXED, 0, 0, 4), Step(Op.STREAM, 1, 3, 0), Step(Op.LIMIT_END), END)


def test_an_input_register_is_only_read() -> None:
    for op, kinds in OPERANDS.items():
        if kinds[:1] == ("RESULT",) and op not in ENCLOSED:
            valid = dict(zip("abcd", (WITHIN.get(kind, 0) for kind in kinds), strict=False))
            refused(
                "register 0 is an input register",
                NEED,
                Step(op, **{**valid, "a": 0}),
                END,
                running_checksums=1,
                series=1,
                variables=((0,),),
            )


def test_one_too_much(subtests: pytest.Subtests) -> None:
    for step, part in TOO_MUCH:
        with subtests.test(repr(step)):
            refused(part, NEED, step, END)


@pytest.mark.parametrize("op", [len(Op), 65535])
def test_there_is_no_such_step(op: int) -> None:
    packed = bytearray(replace(BASE, steps=(NEED, END, END)).pack())
    packed[HEADER + 24 : HEADER + 26] = struct.pack("<H", op)
    with pytest.raises(ValueError, match=f"no operation {op}"):
        _engine.Program(bytes(packed))


@pytest.mark.parametrize(("first", "second"), [(8, 2), (2, 8)])
def test_what_is_covered_on_every_way(first: int, second: int) -> None:
    """A NEED that one way bypasses: only what both ways cover may be read."""

    def steps(end: int) -> tuple[Step, ...]:
        over = Step(Op.SKIP_IF_ZERO, 0, 0, 3)
        return (Step(Op.NEED, first), over, Step(Op.NEED, second), Step(Op.COLUMN_FIXED, 3, Kind.U1, end - 1), END)

    load(*steps(2))
    refused("covers 2", *steps(3))
    refused("covers 0", Step(Op.COLUMN_FIXED, 3, Kind.U1, 0), END)


def test_whole_inputs() -> None:
    steps = (REST, Step(Op.ROW), Step(Op.ROW_END), END)
    load(*steps, whole=True)
    refused("neither a frame", *steps)
    refused("for whole inputs but has no rows", REST, END, whole=True)
    refused("for whole inputs but has a delimiter", *steps, whole=True, delimiter=b"x")
    packed = bytearray(replace(BASE, steps=steps, whole=True).pack())
    packed[68] = 2
    with pytest.raises(ValueError, match=r"too many whole inputs: 2 \(at most 1\)"):
        _engine.Program(bytes(packed))


def test_conditions_of_rows() -> None:
    where = Step(Op.WHERE, 0)
    load(NEED, where, END)
    load(Step(Op.ROW), where, Step(Op.ROW_END), END, whole=True)
    load(NEED, Step(Op.WHERE, 0, Reason.UNSUPPORTED), END)
    refused("register 9", Step(Op.WHERE, 9), END)
    refused(rf"operand b \({Reason.VALUE:d}\) is not a reason", NEED, Step(Op.WHERE, 0, Reason.VALUE), END)
    refused("a condition of the row cannot be here", where, Step(Op.ROW), Step(Op.ROW_END), END, whole=True)


def test_inner_units() -> None:
    row = (Step(Op.ROW), Step(Op.ROW_END))
    unit, end = Step(Op.UNIT), Step(Op.UNIT_END)
    load(*[unit] * 8, *row, *[end] * 8, unit, end, END)
    refused("more than 8 units are open", *[unit] * 9, *row, *[end] * 9, END)
    refused("a unit can only be around rows", unit, end, END)
    refused("a unit can only be around rows", Step(Op.ROW), unit, end, Step(Op.ROW_END), END)
    refused("ends a unit, which is not the innermost", *row, end, END)
    refused("ends inside of a loop, row or list", unit, *row, END)
    refused("jumps into or out of", Step(Op.SKIP_IF_ZERO, 0, 0, 3), unit, *row, end, END)


def test_sub_streams() -> None:
    limit, end = Step(Op.LIMIT_FIXED), Step(Op.LIMIT_END)
    load(*[limit] * 16, REST, *[end] * 16, END)
    refused("more than 16 sub-streams are open", *[limit] * 17, REST, *[end] * 17, END)
    refused("inside a sub-stream", *[limit] * 2, end, END)
    refused("no sub-stream is open", limit, end, end, END)
    refused("neither a frame", limit, end, REST, END)
    refused("with 1 and with 0 open", Step(Op.SKIP_IF_ZERO, 0, 0, 2), limit, REST, END)
    refused("with 0 and with 1 open", limit, Step(Op.SKIP_IF_ZERO, 0, 0, 3), end, END)


def test_the_last_step() -> None:
    refused("the last step is not END", NEED)
    refused("the last step is not END", NEED, END, Step(Op.JUMP, 0, 0, 3))
    refused("no steps")


def test_stacks() -> None:
    one, add = bytes((Code.REGISTER, 1, 0)), bytes((Code.ADD,))
    for depth, fits in ((32, True), (33, False)):
        code = one * depth + add * (depth - 1)
        steps = (NEED, Step(Op.EXPRESSION, 1, 0, 0, len(code)), END)
        if fits:
            load(*steps, constants=code)
        else:
            refused("too deep", *steps, constants=code)
    for code, part in (
        (bytes((Code.SPAN_SIZE, 2, 0)), "reads a span that does not exist"),
        (bytes((Code.SPAN_ORDER, 2, 0, 0)), "reads a span that does not exist"),
        (bytes((Code.SPAN_ORDER, 0)), "ends inside a code"),
        (bytes((Code.SPAN_ORDER, 0, 0, 3, 1, 2)), "ends inside a code"),
        (one + bytes((max(Code) + 1,)), "unknown code"),
        (one * 2 + bytes((Code.SELECT,)), "takes a value that is not there"),
        (bytes((Code.CONSTANT,)) + bytes(7), "ends inside a code"),
        (bytes((Code.CONSTANT_UNSIGNED,)) + bytes(7), "ends inside a code"),
    ):
        refused(part, Step(Op.EXPRESSION, 1, 0, 0, len(code)), END, constants=code)


@pytest.mark.parametrize(
    ("changes", "more", "part"),
    [
        ({"steps": (NEED,) * 4095 + (END,)}, {"steps": (NEED,) * 4096 + (END,)}, "too many steps: 4097"),
        ({"columns": (1,) * 4096}, {"columns": (1,) * 4097}, "too many columns: 4097"),
        ({"registers": 2048}, {"registers": 2049}, "too many registers: 2049"),
        ({"spans": 1024}, {"spans": 1025}, "too many spans: 1025"),
        ({"marks": 512}, {"marks": 513}, "too many marks: 513"),
        ({"constants": bytes(1 << 24)}, {"constants": bytes((1 << 24) + 1)}, "too many bytes of constants"),
        ({"checksums": (SUM,) * 256}, {"checksums": (SUM,) * 257}, "too many checksums: 257"),
        ({"input_registers": ("a",) * 3}, {"input_registers": ("a",) * 4}, "too many input registers: 4 .at most 3"),
        ({"delimiter": b"abcd"}, None, ""),
        ({"columns": (1, 2, 4, 8, 16)}, {"columns": (1, 3)}, "column 1 has an unknown storage: 3"),
        ({"delimiter": b"a", "stuffing": Stuffing.COBS}, {"stuffing": Stuffing.WORD}, "stuffing but no delimiter"),
    ],
)
def test_counts(changes: dict[str, Any], more: dict[str, Any] | None, part: str) -> None:
    _engine.Program(replace(BASE, **{"steps": (END,), **changes}).pack())
    if more is not None:
        with pytest.raises(ValueError, match=part):
            _engine.Program(replace(BASE, **{"steps": (END,), **more}).pack())


@pytest.mark.parametrize(
    ("word", "value", "part"),
    [
        (0, 10, "has version 10"),
        (7, 1, "its header says"),
        (12, 5, "too many delimiter bytes: 5"),
        (14, 6, "too many kinds of stuffing: 6"),
        (15, 65, "too many loops: 65"),
        (16, 65, "too many levels of lists: 65"),
    ],
)
def test_words_of_the_header(word: int, value: int, part: str) -> None:
    packed = bytearray(replace(BASE, steps=(END,), delimiter=b"abcd", stuffing=Stuffing.COBS).pack())
    packed[4 * word : 4 * word + 4] = value.to_bytes(4, "little")
    with pytest.raises(ValueError, match=part):
        _engine.Program(bytes(packed))


def test_sizes() -> None:
    packed = replace(BASE, steps=(NEED, END)).pack()
    for size in range(len(packed)):
        with pytest.raises(ValueError, match="its header says" if size >= HEADER else "ends inside its header"):
            _engine.Program(packed[:size])
    with pytest.raises(ValueError, match="its header says"):
        _engine.Program(packed + b"\0")


RUN = """
from tests.engine.harness import Options, read
from wireloom.format.program import ColumnProgram, Op, Step, Storage

far = 1 << 40
never = [Step(Op.JUMP, 0, 0, far), Step(Op.SKIP_IF_ZERO, 65535, 0, far), Step(Op.CHECK_CONSTANT, 65535, 0, far, far)]
steps = (Step(Op.NEED, 1), Step(Op.COLUMN_FIXED), Step(Op.JUMP, 0, 0, 6), *never, Step(Op.END), *never, Step(Op.END))
print(len(read(ColumnProgram(steps, (Storage.FIXED8,), 0), b"abc").rows))
"""


@pytest.mark.skipif(not engine.available, reason="the engine is not there")
def test_steps_that_never_run_are_not_looked_at() -> None:
    """Their content is not checked."""
    done = subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


def test_attempts() -> None:
    begin, end = Step(Op.ATTEMPT, 1), Step(Op.ATTEMPT_END, 1)
    load(begin, REST, end, Step(Op.REFUSE, 1, 4), END, delimiter=b"x")
    refused("neither a frame", begin, end, END)
    refused("is an input register", Step(Op.ATTEMPT, 0), Step(Op.ATTEMPT_END, 0), END, delimiter=b"x")
    refused("in another register", begin, Step(Op.ATTEMPT_END, 2), END, delimiter=b"x")
    refused(f"operation {Op.ATTEMPT:d} cannot be in an attempt", begin, begin, end, end, END, delimiter=b"x")
    refused("operation 19 cannot be in an attempt", begin, Step(Op.COLUMN_NULL, 1), end, END, delimiter=b"x")
    refused("jumps into or out of", begin, Step(Op.JUMP, 0, 0, 3), end, NEED, END, delimiter=b"x")
    refused("not the innermost", begin, Step(Op.LIMIT_FIXED, 0, 0, 1), end, Step(Op.LIMIT_END), END, delimiter=b"x")
    refused("covers 0", begin, NEED, end, Step(Op.COLUMN_FIXED, 3, Kind.U1, 0), END, delimiter=b"x")


def test_rows_are_not_inside_of_a_sub_stream_that_is_refused_alone() -> None:
    """Reading would go on after it with a row open, and release what later rows point to."""
    row, end = (Step(Op.ROW), Step(Op.ROW_END)), Step(Op.LIMIT_END)
    lost, alone = Step(Op.EXPAND, 0, 1, 0, -1), Step(Op.EXPAND, 0, 0, 0, -1)
    load(Step(Op.LIMIT_REGISTER, 0), lost, *row, end, END)
    load(Step(Op.LIMIT_REGISTER, 0, 1), alone, *row, end, END)
    refused("refused alone", Step(Op.LIMIT_REGISTER, 0), alone, *row, end, END)
    refused("refused alone", Step(Op.LIMIT_REGISTER, 0, 4), *row, end, END)
