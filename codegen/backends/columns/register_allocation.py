"""Register allocation: the numbers of the registers and spans of programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wireloom.base.dataclass import dataclass, field
from wireloom.format.program_words import MOST_REGISTERS, MOST_SPANS

from .instructions import (
    AbsentInstruction,
    ChecksumInstruction,
    ExpressionInstruction,
    FunctionInstruction,
    Instruction,
    Label,
    Operation,
    RemovableOperation,
    SumInstruction,
)
from .symbols import Scalar, Span

Key = tuple[str, int]
"""The name of a register or span, and how many of that name the program has before it."""


@dataclass
class RegisterAllocation:
    """The numbers in the programs of previous tables.

    Tables of a format read the same fields in the same order: with the same numbers their steps are the same, and stand
    once in the generated module.
    """

    root_values: tuple[str, ...] | None = None
    registers: dict[Key, int] = field(default_factory=dict)
    spans: dict[Key, int] = field(default_factory=dict)

    def allocate(
        self, instructions: Iterable[Instruction | Label], root_values: tuple[tuple[str, Scalar], ...]
    ) -> tuple[dict[Scalar, int], dict[Span, int]]:
        """Return the numbers of the registers and spans that the instructions use.

        ``root_values``: the registers that are filled before the first row, which come first. Empty if the program must
        have its own numbers: it has other input registers or functions, or too many registers or spans.
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
        case RemovableOperation(target=Span(needed=False)):
            return
        case RemovableOperation(operation=Operation() as operation) | (Operation() as operation):
            yield from (
                each for each in (operation.a, operation.b, operation.c, operation.d) if isinstance(each, Scalar | Span)
            )
        case ExpressionInstruction(target=target, code=code):
            yield target
            yield from code.read()
        case ChecksumInstruction():
            yield from instruction.needs
        case SumInstruction(target=target) | AbsentInstruction(target=target):
            yield target


def next_number(numbers: Mapping[Any, int]) -> int:
    """Return the number after the largest one."""
    return 1 + max(numbers.values(), default=-1)
