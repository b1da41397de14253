"""Numbers of registers and spans, and the limits of what the engine loads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wireloom.base.dataclass import dataclass, field
from wireloom.format.program import OPERANDS, ColumnProgram, Op, Step
from wireloom.format.program_words import (
    DEEPEST_LIMIT,
    MOST_BYTES,
    MOST_CHAINS,
    MOST_CHECKSUMS,
    MOST_COLUMNS,
    MOST_CONSTANTS,
    MOST_DELIMITER_BYTES,
    MOST_MARKS,
    MOST_MESSAGE_FIELDS,
    MOST_MESSAGES,
    MOST_OWN_BYTES,
    MOST_REGISTERS,
    MOST_SERIES,
    MOST_SPANS,
    MOST_STEPS,
)

from .instructions import (
    ChecksumInstruction,
    ExpressionInstruction,
    FunctionInstruction,
    Instruction,
    Label,
    Operation,
    RemovableOperation,
    SumInstruction,
)
from .refusal import NotForEngineError
from .scope import Scalar, Span

Key = tuple[str, int]
"""The name of a register or span, and how many of that name the program has before it."""


@dataclass
class Numbering:
    """The numbers in the programs of previous tables.

    Tables of a format read the same fields in the same order: with the same numbers their steps are the same, and stand
    once in the generated module.
    """

    root_values: tuple[str, ...] | None = None
    registers: dict[Key, int] = field(default_factory=dict)
    spans: dict[Key, int] = field(default_factory=dict)

    def number(
        self, instructions: Iterable[Instruction | Label], root_values: tuple[tuple[str, Scalar], ...]
    ) -> tuple[dict[Scalar, int], dict[Span, int]]:
        """Return the numbers of the registers and spans that the instructions use.

        ``root_values``: the registers that are filled before the first row, which come first. Empty if the program must
        have its own numbers: it has other presets or functions, or too many registers or spans.
        """
        instructions = tuple(instructions)
        names = tuple(name for name, _ in root_values)
        if self.root_values not in (None, names) or any(isinstance(each, FunctionInstruction) for each in instructions):
            return {}, {}
        counts: Counter[str] = Counter()
        registers, spans = dict(self.registers), dict(self.spans)
        found: dict[Scalar, int] = {}
        placed: dict[Span, int] = {}
        for each in (
            *(scalar for _, scalar in root_values),
            *(each for instruction in instructions for each in _values(instruction)),
        ):
            if each in found or each in placed:
                continue
            key = each.name, counts[each.name]
            counts[each.name] += 1
            if isinstance(each, Span):
                placed[each] = spans.setdefault(key, len(spans))
            elif each.needed:
                found[each] = registers.setdefault(key, len(registers))
        if len(registers) > MOST_REGISTERS or len(spans) > MOST_SPANS:
            return {}, {}
        self.root_values, self.registers, self.spans = names, registers, spans
        return found, placed


def _values(instruction: Instruction | Label) -> Iterator[Scalar | Span]:
    """Yield the registers and spans of an instruction, in the order of its operands."""
    match instruction:
        case RemovableOperation(operation=Operation() as operation) | (Operation() as operation):
            yield from (
                each for each in (operation.a, operation.b, operation.c, operation.d) if isinstance(each, Scalar | Span)
            )
        case ExpressionInstruction(target=target, code=code):
            yield target
            yield from code.read()
        case ChecksumInstruction():
            yield instruction.field
            yield from instruction.needs
            yield from () if instruction.stored is None else instruction.stored.read()
        case SumInstruction(target=target):
            yield target


def next_number(numbers: Mapping[Any, int]) -> int:
    """Return the number after the largest one."""
    return 1 + max(numbers.values(), default=-1)


WIDEST_NEED = 0xFFFF
"""The width of the operand of ``NEED`` is 16 bits."""


def refuse_unloadable(program: ColumnProgram, steps: Iterable[tuple[Step, str]]) -> None:
    """Raise ``NotForEngineError`` if a count or an operand of the program exceeds what the engine loads.

    ``steps``: each step of the program, with the name of its field.
    """
    _refuse_counts(program)
    depth = 0
    for step, name in steps:
        _refuse_operands(step, name)
        depth += (step.op in (Op.LIMIT_FIXED, Op.LIMIT_REGISTER, Op.LIMIT_SPAN)) - (step.op is Op.LIMIT_END)
        if depth > DEEPEST_LIMIT:
            raise NotForEngineError(f"sized types are nested more than {DEEPEST_LIMIT} levels deep")


def _refuse_counts(program: ColumnProgram) -> None:
    counts = (
        ("a row takes", "steps", len(program.steps), MOST_STEPS),
        ("the table has", "columns", len(program.columns), MOST_COLUMNS),
        ("the row needs", "registers", program.registers, MOST_REGISTERS),
        ("the row needs", "places of bytes or text", program.spans, MOST_SPANS),
        ("the checksums of a row begin and end at", "places", program.marks, MOST_MARKS),
        ("a row has", "checksums that continue each other", program.chains, MOST_CHAINS),
        ("expressions use instructions of", "lists", program.series, MOST_SERIES),
        ("a row has", "messages", len(program.messages), MOST_MESSAGES),
        (
            "the messages of a row have",
            "fields",
            sum(len(each.fields) for each in program.messages),
            MOST_MESSAGE_FIELDS,
        ),
        ("a row has", "checksums", len(program.checksums), MOST_CHECKSUMS),
        ("the expressions and contents of a row take", "bytes", len(program.constants), MOST_CONSTANTS),
        ("the delimiter has", "bytes", len(program.delimiter), MOST_DELIMITER_BYTES),
        ("a checksum has", "bytes", max((each.own_size for each in program.checksums), default=0), MOST_OWN_BYTES),
    )
    for subject, what, count, most in counts:
        if count > most:
            raise NotForEngineError(f"{subject} more than {most} {what}")


def _refuse_operands(step: Step, name: str) -> None:
    for kind, value in zip(OPERANDS[step.op], (step.a, step.b, step.c, step.d), strict=False):
        if kind == "SIZE" and value < 0:
            raise NotForEngineError(f'"{name}" has a negative size')
        if kind == "SIZE" and value > MOST_BYTES:
            raise NotForEngineError(f'"{name}" has {value} bytes, but the engine supports at most {MOST_BYTES}')
        if kind == "ADDEND" and abs(value) > MOST_BYTES:
            raise NotForEngineError(
                f'the size of "{name}" is computed with {abs(value)}, but the engine supports at most {MOST_BYTES}'
            )
    if step.op is Op.NEED and step.a > WIDEST_NEED:
        raise NotForEngineError(f"consecutive bit fields have more than {WIDEST_NEED} bytes")
