"""Code of the engine's stack machine, with the range of its values, and whether they may be missing."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from wireloom.base.dataclass import dataclass
from wireloom.format.program import Code, Kind, Storage

from .arrow import ArrowType
from .interval import FLOAT, Interval, checked, of_bytes
from .refusal import NotForEngineError
from .symbols import HeaderConstant, Scalar, Span


@dataclass(frozen=True)
class Order:
    """How the bytes of a span compare to ``value``: -1, 0 or 1."""

    span: Span
    value: bytes | HeaderConstant


@dataclass(frozen=True)
class Digits:
    """The integer that the text of a span represents."""

    span: Span
    radix: int


@dataclass(frozen=True)
class Byte:
    """The byte of a span at the index on the stack."""

    span: Span


@dataclass(frozen=True)
class Compare:
    """How the bytes of a span compare to those of another span, as for ``Order``."""

    span: Span
    other: Span


@dataclass(frozen=True)
class Length:
    """The number of characters in the text of a span."""

    span: Span


class NullableCode(bytes):
    """A code whose value may be missing because an attribute is absent."""


class Certain(bytes):
    """Code of an operation that always has a value, since the ranges of its operands are known."""


Part = bytes | Scalar | Span | Order | Digits | Byte | Compare | Length


def code_of(part: Scalar | Span | Digits | Byte | Compare | Length, number: int, other: int) -> bytes:
    """Return the code of a part that refers to the register or span ``number``, and to another one."""
    match part:
        case Digits(radix=radix):
            return struct.pack("<BHB", Code.SPAN_NUMBER, number, radix)
        case Compare():
            return struct.pack("<BHH", Code.SPAN_COMPARE, number, other)
        case Byte():
            return struct.pack("<BH", Code.SPAN_BYTE, number)
        case Length():
            return struct.pack("<BH", Code.SPAN_LENGTH, number)
        case Scalar():
            return struct.pack("<BH", Code.REGISTER, number)
        case Span():
            return struct.pack("<BH", Code.SPAN_SIZE, number)


BY_CONSTANT = (Code.FLOOR_DIVIDE, Code.MODULO, Code.SHIFT_RIGHT, Code.FLOAT_DIVIDE, Code.FLOAT_MODULO)
FAILING = (
    *BY_CONSTANT,
    Code.MULTIPLY,
    Code.SHIFT_LEFT,
    Code.SERIES_ITEM,
    Code.SERIES_LEAST,
    Code.SERIES_GREATEST,
    Code.CAST,
    Code.NULL,
    Code.FLOAT_TO_INTEGER,
)
"""Codes that may have no value."""


@dataclass(frozen=True)
class StackCode:
    """Code in which the numbers of registers and spans are filled in later, the range of its values and its stack
    depth. A span on its own means its size in bytes."""

    parts: tuple[Part, ...]
    interval: Interval
    depth: int = 1

    @property
    def constant(self) -> int | None:
        """Return the integer if it is the same for every row, none of which may lack it, else ``None``."""
        return self.interval.low if self.interval.constant and not self.may_fail else None

    @property
    def scalar(self) -> Scalar | None:
        """Return the field if the expression is nothing but its value, else ``None``."""
        only = self.parts[0] if len(self.parts) == 1 else None
        return only if isinstance(only, Scalar) else None

    @property
    def may_fail(self) -> bool:
        """Return whether the code may have no value."""
        before: Part = b""
        for part in self.parts:
            if isinstance(part, Byte | Digits) or (isinstance(part, Scalar) and (part.may_fail or part.speculative)):
                return True
            fails = isinstance(part, bytes) and not isinstance(part, Certain) and part[0] in FAILING
            if fails and isinstance(part, bytes) and not (part[0] in BY_CONSTANT and _is_divisor(before)):
                return True
            before = part
        return False

    @property
    def nullable(self) -> bool:
        """Return whether the value may be missing because an attribute is absent."""
        return any(isinstance(part, NullableCode) for part in self.parts) or any(each.nullable for each in self.read())

    def read(self) -> Iterator[Scalar | Span]:
        """Yield the fields whose registers or spans the code reads."""
        for part in self.parts:
            if isinstance(part, Scalar | Span):
                yield part
            elif not isinstance(part, bytes):
                yield part.span
            if isinstance(part, Compare):
                yield part.other


def _is_divisor(part: Part) -> bool:
    """Return whether an operand is a constant that is valid as a divisor, or as the count of a right shift."""
    return isinstance(part, bytes) and part[0] == Code.CONSTANT and any(part[1:]) and part[-1] < 0x80


def constant(value: int) -> StackCode:
    """Return code that pushes ``value``."""
    checked(Interval(value, value))
    if -(1 << 63) <= value < 1 << 63:
        code = struct.pack("<Bq", Code.CONSTANT, value)
    elif 0 <= value < 1 << 64:
        code = struct.pack("<BQ", Code.CONSTANT_UNSIGNED, value)
    else:
        raise NotForEngineError(f"the constant {value} does not fit in 64 bits")
    return StackCode((code,), Interval(value, value))


def float_constant(value: float) -> StackCode:
    """Return code that pushes a float."""
    return StackCode((struct.pack("<Bd", Code.CONSTANT, value),), FLOAT)


def as_float(compiled: StackCode) -> StackCode:
    """Return code of the same value as a float."""
    if compiled.interval.is_float:
        return compiled
    if compiled.constant is not None:
        return float_constant(float(compiled.constant))
    return joined((compiled,), Code.FLOAT_OF_INTEGER, FLOAT)


def joined(operands: tuple[StackCode, ...], code: Code, interval: Interval, *, certain: bool = False) -> StackCode:
    """Return the code of the operands in order, followed by ``code``, which always has a value if it is ``certain``."""
    parts = tuple(part for each in operands for part in each.parts)
    depth = max(position + each.depth for position, each in enumerate(operands))
    return StackCode((*parts, (Certain if certain else bytes)([code])), interval, depth)


def inverted(condition: StackCode) -> StackCode:
    """Return code for the negation of a condition."""
    return StackCode((*condition.parts, bytes([Code.BOOLEAN_NOT])), Interval(0, 1), condition.depth)


def of_series(
    operands: tuple[StackCode, ...], code: Code, number: int, interval: Interval, *, nullable: bool = False
) -> StackCode:
    """Return the code of the operands, followed by a code that refers to a series. ``nullable``: its items may be
    absent."""
    parts = tuple(part for each in operands for part in each.parts)
    depth = max((each.depth for each in operands), default=1)
    packed = struct.pack("<BH", code, number)
    return StackCode((*parts, NullableCode(packed) if nullable else packed), interval, depth)


def cast(compiled: StackCode, kind: Kind) -> StackCode:
    """Return code of the same value that fails if an integer of that kind cannot represent it."""
    limits = of_bytes(int(kind.name[1]), kind.name.startswith("S"))
    if compiled.interval.within(limits.low, limits.high):
        return compiled
    return StackCode((*compiled.parts, bytes([Code.CAST, kind])), limits, compiled.depth)


def fitted(compiled: StackCode, type: ArrowType) -> StackCode:
    """Return code of the same value as a column of that type stores it, which fails if the column cannot represent
    it."""
    if type.is_float:
        compiled = as_float(compiled)
        is_single = type.storage is Storage.FIXED32
        return joined((compiled,), Code.FLOAT_TO_SINGLE, FLOAT) if is_single else compiled
    return compiled if type.kind is None else cast(compiled, type.kind)


def stored_kind(interval: Interval, type: ArrowType) -> Kind | None:
    """Return how a register with such values is stored in a column of that type; ``None`` if it cannot be."""
    is_float = interval.is_float and type.storage is not None
    return Kind[f"U{type.storage}LE"] if is_float else type.kind


FAILED = joined((constant(1), constant(0)), Code.MODULO, Interval(0, 0))
"""Code that cannot be computed."""
NULL = StackCode((NullableCode([Code.NULL]),), Interval(0, 0))
"""Code of an absent attribute."""
ABSENT = joined((NULL, constant(0)), Code.ADD, Interval(0, 0))
"""Code that uses an absent attribute."""


def where(condition: StackCode, compiled: StackCode) -> StackCode:
    """Return code that is absent if the condition does not hold."""
    return compiled if condition.constant else joined((condition, compiled, ABSENT), Code.SELECT, compiled.interval)


def optional(compiled: StackCode) -> StackCode:
    """Return code of the value of an attribute, which is null if its expression uses an absent one."""
    if not compiled.nullable:
        return compiled
    return StackCode((*compiled.parts, bytes([Code.OPTIONAL])), compiled.interval, compiled.depth)


def required(compiled: StackCode) -> StackCode:
    """Return code of a value that is used: it is absent if it is null."""
    return joined((compiled, constant(0)), Code.ADD, compiled.interval) if compiled.nullable else compiled
