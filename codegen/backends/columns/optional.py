"""Lowers fields with a condition, and bit fields with conditions that together fill a byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product

from wireloom.format.program import Code, Op

from ...expression.nodes import Comparison, Node, Unary
from ...expression.types import BitsType
from ...tree import Attribute
from .assembler import Assembler
from .column_nodes import ColumnNode
from .compiled import Compiled, constant, joined
from .facts import facts_of
from .interval import BOOLEAN, Interval
from .lines import ExpressionLine, Label
from .numbers import lower_bit_value
from .refusal import NotForEngineError
from .scope import Chosen, Scalar, Scope, Span
from .state import State

Created = Scalar | Span | Scope | Chosen


def lower_optional(
    state: State, scope: Scope, field: Attribute, condition: Node, lower_present: Callable[[], None]
) -> Scalar:
    """Append the steps of a field with ``if``; return the register that says whether it is present."""
    name = field.id
    if not state.run.aligned:
        raise NotForEngineError(f'"{name}" is optional and may begin inside a byte')
    compiled = state.compiler(scope).compile(condition)
    state.run.flush()
    assembler, question = state.assembler, f"is {name} there?"
    present = assembler.temporary(compiled, question, lazy=True)
    absent, after = Label(), Label()
    assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=question)
    facts, created, state.created, kept = state.facts, state.created, [], len(state.kept)
    state.facts = (*facts, *facts_of(scope, condition))
    lower_present()
    if not state.run.aligned:
        raise NotForEngineError(f'"{name}" is optional and may end inside a byte')
    state.run.flush()
    note_present(assembler, with_presence(state.created))
    state.facts = facts
    state.forget(kept)
    column = state.column(scope, name)
    if column is not None or state.created:
        assembler.add(Op.JUMP, 0, 0, after)
    assembler.place(absent)
    note_absent(assembler, column, state.created)
    assembler.place(after)
    state.created = [*created, *state.created]
    return present


def with_presence(created: Sequence[Created]) -> list[ExpressionLine]:
    """Attach to everything that an optional field has created a register that says whether it is present, or, to an
    integer, one that is null if it is not; return the steps that set them if it is."""
    lines = []
    for each in created:
        if isinstance(each, Scalar):
            if each.checked is None:
                each.checked = Scalar(each.name, each.interval, may_fail=True, nullable=True)
                lines.append(ExpressionLine(each.checked, Compiled((each,), each.interval), each.name))
        elif each.there is None:
            each.there = Scalar(f"is {each.name} there?", BOOLEAN)
            lines.append(ExpressionLine(each.there, constant(1), each.there.name))
    return lines


def note_present(assembler: Assembler, lines: Iterable[ExpressionLine]) -> None:
    """Append the steps that run if the field is present."""
    for each in lines:
        assembler.compute(each.target, each.compiled, each.comment)


def note_absent(assembler: Assembler, column: ColumnNode | None, created: Sequence[Created]) -> None:
    """Append the steps that run if the field is absent."""
    if column is not None:
        column.null(assembler)
    for each in created:
        # Expressions may run if the field is absent; they must not see the value of an earlier row.
        if isinstance(each, Scalar):
            assembler.compute(each, constant(0), f"no {each.name}")
            assert each.checked is not None
            assembler.absent(each.checked)
        else:
            assert each.there is not None
            assembler.compute(each.there, constant(0), f"no {each.name}")


MOST_CONDITIONS = 6
"""Maximum number of conditions of which all combinations are considered."""


def rest_of_byte(state: State, fields: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """Return the bit fields, the first of them optional, that fill the byte in every case; empty if they may not."""
    if not fields or fields[0].condition is None:
        return ()
    taken, orders = -state.run.bits_left % 8, set[str]()
    for count, field in enumerate(fields, 1):
        kind = _kind(field)
        if kind is None:
            return ()
        orders.add(kind.endian)
        totals = _totals(fields[:count])
        if len(orders) > 1 or not totals or taken + max(totals) > 8:
            return ()
        if totals == {8 - taken}:
            return tuple(fields[:count])
    return ()


def _kind(field: Attribute) -> BitsType | None:
    kind = field.type.on_wire
    single = field.repeat is None and field.switch is None
    return kind if single and isinstance(kind, BitsType) else None


def _totals(fields: Sequence[Attribute]) -> set[int]:
    """Return the total numbers of bits of the fields for all combinations of their conditions; empty if there are too
    many conditions."""
    conditions = [None if each.condition is None else _settled(each.condition) for each in fields]
    asked = list(dict.fromkeys(each[0] for each in conditions if each is not None))
    if len(asked) > MOST_CONDITIONS:
        return set()
    widths = [kind.width for kind in map(_kind, fields) if kind is not None]
    return {
        sum(
            width
            for width, each in zip(widths, conditions, strict=True)
            if each is None or held[asked.index(each[0])] == each[1]
        )
        for held in product((False, True), repeat=len(asked))
    }


def _settled(condition: Node) -> tuple[Node, bool]:
    """Return the condition without negation, and the truth value it must have."""
    if isinstance(condition, Unary) and condition.operator == "not":
        asked, wanted = _settled(condition.operand)
        return asked, not wanted
    if isinstance(condition, Comparison) and condition.operator == "!=":
        return Comparison("==", condition.left, condition.right), False
    return condition, True


def lower_rest_of_byte(state: State, scope: Scope, fields: Sequence[Attribute]) -> dict[str, Scalar | None]:
    """Append the steps of such fields; return for each the register that says whether it is present, ``None`` if it
    always is. Raises ``NotForEngineError``."""
    kinds = [kind for kind in map(_kind, fields) if kind is not None]
    found: dict[str, Scalar | None] = {}
    endian = kinds[0].endian
    byte, taken = state.run.rest_of_byte([each.id for each in fields], endian)
    position = constant(taken)
    for field, kind in zip(fields, kinds, strict=True):
        end = joined((position, constant(kind.width)), Code.ADD, Interval(0, 8))
        shift = position if endian == "le" else joined((constant(8), end), Code.SUBTRACT, Interval(0, 8))
        mask = constant((1 << kind.width) - 1)
        shifted = joined((Compiled((byte,), Interval(0, 255)), shift), Code.SHIFT_RIGHT, Interval(0, 255))
        value = joined((shifted, mask), Code.AND, Interval(0, (1 << kind.width) - 1))
        found[field.id] = None
        if field.condition is None:
            lower_bit_value(state, scope, field, value)
            position = end
            continue
        present = found[field.id] = _lower_optional(state, scope, field, field.condition, value)
        there = Compiled((present,), BOOLEAN)
        position = joined((there, end, position), Code.SELECT, Interval(0, 8))
    return found


def _lower_optional(state: State, scope: Scope, field: Attribute, condition: Node, value: Compiled) -> Scalar:
    assembler, run, question = state.assembler, state.run, f"is {field.id} there?"
    present, absent, after = Scalar(question, BOOLEAN), Label(), Label()
    run.then(partial(assembler.compute, present, state.compiler(scope).compile(condition), question))
    facts, created, state.created = state.facts, state.created, []
    state.facts = (*facts, *facts_of(scope, condition))
    inside = run.collect(lambda: lower_bit_value(state, scope, field, value))
    state.facts = facts
    made, column, lines = state.created, state.column(scope, field.id), with_presence(state.created)

    def steps() -> None:
        assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=question)
        for each in inside:
            each()
        note_present(assembler, lines)
        assembler.add(Op.JUMP, 0, 0, after)
        assembler.place(absent)
        note_absent(assembler, column, made)
        assembler.place(after)

    run.then(steps)
    state.created = [*created, *made]
    return present
