"""Repeated fields that no column shows: the engine skips them if their size is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from wireloom.format.program import Code, Loop, Op

from ...expression.nodes import Binary, Comparison, Conditional, IntegerLiteral, Node
from ...expression.types import BitsType, BytesType, FloatType, IntegerType, UserType
from ...tree import Attribute
from ...wire import OwnSize, Repeat, RepeatCount, RepeatEos, RepeatUntil
from .compiled import Compiled, constant
from .interval import Interval
from .lines import Label
from .loops import item_compiler, keep_items
from .refusal import NotForEngineError
from .scope import Scope, Span, Unavailable
from .state import State


def can_pass_over(state: State, scope: Scope, field: Attribute, repeat: Repeat) -> bool:
    """Return whether all items have the same size and none of them may be refused."""
    if field.indexed or isinstance(repeat, RepeatUntil) or (isinstance(repeat, RepeatEos) and not state.bounded):
        return False
    if state.counts_items or state.is_asked(field):
        return False
    return _item_size(state, scope, field) is not None


def pass_over(state: State, scope: Scope, field: Attribute, repeat: Repeat) -> None:
    """Append steps that skip such items. Raises ``NotForEngineError``."""
    name, size = field.id, _item_size(state, scope, field)
    assert size is not None
    scope.members[name] = Unavailable(f'an expression uses the repeated "{name}"')
    if not state.run.aligned and not _has_items(state, scope, repeat):
        # The first item begins at a byte boundary: without an item, bits continue where they were.
        raise NotForEngineError(f'"{name}" may have no items and may begin inside a byte')
    if isinstance(repeat, RepeatCount):
        _skip_counted(state, scope, name, repeat.expression, size)
    else:
        _skip_rest(state, name, size)


MOST_UNROLLED = 64
"""Maximum number of items that are parts of bytes for which the steps are repeated."""


def can_unroll(state: State, scope: Scope, field: Attribute, repeat: Repeat) -> bool:
    """Return whether the items are bits that need not end at a byte boundary, and are few in every row."""
    if not isinstance(repeat, RepeatCount) or field.indexed or not _is_bits(state, field):
        return False
    if state.counts_items and not state.run.aligned:
        return False
    return (state.compiler(scope).compile(repeat.expression).constant or MOST_UNROLLED + 1) <= MOST_UNROLLED


def unroll(state: State, scope: Scope, field: Attribute, repeat: Repeat, item: Callable[[], None]) -> None:
    """Append the steps of all items in order, without a loop."""
    assert isinstance(repeat, RepeatCount)
    kept = keep_items(state, scope, field)
    count = state.compiler(scope).compile(repeat.expression).constant or 0
    if state.counts_items and count > 0:
        _count_items(state, field, count)
    for number in range(count):
        item()
        if kept is not None:
            state.run.then(partial(kept.add_turn, item_compiler(state, scope, field), number))
    if kept is not None:
        state.run.then(kept.close)
    scope.members[field.id] = Unavailable(f'an expression uses the repeated "{field.id}"')


def _count_items(state: State, field: Attribute, count: int) -> None:
    """Append a loop of ``count`` iterations in which nothing is read."""
    state.run.flush()
    assembler, first, after = state.assembler, Label(), Label()
    turns = assembler.temporary(constant(count), f"number of {field.id}")
    number = assembler.loop()
    assembler.add(Op.LOOP, number, Loop.COUNT, after, turns, comment=f"items of {field.id}")
    assembler.place(first)
    assembler.add(Op.AGAIN, number, Loop.COUNT, first, turns, comment=f"next of {field.id}")
    assembler.place(after)


def _is_bits(state: State, field: Attribute) -> bool:
    """Return whether an item is a bit field, or an object that consists of bit fields."""
    if field.switch is not None or field.condition is not None:
        return False
    if not isinstance(field.type, UserType) or field.type.opaque:
        kind = field.type.on_wire
        return isinstance(kind, BitsType)
    if not isinstance(field.size, OwnSize):
        return False
    inside = state.spec.struct(field.type.path).attributes
    return bool(inside) and all(each.repeat is None and _is_bits(state, each) for each in inside)


def _item_size(state: State, scope: Scope, field: Attribute) -> int | None:
    """Return the size of one item in bytes; ``None`` if it varies, or if the item is checked, processed or used for
    anything but its value."""
    kind = field.type.on_wire
    ruled = field.checks or field.process or field.is_checksum or field.switch
    if not ruled and isinstance(kind, IntegerType | FloatType):
        return kind.size
    if not ruled and isinstance(kind, BytesType):
        size = state.fixed_size(scope, field)
        if size is not None and size > 0:
            return size
    return None


def _has_items(state: State, scope: Scope, repeat: Repeat) -> bool:
    if not isinstance(repeat, RepeatCount):
        return False
    return (state.compiler(scope).compile(repeat.expression).constant or 0) > 0


def _skip_counted(state: State, scope: Scope, name: str, count: Node, size: int) -> None:
    items = state.compiler(scope).compile(count)
    if items.constant is not None:
        state.run.skip(name, max(0, items.constant) * size)
        return
    total: Node = Binary("*", count, IntegerLiteral(size))
    if items.interval.low < 0:
        # A negative count means no items.
        total = Conditional(Comparison(">", count, IntegerLiteral(0)), total, IntegerLiteral(0))
    compiled = items if size == 1 and items.interval.low >= 0 else state.compiler(scope).compile(total)
    state.run.flush()
    register = state.assembler.temporary(compiled, f"size of {name}", lazy=True)
    state.assembler.add(Op.SKIP_REGISTER, register, 0, 0, comment=name)


def _skip_rest(state: State, name: str, size: int) -> None:
    state.run.flush()
    rest = Span(name)
    state.assembler.add(Op.BYTES_REST, rest, comment=name)
    if size > 1:
        # What lacks of the last item is read too: the input is truncated there, or the sub-stream too short.
        negative = (*constant(0).parts, rest, bytes([Code.SUBTRACT]))
        lacks = Compiled((*negative, *constant(size).parts, bytes([Code.MODULO])), Interval(0, size - 1), 2)
        register = state.assembler.temporary(lacks, f"rest of the last of {name}")
        state.assembler.add(Op.SKIP_REGISTER, register, 0, 0, comment=name)
