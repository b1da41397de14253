"""Lowers fields with a condition, and sets what expressions find if they are absent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wireloom.format.program import Op

from ...expression.nodes import Node
from ...tree import Attribute
from .assembler import Assembler
from .column_nodes import ColumnNode
from .instructions import Label
from .interval import BOOLEAN
from .lowering_context import LoweringContext
from .path_conditions import path_conditions_of
from .stack_code import constant
from .symbols import Chosen, ObjectScope, Scalar, Span

Created = Scalar | Span | ObjectScope | Chosen


def lower_optional(
    context: LoweringContext, scope: ObjectScope, field: Attribute, condition: Node, lower_present: Callable[[], None]
) -> Scalar:
    """Append the steps of a field with ``if``; return the register that says whether it is present."""
    name = field.id
    context.run.must_be_aligned(f'"{name}" is optional and may begin')
    compiled = context.compiler(scope).compile(condition)
    context.run.flush()
    assembler, question = context.assembler, f"is {name} there?"
    present = assembler.temporary(compiled, question, speculative=True)
    absent, after = Label(), Label()
    assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=question)
    path_conditions, created, context.created, kept = context.path_conditions, context.created, [], len(context.cached)
    context.path_conditions = (*path_conditions, *path_conditions_of(scope, condition))
    lower_present()
    context.run.flush_aligned(f'"{name}" is optional and may end')
    _note_present(assembler, context.created)
    context.path_conditions = path_conditions
    context.forget(kept)
    column = context.column(scope, name)
    if column is not None or context.created:
        assembler.add(Op.JUMP, 0, 0, after)
    assembler.bind(absent)
    _note_absent(assembler, column, context.created)
    assembler.bind(after)
    context.created = [*created, *context.created]
    return present


def _note_present(assembler: Assembler, created: Sequence[Created]) -> None:
    """Append the steps that run if the field is present: they set a register of everything that it has created, except
    integers, that says whether it is present."""
    for each in created:
        if isinstance(each, Scalar):
            each.is_optional = True
        elif each.presence is None:
            each.presence = Scalar(f"is {each.name} there?", BOOLEAN)
            assembler.compute(each.presence, constant(1), each.presence.name)


def _note_absent(assembler: Assembler, column: ColumnNode | None, created: Sequence[Created]) -> None:
    """Append the steps that run if the field is absent."""
    if column is not None:
        column.null(assembler)
    for each in created:
        if isinstance(each, Scalar):
            assembler.absent(each)
        else:
            assert each.presence is not None
            assembler.compute(each.presence, constant(0), f"no {each.name}")
