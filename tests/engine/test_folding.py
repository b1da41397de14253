"""What is the same for all rows of a call is folded into its plan; nothing else of the plan may change."""

from __future__ import annotations

import struct

import pytest
from wireloom.format.program import Code, ColumnProgram, Kind, Op, Outcome, Reason, Step, Storage

from .harness import Options, read
from .reference_inputs import back_to_back

LOST = Outcome.LOST | Reason.VALUE << 8


def of(*parts: int | Code | tuple[int]) -> bytes:
    """Return the code of an expression: registers are numbers, constants tuples."""
    return b"".join(
        bytes([part])
        if isinstance(part, Code)
        else struct.pack("<Bq", Code.CONSTANT, *part)
        if isinstance(part, tuple)
        else struct.pack("<BH", Code.REGISTER, part)
        for part in parts
    )


class Author:
    """Collects steps; ``expression`` puts its code among the constants."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.constants = b""

    def add(self, *operands: int) -> None:
        self.steps.append(Step(*operands))

    def expression(self, register: int, *parts: int | Code | tuple[int], lazy: int = 0) -> None:
        code = of(*parts)
        self.add(Op.EXPRESSION, register, lazy, len(self.constants), len(code))
        self.constants += code

    def program(self, *, columns: int, input_registers: int) -> ColumnProgram:
        return ColumnProgram(
            steps=(*self.steps, Step(Op.END)),
            columns=(Storage.FIXED64,) * columns,
            registers=12,
            spans=1,
            constants=self.constants,
            input_registers=tuple(f"field{number}" for number in range(input_registers)),
        )


def byte_order() -> ColumnProgram:
    """Return a program with a field in the byte order given by register 0, and bytes of that size."""
    author = Author()
    author.expression(1, 0, (7,), Code.EQUAL, (0,), (1,), Code.SELECT)
    author.add(Op.CHECK_RANGE, 1, LOST, 0, 1)
    author.add(Op.NEED, 2)
    author.add(Op.REGISTER_FIXED, 2, Kind.U2LE, 0)
    author.add(Op.REGISTER_FIXED, 3, Kind.U2BE, 0)
    author.expression(4, 1, 3, 2, Code.SELECT)
    author.add(Op.COLUMN_REGISTER, 0, 4, Kind.U8LE)
    author.add(Op.BYTES_REGISTER, 0, 4, 0)
    author.expression(5, 4, 0, Code.MULTIPLY, 1, Code.ADD)
    author.add(Op.COLUMN_REGISTER, 1, 5, Kind.U8LE)
    return author.program(columns=2, input_registers=1)


def conditional() -> ColumnProgram:
    """Return a program with registers that have a value only if a condition of the call, or of the row, holds."""
    author = Author()
    author.add(Op.NEED, 1)
    author.add(Op.REGISTER_FIXED, 1, Kind.U1, 0)
    author.expression(2, 0, (3,), Code.GREATER)
    author.add(Op.SKIP_IF_ZERO, 2, 0, 7)
    author.expression(3, (5,))
    author.expression(4, 1)
    author.add(Op.JUMP, 0, 0, 8)
    author.expression(3, (6,))
    author.add(Op.SKIP_IF_ZERO, 1, 0, 11)
    author.expression(5, 1)
    author.expression(6, (9,))
    for column, register in enumerate((3, 4, 5, 6)):
        author.add(Op.COLUMN_REGISTER, column, register, Kind.U8LE)
    return author.program(columns=4, input_registers=1)


def redefined() -> ColumnProgram:
    """Return a program with a register that repeats another one, which later gets another value."""
    author = Author()
    author.add(Op.NEED, 2)
    author.add(Op.REGISTER_FIXED, 1, Kind.U1, 0)
    author.expression(2, 1)
    author.expression(3, 0, 2, 1, Code.SELECT)
    author.add(Op.REGISTER_FIXED, 1, Kind.U1, 1)
    for column, register in enumerate((1, 2, 3)):
        author.add(Op.COLUMN_REGISTER, column, register, Kind.U8LE)
    return author.program(columns=3, input_registers=1)


def failing() -> ColumnProgram:
    """Return a program with values that cannot be computed, both in parts that known values determine and in others."""
    author = Author()
    author.add(Op.NEED, 1)
    author.add(Op.REGISTER_FIXED, 1, Kind.U1, 0)
    author.expression(2, (1,), 1, Code.FLOOR_DIVIDE, lazy=1)
    author.expression(3, 0, (8,), 2, Code.SELECT)
    author.expression(4, 0, 2, Code.BOOLEAN_OR)
    author.expression(5, (1,), 0, Code.MODULO, lazy=1)
    author.expression(6, 0, 0, Code.MULTIPLY, 0, Code.MULTIPLY, lazy=1)
    author.expression(7, 0, 6, 1, Code.SELECT)
    author.add(Op.CHECK_TRUE, 4, Outcome.REFUSED | Reason.VALUE << 8)
    for column, register in enumerate((3, 4, 7)):
        author.add(Op.COLUMN_REGISTER, column, register, Kind.U8LE)
    return author.program(columns=3, input_registers=1)


CONTENT = bytes([2, 0, 9, 9, 0, 1, 7, 0, 3, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0, 1])


@pytest.mark.parametrize("input_registers", [0, 1, 3, 4, 7, -1, 2**31, 2**63, 2**64 - 1])
@pytest.mark.parametrize("make", [byte_order, conditional, redefined, failing])
def test_values_that_are_known_change_nothing_else(make: object, input_registers: int) -> None:
    program: ColumnProgram = make()  # type: ignore[operator]
    expected = back_to_back(
        program,
        CONTENT,
        max_record=1 << 20,
        stop=-1,
        verify=True,
        null_rows=False,
        input_registers=(input_registers,),
        padding=0,
    )
    assert read(program, CONTENT, Options(input_registers=(input_registers,))) == expected
    some = read(program, CONTENT, Options(input_registers=(input_registers,), wanted=frozenset({0})))
    assert [values[0] for _, values in some.rows][: len(expected.rows)] == [values[0] for _, values in expected.rows]
