"""The intermediate representation of a column program: instructions with virtual registers and labels, before registers
and steps are numbered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum

from wireloom.base.dataclass import dataclass, field
from wireloom.format.program import ChecksumRule, ColumnProgram, Kind, Op, Outcome, Reason, Step

from .stack_code import StackCode
from .symbols import CarriedVariable, HeaderConstant, Scalar, Span

UNSIGNED_BOUND = 0x80
"""Flag of ``CHECK_RANGE``: the upper bound is unsigned."""


@dataclass(eq=False)
class Label:
    """The target of a jump."""

    step: int = -1


@dataclass(frozen=True)
class Refusal:
    """Operand ``b`` of checks; ``reason`` is a key of ``wireloom.base.report.REASONS``."""

    lost: bool
    reason: str
    unsigned: bool = False

    @property
    def _parts(self) -> tuple[Outcome, Reason]:
        return Outcome.LOST if self.lost else Outcome.REFUSED, Reason[self.reason.upper()]

    def __int__(self) -> int:
        outcome, reason = self._parts
        return outcome | reason << 8 | (UNSIGNED_BOUND if self.unsigned else 0)

    def __str__(self) -> str:
        outcome, reason = self._parts
        text = f"Outcome.{outcome.name} | Reason.{reason.name} << 8"
        return f"{text} | 0x{UNSIGNED_BOUND:x}" if self.unsigned else text


Operand = int | Kind | Scalar | Span | Label | Refusal | CarriedVariable | HeaderConstant


def source_of(operand: Operand, number: int) -> str:
    """Return an operand as Python source. ``number``: its number in the program."""
    if isinstance(operand, Refusal):
        return str(operand)
    if isinstance(operand, IntEnum):
        return f"{type(operand).__name__}.{operand.name}"
    return str(number)


@dataclass(frozen=True)
class Operation:
    """An instruction that becomes the step with the same operands, which may still lack their numbers."""

    op: Op
    a: Operand = 0
    b: Operand = 0
    c: Operand = 0
    d: Operand = 0
    comment: str = ""


@dataclass(frozen=True)
class ExpressionInstruction:
    """``target`` ← ``code``. ``speculative``: a missing value is left to the steps that use it, as that of a
    speculative ``target``."""

    target: Scalar
    code: StackCode
    comment: str
    speculative: bool = False

    @property
    def missing(self) -> int:
        """Return what a missing value does: operand b of ``EXPRESSION``."""
        if self.speculative or self.target.speculative:
            return 1
        return 2 if self.target.nullable and self.code.nullable else 0


@dataclass(frozen=True)
class RemovableOperation:
    """An operation that fills a register or span, or prepares that. Dead-code elimination removes it if ``target`` is
    not needed."""

    operation: Operation
    target: Scalar | Span


@dataclass(frozen=True)
class AbsentInstruction:
    """``target`` belongs to an attribute that is absent: it is null if an expression reads it as such, otherwise 0, so
    that expressions that ignore it do not see the value of an earlier row."""

    target: Scalar

    @property
    def comment(self) -> str:
        """Return the comment of the step."""
        return f"no {self.target.name}"


@dataclass(frozen=True)
class ConstantInstruction:
    """``CHECK_CONSTANT``: the bytes at base + ``offset`` must be ``value``."""

    value: bytes
    offset: int
    refusal: Refusal
    comment: str


@dataclass(frozen=True)
class ChecksumInstruction:
    """``CHECKSUM``: the checksum of the bytes between two marks must equal that in ``field``.

    The numbers of the registers ``continues`` and ``extra``, and of the code ``stored``, the value for the register
    ``sum``, are filled into ``rule`` at the end.
    """

    number: int
    rule: ChecksumRule
    field: Scalar | Span
    begin: int
    end: int
    comment: str
    continues: Scalar | None = None
    sum: Scalar | None = None
    stored: StackCode | None = None
    extra: Scalar | None = None

    @property
    def needs(self) -> tuple[Scalar | Span, ...]:
        """Return the registers and spans that the step uses."""
        found = (
            self.field,
            self.continues,
            self.sum,
            self.extra,
            *(self.stored.read() if self.stored is not None else ()),
        )
        return tuple(each for each in found if each is not None)


@dataclass(frozen=True)
class SumInstruction:
    """``SUM`` or ``DIGEST``: ``target`` ← the checksum of ``runs`` runs of bytes, each between two marks, of which the
    first one is ``begin``. It is omitted if ``target`` is not needed."""

    target: Scalar | Span
    rule: ChecksumRule
    begin: int
    runs: int
    comment: str


@dataclass(eq=False)
class InsertionPoint:
    """A position at which instructions are inserted when it becomes known that they are needed."""

    instructions: list[Instruction | Label | InsertionPoint] = field(default_factory=list)


@dataclass(eq=False)
class FunctionInstruction:
    """The beginning of a function, whose steps are ``instructions``. ``marks`` and ``loops``: the ranges of its own
    marks and loops, as begin and end."""

    number: int
    bounded: bool
    comment: str
    instructions: list[Instruction | Label | InsertionPoint] = field(default_factory=list)
    marks: tuple[int, int] = (0, 0)
    loops: tuple[int, int] = (0, 0)


Instruction = (
    Operation
    | ExpressionInstruction
    | RemovableOperation
    | AbsentInstruction
    | ConstantInstruction
    | ChecksumInstruction
    | SumInstruction
    | FunctionInstruction
)


@dataclass(frozen=True)
class ListedStep:
    """A step of the finished program: as data and as Python source, with its comment."""

    step: Step
    source: str
    comment: str


@dataclass(frozen=True)
class Listing:
    """A finished program, and its steps as source lines."""

    program: ColumnProgram
    steps: tuple[ListedStep, ...]


def flattened(instructions: Iterable[Instruction | Label | InsertionPoint]) -> Iterator[Instruction | Label]:
    """Yield the instructions, with those of insertion points in place."""
    for instruction in instructions:
        if isinstance(instruction, InsertionPoint):
            yield from flattened(instruction.instructions)
        else:
            yield instruction


def packed_ranges(first: tuple[int, int], second: tuple[int, int]) -> int:
    """Pack two ranges into an operand, the form in which a function names its own registers, spans, marks and loops.

    >>> hex(packed_ranges((1, 2), (3, 4)))
    '0x4000300020001'
    """
    return first[0] | first[1] << 16 | second[0] << 32 | second[1] << 48


def target_of(instruction: Instruction | Label) -> Scalar | Span | None:
    """Return the register or span that a step fills; ``None`` if it fills none."""
    match instruction:
        case ExpressionInstruction(target=target) | AbsentInstruction(target=target):
            return target
        case RemovableOperation(target=target) | SumInstruction(target=target):
            return target
        case ChecksumInstruction(sum=sum):
            return sum
        case Operation(op=Op.VARINT, a=Scalar() as target):
            return target
        case Operation(a=Span() as target):
            return target
    return None


def without_idle_jumps(instructions: list[Instruction | Label]) -> list[Instruction | Label]:
    """Drop jumps to the step after them, which remain if the steps between were not needed."""
    kept: list[Instruction | Label] = []
    labels: set[Label] = set()
    for instruction in reversed(instructions):
        if isinstance(instruction, Label):
            labels.add(instruction)
        elif isinstance(instruction, Operation) and instruction.op is Op.JUMP and instruction.c in labels:
            continue
        else:
            labels.clear()
        kept.append(instruction)
    return kept[::-1]
