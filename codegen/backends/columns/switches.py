"""Values of one of several types: a step for each, of which the input chooses one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from wireloom.format.program import Op

from ...expression.nodes import Comparison, Logical, Name, Node
from ...expression.types import BytesType, StringType
from ...plan import Field, Instance, Switch
from .arrow import integer_interval
from .column_nodes import ColumnNode
from .compiled import Compiled, constant
from .expression import Compiler
from .field_arrow import variant_name
from .interval import BOOLEAN, Interval
from .lines import Label
from .refusal import NotForEngineError
from .scope import Fact, Scalar, Scope, Unavailable
from .state import State


def lower_switch(state: State, scope: Scope, field: Field, switch: Switch, value: Callable[[Field], None]) -> None:
    """Append the steps of a field whose type a switch chooses; ``value`` appends those of one type. Raises
    ``NotForEngineError``."""
    if not state.run.aligned:
        raise NotForEngineError(f'"{field.id}" is chosen by a switch and may begin inside a byte')
    assembler, node, question = state.assembler, state.column(scope, field.id), f"what {field.id} is"
    matching = matching_of(state, scope, switch.on, question)
    created, end = state.created, Label()
    asked: list[tuple[Scope, Instance]] = []
    result = _integer(state, field)
    for matches, form in switch.branches:
        test: Node = reduce(lambda left, right: Logical("or", left, right), [_is(each) for each in matches])
        other, kept = Label(), len(state.kept)
        assembler.add(
            Op.SKIP_IF_ZERO, assembler.temporary(matching.compile(test), question), 0, other, comment=question
        )
        _lower_form(state, scope, form, node, value)
        _keep(state, scope, form, result)
        assembler.add(Op.JUMP, 0, 0, end)
        assembler.place(other)
        asked += state.kept[kept:]
        for holder, instance in state.kept[kept:]:
            holder.members.pop(instance.id, None)
            holder.lists.pop(instance.id, None)
        del state.kept[kept:]
    if switch.otherwise is not None:
        kept = len(state.kept)
        _lower_form(state, scope, switch.otherwise, node, value)
        _keep(state, scope, switch.otherwise, result)
        asked += state.kept[kept:]
        del state.kept[kept:]
    else:
        _null(state, node)
        if result is not None:
            assembler.absent(result)
        if result is not None and result.there is not None:
            assembler.compute(result.there, constant(0), result.there.name)
    assembler.place(end)
    state.kept += asked
    state.forget(len(state.kept) - len(asked))
    state.created = created if result is None else [*created, result]
    unavailable = Unavailable(f'an expression uses "{field.id}", whose type a switch chooses')
    scope.members[field.id] = unavailable if result is None else result


def _integer(state: State, field: Field) -> Scalar | None:
    """Return the scalar of what a switch chooses from integers; it may have no value where nothing need match."""
    intervals = [None if each.repeat is not None else integer_interval(each.type) for each in field.forms]
    if None in intervals:
        return None
    found = Scalar(field.id, reduce(Interval.union, filter(None, intervals)), state.facts)
    if field.unmatched:
        found.facts = (*state.facts, Fact(Scope(state.plan, state.plan.root), Name("_")))
        found.checked = found
        found.may_fail = True
        found.there = Scalar(f"is {field.id} there?", BOOLEAN)
    return found


def _keep(state: State, scope: Scope, form: Field, result: Scalar | None) -> None:
    value = scope.members.get(form.id)
    if result is not None:
        assert isinstance(value, Scalar)
        state.assembler.compute(result, Compiled((value,), value.interval), form.id)
    if result is not None and result.there is not None:
        state.assembler.compute(result.there, constant(1), result.there.name)


def matching_of(state: State, scope: Scope, on: Node, question: str) -> Compiler:
    """Return a compiler of expressions in which ``_`` is what a switch looks at."""
    compiler = state.compiler(scope).strict
    if isinstance(on.type, BytesType | StringType):
        span = compiler.span(on)
        state.run.flush()
        return replace(compiler, it=span)
    compiled = compiler.compile(on)
    state.run.flush()
    return replace(compiler, it=state.assembler.temporary(compiled, question))


def _is(match: Node) -> Node:
    return Comparison("==", Name("_"), match)


def _lower_form(
    state: State, scope: Scope, form: Field, node: ColumnNode | None, value: Callable[[Field], None]
) -> None:
    """Append the steps of one of the types, and those that leave the columns of the others null."""
    if form.process is not None:
        raise NotForEngineError(f'"{form.id}" is {form.process.words}')
    inner = None
    if node is not None:
        # Without variants the types have one column.
        inner = node.fields.get(variant_name(form)) if node.column.type.variants else node
        if inner is not node:
            state.assembler.add(Op.COLUMN_STRUCT, node.number, comment=form.id)
        for each in node.fields.values():
            if inner is not node and each is not inner:
                _null(state, each)
    before = state.fills.get(scope, {})
    others = {name: each for name, each in before.items() if name != form.id}
    state.fills[scope] = others if inner is None else {**others, form.id: inner}
    value(form)
    if not state.run.aligned:
        raise NotForEngineError(f'"{form.id}" is chosen by a switch and may end inside a byte')
    state.run.flush()
    state.fills[scope] = before


def _null(state: State, node: ColumnNode | None) -> None:
    for each in node.same_level() if node is not None else ():
        state.assembler.add(Op.COLUMN_NULL, each.number, comment=each.column.name)
