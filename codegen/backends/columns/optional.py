"""Fields with a condition: their steps, and what expressions find where they are absent."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.format.program import Op

from ...expression.nodes import Node
from ...plan import Field
from .compiled import Compiled, constant
from .finding import facts_of
from .interval import BOOLEAN
from .lines import Label
from .refusal import NotForEngineError
from .scope import Scalar, Scope
from .state import State


def lower_optional(
    state: State, scope: Scope, field: Field, condition: Node, lower_present: Callable[[], None]
) -> Scalar:
    """Append the steps of a field with ``if``; returns the register that says whether it is there."""
    name = field.id
    if not state.run.aligned:
        raise NotForEngineError(f'"{name}" is optional and may begin inside a byte')
    compiled = state.compiler(scope).compile(condition)
    state.run.flush()
    assembler, question = state.assembler, f"is {name} there?"
    present = assembler.temporary(compiled, question)
    absent, after = Label(), Label()
    assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=question)
    facts, created, state.created, kept = state.facts, state.created, [], len(state.kept)
    state.facts = (*facts, *facts_of(scope, condition))
    lower_present()
    if not state.run.aligned:
        raise NotForEngineError(f'"{name}" is optional and may end inside a byte')
    state.run.flush()
    for each in state.created:
        if isinstance(each, Scalar) and each.checked is None:
            each.checked = Scalar(each.name, each.interval, may_fail=True)
            assembler.compute(each.checked, Compiled((each,), each.interval), each.name)
        if each.there is None:
            each.there = Scalar(f"is {each.name} there?", BOOLEAN)
            assembler.compute(each.there, constant(1), each.there.name)
    state.facts = facts
    state.forget(kept)
    column = state.column(scope, name)
    if column is not None or state.created:
        assembler.add(Op.JUMP, 0, 0, after)
    assembler.place(absent)
    for node in column.same_level() if column is not None else ():
        assembler.add(Op.COLUMN_NULL, node.number, comment=node.column.name)
    for each in state.created:
        # Expressions may run where the field is absent; they must not see an earlier row's value.
        if isinstance(each, Scalar):
            assembler.compute(each, constant(0), f"no {each.name}")
            assert each.checked is not None
            assembler.absent(each.checked)
        assert each.there is not None
        assembler.compute(each.there, constant(0), f"no {each.name}")
    assembler.place(after)
    state.created = [*created, *state.created]
    return present
