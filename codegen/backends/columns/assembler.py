"""Assembles a column program: steps in order, jumps, registers for values that are needed, constants, comments."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from wireloom.base.dataclass import dataclass, field, replace
from wireloom.format.program import (
    OPERANDS,
    ChecksumRule,
    Code,
    ColumnProgram,
    Expansion,
    Kind,
    KnownBytes,
    Op,
    Step,
    Storage,
    Stuffing,
)
from wireloom.format.program_words import MOST_REGISTERS

from .constant_pool import ConstantPool
from .encodings import Encoding
from .engine_limits import refuse_unloadable
from .instructions import (
    AbsentInstruction,
    ChecksumInstruction,
    ConstantInstruction,
    ExpressionInstruction,
    FunctionInstruction,
    InsertionPoint,
    Instruction,
    Label,
    ListedStep,
    Listing,
    Operand,
    Operation,
    Refusal,
    RemovableOperation,
    SumInstruction,
    flattened,
    packed_ranges,
    source_of,
    target_of,
    without_idle_jumps,
)
from .refusal import NotForEngineError
from .register_allocation import RegisterAllocation, next_number
from .stack_code import Compare, Order, StackCode, code_of, constant
from .symbols import CarriedVariable, HeaderConstant, Scalar, Span
from .tag_tables import TagTable


@dataclass
class Assembler:
    """Collects steps; ``finish`` numbers registers, spans and steps."""

    instructions: list[Instruction | Label | InsertionPoint] = field(default_factory=list)
    checksums: list[ChecksumRule] = field(default_factory=list)
    expansions: list[Expansion] = field(default_factory=list)
    messages: list[TagTable] = field(default_factory=list)
    marks: int = 0
    loops: int = 0
    running_checksums: int = 0
    series: int = 0
    variables: list[int | float | tuple[int | float, ...] | None] = field(default_factory=list)
    functions: list[FunctionInstruction] = field(default_factory=list)
    _arguments: set[Scalar | Span] = field(default_factory=set)
    _own: list[tuple[tuple[int, int], tuple[int, int]]] = field(default_factory=list)
    _constants: ConstantPool = field(default_factory=ConstantPool)
    _registers: dict[Scalar, int] = field(default_factory=dict)
    _spans: dict[Span, int] = field(default_factory=dict)
    allocation: RegisterAllocation | None = None

    def add(self, op: Op, a: Operand = 0, b: Operand = 0, c: Operand = 0, d: Operand = 0, *, comment: str = "") -> None:
        """Append a step."""
        self.instructions.append(Operation(op, a, b, c, d, comment))

    def register_fixed(self, scalar: Scalar, kind: Kind, offset: int) -> None:
        """Append ``REGISTER_FIXED``, which is dropped unless ``scalar`` is needed in the end."""
        self.instructions.append(
            RemovableOperation(Operation(Op.REGISTER_FIXED, scalar, kind, offset, comment=scalar.name), scalar)
        )

    def stream(self, scalar: Scalar, what: int, number: int) -> None:
        """Append ``STREAM``, which is dropped unless ``scalar`` is needed in the end."""
        self.instructions.append(
            RemovableOperation(Operation(Op.STREAM, scalar, what, number, comment=scalar.name), scalar)
        )

    def variable(self, scalar: Scalar, first: int | float | tuple[int | float, ...] | None) -> CarriedVariable:
        """Append ``VARIABLE`` for one that begins with ``first`` (``None``: a table); return its carried value."""
        value = CarriedVariable(len(self.variables))
        self.variables.append(first)
        self.instructions.append(RemovableOperation(Operation(Op.VARIABLE, scalar, value, comment=scalar.name), scalar))
        return value

    def index(self, scalar: Scalar, loop: int) -> None:
        """Append ``INDEX``, which is dropped unless ``scalar`` is needed in the end."""
        self.instructions.append(RemovableOperation(Operation(Op.INDEX, scalar, loop, comment=scalar.name), scalar))

    def compute(self, target: Scalar, compiled: StackCode, comment: str, *, speculative: bool = False) -> None:
        """Append ``EXPRESSION``, which is dropped unless ``target`` is needed. ``speculative``: as in
        ``ExpressionInstruction``."""
        self.instructions.append(ExpressionInstruction(target, compiled, comment, speculative))

    def temporary(
        self, compiled: StackCode, comment: str, *, speculative: bool = False, optional: bool = False
    ) -> Scalar:
        """Return a register with the value of an expression: its own if it is only a register, otherwise a new one.

        ``speculative``: the step that reads it does without a value; ``optional``: that step accepts null.
        """
        only, nullable = compiled.scalar, optional and compiled.nullable
        if only is not None and (speculative or not (only.speculative or (only.nullable and not nullable))):
            return only
        target = Scalar(comment, compiled.interval, speculative=speculative and compiled.may_fail, nullable=nullable)
        self.compute(target, compiled, comment)
        return target

    def of_constants(self, op: Op, target: Scalar | Span | int, key: Scalar | int, value: bytes, comment: str) -> None:
        """Append ``TEXT_CONSTANT`` or ``CONSTANT_OF``, which use these constants."""
        self.add(op, target, key, *self._constants.add(value), comment=comment)

    def text_decoded(self, span: Span, source: Span, encoding: Encoding, comment: str, *, strict: bool) -> None:
        """Append ``TEXT_DECODE``, or ``TEXT_CLEAN`` if the bytes need not be valid text."""
        op = Op.TEXT_DECODE if strict else Op.TEXT_CLEAN
        self.add(op, span, source, encoding.number, self._table(encoding), comment=comment)

    def check_constant(self, value: bytes, offset: int, refusal: Refusal, comment: str) -> None:
        """Append ``CHECK_CONSTANT``."""
        self.instructions.append(ConstantInstruction(value, offset, refusal, comment))

    def checksum(
        self,
        rule: ChecksumRule,
        field: Scalar | Span,
        begin: int,
        end: int,
        comment: str,
        continues: Scalar | None = None,
        stored: tuple[Scalar, StackCode] | None = None,
        extra: Scalar | None = None,
    ) -> None:
        """Append ``CHECKSUM``. ``stored``: the register for the checksum, and the code of the stored value."""
        sum, code = stored or (None, None)
        self.instructions.append(
            ChecksumInstruction(len(self.checksums), rule, field, begin, end, comment, continues, sum, code, extra)
        )
        self.checksums.append(rule)

    def sum(self, target: Scalar | Span, rule: ChecksumRule, begin: int, runs: int, comment: str) -> None:
        """Append ``SUM`` or ``DIGEST``, which is dropped unless ``target`` is needed in the end."""
        self.instructions.append(SumInstruction(target, rule, begin, runs, comment))

    def check_text(self, span: Span, encoding: Encoding, comment: str) -> None:
        """Append ``CHECK_UTF8``, which checks text of any encoding."""
        self.add(Op.CHECK_UTF8, span, 0, encoding.number, self._table(encoding), comment=comment)

    def column_bytes(self, column: int, span: Span, comment: str) -> None:
        """Append the step that puts bytes or text into a column."""
        encoding = span.encoding
        if encoding is None or encoding.is_utf8:
            self.add(Op.COLUMN_BYTES, column, span, comment=comment)
        else:
            self.add(Op.COLUMN_TEXT, column, span, encoding.number, self._table(encoding), comment=comment)

    def _table(self, encoding: Encoding) -> int:
        return self._constants.add(encoding.table)[0] if encoding.table else 0

    def mark(self) -> int:
        """Return the number of a new mark."""
        self.marks += 1
        return self.marks - 1

    def loop(self) -> int:
        """Return the number of a new loop."""
        self.loops += 1
        return self.loops - 1

    def running_checksum(self) -> int:
        """Return the number of a new checksum that continues that of the previous item."""
        self.running_checksums += 1
        return self.running_checksums - 1

    def insertion_point(self) -> InsertionPoint:
        """Return a position in the program at which steps may be added later."""
        self.instructions.append(found := InsertionPoint())
        return found

    def message(self, table: TagTable) -> int:
        """Add the table of a message; return its number."""
        self.messages.append(table)
        return len(self.messages) - 1

    @contextmanager
    def function(self, name: str, *, bounded: bool, arguments: Iterable[Scalar]) -> Iterator[None]:
        """Append the steps of the ``with`` block to a new function. ``arguments``: registers that the caller fills."""
        function = FunctionInstruction(len(self.functions), bounded, name)
        self.functions.append(function)
        self._arguments.update(arguments)
        outer, self.instructions = self.instructions, function.instructions
        marks, loops = self.marks, self.loops
        yield
        self.instructions = outer
        function.marks, function.loops = (marks, self.marks), (loops, self.loops)

    def make_result(self, scalar: Scalar) -> None:
        """Make a register a result of the function that is being assembled: its callers may read it."""
        scalar.needed = True
        self._arguments.add(scalar)

    def bind(self, label: Label) -> None:
        """Bind ``label`` to this position: jumps to it continue here."""
        self.instructions.append(label)

    def finish(
        self,
        columns: tuple[Storage, ...],
        input_registers: tuple[tuple[str, Scalar], ...],
        delimiter: bytes,
        stuffing: Stuffing,
        levels: tuple[int, ...] = (),
        *,
        whole: bool = False,
    ) -> Listing:
        """Number registers, spans and steps, and return the program. ``input_registers``: root scalars by name, in the
        order of their registers. ``whole``: the unit is the whole input."""
        self._find_needed()
        wanted = tuple((name, scalar) for name, scalar in input_registers if scalar.needed)
        if self.allocation is not None and not self.messages:
            self._registers, self._spans = self.allocation.allocate(self._placed(), wanted)
        for _, scalar in wanted:
            self._register(scalar)
        self._own = [self._number_own(each) for each in self.functions]
        kept = without_idle_jumps([instruction for instruction in self._placed() if self._is_kept(instruction)])
        position = 0
        for instruction in kept:
            if isinstance(instruction, Label):
                instruction.step = position
            position += not isinstance(instruction, Label)
        steps = tuple(self._listed(instruction) for instruction in kept if not isinstance(instruction, Label))
        messages = tuple(each.numbered(self._register, self._spans) for each in self.messages)
        program = ColumnProgram(
            steps=tuple(each.step for each in steps),
            columns=columns,
            registers=next_number(self._registers),
            spans=next_number(self._spans),
            marks=self.marks,
            constants=bytes(self._constants.content),
            checksums=tuple(self.checksums),
            input_registers=tuple(name for name, _ in wanted),
            known=tuple(self._constants.known),
            delimiter=delimiter,
            stuffing=stuffing,
            levels=levels if any(levels) else (),
            loops=self.loops,
            whole=whole,
            running_checksums=self.running_checksums,
            series=self.series,
            variables=tuple(self.variables),
            expansions=tuple(self.expansions),
            messages=messages,
        )
        refuse_unloadable(program, ((each.step, each.comment) for each in steps))
        return Listing(program, steps)

    def _placed(self) -> Iterator[Instruction | Label]:
        """Yield all instructions in order, with those of insertion points in place; those of functions come last."""
        yield from flattened(self.instructions)
        for function in self.functions:
            yield function
            yield from flattened(function.instructions)
            yield Operation(Op.RETURN, comment=function.comment)

    def _number_own(self, function: FunctionInstruction) -> tuple[tuple[int, int], tuple[int, int]]:
        """Number the registers and spans of a function consecutively; return the two ranges, each as begin and end."""
        before = len(self._registers), len(self._spans)
        for instruction in flattened(function.instructions):
            found = target_of(instruction)
            if self._is_kept(instruction) and found is not None and found not in self._arguments:
                self._number(found)
        return (before[0], len(self._registers)), (before[1], len(self._spans))

    def _find_needed(self) -> None:
        """Mark the registers and spans that are live: some step reads them. One pass from the end is enough, since a
        value is read after it is computed; arguments and results of functions have been marked before."""
        for instruction in reversed([*self._placed()]):
            operation = (
                instruction.operation
                if isinstance(instruction, RemovableOperation) and instruction.target.needed
                else instruction
            )
            if isinstance(operation, Operation):
                for operand in (operation.a, operation.b, operation.c, operation.d):
                    if isinstance(operand, Scalar | Span):
                        operand.needed = True
            elif isinstance(instruction, ChecksumInstruction):
                for scalar in instruction.needs:
                    scalar.needed = True
            elif isinstance(instruction, ExpressionInstruction) and instruction.target.needed:
                for found in instruction.code.read():
                    found.needed = True

    @staticmethod
    def _is_kept(instruction: Instruction | Label) -> bool:
        removable = RemovableOperation | SumInstruction | ExpressionInstruction | AbsentInstruction
        return not isinstance(instruction, removable) or instruction.target.needed

    def _listed(self, instruction: Instruction) -> ListedStep:
        match instruction:
            case RemovableOperation(operation=operation) | (Operation() as operation):
                return self._listed_operation(operation)
            case ExpressionInstruction():
                code, missing = self._coded(instruction.code), instruction.missing
                operation = Operation(Op.EXPRESSION, instruction.target, missing, *code, instruction.comment)
                return self._listed_operation(operation)
            case AbsentInstruction(target=target):
                zero = Operation(Op.EXPRESSION, target, 0, *self._coded(constant(0)), instruction.comment)
                null = Operation(Op.ABSENT, target, comment=instruction.comment)
                return self._listed_operation(null if target.nullable else zero)
            case ConstantInstruction(value=value, offset=offset, refusal=refusal, comment=comment):
                start, size = self._constants.add(value)
                return self._listed_operation(Operation(Op.CHECK_CONSTANT, start, refusal, offset, size, comment))
            case ChecksumInstruction(number=number, field=found, begin=begin, end=end, comment=comment):
                self.checksums[number] = self._rule(instruction)
                return self._listed_operation(Operation(Op.CHECKSUM, number, found, begin, end, comment))
            case SumInstruction(target=target, rule=rule, begin=begin, runs=runs, comment=comment):
                self.checksums.append(rule)
                op = Op.DIGEST if isinstance(target, Span) else Op.SUM
                return self._listed_operation(Operation(op, target, len(self.checksums) - 1, begin, runs, comment))
            case FunctionInstruction(number=number, bounded=bounded, comment=comment):
                registers, spans = self._own[number]
                c, d = packed_ranges(registers, spans), packed_ranges(instruction.marks, instruction.loops)
                return self._listed_operation(Operation(Op.FUNCTION, number, int(bounded), c, d, comment))

    def _rule(self, instruction: ChecksumInstruction) -> ChecksumRule:
        used = instruction.continues, instruction.extra
        continues, extra = (-1 if each is None else self._register(each) for each in used)
        rule = replace(instruction.rule, continues=continues, extra=extra)
        if instruction.sum is not None and instruction.stored is not None:
            start, size = self._coded(instruction.stored)
            rule = replace(rule, sum=self._register(instruction.sum), stored=start, stored_size=size)
        return rule

    def _listed_operation(self, operation: Operation) -> ListedStep:
        operands = (operation.a, operation.b, operation.c, operation.d)
        numbers = [self._number(operand) for operand in operands]
        used = len(OPERANDS[operation.op]) - (operation.op is Op.CHECK_UTF8 and not operation.d)
        given = [source_of(operand, number) for operand, number in zip(operands[:used], numbers, strict=False)]
        source = f"Step({', '.join([f'Op.{operation.op.name}', *given])})"
        return ListedStep(Step(operation.op, *numbers), source, operation.comment)

    def _number(self, operand: Operand) -> int:
        match operand:
            case Scalar():
                return self._register(operand)
            case Span():
                return self._spans.setdefault(operand, next_number(self._spans))
            case Label():
                return operand.step
            case CarriedVariable(number):
                return self.running_checksums + number
            case HeaderConstant(name=name, size=size):
                return self._constants.add_known(KnownBytes(name, 0, size))
            case _:
                return int(operand)

    def _register(self, scalar: Scalar) -> int:
        return self._registers.setdefault(scalar, next_number(self._registers))

    def _coded(self, compiled: StackCode) -> tuple[int, int]:
        """Return the start and size of the code in the constants."""
        known: list[KnownBytes] = []
        return self._constants.add_code(self._code(compiled, known), known)

    def _code(self, compiled: StackCode, known: list[KnownBytes]) -> bytes:
        """Return the code; ``known`` receives the positions in it of bytes that readers fill in."""
        code = b""
        for part in compiled.parts:
            if isinstance(part, bytes):
                code += part
                continue
            number = self._number(part if isinstance(part, Scalar | Span) else part.span)
            if number >= MOST_REGISTERS:
                raise NotForEngineError(f"the row needs more than {MOST_REGISTERS} registers")
            if isinstance(part, Order):
                value = part.value
                if isinstance(value, HeaderConstant):
                    known.append(KnownBytes(value.name, len(code) + 4, value.size))
                    value = bytes(value.size)
                code += struct.pack("<BHB", Code.SPAN_ORDER, number, len(value)) + value
            else:
                other = self._number(part.other) if isinstance(part, Compare) else 0
                code += code_of(part, number, other)
        return code
