"""Lowers columns whose values are computed by expressions after the row has been read."""

from __future__ import annotations

from wireloom.base.dataclass import replace
from wireloom.format.program import Op

from ...expression.nodes import SLICE, Call, Node
from ...expression.types import BytesType, StringType
from ...passes.variables import follows_variables
from ...tree import Instance
from .assembler import Assembler
from .expression import Compiler
from .instructions import Label
from .lowering_context import LoweringContext
from .path_conditions import path_conditions_of
from .refusal import ColumnRefusedError, NotForEngineError, placed
from .sharing import Sharing
from .stack_code import StackCode, constant
from .symbols import ObjectScope, PathCondition, Scalar, Span
from .table import TableColumn
from .uses import uses_position


def row_compiler(
    context: LoweringContext,
    scope: ObjectScope,
    path_conditions: tuple[PathCondition, ...],
    sharing: Sharing | None = None,
) -> Compiler:
    """Return a compiler of expressions that are computed after the row has been read: the position of the stream is the
    end of the row."""
    share = sharing.value_of if sharing is not None else None
    return replace(
        context.compiler(scope),
        path_conditions=path_conditions,
        of_row=True,
        share=share,
        attempt=context.attempt,
        needs=context.need,
    )


def _changes_later(context: LoweringContext, scope: ObjectScope, instance: Instance) -> bool:
    """Return whether rows after this one in an enclosing object may change the value of its instance."""
    if not instance.variable and not follows_variables(context.spec, scope.struct, instance):
        return False
    spec, rows = context.spec, context.spec.rows
    assert rows is not None
    for path in context.row_paths or (((spec.top(rows).path, rows.attribute, rows.row),),):
        holders = [holder for holder, _, _ in path]
        if scope.struct.path not in holders:
            continue
        first = holders.index(scope.struct.path)
        for holder, name, _ in path[max(first, int(rows.streaming)) :]:
            field = spec.struct(holder).attribute(name)
            if field is not None and field.repeat is not None:
                return True
    return False


def lower_instance(
    context: LoweringContext, scope: ObjectScope, number: int, column: TableColumn, instance: Instance, sharing: Sharing
) -> None:
    """Append the steps of a column whose value is computed by an expression. Raises ``NotForEngineError``."""
    if instance.value is None:
        raise NotForEngineError(f'the column "{column.name}" is read at an explicit position')
    if scope.encloses_rows and _changes_later(context, scope, instance):
        raise NotForEngineError(f'the column "{column.name}" has its value at the end of an object with several rows')
    kept = scope.members.get(instance.id)
    if isinstance(kept, Scalar) and instance.condition is None:
        _store(context.assembler, number, column, kept)
        return
    if instance.checks:
        raise NotForEngineError(f'the column "{column.name}" is computed and has "valid"')
    is_text, path_conditions = isinstance(instance.type, BytesType | StringType), context.path_conditions
    condition, needs = None, tuple[Scalar, ...]()
    if instance.condition is not None:
        condition = row_compiler(context, scope, path_conditions, sharing).compile(instance.condition)
        needs = _needs(context, number, column, condition)
        path_conditions = (*path_conditions, *path_conditions_of(scope, instance.condition))
    compiler = row_compiler(context, scope, path_conditions, sharing)
    compiled = None if is_text else compiler.compile(instance.value)
    assembler, absent, after, count = context.assembler, Label(), Label(), len(context.cached)
    if condition is not None:
        question = f"is {column.name} there?"
        # A condition that cannot be computed has refused the row; if it is absent, so is the value.
        asks = assembler.temporary(condition, question, optional=True)
        assembler.add(Op.SKIP_IF_ZERO, asks, 1, absent, comment=question)
    if compiled is None:
        span = _span_of(assembler, compiler, column, instance.value)
        context.refuse_for_needs(number)
        assembler.column_bytes(number, span, column.name)
    else:
        needs += _needs(context, number, column, compiled)
        shares = condition is None and compiled.constant is None and sharing.is_used(instance)
        value = _value(assembler, compiled, column.name, shares=shares)
        _store(assembler, number, column, value)
        if shares and set(value.path_conditions) <= set(path_conditions):
            # Values that depend on it use the value that exists.
            scope.members[instance.id] = value
            scope.failures[instance.id] = needs
    if condition is not None:
        assembler.add(Op.JUMP, 0, 0, after)
        assembler.bind(absent)
        assembler.add(Op.COLUMN_NULL, number, comment=column.name)
        assembler.bind(after)
        context.forget(count)


def lower_shown(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the steps of the value instances and parameters that are fields of a struct, at the end of its object."""
    for node in context.fills.get(scope, {}).values():
        column, instance = node.column, node.column.field
        if not isinstance(instance, Instance) or instance.value is None:
            continue
        try:
            with placed(instance.position):
                _store_shown(context, scope, node.number, column, instance, instance.value)
        except NotForEngineError as refusal:
            whole = next(each.column.name for each in context.columns.columns if any(node is one for one in each.all()))
            raise ColumnRefusedError(whole, refusal) from refusal


def _store_shown(
    context: LoweringContext, scope: ObjectScope, number: int, column: TableColumn, instance: Instance, value: Node
) -> None:
    name, assembler = instance.id, context.assembler
    expressions = [each for each in (value, instance.condition) if each is not None]
    if instance.checks or any(map(uses_position, expressions)):
        raise NotForEngineError(f'"{name}" in a struct has "valid" or depends on a position')
    if instance.variable or follows_variables(context.spec, scope.struct, instance):
        raise NotForEngineError(f'"{name}" in a struct depends on a variable')
    if isinstance(instance.type, BytesType | StringType):
        raise NotForEngineError(f'"{name}" in a struct is text or bytes that an expression computes')
    compiler, condition = context.compiler(scope), instance.condition
    there = constant(1) if condition is None else compiler.compile(condition)
    if condition is not None:
        compiler = replace(compiler, path_conditions=(*context.path_conditions, *path_conditions_of(scope, condition)))
    compiled = compiler.compile(value)
    # A value that is refused after the row has been read has other reasons than one that is refused inside of it.
    if compiled.may_fail or there.may_fail:
        raise NotForEngineError(f'"{name}" in a struct may have no value')
    compiled = column.fitted(compiled)
    if compiled.may_fail:
        raise NotForEngineError(f'"{name}" in a struct may exceed the type of its column')
    context.run.flush()
    absent, after = Label(), Label()
    if condition is not None:
        asks = assembler.temporary(there, f"is {name} there?", optional=True)
        assembler.add(Op.SKIP_IF_ZERO, asks, 1, absent, comment=name)
    column.store(assembler, number, assembler.temporary(compiled, name, optional=True))
    if condition is not None:
        assembler.add(Op.JUMP, 0, 0, after)
        assembler.bind(absent)
        assembler.add(Op.COLUMN_NULL, number, comment=name)
        assembler.bind(after)


def _needs(context: LoweringContext, number: int, column: TableColumn, compiled: StackCode) -> tuple[Scalar, ...]:
    """Append the steps that refuse the row if a value at a position could not be read."""
    if context.needed and compiled.nullable:
        raise NotForEngineError(
            f'the column "{column.name}" depends on a value at a position and on one that may be absent'
        )
    return context.refuse_for_needs(number)


def _store(assembler: Assembler, number: int, column: TableColumn, value: Scalar) -> None:
    """Append the steps that store a value in its column, null if it is absent."""
    fitted = column.fitted(StackCode((value,), value.interval))
    shown = assembler.temporary(fitted, f"{column.name}, as its column has it", optional=True)
    column.store(assembler, number, shown)


def _value(assembler: Assembler, compiled: StackCode, name: str, *, shares: bool) -> Scalar:
    """Return the register with the value of a column. ``shares``: if it has none, that is damage only for what needs
    it, since other columns use it, and the column may not be wanted."""
    if not shares or not compiled.may_fail or compiled.scalar is not None:
        return assembler.temporary(compiled, name, optional=True)
    value = Scalar(name, compiled.interval, may_fail=True, speculative=True, nullable=compiled.nullable)
    assembler.compute(value, compiled, name)
    return value


def _span_of(assembler: Assembler, compiler: Compiler, column: TableColumn, value: Node) -> Span:
    """Return the bytes or text, or the part of them, that a column shows."""
    whole = value.value if isinstance(value, Call) and value.name == SLICE else value
    span = compiler.span(whole)
    if whole is value:
        return span
    assert isinstance(value, Call)
    if span.made:
        raise NotForEngineError(f'the column "{column.name}" is a part of computed text or bytes')
    ends = [assembler.temporary(compiler.compile(each), f"end of {column.name}") for each in value.arguments]
    part = Span(column.name)
    assembler.add(Op.SLICE, part, span, *ends, comment=column.name)
    return part
