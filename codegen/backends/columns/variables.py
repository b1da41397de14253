"""Lowers variables to registers: set at the end of an object; those of the root are carried over from unit to unit."""

from __future__ import annotations

from wireloom.format.program import Op

from ...expression.fold import constant_integer
from ...expression.nodes import ListLiteral, Subscript
from ...expression.types import ListType, TableType
from ...passes.variables import variables_of
from ...tree import Instance
from .instructions import Refusal
from .interval import INT64
from .lowering_context import LoweringContext
from .refusal import NotForEngineError, placed
from .stack_code import constant
from .symbols import ListVariable, ObjectScope, Scalar


def begin_variables(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the steps that initialise the variables of an object."""
    for each in variables_of(scope.struct):
        if isinstance(each.type, TableType):
            continue
        if isinstance(each.type, ListType):
            raise NotForEngineError(
                f'the variable "{each.id}" is a list, but does not belong to an outermost object with units'
            )
        found = scope.members[each.id] = Scalar(each.id, INT64, context.path_conditions)
        context.created.append(found)
        context.run.flush()
        context.assembler.compute(found, constant(_first(each)[0]), f"{each.id} begins")


def carry_variables(context: LoweringContext, root: ObjectScope) -> None:
    """Append the steps that load the variables of the root, as set by the previous unit."""
    stores = 0
    for each in variables_of(root.struct):
        if isinstance(each.type, TableType):
            with placed(each.position):
                raise NotForEngineError(f'the variable "{each.id}" is a table')
        first = _first(each)
        found = Scalar(each.id, INT64)
        if isinstance(each.type, ListType):
            carried = context.assembler.variable(found, first)
            root.members[each.id] = ListVariable(each.id, found, carried, stores)
            stores += 1
        else:
            context.carried[found] = context.assembler.variable(found, first[0])
            root.members[each.id] = found


def _first(variable: Instance) -> tuple[int, ...]:
    value = variable.value
    items = value.items if isinstance(value, ListLiteral) else (value,)
    return tuple(constant_integer(each) or 0 for each in items if each is not None)


def set_variables(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the steps that set variables at the end of an object."""
    for each in scope.struct.instances:
        if each.sets is None or each.value is None:
            continue
        if isinstance(each.sets, Subscript):
            with placed(each.position):
                raise NotForEngineError(f'"{each.id}" sets an entry of a table')
        context.run.must_be_aligned(f'"{each.id}" sets a variable')
        compiler = context.compiler(scope)
        compiled = compiler.compile(each.value)
        context.run.flush()
        value = context.assembler.temporary(compiled, each.id)
        if compiled.scalar is None or compiled.nullable or not compiled.interval.within(INT64.low, INT64.high):
            outcome = Refusal(True, "value")
            context.assembler.add(Op.CHECK_RANGE, value, outcome, INT64.low, INT64.high, comment=each.id)
        _set(context, compiler.resolve(each.sets), value, each.id)
        if set(value.path_conditions) <= set(context.path_conditions):
            scope.members[each.id] = value


def _set(context: LoweringContext, target: object, value: Scalar, name: str) -> None:
    if isinstance(target, ListVariable):
        context.assembler.add(Op.APPEND, target.store, value, target.carried, target.count, comment=name)
    elif isinstance(target, Scalar):
        context.assembler.add(Op.SET, target, value, context.carried.get(target, -1), comment=name)
    else:
        raise NotForEngineError(f'"{name}" sets a variable that the engine does not support')
