"""When arguments and byte orders of objects are evaluated, and the damage if one has no value."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from operator import itemgetter

from wireloom.format.program import Code, Kind, Op

from ...expression.nodes import Comparison, Conditional, IntegerLiteral, Name, Node
from ...tree import Attribute
from ...tree.leaves import ComputedEndian, InheritedEndian
from .instructions import Refusal
from .interval import BOOLEAN, Interval
from .items import ListItem
from .lowering_context import LoweringContext
from .refusal import NotForEngineError
from .stack_code import StackCode, constant, joined, required
from .switches import any_of, matching_of
from .symbols import Argument, ObjectScope, Scalar
from .uses import uses_position


def give_arguments(context: LoweringContext, scope: ObjectScope, field: Attribute, inner: ObjectScope) -> None:
    """Give the object ``inner``, which is about to be read, the arguments that ``field`` of ``scope`` has for it. One
    that may fail, or that depends on the position in a stream, is computed here; any other where it is used."""
    for parameter, argument in zip(inner.struct.parameters, field.arguments, strict=False):
        found = _computed(context, scope, argument, f"{parameter.id} of {field.id}")
        inner.members[parameter.id] = found or Argument(argument, scope)


def must_have_value(context: LoweringContext, compiled: StackCode, comment: str) -> None:
    """Append a check that ends reading (lost) if the expression has no value."""
    exists = joined((compiled, compiled), Code.EQUAL, BOOLEAN)
    is_there = Scalar(f"{comment}?", BOOLEAN, speculative=True)
    context.assembler.compute(is_there, exists, is_there.name)
    context.assembler.add(Op.CHECK_TRUE, is_there, Refusal(True, "value"), comment=comment)


def _computed(context: LoweringContext, scope: ObjectScope, argument: Node, name: str) -> Scalar | None:
    """Return the register of an argument that is computed here; ``None`` if it is computed where it is used."""
    compiler = context.compiler(scope)
    try:
        compiled = required(compiler.compile(argument))
    except NotForEngineError:
        if uses_position(argument):
            raise
        _must_exist(context, scope, argument, name)
        return None
    if compiled.constant is not None or not (compiled.may_fail or uses_position(argument)):
        return None
    context.run.flush()
    scalar = Scalar(name, compiled.interval, context.path_conditions)
    context.created.append(scalar)
    context.assembler.compute(scalar, compiled, name, speculative=compiled.may_fail)
    if compiled.may_fail:
        must_have_value(context, StackCode((scalar,), scalar.interval), name)
    return scalar


def _must_exist(context: LoweringContext, scope: ObjectScope, argument: Node, name: str) -> None:
    """Append the check of an argument that is an item of a list, if it is one."""
    try:
        found = context.compiler(scope).resolve(argument)
    except NotForEngineError:
        return
    if isinstance(found, ListItem):
        context.run.flush()
        exists = joined((found.missing, constant(0)), Code.EQUAL, BOOLEAN)
        register = context.assembler.temporary(exists, f"{name} exists?", speculative=True)
        context.assembler.add(Op.CHECK_TRUE, register, Refusal(True, "value"), comment=name)


BIG, LITTLE, UNDECIDED = IntegerLiteral(0), IntegerLiteral(1), IntegerLiteral(2)


def decide_order(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the steps that set the byte order of an object, if its type determines it at run time."""
    match scope.struct.endian:
        case InheritedEndian():
            scope.little = scope.parent.little if scope.parent is not None else scope.little
            if scope.little is None:
                raise NotForEngineError(
                    f"the byte order of {'::'.join(scope.struct.path)} differs from that of its parent"
                )
        case ComputedEndian(on, cases):
            scope.little = _decided(context, scope, on, cases)


def _decided(
    context: LoweringContext, scope: ObjectScope, on: Node, cases: tuple[tuple[Node | None, str], ...]
) -> Scalar:
    comment = f"byte order of {scope.struct.path[-1]}"
    context.run.must_be_aligned(f"the {comment} is decided")
    matching = matching_of(context, scope, on, f"what decides the {comment}")
    order: Node = next((_literal(word) for match, word in cases if match is None), UNDECIDED)
    for word, group in reversed([(word, [*group]) for word, group in groupby(cases, key=itemgetter(1))]):
        tests: list[Node] = [Comparison("==", Name("_"), match) for match, _ in group if match is not None]
        if tests:
            order = Conditional(any_of(tests), _literal(word), order)
    little = Scalar(comment, Interval(0, 2), context.path_conditions)
    context.assembler.compute(little, matching.compile(order), comment)
    context.assembler.add(Op.CHECK_RANGE, little, Refusal(True, "value"), 0, 1, comment=comment)
    return little


def _literal(order: str) -> Node:
    return LITTLE if order == "le" else BIG


def read_number(
    context: LoweringContext, scope: ObjectScope, target: Scalar, signed: bool, size: int, offset: int
) -> None:
    """Read an integer, or the bits of a float, in the byte order of the object, as part of the run."""
    assert scope.little is not None
    low, high = (Scalar(f"{target.name}, {order}-endian", target.interval) for order in ("little", "big"))
    chosen = StackCode((scope.little, low, high, bytes([Code.SELECT])), target.interval, 3)
    for scalar, order in ((low, "LE"), (high, "BE")):
        kind = Kind[f"{'S' if signed else 'U'}{size}{order}"]
        context.run.then(partial(context.assembler.register_fixed, scalar, kind, offset))
    context.run.then(lambda: context.assembler.compute(target, chosen, target.name))
