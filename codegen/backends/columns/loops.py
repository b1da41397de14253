"""Loops: the items of a repeated field, one by one, and lists of them as columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wireloom.format.program import Loop, Op

from ...plan import Field
from ...wire import Repeat, RepeatCount, RepeatEos, RepeatUntil
from .assembler import Label
from .column_nodes import ColumnNode
from .interval import Interval
from .refusal import NotForEngineError
from .scope import Scalar, Scope, Unavailable
from .state import State

KINDS = {RepeatCount: Loop.COUNT, RepeatEos: Loop.END, RepeatUntil: Loop.UNTIL}
MOST_TURNS = 1 << 62


def lower_loop(state: State, scope: Scope, field: Field, repeat: Repeat, item: Callable[[], None]) -> None:
    """Append a loop, with the steps of one item that ``item`` appends. Raises ``NotForEngineError``."""
    name, kind = field.id, KINDS[type(repeat)]
    if field.framing is not None:
        raise NotForEngineError(f'"{name}" is framed inside of other fields')
    if kind is Loop.END and not state.bounded:
        raise NotForEngineError(f'"{name}" repeats to the end of the input')
    if not state.run.aligned:
        raise NotForEngineError(f'"{name}" may begin inside a byte')
    assembler = state.assembler
    turns: Scalar | int = 0
    count = None
    if isinstance(repeat, RepeatCount):
        count = state.compiler(scope).compile(repeat.expression)
    state.run.flush()
    if count is not None:
        turns = assembler.temporary(count, f"number of {name}")
    number = assembler.loop()
    first, after = Label(), Label()
    assembler.add(Op.LOOP, number, kind, after, turns, comment=name)
    assembler.place(first)
    if field.indexed:
        index = scope.members["_index"] = Scalar("_index", Interval(0, MOST_TURNS), state.facts)
        assembler.add(Op.INDEX, index, number, comment=f"index of {name}")
    item()
    _end_item(state, field)
    if isinstance(repeat, RepeatUntil):
        turns = _last(state, scope, field, repeat)
    assembler.add(Op.AGAIN, number, kind, first, turns, comment=f"next of {name}")
    assembler.place(after)
    scope.members.pop("_index", None)
    scope.members[name] = Unavailable(f'an expression uses the repeated "{name}"')


def _end_item(state: State, field: Field) -> None:
    if not state.run.aligned:
        raise NotForEngineError(f'an item of "{field.id}" may end inside a byte')
    state.run.flush()


def _last(state: State, scope: Scope, field: Field, repeat: RepeatUntil) -> Scalar:
    """The register that says whether an item is the last one."""
    item = scope.members.get(field.id)
    seeing = replace(state.compiler(scope), it=item if isinstance(item, Scalar | Scope) else None)
    return state.assembler.temporary(seeing.compile(repeat.expression), f"last of {field.id}?")


def lower_list(
    state: State, scope: Scope, field: Field, repeat: Repeat, node: ColumnNode | None, item: Callable[[], None]
) -> None:
    """Append a loop whose items are those of the list column ``node``, if there is one."""
    if node is None or node.item is None:
        lower_loop(state, scope, field, repeat, item)
        return
    level, assembler, columns = node.item.level, state.assembler, state.fills[scope]
    state.run.flush()
    assembler.add(Op.LIST, node.number, level, comment=field.id)

    def one() -> None:
        assembler.add(Op.ITEM, 0, level, comment=f"item of {field.id}")
        assert node.item is not None
        state.fills[scope] = columns | {field.id: node.item}
        item()
        state.fills[scope] = columns
        _end_item(state, field)
        assembler.add(Op.ITEM_END, 0, level)

    lower_loop(state, scope, field, repeat, one)
    assembler.add(Op.LIST_END, node.number, level, comment=field.id)
