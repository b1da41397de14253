"""Byte orders that are determined while an object is read: a register that is 1 if integers are little-endian."""

from __future__ import annotations

from functools import partial, reduce
from itertools import groupby
from operator import itemgetter

from wireloom.format.program import Code, Kind, Op

from ...expression.nodes import Comparison, Conditional, IntegerLiteral, Logical, Name, Node
from ...wire import ComputedEndian, InheritedEndian
from .compiled import Compiled
from .interval import Interval
from .lines import Refusal
from .refusal import NotForEngineError
from .scope import Scalar, Scope
from .state import State
from .switches import matching_of

BIG, LITTLE, UNDECIDED = IntegerLiteral(0), IntegerLiteral(1), IntegerLiteral(2)


def decide_order(state: State, scope: Scope) -> None:
    """Append the steps that set the byte order of an object, if its type determines it at run time."""
    match scope.struct.endian:
        case InheritedEndian():
            scope.little = scope.parent.little if scope.parent is not None else scope.little
            if scope.little is None:
                raise NotForEngineError(
                    f"the byte order of {'::'.join(scope.struct.path)} differs from that of its parent"
                )
        case ComputedEndian(on, cases):
            scope.little = _decided(state, scope, on, cases)


def _decided(state: State, scope: Scope, on: Node, cases: tuple[tuple[Node | None, str], ...]) -> Scalar:
    comment = f"byte order of {scope.struct.path[-1]}"
    if not state.run.aligned:
        raise NotForEngineError(f"the {comment} is decided inside a byte")
    matching = matching_of(state, scope, on, f"what decides the {comment}")
    order: Node = next((_literal(word) for match, word in cases if match is None), UNDECIDED)
    for word, group in reversed([(word, [*group]) for word, group in groupby(cases, key=itemgetter(1))]):
        tests: list[Node] = [Comparison("==", Name("_"), match) for match, _ in group if match is not None]
        if tests:
            either = reduce(lambda left, right: Logical("or", left, right), tests)
            order = Conditional(either, _literal(word), order)
    little = Scalar(comment, Interval(0, 2), state.facts)
    state.assembler.compute(little, matching.compile(order), comment)
    state.assembler.add(Op.CHECK_RANGE, little, Refusal(True, "value"), 0, 1, comment=comment)
    return little


def _literal(order: str) -> Node:
    return LITTLE if order == "le" else BIG


def read_number(state: State, scope: Scope, target: Scalar, signed: bool, size: int, offset: int) -> None:
    """Read an integer, or the bits of a float, in the byte order of the object, as part of the run."""
    assert scope.little is not None
    low, high = (Scalar(f"{target.name}, {order}-endian", target.interval) for order in ("little", "big"))
    chosen = Compiled((scope.little, low, high, bytes([Code.SELECT])), target.interval, 3)
    for scalar, order in ((low, "LE"), (high, "BE")):
        kind = Kind[f"{'S' if signed else 'U'}{size}{order}"]
        state.run.then(partial(state.assembler.read, scalar, kind, offset))
    state.run.then(lambda: state.assembler.compute(target, chosen, target.name))
