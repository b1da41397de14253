"""RepeatedField fields: items read one by one, lists of them as columns, items that no column shows passed over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from wireloom.base.dataclass import replace
from wireloom.format.program import Code, Loop, Op

from ...expression.nodes import Binary, Comparison, Conditional, IntegerLiteral, Node
from ...expression.types import BitsType, BytesType, FloatType, IntegerType, UserType
from ...expression.walk import names_in
from ...tree import Attribute
from ...tree.leaves import OwnSize, Repeat, RepeatCount, RepeatEos, RepeatUntil
from .column_nodes import ColumnNode
from .expression import Compiler
from .instructions import Label
from .interval import BOOLEAN, Interval
from .lowering_context import LoweringContext
from .refusal import NotForEngineError
from .series import KeptItems
from .stack_code import StackCode, constant, joined
from .symbols import CallResult, Chosen, ObjectScope, Scalar, Span, Unavailable
from .uses import uses_position

KINDS = {RepeatCount: Loop.COUNT, RepeatEos: Loop.END, RepeatUntil: Loop.UNTIL}
MOST_ITERATIONS = 1 << 62


def lower_loop(
    context: LoweringContext, scope: ObjectScope, field: Attribute, repeat: Repeat, item: Callable[[], None]
) -> None:
    """Append a loop over the items of a repeated field.

    Args:
        context: The state of the walk.
        scope: The object with the field.
        field: The field.
        repeat: How often the field is repeated.
        item: Appends the steps of one item.

    Raises:
        NotForEngineError: The engine does not support such a loop, or something in an item.
    """
    name, kind = field.id, KINDS[type(repeat)]
    if field.framing is not None:
        raise NotForEngineError(f'"{name}" has "framing" inside other fields')
    if kind is Loop.END and not context.bounded:
        raise NotForEngineError(f'"{name}" repeats to the end of the input')
    context.run.must_be_aligned(f'"{name}" may begin')
    assembler = context.assembler
    iterations: Scalar | int = 0
    count = None
    if isinstance(repeat, RepeatCount):
        count = context.compiler(scope).compile(repeat.expression)
    context.run.flush()
    if count is not None:
        iterations = assembler.temporary(count, f"number of {name}", speculative=True)
    hoisted = context.add_preheader(scope)
    number = assembler.loop()
    first, after = Label(), Label()
    kept = keep_items(context, scope, field)
    assembler.add(Op.LOOP, number, kind, after, iterations, comment=name)
    assembler.bind(first)
    index = Scalar("_index", Interval(0, MOST_ITERATIONS), context.path_conditions)
    if field.indexed or kept is not None:
        assembler.index(index, number)
    if field.indexed:
        scope.members["_index"] = index
    before = len(context.cached)
    complete = Scalar(f"is the item of {name} complete?", BOOLEAN)
    if isinstance(repeat, RepeatUntil):
        assembler.compute(complete, constant(1), complete.name)
        context.complete = complete
    item()
    context.complete = None
    context.run.flush_aligned(f'an item of "{field.id}" may end')
    if kept is not None:
        kept.add_iteration(item_compiler(context, scope, field), index)
    if isinstance(repeat, RepeatUntil):
        iterations = _last(context, scope, field, repeat, complete)
    assembler.add(Op.AGAIN, number, kind, first, iterations, comment=f"next of {name}")
    assembler.bind(after)
    scope.members.pop("_index", None)
    for holder, instance in context.cached[before:]:
        outside = holder is scope or holder in scope.enclosing()
        if outside and instance.value is not None and uses_position(instance.value):
            raise NotForEngineError(f'"{instance.id}" is first used in an item of "{name}"')
    context.forget(before)
    context.remove_preheader(hoisted)
    if kept is not None:
        kept.close()
    scope.members[name] = Unavailable(f'an expression uses the repeated "{name}"')


def keep_items(context: LoweringContext, scope: ObjectScope, field: Attribute) -> KeptItems | None:
    """Return the object that keeps the items of a repeated field for expressions; ``None`` if no expression uses
    them."""
    if not context.is_used(field):
        return None
    kept = KeptItems(field.id, context.path_conditions, context.assembler, context.assembler.insertion_point())
    kept.holder = scope if isinstance(field.size, OwnSize) and field.switch is None else None
    scope.lists[field.id] = kept
    context.created.append(kept)
    return kept


def item_compiler(context: LoweringContext, scope: ObjectScope, field: Attribute) -> Compiler:
    """Return a compiler of expressions about an item that has been read, which is ``_``."""
    item = scope.members.get(field.id)
    compiler = Compiler(scope, context.path_conditions, it=item, items_of=scope)
    # The value instances of an item are computed here, but objects compute them after all items have been read.
    lists = (each for holder in (scope, *scope.enclosing()) for each in holder.lists.values())
    return replace(compiler, incomplete=tuple(each for each in lists if isinstance(each, KeptItems) and each.is_open))


def _last(
    context: LoweringContext, scope: ObjectScope, field: Attribute, repeat: RepeatUntil, complete: Scalar
) -> Scalar:
    """Return the register that says whether an item is the last one. A lost item never ends the loop if the ``until``
    condition uses the item."""
    item = scope.members.get(field.id)
    seeing = replace(
        context.compiler(scope),
        it=item if isinstance(item, Scalar | ObjectScope | Chosen | Span | CallResult) else None,
    )
    last = seeing.compile(repeat.expression)
    objects = [*item.objects.values()] if isinstance(item, Chosen) else [item]
    may_be_lost = any(each is None or (isinstance(each, ObjectScope) and each.contains_damage) for each in objects)
    if may_be_lost and "_" in names_in(repeat.expression):
        last = joined((StackCode((complete,), BOOLEAN), last, constant(0)), Code.SELECT, BOOLEAN)
    return context.assembler.temporary(last, f"last of {field.id}?", speculative=True)


def lower_list(
    context: LoweringContext,
    scope: ObjectScope,
    field: Attribute,
    repeat: Repeat,
    node: ColumnNode | None,
    item: Callable[[], None],
) -> None:
    """Append a loop whose items fill the list column ``node``, if it is set."""
    if node is None or node.item is None:
        lower_loop(context, scope, field, repeat, item)
        return
    level, assembler, columns = node.item.repetition_level, context.assembler, context.fills[scope]
    context.run.flush()
    assembler.add(Op.LIST, node.number, level, comment=field.id)

    def one() -> None:
        assembler.add(Op.ITEM, 0, level, comment=f"item of {field.id}")
        assert node.item is not None
        context.fills[scope] = columns | {field.id: node.item}
        item()
        context.fills[scope] = columns
        context.run.flush_aligned(f'an item of "{field.id}" may end')
        assembler.add(Op.ITEM_END, 0, level)

    lower_loop(context, scope, field, repeat, one)
    assembler.add(Op.LIST_END, node.number, level, comment=field.id)


def can_pass_over(context: LoweringContext, scope: ObjectScope, field: Attribute, repeat: Repeat) -> bool:
    """Return whether all items have the same size and none of them may be refused."""
    if field.indexed or isinstance(repeat, RepeatUntil) or (isinstance(repeat, RepeatEos) and not context.bounded):
        return False
    if context.counts_items or context.is_used(field):
        return False
    return _item_size(context, scope, field) is not None


def pass_over(context: LoweringContext, scope: ObjectScope, field: Attribute, repeat: Repeat) -> None:
    """Append steps that skip such items. Raises ``NotForEngineError``."""
    name, size = field.id, _item_size(context, scope, field)
    assert size is not None
    scope.members[name] = Unavailable(f'an expression uses the repeated "{name}"')
    if not context.run.aligned and not _has_items(context, scope, repeat):
        # The first item begins at a byte boundary: without an item, bits continue where they were.
        raise NotForEngineError(f'"{name}" may have no items and may begin inside a byte')
    if isinstance(repeat, RepeatCount):
        _skip_counted(context, scope, name, repeat.expression, size)
    else:
        _skip_rest(context, name, size)


MOST_UNROLLED = 64
"""Maximum number of items that are parts of bytes for which the steps are repeated."""


def can_unroll(context: LoweringContext, scope: ObjectScope, field: Attribute, repeat: Repeat) -> bool:
    """Return whether the items are bits that need not end at a byte boundary, and are few in every row."""
    if not isinstance(repeat, RepeatCount) or field.indexed or not _is_bits(context, field):
        return False
    if context.counts_items and not context.run.aligned:
        return False
    return (context.compiler(scope).compile(repeat.expression).constant or MOST_UNROLLED + 1) <= MOST_UNROLLED


def unroll(
    context: LoweringContext, scope: ObjectScope, field: Attribute, repeat: Repeat, item: Callable[[], None]
) -> None:
    """Append the steps of all items in order, without a loop."""
    assert isinstance(repeat, RepeatCount)
    kept = keep_items(context, scope, field)
    count = context.compiler(scope).compile(repeat.expression).constant or 0
    if context.counts_items and count > 0:
        _count_items(context, field, count)
    for number in range(count):
        item()
        if kept is not None:
            context.run.then(partial(kept.add_iteration, item_compiler(context, scope, field), number))
    if kept is not None:
        context.run.then(kept.close)
    scope.members[field.id] = Unavailable(f'an expression uses the repeated "{field.id}"')


def _count_items(context: LoweringContext, field: Attribute, count: int) -> None:
    """Append a loop of ``count`` iterations in which nothing is read."""
    context.run.flush()
    assembler, first, after = context.assembler, Label(), Label()
    iterations = assembler.temporary(constant(count), f"number of {field.id}")
    number = assembler.loop()
    assembler.add(Op.LOOP, number, Loop.COUNT, after, iterations, comment=f"items of {field.id}")
    assembler.bind(first)
    assembler.add(Op.AGAIN, number, Loop.COUNT, first, iterations, comment=f"next of {field.id}")
    assembler.bind(after)


def _is_bits(context: LoweringContext, field: Attribute) -> bool:
    """Return whether an item is a bit field, or an object that consists of bit fields."""
    if field.switch is not None or field.condition is not None:
        return False
    if not isinstance(field.type, UserType) or field.type.opaque:
        kind = field.type.on_wire
        return isinstance(kind, BitsType)
    if not isinstance(field.size, OwnSize):
        return False
    inside = context.spec.struct(field.type.path).attributes
    return bool(inside) and all(each.repeat is None and _is_bits(context, each) for each in inside)


def _item_size(context: LoweringContext, scope: ObjectScope, field: Attribute) -> int | None:
    """Return the size of one item in bytes; ``None`` if it varies, or if the item is checked, processed or used for
    anything but its value."""
    kind = field.type.on_wire
    ruled = field.checks or field.process or field.is_checksum or field.switch
    if not ruled and isinstance(kind, IntegerType | FloatType):
        return kind.size
    if not ruled and isinstance(kind, BytesType):
        size = context.fixed_size(scope, field)
        if size is not None and size > 0:
            return size
    return None


def _has_items(context: LoweringContext, scope: ObjectScope, repeat: Repeat) -> bool:
    if not isinstance(repeat, RepeatCount):
        return False
    return (context.compiler(scope).compile(repeat.expression).constant or 0) > 0


def _skip_counted(context: LoweringContext, scope: ObjectScope, name: str, count: Node, size: int) -> None:
    items = context.compiler(scope).compile(count)
    if items.constant is not None:
        context.run.skip(name, max(0, items.constant) * size)
        return
    total: Node = Binary("*", count, IntegerLiteral(size))
    if items.interval.low < 0:
        # A negative count means no items.
        total = Conditional(Comparison(">", count, IntegerLiteral(0)), total, IntegerLiteral(0))
    compiled = items if size == 1 and items.interval.low >= 0 else context.compiler(scope).compile(total)
    context.run.flush()
    register = context.assembler.temporary(compiled, f"size of {name}", speculative=True)
    context.assembler.add(Op.SKIP_REGISTER, register, 0, 0, comment=name)


def _skip_rest(context: LoweringContext, name: str, size: int) -> None:
    context.run.flush()
    rest = Span(name)
    context.assembler.add(Op.BYTES_REST, rest, comment=name)
    if size > 1:
        # What lacks of the last item is read too: the input is truncated there, or the sub-stream too short.
        negative = (*constant(0).parts, rest, bytes([Code.SUBTRACT]))
        lacks = StackCode((*negative, *constant(size).parts, bytes([Code.MODULO])), Interval(0, size - 1), 2)
        register = context.assembler.temporary(lacks, f"rest of the last of {name}")
        context.assembler.add(Op.SKIP_REGISTER, register, 0, 0, comment=name)
