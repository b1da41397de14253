"""Lowers integers, enums, floats and bit fields of a row to steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wireloom.format.program import Code, Kind, Op

from ...expression.types import BitsType, FloatType, IntegerType, UnionType, UserType, VarintType
from ...tree import Attribute
from .arrow import number_interval, wire_kind
from .instructions import Refusal
from .interval import FLOAT, Interval
from .lowering_context import LoweringContext
from .parameters import read_number
from .refusal import NotForEngineError
from .stack_code import StackCode
from .symbols import ObjectScope, Scalar
from .table import TableColumn
from .valid import checks, refusal_of


def lower_float(context: LoweringContext, scope: ObjectScope, field: Attribute, kind: FloatType) -> None:
    """Append a float on the wire, as part of the run."""
    offset, found = context.run.add(field.id, kind.size), context.column(scope, field.id)
    bits = Scalar(field.id, FLOAT, context.path_conditions)
    order = kind.endian.upper() if kind.endian in ("le", "be") else ""
    # Those of a double are kept as registers keep floats.
    sign = "S" if kind.size == 8 else "U"
    if not order:
        read_number(context, scope, bits, signed=kind.size == 8, size=kind.size, offset=offset)
    else:
        context.run.then(lambda: context.assembler.register_fixed(bits, Kind[f"{sign}{kind.size}{order}"], offset))

    def store(number: int) -> None:
        if order:
            context.assembler.add(Op.COLUMN_FIXED, number, Kind[f"F{kind.size}{order}"], offset, comment=field.id)
        else:
            context.assembler.add(Op.COLUMN_REGISTER, number, bits, Kind[f"U{kind.size}LE"], comment=field.id)

    scalar = scope.floats[field.id] = bits
    context.created.append(bits)
    if kind.size == 4:
        scalar = _member(context, scope, field)
        of_single = StackCode((bits, bytes([Code.FLOAT_OF_SINGLE])), FLOAT)
        context.run.then(lambda: context.assembler.compute(scalar, of_single, field.id))
    scope.members[field.id] = scalar
    _finish(context, scope, field, scalar, store if found is not None and int(found.storage) == kind.size else None)


def lower_integer(context: LoweringContext, scope: ObjectScope, field: Attribute, kind: IntegerType) -> None:
    """Append an integer or enum on the wire, as part of the run."""
    offset = context.run.add(field.id, kind.size)
    scalar = _member(context, scope, field)
    if kind.endian not in ("le", "be", None):
        read_number(context, scope, scalar, signed=kind.signed, size=kind.size, offset=offset)
        _finish(context, scope, field, scalar, None)
        return
    wire = wire_kind(kind.size, kind.signed, kind.endian)
    context.run.then(lambda: context.assembler.register_fixed(scalar, wire, offset))

    def store(number: int) -> None:
        context.assembler.add(Op.COLUMN_FIXED, number, wire, offset, comment=field.id)

    node = context.column(scope, field.id)
    # A switch may choose from integers of several sizes, which share one column.
    same = node is not None and node.column.type.kind == wire_kind(kind.size, kind.signed, "le")
    _finish(context, scope, field, scalar, store if field.logical is None and same else None)


def lower_bits(context: LoweringContext, scope: ObjectScope, field: Attribute, kind: BitsType) -> None:
    """Append a bit field, as part of the run."""
    if kind.width > 64:
        raise NotForEngineError(f'"{field.id}" has more than 64 bits')
    compiled, scalar = context.run.add_bits(field.id, kind), _member(context, scope, field)
    context.run.then(lambda: context.assembler.compute(scalar, compiled, field.id))
    _finish(context, scope, field, scalar, None)


def lower_varint(context: LoweringContext, scope: ObjectScope, field: Attribute, kind: VarintType) -> None:
    """Append a varint, which ends the run, since its length depends on its bytes."""
    context.run.flush_aligned(f'"{field.id}" may begin')
    scalar = _member(context, scope, field)
    shape = kind.groups | kind.most << 8 | kind.top << 16 | kind.big_endian << 24 | kind.zigzag << 25
    too_long = Refusal(True, field.reason)
    context.assembler.add(Op.VARINT, scalar, too_long, shape, refusal_of(field), comment=field.id)
    _finish(context, scope, field, scalar, None)
    # What comes next is relative to the cursor, which is not known from the base of the last NEED.
    context.run.flush()


def _store(context: LoweringContext, number: int, column: TableColumn, scalar: Scalar) -> None:
    """Append the steps that store a number in its column, and refuse one that exceeds the column's range."""
    fitted = column.fitted(StackCode((scalar,), scalar.interval))
    column.store(context.assembler, number, context.assembler.temporary(fitted, f"{column.name}, as its column has it"))


def _member(context: LoweringContext, scope: ObjectScope, field: Attribute) -> Scalar:
    """Return the scalar to which expressions resolve the name of the field."""
    scalar = Scalar(field.id, number_interval(field.type) or Interval(0, 0), context.path_conditions)
    context.created.append(scalar)
    scope.members[field.id] = scalar
    return scalar


def _finish(
    context: LoweringContext, scope: ObjectScope, field: Attribute, scalar: Scalar, direct: Callable[[int], None] | None
) -> None:
    """Fill the column, through ``direct`` if no register is needed for it, and check the value."""
    found = context.column(scope, field.id)
    if found is not None:
        number, column = found.number, found.column
        if direct is not None:
            store = direct
            context.run.then(lambda: store(number))
        else:
            context.run.then(lambda: _store(context, number, column, scalar))
    if field.checks:
        for check in checks(field, scalar, context.compiler(scope), scope.spec):
            context.run.then(check.appender(context.assembler))


def begins_a_byte(field: Attribute) -> bool:
    """Return whether the field always begins at a byte boundary, so that the rest of a byte of bit fields is skipped
    before it. A list does not guarantee that, since it may have no items."""
    type = field.type.on_wire
    whole = not isinstance(type, BitsType | UserType | UnionType | VarintType)
    return whole and field.repeat is None and field.condition is None


def ends_byte(context: LoweringContext, fields: Sequence[Attribute], last: Attribute) -> bool:
    """Return whether the bit fields right after ``last`` complete the byte in which it ends."""
    left = context.run.bits_left
    for field in fields[fields.index(last) + 1 :]:
        kind = field.type.on_wire
        if not isinstance(kind, BitsType) or field.condition is not None or field.repeat is not None:
            return False
        left -= kind.width
        if left <= 0:
            break
    return left == 0
