"""The meaning of the step table in plain Python: the reference for the engine.

Nothing here is optimised or resumable; a row is a cursor over bytes, and registers are Python's integers.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice

from wireloom.base.iso_times import time_range
from wireloom.checksums import CHECKSUMS, algorithm, function
from wireloom.format.program import (
    HAS_ABSENT,
    TIME_UNITS,
    ChecksumRule,
    Code,
    ColumnProgram,
    Kind,
    Op,
    Outcome,
    Place,
    Reason,
    Step,
)

from .reference_checksums import crc
from .reference_needs import following, live_steps, number_at

Value = int | bytes | None


class Missing(Enum):
    """Why a register or an expression has no value."""

    FAILED = 0
    NULL = 1
    ABSENT = 2


Number = int | Missing

FORMATS = {
    Kind.U1: "B",
    Kind.U2LE: "<H",
    Kind.U2BE: ">H",
    Kind.U4LE: "<I",
    Kind.U4BE: ">I",
    Kind.U8LE: "<Q",
    Kind.U8BE: ">Q",
    Kind.S1: "b",
    Kind.S2LE: "<h",
    Kind.S2BE: ">h",
    Kind.S4LE: "<i",
    Kind.S4BE: ">i",
    Kind.S8LE: "<q",
    Kind.S8BE: ">q",
    Kind.F4LE: "<I",
    Kind.F4BE: ">I",
    Kind.F8LE: "<Q",
    Kind.F8BE: ">Q",
}
"""Floats as their bits."""


class LostError(Exception):
    def __init__(self, reason: int) -> None:
        self.reason = reason


class MissingError(Exception):
    """The input ends inside the row."""


@dataclass
class Result:
    """Rows as (position, values), damages as (begin, end, reason), and how the input ended."""

    rows: list[tuple[int, tuple[Value, ...]]] = field(default_factory=list)
    damages: list[tuple[int, int, int]] = field(default_factory=list)
    tail: str = "end"
    position: int = 0
    reason: int = 0


NOT_A_NUMBER = 0x7FF8 << 48


def float_of(bits: int) -> float:
    value: float = struct.unpack("<d", (bits & (1 << 64) - 1).to_bytes(8, "little"))[0]
    return value


def bits_of(value: float) -> int:
    return NOT_A_NUMBER if value != value else int.from_bytes(struct.pack("<d", value), "little", signed=True)


def order(left: float, right: float) -> int:
    """Return the sign of the difference of an integer and a float, or of a float and an integer."""
    return bits_of(float("nan") if left != left or right != right else float((left > right) - (left < right)))


def integer_part(bits: int) -> int:
    value = float_of(bits)
    return int(value) if abs(value) < 1 << 100 else 1 << 200


def single_of(bits: int) -> int:
    value = float_of(bits)
    if value != value:
        return 0x7FC00000
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return 0x7F800000 | (value < 0) << 31


def negated(bits: int) -> int:
    """Return the bits with the other sign, also of what is not a number."""
    return int.from_bytes(((bits ^ 1 << 63) & (1 << 64) - 1).to_bytes(8, "little"), "little", signed=True)


def of_floats(function: Callable[[float, float], float]) -> Callable[[int, int], int]:
    """Return the function for the bits of floats. Comparisons return booleans."""

    def of_bits(left: int, right: int) -> int:
        value = function(float_of(left), float_of(right))
        return int(value) if isinstance(value, bool) else bits_of(value)

    return of_bits


CONVERSIONS: dict[int, Callable[[int], int]] = {
    Code.FLOAT_NEGATE: negated,
    Code.FLOAT_OF_INTEGER: lambda value: bits_of(float(value)),
    Code.FLOAT_OF_SINGLE: lambda bits: bits_of(struct.unpack("<f", (bits & (1 << 32) - 1).to_bytes(4, "little"))[0]),
    Code.FLOAT_TO_SINGLE: single_of,
    Code.FLOAT_TO_INTEGER: integer_part,
}
PASS_NULL = (Code.FLOAT_OF_INTEGER, Code.FLOAT_OF_SINGLE, Code.FLOAT_TO_SINGLE)
"""Conversions of which null is null."""
EQUALITIES = (Code.EQUAL, Code.NOT_EQUAL, Code.FLOAT_EQUAL, Code.FLOAT_NOT_EQUAL)
ORDERS = (Code.FLOAT_ORDER, Code.INTEGER_ORDER)

BINARY: dict[int, Callable[[int, int], int]] = {
    Code.ADD: lambda a, b: a + b,
    Code.SUBTRACT: lambda a, b: a - b,
    Code.MULTIPLY: lambda a, b: a * b if (a * b).bit_length() < 128 else 1 << 200,
    Code.FLOOR_DIVIDE: lambda a, b: a // b,
    Code.MODULO: lambda a, b: a % b,
    Code.AND: lambda a, b: a & b,
    Code.OR: lambda a, b: a | b,
    Code.XOR: lambda a, b: a ^ b,
    Code.SHIFT_LEFT: lambda a, b: a << b if a == 0 or a.bit_length() + b < 128 else 1 << 200,
    Code.SHIFT_RIGHT: lambda a, b: a >> min(b, 1000),
    Code.EQUAL: lambda a, b: int(a == b),
    Code.NOT_EQUAL: lambda a, b: int(a != b),
    Code.LESS: lambda a, b: int(a < b),
    Code.LESS_EQUAL: lambda a, b: int(a <= b),
    Code.GREATER: lambda a, b: int(a > b),
    Code.GREATER_EQUAL: lambda a, b: int(a >= b),
    Code.FLOAT_ADD: of_floats(lambda a, b: a + b),
    Code.FLOAT_SUBTRACT: of_floats(lambda a, b: a - b),
    Code.FLOAT_MULTIPLY: of_floats(lambda a, b: a * b),
    Code.FLOAT_DIVIDE: of_floats(lambda a, b: a / b),
    Code.FLOAT_MODULO: of_floats(lambda a, b: a % b),
    Code.FLOAT_EQUAL: of_floats(lambda a, b: a == b),
    Code.FLOAT_NOT_EQUAL: of_floats(lambda a, b: a != b),
    Code.FLOAT_LESS: of_floats(lambda a, b: a < b),
    Code.FLOAT_LESS_EQUAL: of_floats(lambda a, b: a <= b),
    Code.FLOAT_GREATER: of_floats(lambda a, b: a > b),
    Code.FLOAT_GREATER_EQUAL: of_floats(lambda a, b: a >= b),
    Code.FLOAT_ORDER: lambda a, b: order(float_of(a), b),
    Code.INTEGER_ORDER: lambda a, b: order(a, float_of(b)),
}


class Row:
    """One row of one stream."""

    def __init__(self, program: ColumnProgram, data: bytes, input_registers: Sequence[int], verify: bool) -> None:
        self.program = program
        self.data = data
        self.verify = verify
        self.cursor = self.base = 0
        self.limits = [len(data)]
        self.registers: list[Number] = [*input_registers, *[0] * (program.registers - len(input_registers))]
        self.spans = [(0, 0)] * program.spans
        self.marks = [0] * program.marks
        self.digests: dict[int, bytes] = {}
        self.columns: list[Value] = [None] * len(program.columns)
        self.refused = 0

    def run(self) -> None:
        """Run the program. Raises ``LostError`` or ``MissingError``; sets ``refused``, ``columns`` and ``cursor``."""
        at = 0
        live = live_steps(self.program, self.verify)
        while (step := self.program.steps[at]).op != Op.END:
            idle = step.op in (Op.EXPRESSION, Op.SLICE) and at not in live
            at = (None if idle else self.step(step)) or at + 1

    def refuse(self, reason: int) -> None:
        self.refused = self.refused or reason

    def take(self, size: int) -> int:
        begin = self.cursor
        if size > self.limits[-1] - begin:
            if len(self.limits) > 1:
                raise LostError(Reason.LENGTH)
            raise MissingError
        self.cursor += size
        return begin

    def size(self, register: int, more: int) -> int:
        value = self.registers[register]
        if isinstance(value, Missing):
            raise LostError(Reason.VALUE)
        if value + more < 0:
            raise LostError(Reason.LENGTH)
        return value + more

    def check(self, holds: bool, outcome: int) -> None:
        if holds:
            return
        if outcome & 0x7F == Outcome.LOST:
            raise LostError(outcome >> 8)
        self.refuse(outcome >> 8)

    def number(self, kind: int, offset: int) -> int:
        value: int = struct.unpack_from(FORMATS[Kind(kind)], self.data, self.base + offset)[0]
        return value

    def store(self, column: int, value: Number | None) -> None:
        width = self.program.columns[column]
        self.columns[column] = value & (1 << 8 * width) - 1 if isinstance(value, int) else None

    def text(self, span: int) -> bytes:
        begin, size = self.spans[span]
        return self.digests.get(span, self.data[begin : begin + size])

    def step(self, step: Step) -> int | None:
        """Run a step; return the number of the next one if it is not the following one."""
        a, b, c, d = step.a, step.b, step.c, step.d
        match step.op:
            case Op.NEED:
                self.base = self.take(a)
            case Op.COLUMN_FIXED:
                self.store(a, self.number(b, c))
            case Op.REGISTER_FIXED:
                self.registers[a] = self.number(b, c)
            case Op.VARINT:
                self.varint(a, b, c, d)
            case Op.BYTES_REGISTER:
                size = self.size(b, c)
                self.spans[a] = (self.take(size), size)
            case Op.BYTES_FIXED:
                self.spans[a] = (self.take(c), c)
            case Op.BYTES_REST:
                size = self.limits[-1] - self.cursor
                self.spans[a] = (self.take(size), size)
            case Op.BYTES_TERMINATED:
                self.terminated(a, b, c)
            case Op.COLUMN_BYTES:
                self.columns[a] = self.text(b)
            case Op.COLUMN_REGISTER:
                self.store(a, self.registers[b])
            case Op.COLUMN_TIMESTAMP:
                value = self.registers[b]
                least, most = time_range(TIME_UNITS[c % HAS_ABSENT])
                is_null = not isinstance(value, int) or not least <= value <= most or (c >= HAS_ABSENT and value == d)
                self.store(a, None if is_null else value)
            case Op.COLUMN_NULL:
                self.columns[a] = None
            case Op.ABSENT:
                self.registers[a] = Missing.NULL
            case Op.SUM | Op.DIGEST:
                self.value_of_marks(step)
            case Op.MARK:
                self.marks[a] = self.cursor if b else self.base + c
            case Op.SKIP_IF_ZERO:
                missing = isinstance(self.registers[a], Missing)
                if missing and not b:
                    raise LostError(Reason.VALUE)
                if missing or not self.registers[a]:
                    return c
            case Op.JUMP:
                return c
            case Op.LIMIT_REGISTER | Op.LIMIT_FIXED:
                begin = self.take(c if step.op == Op.LIMIT_FIXED else self.size(a, c))
                self.limits.append(self.cursor)
                self.cursor = begin
            case Op.LIMIT_END:
                self.cursor = self.limits.pop()
            case Op.SKIP_REGISTER:
                self.take(self.size(a, c))
            case _:
                self.verifying(step)
        return None

    def verifying(self, step: Step) -> None:
        a, b, c, d = step.a, step.b, step.c, step.d
        match step.op:
            case Op.CHECK_RANGE:
                value = self.registers[a]
                most = d & (1 << 64) - 1 if b & 0x80 else d
                self.check(isinstance(value, int) and c <= value <= most, b)
            case Op.CHECK_TRUE:
                self.check(self.registers[a] not in (0, *Missing), b)
            case Op.CHECK_CONSTANT:
                at = self.base + c
                self.check(self.data[at : at + d] == self.program.constants[a : a + d], b)
            case Op.CHECKSUM:
                if self.verify:
                    self.checksum(self.program.checksums[a], b, self.marks[c], self.marks[d])
            case Op.EXPRESSION:
                self.expression(a, self.program.constants[c : c + d], b)
            case Op.CHECK_UTF8:
                try:
                    self.text(a).decode("ascii" if c else "utf-8")
                except UnicodeDecodeError:
                    self.refuse(Reason.ENCODING)
            case Op.TRIM_RIGHT:
                begin, _ = self.spans[a]
                self.spans[a] = (begin, len(self.text(a).rstrip(bytes([c]))))
            case Op.CUT_TERMINATOR:
                begin, size = self.spans[a]
                found = self.text(a).find(bytes([c]))
                self.spans[a] = (begin, size if found < 0 else found + (b & 1))
            case Op.SLICE:
                begin, size = self.spans[b]
                first, last = self.registers[c], self.registers[d]
                self.spans[a] = (begin, 0)
                if isinstance(first, int) and isinstance(last, int) and 0 <= first <= last <= size:
                    self.spans[a] = (begin + first, last - first)
                else:
                    self.refuse(Reason.VALUE)
            case _:
                raise AssertionError(step)

    def varint(self, register: int, too_long: int, shape: int, too_large: int) -> None:
        groups, most, top = shape & 255, shape >> 8 & 255, shape >> 16 & 255
        taken = b""
        while not taken or taken[-1] > 127:
            if most and len(taken) == most:
                raise LostError(too_long >> 8)
            at = self.take(1)
            taken += self.data[at : at + 1]
        self.check(len(taken) != most or taken[-1] <= top, too_large)
        lowest_first = taken[::-1] if shape >> 24 & 1 else taken
        value = sum((byte & 127) << 7 * place for place, byte in enumerate(lowest_first[:groups])) % (1 << 64)
        self.registers[register] = value >> 1 ^ -(value & 1) if shape >> 25 & 1 else value

    def terminated(self, span: int, terminator: int, flags: int) -> None:
        found = self.data.find(bytes([terminator]), self.cursor, self.limits[-1])
        left = self.limits[-1] - self.cursor
        if found < 0:
            size = left + 1 if flags & 4 else left
            self.spans[span] = (self.take(size), size)
            return
        self.spans[span] = (self.cursor, found - self.cursor + (flags & 1))
        self.cursor = found + (flags >> 1 & 1)

    def value_of_marks(self, step: Step) -> None:
        pairs = zip(self.marks[step.c :: 2], self.marks[step.c + 1 :: 2], strict=False)
        covered = b"".join(self.data[begin : max(begin, end)] for begin, end in islice(pairs, step.d))
        rule = self.program.checksums[step.b]
        found = function(algorithm(rule.algorithm, rule.initial, rule.final_xor))(covered)
        if isinstance(found, bytes):
            self.digests[step.a] = found
        else:
            self.registers[step.a] = found

    def checksum(self, rule: ChecksumRule, field: int, begin: int, end: int) -> None:
        covered = bytearray(self.data[begin : max(begin, end)])
        if rule.replace >= 0:
            own = self.marks[rule.own]
            for at in range(max(own, begin), min(own + rule.own_size, max(begin, end))):
                covered[at - begin] = rule.replace
        if CHECKSUMS[rule.algorithm].is_digest:
            found = self.text(field)
            digest = hashlib.new(rule.algorithm, covered, usedforsecurity=False).digest()
            if found != digest[: len(found)] or len(found) > len(digest):
                self.refuse(Reason.DIGEST)
            return
        continues = self.registers[rule.continues] if rule.continues >= 0 else 0
        if isinstance(continues, Missing):
            self.refuse(Reason.VALUE)
            continues = 0
        expected: Number = crc(rule, bytes(covered), continues if rule.continues >= 0 else None)
        if rule.stored_size:
            self.registers[rule.sum] = expected
            expected = self.value(self.program.constants[rule.stored : rule.stored + rule.stored_size])
            if isinstance(expected, Missing):
                self.refuse(Reason.VALUE)
        stored = self.registers[field] if rule.place is Place.REGISTER else Missing.FAILED
        if rule.place is not Place.REGISTER:
            stored = int.from_bytes(self.text(field), "big" if rule.place is Place.SPAN_BE else "little")
        if isinstance(stored, Missing) or stored != expected:
            self.refuse(Reason.CHECKSUM)

    def expression(self, register: int, code: bytes, missing: int) -> None:
        value = self.value(code)
        if (missing == 0 and isinstance(value, Missing)) or (missing == 2 and value is Missing.FAILED):
            self.refuse(Reason.VALUE)
            value = Missing.FAILED
        self.registers[register] = value

    def value(self, code: bytes) -> Number:
        stack: list[Number] = []
        at = 0
        while at < len(code):
            each = code[at]
            at += 1
            if each in (Code.CONSTANT, Code.CONSTANT_UNSIGNED):
                stack.append(int.from_bytes(code[at : at + 8], "little", signed=each == Code.CONSTANT))
                at += 8
            elif each == Code.REGISTER:
                stack.append(self.registers[number_at(code, at)])
                at += 2
            elif each == Code.SPAN_SIZE:
                stack.append(len(self.text(number_at(code, at))))
                at += 2
            elif each == Code.SPAN_ORDER:
                end = at + following(code, at - 1)
                span, other = self.text(number_at(code, at)), code[at + 3 : end]
                stack.append((span > other) - (span < other))
                at = end
            elif each == Code.CAST:
                stack.append(cast(stack.pop(), Kind(code[at])))
                at += 1
            else:
                operate(Code(each), stack)
        (value,) = stack
        return value


def cast(value: Number, kind: Kind) -> Number:
    bits = 8 * struct.calcsize(FORMATS[kind])
    low = -(1 << bits - 1) if kind.name.startswith("S") else 0
    return value if isinstance(value, Missing) or low <= value < low + (1 << bits) else Missing.FAILED


def used(value: Missing) -> Missing:
    """Return why what uses a missing value has none."""
    return Missing.ABSENT if value is Missing.NULL else value


def operate(code: Code, stack: list[Number]) -> None:
    """Execute one code."""
    if code == Code.NULL:
        stack.append(Missing.NULL)
        return
    top = stack.pop()
    if code == Code.OPTIONAL:
        stack.append(Missing.NULL if top is Missing.ABSENT else top)
    elif code in (Code.NEGATE, Code.INVERT, Code.BOOLEAN_NOT):
        if isinstance(top, Missing):
            stack.append(used(top))
        else:
            stack.append(fitting(-top if code == Code.NEGATE else ~top if code == Code.INVERT else int(not top)))
    elif code in CONVERSIONS:
        if isinstance(top, Missing):
            stack.append(top if code in PASS_NULL else used(top))
        else:
            stack.append(fitting(CONVERSIONS[code](top)))
    elif code == Code.SELECT:
        then, condition = stack.pop(), stack.pop()
        stack.append(used(condition) if isinstance(condition, Missing) else then if condition else top)
    else:
        stack.append(binary(code, stack.pop(), top))


def binary(code: Code, left: Number, right: Number) -> Number:
    if code in (*EQUALITIES, *ORDERS) and Missing.NULL in (left, right):
        others = [each for each in (left, right) if each in (Missing.FAILED, Missing.ABSENT)]
        if others or (code in ORDERS and left != right):
            return others[0] if others else Missing.NULL
        return int((left == right) == (code in (Code.EQUAL, Code.FLOAT_EQUAL)))
    if isinstance(left, Missing):
        return used(left)
    if code in (Code.BOOLEAN_AND, Code.BOOLEAN_OR) and bool(left) == (code == Code.BOOLEAN_OR):
        return int(bool(left))
    if isinstance(right, Missing):
        return used(right)
    if code in (Code.BOOLEAN_AND, Code.BOOLEAN_OR):
        return int(bool(right))
    try:
        return fitting(BINARY[code](left, right))
    except (ZeroDivisionError, ValueError):
        return Missing.FAILED


def fitting(value: int) -> Number:
    return value if -(1 << 127) <= value < 1 << 127 else Missing.FAILED
