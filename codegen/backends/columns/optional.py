"""Lowering of optional attributes, those with a condition (``if``), and of the values that expressions find if they are
absent."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.format.program import Op

from ...expression.nodes import Node
from ...tree import Attribute
from .instructions import AbsentInstruction, Label
from .interval import BOOLEAN
from .lowering_context import LoweringContext
from .path_conditions import path_conditions_of
from .stack_code import StackCode, constant
from .symbols import ObjectScope, Scalar


def lower_optional(
    context: LoweringContext, scope: ObjectScope, field: Attribute, condition: Node, lower_present: Callable[[], None]
) -> Scalar:
    """Append the steps of a field with ``if``; return the register that says whether it is present.

    If it is absent, each integer in it is set to null if an expression reads it there, otherwise to 0. Bytes, objects
    and lists in it have a presence register, which is set to 0. An expression that needs an absent value has none: the
    row is damaged.
    """
    name = field.id
    context.run.must_be_aligned(f'"{name}" is optional and may begin')
    compiled = context.compiler(scope).compile(condition)
    context.run.flush()
    assembler, question = context.assembler, f"is {name} there?"
    present, presence = assembler.temporary(compiled, question, speculative=True), Scalar(question, BOOLEAN)
    absent, after = Label(), Label()
    # Dropped unless an expression asks whether something in the field is present.
    assembler.compute(presence, StackCode((present,), BOOLEAN), question, speculative=compiled.may_fail)
    assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=question)
    path_conditions, created, context.created, kept = context.path_conditions, context.created, [], len(context.cached)
    context.path_conditions = (*path_conditions, *path_conditions_of(scope, condition))
    lower_present()
    context.run.flush_aligned(f'"{name}" is optional and may end')
    context.path_conditions = path_conditions
    context.forget(kept)
    column = context.column(scope, name)
    if column is not None or context.created:
        assembler.add(Op.JUMP, 0, 0, after)
    assembler.bind(absent)
    if column is not None:
        column.null(assembler)
    inner: list[Scalar] = []
    for each in context.created:
        if isinstance(each, Scalar):
            each.is_optional = True
            assembler.instructions.append(AbsentInstruction(each))
        elif each.presence is None:
            each.presence = presence
        elif each.presence not in (presence, *inner):
            inner.append(each.presence)
    for register in inner:
        assembler.compute(register, constant(0), register.name)
    assembler.bind(after)
    context.created = [*created, *context.created]
    return present
