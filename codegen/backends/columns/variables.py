"""Lowers variables to registers: set at the end of an object; those of the root are carried over from unit to unit."""

from __future__ import annotations

from wireloom.format.program import Op

from ...expression import fold
from ...expression.nodes import ListLiteral, Name, Subscript
from ...expression.types import ListType, TableType, is_float, is_integer
from ...passes.variables import variables_of
from ...tree import Instance
from .expression import Compiler
from .instructions import Refusal
from .interval import FLOAT, INT64, Interval
from .lowering_context import LoweringContext
from .refusal import NotForEngineError, placed
from .stack_code import StackCode, as_float, constant, float_constant
from .symbols import ListVariable, ObjectScope, Scalar, TableVariable


def begin_variables(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the steps that initialise the variables of an object."""
    for each in variables_of(scope.struct):
        if isinstance(each.type, ListType | TableType):
            kind = "list" if isinstance(each.type, ListType) else "table"
            raise NotForEngineError(
                f'the variable "{each.id}" is a {kind}, but does not belong to an outermost object with units'
            )
        first = _first(each)[0]
        begins = float_constant(first) if isinstance(first, float) else constant(first)
        found = scope.members[each.id] = Scalar(each.id, _interval(each), context.path_conditions)
        context.created.append(found)
        context.run.flush()
        context.assembler.compute(found, begins, f"{each.id} begins")


def carry_variables(context: LoweringContext, root: ObjectScope) -> None:
    """Append the steps that load the variables of the root, as set by the previous unit."""
    stores = 0
    for each in variables_of(root.struct):
        found = Scalar(each.id, _interval(each))
        if isinstance(each.type, TableType):
            with placed(each.position):
                _must_be_integers(each.id, each.type)
            carried = context.assembler.variable(found, None)
            root.members[each.id] = TableVariable(each.id, carried, stores)
            stores += 1
        elif isinstance(each.type, ListType):
            carried = context.assembler.variable(found, _first(each))
            root.members[each.id] = ListVariable(each.id, found, carried, stores)
            stores += 1
        else:
            context.carried[found] = context.assembler.variable(found, _first(each)[0])
            root.members[each.id] = found


def _must_be_integers(name: str, kind: TableType) -> None:
    if not is_integer(kind.key) or not is_integer(kind.value):
        raise NotForEngineError(f'the table "{name}" has keys or values that are not integers')


def _interval(variable: Instance) -> Interval:
    return FLOAT if is_float(variable.type) else INT64


def _first(variable: Instance) -> tuple[int | float, ...]:
    value = variable.value
    items = value.items if isinstance(value, ListLiteral) else (value,)
    found = (None if each is None else fold.constant(each) for each in items)
    return tuple(each if isinstance(each, int | float) else 0 for each in found)


def set_variables(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the steps that set variables at the end of an object."""
    for each in scope.struct.instances:
        if each.sets is None or each.value is None:
            continue
        context.run.must_be_aligned(f'"{each.id}" sets a variable')
        compiler = context.compiler(scope)
        if isinstance(each.sets, Subscript):
            value = _set_entry(context, compiler, each, each.sets)
        else:
            compiled = compiler.compile(each.value)
            context.run.flush()
            value = stored = context.assembler.temporary(compiled, each.id)
            target = compiler.resolve(each.sets)
            if isinstance(target, Scalar) and target.interval.is_float:
                stored = context.assembler.temporary(as_float(StackCode((value,), value.interval)), each.id)
            if compiled.scalar is None or compiled.nullable or not stored.interval.within(INT64.low, INT64.high):
                outcome = Refusal(True, "value")
                context.assembler.add(Op.CHECK_RANGE, stored, outcome, INT64.low, INT64.high, comment=each.id)
            _set(context, target, stored, each.id)
        if set(value.path_conditions) <= set(context.path_conditions):
            scope.members[each.id] = value


def _set_entry(context: LoweringContext, compiler: Compiler, instance: Instance, target: Subscript) -> Scalar:
    """Append the steps that set an entry of a table; return its value, which is absent if nothing is set."""
    table = compiler.resolve(target.value)
    if not isinstance(table, TableVariable):
        raise NotForEngineError(f'"{instance.id}" sets a variable that the engine does not support')
    named = Name(instance.id, type=instance.type)
    parts = [compiler.compile(target.index), compiler.compile(named)]
    context.run.flush()
    key, value = (context.assembler.temporary(each, instance.id, speculative=True, optional=True) for each in parts)
    context.assembler.add(Op.SET_ENTRY, table.store, key, table.carried, value, comment=instance.id)
    return value


def _set(context: LoweringContext, target: object, value: Scalar, name: str) -> None:
    if isinstance(target, ListVariable):
        context.assembler.add(Op.APPEND, target.store, value, target.carried, target.count, comment=name)
    elif isinstance(target, Scalar):
        context.assembler.add(Op.SET, target, value, context.carried.get(target, -1), comment=name)
    else:
        raise NotForEngineError(f'"{name}" sets a variable that the engine does not support')
