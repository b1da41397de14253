"""Lowers columns whose values are computed by expressions after the row has been read."""

from __future__ import annotations

from dataclasses import replace

from wireloom.format.program import Code, Op

from ...expression.nodes import SLICE, Call, Node
from ...expression.types import BytesType, StringType
from ...passes.variables import follows_variables
from ...tree import Instance
from .assembler import Assembler
from .compiled import Compiled, constant, joined
from .expression import Compiler
from .facts import facts_of
from .interval import BOOLEAN
from .lines import Label
from .presence import presence
from .refusal import NotForEngineError
from .scope import Fact, Scalar, Scope, Span
from .sharing import Sharing
from .state import State
from .table import TableColumn


def row_compiler(state: State, scope: Scope, facts: tuple[Fact, ...], sharing: Sharing | None = None) -> Compiler:
    """Return a compiler of expressions that are computed after the row has been read: the position of the stream is the
    end of the row."""
    share = sharing.value_of if sharing is not None else None
    return replace(
        state.compiler(scope),
        facts=facts,
        absent_fails=False,
        of_row=True,
        share=share,
        attempt=state.attempt,
        needs=state.need,
    )


def _changes_later(state: State, scope: Scope, instance: Instance) -> bool:
    """Return whether rows after this one in an enclosing object may change the value of its instance."""
    if not instance.variable and not follows_variables(state.spec, scope.struct, instance):
        return False
    spec, rows = state.spec, state.spec.rows
    assert rows is not None
    for way in state.ways or (((spec.top(rows).path, rows.attribute, rows.row),),):
        holders = [holder for holder, _, _ in way]
        if scope.struct.path not in holders:
            continue
        first = holders.index(scope.struct.path)
        for holder, name, _ in way[max(first, int(rows.streaming)) :]:
            field = spec.struct(holder).attribute(name)
            if field is not None and field.repeat is not None:
                return True
    return False


def lower_instance(
    state: State, scope: Scope, number: int, column: TableColumn, instance: Instance, sharing: Sharing
) -> None:
    """Append the steps of a column whose value is computed by an expression. Raises ``NotForEngineError``."""
    if instance.value is None:
        raise NotForEngineError(f'the column "{column.name}" is read at an explicit position')
    if scope.around_rows and _changes_later(state, scope, instance):
        raise NotForEngineError(f'the column "{column.name}" has its value at the end of an object with several rows')
    kept = scope.members.get(instance.id)
    if isinstance(kept, Scalar) and instance.condition is None:
        held = column.held(Compiled((kept,), kept.interval))
        column.store(state.assembler, number, state.assembler.temporary(held, f"{column.name}, as its column has it"))
        return
    if instance.checks:
        raise NotForEngineError(f'the column "{column.name}" is computed and has "valid"')
    facts, condition = state.facts, None
    if instance.condition is not None:
        facts = (*facts, *facts_of(scope, instance.condition))
    compiler = row_compiler(state, scope, facts, sharing)
    if isinstance(instance.type, BytesType | StringType):
        _lower_spanned(state, scope, number, column, instance, compiler)
        return
    try:
        if instance.condition is not None:
            condition = row_compiler(state, scope, state.facts, sharing).compile(instance.condition)
        needs = state.refuse_for_needs(number)
        compiled = compiler.compile(instance.value)
    except NotForEngineError:
        state.needed = []
        _lower_nullable(state, scope, number, column, instance, facts)
        return
    assembler, absent, after, asked = state.assembler, Label(), Label(), len(state.kept)
    if condition is not None:
        question = f"is {column.name} there?"
        # If the condition has no value it has refused the row.
        assembler.add(Op.SKIP_IF_ZERO, assembler.temporary(condition, question), 1, absent, comment=question)
    needs += state.refuse_for_needs(number)
    shares = condition is None and compiled.constant is None and sharing.is_used(instance)
    value = _shared_value(assembler, compiled, column.name) if shares else assembler.temporary(compiled, column.name)
    held = column.held(Compiled((value,), value.interval))
    column.store(assembler, number, assembler.temporary(held, f"{column.name}, as its column has it"))
    if shares and set(value.facts) <= set(facts):
        # Values that depend on it use the value that exists.
        scope.members[instance.id] = value
        scope.failures[instance.id] = needs
    if condition is not None:
        assembler.add(Op.JUMP, 0, 0, after)
        assembler.place(absent)
        assembler.add(Op.COLUMN_NULL, number, comment=column.name)
        assembler.place(after)
        state.forget(asked)


def _shared_value(assembler: Assembler, compiled: Compiled, name: str) -> Scalar:
    """Return the register with the value of a column that other columns use. If it has none, that is damage only for
    what needs it: the column may not be wanted."""
    if not compiled.may_fail or compiled.scalar is not None:
        return assembler.temporary(compiled, name)
    value = Scalar(name, compiled.interval, may_fail=True, lazy=True)
    assembler.compute(value, compiled, name)
    return value


def _lower_spanned(
    state: State, scope: Scope, number: int, column: TableColumn, instance: Instance, compiler: Compiler
) -> None:
    """Append the steps of a column of text or bytes, which is null if its value or its condition requires an absent
    value. ``compiler``: for expressions under the condition."""
    assembler, absent, after = state.assembler, Label(), Label()
    outside = replace(compiler, facts=state.facts, absent_fails=True)
    asked: list[Scalar] = []
    kept = len(state.kept)

    def only_where(there: Compiled) -> None:
        # If that has no value it has refused the row.
        question = f"is {column.name} there?"
        state.refuse_for_needs(number)
        if there.constant != 1:
            asked.append(assembler.temporary(there, question))
            assembler.add(Op.SKIP_IF_ZERO, asked[-1], 1, absent, comment=question)

    assert instance.value is not None
    if instance.condition is not None:
        only_where(presence(outside, instance.condition))
        only_where(outside.compile(instance.condition))
    try:
        span = _span_of(assembler, compiler, column, instance.value)
    except NotForEngineError:
        state.needed = []
        compiler = replace(compiler, absent_fails=True)
        only_where(presence(compiler, instance.value))
        span = _span_of(assembler, compiler, column, instance.value)
    state.refuse_for_needs(number)
    assembler.column_bytes(number, span, column.name)
    if asked:
        assembler.add(Op.JUMP, 0, 0, after)
        assembler.place(absent)
        assembler.add(Op.COLUMN_NULL, number, comment=column.name)
        assembler.place(after)
        state.forget(kept)


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


def _lower_nullable(
    state: State, scope: Scope, number: int, column: TableColumn, instance: Instance, facts: tuple[Fact, ...]
) -> None:
    """Append the steps of a column whose value is null if it or its condition requires an absent value. A failure
    refuses the row."""
    assembler, question = state.assembler, f"is {column.name} there?"
    compiler = replace(row_compiler(state, scope, state.facts), absent_fails=True, attempt=None)
    knowing = replace(compiler, assumed=facts)
    assert instance.value is not None
    there = presence(knowing, instance.value)
    if instance.condition is not None:
        held = joined((compiler.compile(instance.condition), there), Code.BOOLEAN_AND, BOOLEAN)
        there = joined((presence(compiler, instance.condition), held), Code.BOOLEAN_AND, BOOLEAN)
    present = assembler.temporary(there, question)
    held = column.held(knowing.compile(instance.value))
    if state.needed:
        state.needed = []
        raise NotForEngineError(
            f'the column "{column.name}" depends on a value at a position and on one that may be absent'
        )
    value = joined(
        (Compiled((present,), BOOLEAN), held, constant(0)), Code.SELECT, held.interval.union(constant(0).interval)
    )
    column.store(assembler, number, assembler.temporary(value, column.name))
    assembler.add(Op.NULL_UNLESS, number, present, comment=column.name)
