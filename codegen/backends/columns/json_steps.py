"""Lowers objects that tables show as JSON text: what each member appends to it."""

from __future__ import annotations

from collections.abc import Callable

from wireloom.base.dataclass import replace
from wireloom.format.program import HAS_ABSENT, TIME_UNITS, Op

from ...expression.types import BitsType, BooleanType, BytesType, StringType, UserType
from ...tree import Attribute, Instance, Struct
from ...tree.leaves import Pairs, Timestamp
from .instructions import Label, Operation, RemovableOperation
from .interval import INT64, Interval
from .lowering_context import LoweringContext
from .path_conditions import path_conditions_of
from .refusal import NotForEngineError, placed
from .stack_code import constant
from .symbols import JsonObject, ObjectScope, Scalar, Span
from .uses import uses_position

SIZE = Interval(0, INT64.high)
INTEGER, FLOAT, BOOLEAN, TIME, LOCAL_TIME, NOTHING = range(6)
"""What ``Op.JSON_NUMBER`` appends."""


def open_member(context: LoweringContext, json: JsonObject | None, member: Attribute | Instance) -> None:
    """Append what comes before a member."""
    if json is None or not json.shows(member):
        return
    context.run.flush()
    if not (json.is_first or json.key):
        _put(context, f'{"{" if member.id == json.members[0].id else ","}"{member.id}":')
    _mark(context, json.before, member.id)


def close_member(context: LoweringContext, json: JsonObject | None, member: Attribute | Instance) -> None:
    """Append what comes after a member, which may be absent."""
    if json is None or not json.shows(member):
        return
    context.run.flush()
    if json.is_first:
        context.assembler.add(Op.JSON_FIRST, json.begin, json.before, comment=member.id)
    elif member.id == json.key:
        context.assembler.add(Op.JSON_NAME, json.before, comment=member.id)
    else:
        context.assembler.add(Op.JSON_NULL, json.before, comment=member.id)


def begin_json(context: LoweringContext, struct: Struct) -> JsonObject:
    """Return an object whose text begins here."""
    context.run.flush()
    shown = struct.shown_members(struct.json or struct.shown)
    begin, before = Scalar(f"JSON text before {struct.path[-1]}", SIZE), Scalar("JSON text before a member", SIZE)
    _mark(context, begin, struct.path[-1])
    return JsonObject(shown, bool(struct.json), begin, before)


def begin_pair(context: LoweringContext, struct: Struct, pairs: Pairs) -> JsonObject:
    """Return an item of a map, whose text begins here. Raises ``NotForEngineError``."""
    shown = struct.shown_members((pairs.key[0], pairs.value[0]))
    if len(pairs.key) + len(pairs.value) > 2 or shown[0].id != pairs.key[0] or not isinstance(shown[1], Attribute):
        raise NotForEngineError(
            "a map in JSON text has keys or values that are not attributes of an item, in this order"
        )
    before = Scalar("JSON text before a member", SIZE)
    return JsonObject(shown, False, before, before, pairs.key[0])


def end_json(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the value instances and parameters of an object, and its end."""
    json = scope.json
    if json is None:
        return
    for each in json.members:
        if isinstance(each, Instance):
            with placed(each.position):
                open_member(context, json, each)
                _instance(context, scope, each)
                close_member(context, json, each)
    context.run.flush()
    if json.is_first:
        context.assembler.add(Op.JSON_NULL, json.begin)
    elif not json.key:
        _put(context, "}" if json.members else "{}")


def put_member(context: LoweringContext, scope: ObjectScope, member: Attribute) -> None:
    """Append a value that has been read; objects have been appended already."""
    if scope.json is None or not scope.json.shows(member) or isinstance(member.type, UserType):
        return
    context.run.flush()
    _put_value(context, member, scope.members.get(member.id))


def put_list(
    context: LoweringContext,
    scope: ObjectScope,
    member: Attribute,
    lower: Callable[[Callable[[], None]], None],
    item: Callable[[], None],
) -> None:
    """Append a list or a map.

    Args:
        context: The state of the walk.
        scope: The object with the list.
        member: The list.
        lower: Appends the steps of the list, given those of an item.
        item: Appends the steps of an item.
    """

    def one() -> None:
        context.run.flush()
        _put(context, "", comma=True)
        before = Scalar(f"JSON text before an item of {member.id}", SIZE)
        _mark(context, before, member.id)
        item()
        context.run.flush()
        if member.switch is not None:
            context.assembler.add(Op.JSON_NULL, before, comment=member.id)

    is_map = isinstance(member.logical, Pairs)
    context.run.flush()
    _put(context, "{" if is_map else "[")
    lower(one)
    context.run.flush()
    _put(context, "}" if is_map else "]")


def _instance(context: LoweringContext, scope: ObjectScope, instance: Instance) -> None:
    assembler, compiler, condition, value = (
        context.assembler,
        context.compiler(scope),
        instance.condition,
        instance.value,
    )
    assert value is not None
    if instance.checks or instance.variable or uses_position(value):
        raise NotForEngineError(f'"{instance.id}" in JSON text has "valid" or depends on a position or a variable')
    there, absent = constant(1) if condition is None else compiler.compile(condition), Label()
    if condition is not None:
        asks = assembler.temporary(there, f"is {instance.id} there?", speculative=True, optional=True)
        if there.may_fail:
            assembler.add(Op.JSON_NUMBER, asks, NOTHING, comment=instance.id)
        assembler.add(Op.SKIP_IF_ZERO, asks, 1, absent, comment=instance.id)
        compiler = replace(compiler, path_conditions=(*context.path_conditions, *path_conditions_of(scope, condition)))
    if isinstance(instance.type, BytesType | StringType):
        found: object = compiler.span(value)
    else:
        compiled = compiler.compile(value)
        found = assembler.temporary(compiled, instance.id, speculative=True, optional=True)
    _put_value(context, instance, found)
    assembler.bind(absent)


def _put_value(context: LoweringContext, member: Attribute | Instance, found: object) -> None:
    if isinstance(found, Span):
        is_text = isinstance(member.type, StringType)
        if is_text and not found.made and not (found.encoding is not None and found.encoding.is_utf8):
            raise NotForEngineError(f'"{member.id}" in JSON text is not UTF-8')
        context.assembler.add(Op.JSON_BYTES, found, int(is_text), comment=member.id)
        return
    if not isinstance(found, Scalar):
        raise NotForEngineError(f'"{member.id}" in JSON text is not a single value')
    how, unit, absent = FLOAT if found.interval.is_float else INTEGER, 0, 0
    kind = member.type
    if isinstance(kind, BooleanType) or (isinstance(kind, BitsType) and kind.width == 1):
        how = BOOLEAN
    elif isinstance(member.logical, Timestamp):
        how, unit = TIME if member.logical.zone else LOCAL_TIME, TIME_UNITS.index(member.logical.unit)
        if member.logical.absent is not None and member.logical.absent <= INT64.high:
            unit, absent = unit + HAS_ABSENT, member.logical.absent
    context.assembler.add(Op.JSON_NUMBER, found, how, unit, absent, comment=member.id)


def _put(context: LoweringContext, text: str, *, comma: bool = False) -> None:
    context.assembler.of_constants(Op.JSON_PUT, 0, int(comma), text.encode(), text)


def _mark(context: LoweringContext, mark: Scalar, name: str) -> None:
    context.assembler.instructions.append(RemovableOperation(Operation(Op.JSON_MARK, mark, comment=name), mark))
