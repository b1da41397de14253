"""Loops: the items of a repeated field, one by one, and lists of them as columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wireloom.format.program import Code, Loop, Op

from ...expression.walk import names_in
from ...tree import Attribute
from ...wire import OwnSize, Repeat, RepeatCount, RepeatEos, RepeatUntil
from .column_nodes import ColumnNode
from .compiled import Compiled, constant, joined
from .expression import Compiler
from .interval import BOOLEAN, Interval
from .lines import Label
from .positions import asks_position
from .refusal import NotForEngineError
from .scope import Called, Chosen, Scalar, Scope, Span, Unavailable
from .series import KeptItems
from .state import State

KINDS = {RepeatCount: Loop.COUNT, RepeatEos: Loop.END, RepeatUntil: Loop.UNTIL}
MOST_TURNS = 1 << 62


def lower_loop(state: State, scope: Scope, field: Attribute, repeat: Repeat, item: Callable[[], None]) -> None:
    """Append a loop with the steps of one item, which ``item`` appends. Raises ``NotForEngineError``."""
    name, kind = field.id, KINDS[type(repeat)]
    if field.framing is not None:
        raise NotForEngineError(f'"{name}" has "framing" inside other fields')
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
        turns = assembler.temporary(count, f"number of {name}", lazy=True)
    places = state.places_before(scope)
    number = assembler.loop()
    first, after = Label(), Label()
    kept = keep_items(state, scope, field)
    assembler.add(Op.LOOP, number, kind, after, turns, comment=name)
    assembler.place(first)
    index = Scalar("_index", Interval(0, MOST_TURNS), state.facts)
    if field.indexed or kept is not None:
        assembler.index(index, number)
    if field.indexed:
        scope.members["_index"] = index
    asked = len(state.kept)
    complete = Scalar(f"is the item of {name} complete?", BOOLEAN)
    if isinstance(repeat, RepeatUntil):
        assembler.compute(complete, constant(1), complete.name)
        state.complete = complete
    item()
    state.complete = None
    _end_item(state, field)
    if kept is not None:
        kept.add_turn(item_compiler(state, scope, field), index)
    if isinstance(repeat, RepeatUntil):
        turns = _last(state, scope, field, repeat, complete)
    assembler.add(Op.AGAIN, number, kind, first, turns, comment=f"next of {name}")
    assembler.place(after)
    scope.members.pop("_index", None)
    for holder, instance in state.kept[asked:]:
        outside = holder is scope or holder in scope.enclosing()
        if outside and instance.value is not None and asks_position(instance.value):
            raise NotForEngineError(f'"{instance.id}" is first used in an item of "{name}"')
    state.forget(asked)
    state.leave_places(places)
    if kept is not None:
        kept.close()
    scope.members[name] = Unavailable(f'an expression uses the repeated "{name}"')


def keep_items(state: State, scope: Scope, field: Attribute) -> KeptItems | None:
    """Return the object that keeps the items of a repeated field for expressions; ``None`` if no expression uses
    them."""
    if not state.is_asked(field):
        return None
    kept = KeptItems(field.id, state.facts, state.assembler, state.assembler.slot())
    kept.holder = scope if isinstance(field.size, OwnSize) and field.switch is None else None
    scope.lists[field.id] = kept
    return kept


def item_compiler(state: State, scope: Scope, field: Attribute) -> Compiler:
    """Return a compiler of expressions about an item that has been read, which is ``_``."""
    item = scope.members.get(field.id)
    compiler = Compiler(scope, state.facts, it=item, items_of=scope)
    # The value instances of an item are computed here, but objects compute them after all items have been read.
    lists = (each for holder in (scope, *scope.enclosing()) for each in holder.lists.values())
    return replace(compiler, incomplete=tuple(each for each in lists if isinstance(each, KeptItems) and each.is_open))


def _end_item(state: State, field: Attribute) -> None:
    if not state.run.aligned:
        raise NotForEngineError(f'an item of "{field.id}" may end inside a byte')
    state.run.flush()


def _last(state: State, scope: Scope, field: Attribute, repeat: RepeatUntil, complete: Scalar) -> Scalar:
    """Return the register that says whether an item is the last one: one that is lost is not, if that depends on it."""
    item = scope.members.get(field.id)
    seeing = replace(
        state.compiler(scope), it=item if isinstance(item, Scalar | Scope | Chosen | Span | Called) else None
    )
    last = seeing.compile(repeat.expression)
    objects = [*item.objects.values()] if isinstance(item, Chosen) else [item]
    may_be_lost = any(each is None or (isinstance(each, Scope) and each.contains) for each in objects)
    if may_be_lost and "_" in names_in(repeat.expression):
        last = joined((Compiled((complete,), BOOLEAN), last, constant(0)), Code.SELECT, BOOLEAN)
    return state.assembler.temporary(last, f"last of {field.id}?", lazy=True)


def lower_list(
    state: State, scope: Scope, field: Attribute, repeat: Repeat, node: ColumnNode | None, item: Callable[[], None]
) -> None:
    """Append a loop whose items fill the list column ``node``, if it is set."""
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
