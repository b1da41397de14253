"""Lowers a row type to steps: walks the fields of the row in order, and those of the user types in it."""

from __future__ import annotations

from functools import partial

from wireloom.base.dataclass import replace
from wireloom.format.program import Op
from wireloom.format.program_words import DEEPEST_LIMIT, DEEPEST_UNIT

from ...expression.types import (
    BitsType,
    BytesType,
    FloatType,
    IntegerType,
    StringType,
    UserType,
    VarintType,
)
from ...tree import Attribute, Instance, RowPath, Struct
from ...tree.leaves import OwnSize, Pairs, Repeat, WithinSize
from .arrow import JSON
from .blocks import enter, expand, leave, lower_bytes
from .checksums import ComputedChecksums, Marks, after_expansion, before_expansion, lower_checksum
from .column_nodes import own_columns
from .functions import call, contains_itself
from .json_steps import begin_json, begin_pair, close_member, end_json, open_member, put_list, put_member
from .loops import can_pass_over, can_unroll, lower_list, lower_loop, pass_over, unroll
from .lowering_context import LoweringContext
from .numbers import begins_a_byte, ends_byte, lower_bits, lower_float, lower_integer, lower_varint
from .optional import lower_optional
from .parameters import decide_order, give_arguments
from .refusal import NotForEngineError, placed
from .row_instances import lower_shown
from .row_messages import lower_message
from .stack_code import constant
from .stated_sizes import StatedSizes
from .switches import lower_switch
from .symbols import ObjectScope, Scalar, Span, Stream
from .valid import check_object
from .variables import begin_variables, set_variables


def lower_fields(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the steps of the fields of an object, and of its sizes and checksums, which are verified at its end.

    Args:
        context: The state of the walk.
        scope: The object; the registers and spans of its fields are added to ``scope.members``.

    Raises:
        NotForEngineError: The engine does not support a field.
    """
    type = scope.struct
    if type.message is not None:
        lower_message(context, type.path[-1], scope)
        return
    decide_order(context, scope)
    if any(isinstance(each.size, WithinSize) and _is_step(context, scope, each) for each in type.attributes):
        scope.begin = context.assembler.mark()
        context.run.mark(scope.begin, f"{type.path[-1]} begins")
    begin_variables(context, scope)
    marks, computed = Marks(context.assembler, type.verified), ComputedChecksums(context, scope)
    sizes = StatedSizes(context, scope)
    watched = marks.fields | computed.fields | sizes.fields
    conditions: dict[str, Scalar] = {}
    early = [each for each in type.verified if each.before_expansion]
    contents = [each for each in type.verified if each.content]
    has_tail = False
    decides: Attribute | None = None
    for field in type.attributes:
        context.count()
        if begins_a_byte(field):
            context.run.align()
        if field.process is not None:
            of_bytes = [each for each in early if each.last == field.id]
            of_content = [each for each in contents if each.last == field.id]
            context.before_expansion = before_expansion(context, scope, marks, of_bytes, conditions)
            context.after_expansion = after_expansion(context, scope, marks, of_content, conditions)
        if field.id in watched:
            marks.set_before(context.run, field.id)
            computed.before(field.id)
            sizes.before(field.id)
        with placed(field.position):
            open_member(context, scope.json, field)
            if field.condition is None:
                _lower_present(context, scope, field)
            else:
                present = partial(_lower_present, context, scope, field)
                conditions[field.id] = lower_optional(context, scope, field, field.condition, present)
            close_member(context, scope.json, field)
        decides = field if field.checked_first else decides
        if decides is not None and (context.run.aligned or not ends_byte(context, type.attributes, field)):
            # A refused value loses the row even if what follows is missing, so it is checked first: the rest of its
            # byte is available with it.
            context.run.flush_aligned(f'"{decides.id}" determines the layout and ends')
            decides = None
        if field.id in watched:
            marks.set_after(context.run, field.id)
            computed.after(field.id)
            sizes.after(field.id)
        if field is not type.attributes[-1] and _ends_rows(context, scope, field):
            context.run.flush()
            context.assembler.add(Op.UNIT, comment="after the rows")
            has_tail = True
    if has_tail:
        _end_unit(context, type.attributes[-1])
    sizes.compare()
    for cover in type.verified:
        if cover in early or cover in contents:
            continue
        if context.nesting and not context.run.aligned:
            raise NotForEngineError(f'"{type.attributes[-1].id}" may end inside a byte')
        with placed(cover.attribute.position):
            context.run.flush()
            lower_checksum(context, scope, cover, marks, conditions.get(cover.attribute.id))
    set_variables(context, scope)
    _lower_instance_step(context, scope)


def _lower_object(context: LoweringContext, scope: ObjectScope) -> None:
    lower_fields(context, scope)
    end_json(context, scope)


def _lower_present(context: LoweringContext, scope: ObjectScope, field: Attribute) -> None:
    """Append the steps of a field that is present."""
    if field.process is not None and field.process.is_routine:
        raise NotForEngineError(f'"{field.id}" is {field.process.words}')
    if field.parent is not None:
        raise NotForEngineError(f'"{field.id}" has the key "parent"')
    if _is_step(context, scope, field):
        _lower_step(context, scope, field)
    elif field.repeat is not None:
        _lower_repeated(context, scope, field, field.repeat)
    else:
        _lower_value(context, scope, field)


def _lower_instance_step(context: LoweringContext, scope: ObjectScope) -> None:
    """Append the steps of the instances at positions that lead to the rows, if there are any; they are read after all
    fields of their type."""
    if context.row is None:
        return
    steps = dict.fromkeys(path[context.path_depth][:2] for path in context.row_paths)
    found = (scope.struct.instance(id) for holder, id in steps if holder == scope.struct.path)
    for instance in filter(None, found):
        _lower_instance(context, scope, instance)


def read_instance(context: LoweringContext, scope: ObjectScope, instance: Instance) -> None:
    """Append the steps that read an instance at its position, which an expression needs."""
    row, context.row = context.row, None
    _lower_instance(context, scope, instance)
    context.row = row


def _lower_instance(context: LoweringContext, scope: ObjectScope, instance: Instance) -> None:
    with placed(instance.position):
        context.run.flush_aligned(f'"{instance.id}" is read')
        if instance.condition is None:
            _lower_at_position(context, scope, instance)
        else:
            assert instance.attribute is not None
            lowered = partial(_lower_at_position, context, scope, instance)
            lower_optional(context, scope, instance.attribute, instance.condition, lowered)


def _lower_at_position(context: LoweringContext, scope: ObjectScope, instance: Instance) -> None:
    """Append the steps that seek to the position of an instance, read it, and return."""
    assert instance.attribute is not None
    assert instance.pos is not None
    assembler, compiler = context.assembler, context.compiler(scope)
    holder = scope if instance.io is None else compiler.holder_of(instance.io)
    number = context.stream_number(holder, across=False)
    rows = context.spec.rows
    if number == 0 and rows is not None and rows.streaming:
        raise NotForEngineError(f'"{instance.id}" is read at a position of the input')
    position = assembler.temporary(compiler.compile(instance.pos), f"position of {instance.id}", speculative=True)
    assembler.add(Op.SEEK, position, 0, number, comment=instance.id)
    context.streams.append(Stream(of=context.streams[number].itself))
    bounded, context.bounded = context.bounded, True
    _lower_present(context, scope, replace(instance.attribute, condition=None))
    context.run.flush_aligned(f'"{instance.id}" may end')
    context.bounded = bounded
    assembler.add(Op.LIMIT_END, comment=instance.id)
    context.streams.pop()


def _lower_value(context: LoweringContext, scope: ObjectScope, field: Attribute) -> None:
    """Append the steps of one value."""
    if field.switch is not None:
        lower_switch(context, scope, field, field.switch, lambda form: _lower_value(context, scope, form))
        return
    _lower_single(context, scope, field)
    put_member(context, scope, field)


def _lower_single(context: LoweringContext, scope: ObjectScope, field: Attribute) -> None:
    match field.type.on_wire:
        case IntegerType() as kind:
            lower_integer(context, scope, field, kind)
        case FloatType() as kind:
            lower_float(context, scope, field, kind)
        case BitsType() as kind:
            lower_bits(context, scope, field, kind)
        case VarintType() as kind:
            lower_varint(context, scope, field, kind)
        case BytesType() | StringType() as kind:
            lower_bytes(context, scope, field, kind)
        case UserType(opaque=False) as kind:
            _lower_user_type(context, scope, field, scope.spec.struct(kind.path))
            check_object(context, scope, field)
        case _:
            raise NotForEngineError(f'the engine does not support the type of "{field.id}"')


def _lower_repeated(context: LoweringContext, scope: ObjectScope, field: Attribute, repeat: Repeat) -> None:
    """Append the steps of a repeated field; items that no column shows are skipped at once if possible."""
    node = context.column(scope, field.id)
    item = partial(_lower_value, context, scope, field)
    if scope.json is not None and scope.json.shows(field):
        put_list(context, scope, field, partial(lower_list, context, scope, field, repeat, None), item)
    elif node is None and can_pass_over(context, scope, field, repeat):
        pass_over(context, scope, field, repeat)
    elif node is None and can_unroll(context, scope, field, repeat):
        unroll(context, scope, field, repeat, item)
    else:
        lower_list(context, scope, field, repeat, node, item)


def _is_step(context: LoweringContext, scope: ObjectScope, field: Attribute) -> bool:
    return bool(_paths_through(context, scope, field))


def _paths_through(context: LoweringContext, scope: ObjectScope, field: Attribute) -> tuple[RowPath, ...]:
    """Return the paths to the rows whose next step is the field."""
    if context.row is None:
        return ()
    return tuple(each for each in context.row_paths if each[context.path_depth][:2] == (scope.struct.path, field.id))


def _ends_rows(context: LoweringContext, scope: ObjectScope, field: Attribute) -> bool:
    """Return whether a field of the root of an input that is read as a whole contains all rows."""
    rows = context.spec.rows
    return rows is not None and not rows.streaming and _is_step(context, scope, field) and context.path_depth == 0


def _lower_step(context: LoweringContext, scope: ObjectScope, field: Attribute) -> None:
    """Append the steps of a field on the way to the rows."""
    rows = context.spec.rows
    assert rows is not None
    through = _paths_through(context, scope, field)
    before = context.row_paths

    def form(each: Attribute) -> None:
        kind = each.type.path if isinstance(each.type, UserType) else None
        context.row_paths = tuple(path for path in through if path[context.path_depth][2] == kind)
        if kind is not None and context.row_paths:
            _lower_user_type(context, scope, each, scope.spec.struct(kind), is_step=True)
        else:
            _lower_value(context, scope, each)
        context.row_paths = before

    def item() -> None:
        if field.switch is not None:
            lower_switch(context, scope, field, field.switch, form)
        else:
            form(field)

    def unit() -> None:
        context.units += 1
        if context.units > DEEPEST_UNIT:
            raise NotForEngineError(f"units are nested more than {DEEPEST_UNIT} levels deep")
        context.assembler.add(Op.UNIT, comment=f"item of {field.id}")
        item()
        _end_unit(context, field)
        context.units -= 1

    if field.repeat is not None:
        lower_loop(
            context,
            scope,
            field,
            field.repeat,
            unit if any(rows.is_unit(path, context.path_depth) for path in through) else item,
        )
    else:
        item()
    scope.has_passed_rows = scope.encloses_rows


def _end_unit(context: LoweringContext, last: Attribute) -> None:
    """Append the end of a unit, whose last field is ``last``."""
    context.run.flush_aligned(f'"{last.id}" may end')
    context.assembler.add(Op.UNIT_END)


def lower_unit(context: LoweringContext, inner: ObjectScope) -> None:
    """Append the steps of a unit, of an object on the way from it to its rows, or of a row."""
    row = context.row
    assert row is not None
    if context.path_depth < len(context.row_paths[0]) - 1:
        inner.encloses_rows = True
        context.path_depth += 1
        lower_fields(context, inner)
        context.path_depth -= 1
        return
    context.run.flush()
    rows = context.spec.rows
    assert rows is not None
    context.assembler.add(Op.ROW, int(context.spec.begins_with_unit(rows, context.row_paths[0])))
    context.row, context.path_depth = None, context.path_depth + 1
    context.fills[inner] = own_columns(context.columns_of(inner.struct.path))
    lower_fields(context, inner)
    context.run.flush()
    outer = [(each, dict(each.members)) for each in inner.enclosing()]
    row(context, inner)
    for scope, members in outer:
        # Values computed for these rows do not exist for those of another case of a switch.
        scope.members = members
    if rows.sized and not rows.path:
        # The row extends over all of its bytes, however many of them its fields read.
        context.assembler.add(Op.BYTES_REST, Span("rest of the row"), comment="rest of the row")
    context.assembler.add(Op.ROW_END)
    context.row, context.path_depth = row, context.path_depth - 1


def _lower_user_type(
    context: LoweringContext, scope: ObjectScope, field: Attribute, struct: Struct, *, is_step: bool = False
) -> None:
    """Append the steps of a user type within the row: its fields, in a sub-stream of their own if it has a size.
    ``is_step``: it is on the way to the rows, or is a row."""
    if context.nesting >= DEEPEST_LIMIT:
        raise NotForEngineError(f"user-defined types are nested more than {DEEPEST_LIMIT} levels deep")
    context.run.must_be_aligned(f'"{field.id}" may begin')
    process = field.process
    if (
        is_step
        and process is not None
        and not process.codecs
        and any(context.path_depth + 1 < len(path) for path in context.row_paths)
    ):
        raise NotForEngineError(f'rows are inside "{field.id}", which is {process.words}')
    contains_damage = is_step and not isinstance(field.size, OwnSize)
    # The position after a message is known, compressed or not, since the size of its bytes is.
    complete, context.complete = context.complete, None
    lost = not field.contains_process_errors or (process is not None and is_step)
    inner = ObjectScope(
        scope.spec, struct, scope, contains_damage=contains_damage, lost=lost, path_conditions=context.path_conditions
    )
    scope.members[field.id] = inner
    context.created.append(inner)
    node = context.column(scope, field.id)
    is_json, of_json = node is not None and node.column.type == JSON, scope.json is not None and scope.json.shows(field)
    if node is not None:
        context.fills[inner] = node.fields
        if node.number >= 0 and not is_json:
            context.assembler.add(Op.COLUMN_STRUCT, node.number, comment=field.id)
    bounded, limited = context.bounded, not isinstance(field.size, OwnSize)
    if limited:
        if complete is not None and contains_damage:
            context.assembler.compute(complete, constant(0), complete.name)
        rows = context.spec.rows
        is_whole = is_step and rows is not None and rows.whole
        ends = is_whole and any(context.path_depth + 1 < len(path) for path in context.row_paths)
        enter(context, scope, field, contains_damage=is_step, opens_cut=ends)
        context.bounded = True
        expand(context, scope, field)
    inner.stream = context.streams[-1]
    give_arguments(context, scope, field, inner)
    context.nesting += 1
    if of_json and isinstance(field.logical, Pairs):
        inner.json = begin_pair(context, struct, field.logical)
    elif is_json or of_json:
        if is_json:
            context.run.flush()
            context.assembler.add(Op.JSON_BEGIN, comment=field.id)
        inner.json = begin_json(context, struct)
    if is_step:
        lower_unit(context, inner)
    elif (node is None or is_json) and contains_itself(scope.spec, struct) and not (inner.json and inner.json.key):
        call(context, scope, field, struct, _lower_object, json=inner.json is not None)
    else:
        _lower_object(context, inner)
        lower_shown(context, inner)
    context.nesting -= 1
    if is_json and node is not None:
        context.run.flush()
        context.assembler.add(Op.COLUMN_JSON, node.number, comment=field.id)
    if not (context.run.aligned or limited):
        raise NotForEngineError(f'"{field.id}" may end inside a byte')
    if limited:
        context.run.flush()
        if complete is not None and contains_damage:
            context.assembler.compute(complete, constant(1), complete.name)
        leave(context, field)
        context.bounded = bounded
