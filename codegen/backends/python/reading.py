"""Lowers the steps of a type to statements that read: one value, its repetition, its condition, its checks."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ...expression.nodes import Node
from ...expression.types import (
    BitsType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    StringType,
    UserType,
    VarintType,
)
from ...expression.walk import names_in
from ...tree import Attribute, Switch
from ...tree.leaves import (
    SIZE_PRESERVING,
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    OwnSize,
    Repeat,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    WithinSize,
)
from ..base import refusal, refuse
from .checksums import checked_content, verify_content
from .constructing import (
    Store,
    branching,
    constructed,
    lost_checksums,
    message_or_refused,
    object_in_place,
    object_lines,
    parent_text,
)
from .names import DEFAULT_CASE, Api, field_name
from .scope import ClassScope
from .statements import block, when
from .struct_codes import byte_order, number_codes
from .validation import check_field
from .view import Lines
from .wire_bytes import (
    bytes_text,
    contains_process_errors,
    decoded,
    process_decoder,
    stream_text,
    substream_text,
    wire_text,
)


def read_lines(scope: ClassScope, field: Attribute, target: str) -> Lines:
    """Return the statements that read a field of ``seq`` or of a ``pos`` instance, and check its value.

    Args:
        scope: The scope of the class.
        field: The field.
        target: The text that the value is assigned to.
    """
    step = scope.row_step(field)
    if field.repeat is None and step is not None:
        lines = _row_path_lines(scope, field, Store(f"{target} = "), step)
    elif field.repeat is None:
        lines = (*value_lines(scope, field, Store(f"{target} = ")), *check_field(scope, field, target))
    else:
        lines = _repeated(scope, field, field.repeat, target)
    if scope.module.debug:
        noted = f"self._debug[{field.id!r}]"
        items = [f"{noted}['arr'] = []"] if field.repeat is not None else []
        lines = (f"{noted}['start'] = io.pos()", *items, *lines, f"{noted}['end'] = io.pos()")
    if field.condition is None:
        return lines
    # With Kaitai's API absent fields are not set.
    otherwise = (f"{target} = None",) if scope.own else ()
    return (when(scope.text(field.condition, field), lines, otherwise),)


# Repetition ----------------------------------------------------------------------------------------------------------


def _repeated(scope: ClassScope, field: Attribute, repeat: Repeat, target: str) -> Lines:
    """Return the statements that read a repeated field into a new list."""
    name = _list_name(field)
    if field.at_once and isinstance(repeat, RepeatCount) and not scope.module.debug:
        assert isinstance(field.type, IntegerType | FloatType)
        function = "read_floats" if isinstance(field.type, FloatType) else "read_numbers"
        format = repr(byte_order(field.type.endian)), repr(number_codes(field.type))
        return (f"{target} = {scope.call(function, 'io', *format, scope.text(repeat.expression, field))}",)
    annotation = f"{scope.annotations.builtin('list')}[{scope.annotations.of_item(field)}]"
    begin = f"{name}: {annotation} = []", f"{target} = {name}"
    if scope.module.has_series(field) and not isinstance(repeat, RepeatUntil):
        items = series_text(scope, field, repeat)
        if not scope.own:
            return (*begin, scope.call("gather", name, items))
        return f"{target} = []", scope.call("gather", target, items, "io", *_known_count(scope, field, repeat))
    return (*begin, *loop_lines(scope, field, repeat, Store(f"{name}.append(", ")", item=True)))


def _list_name(field: Attribute) -> str:
    """Return the local variable with the list of the items."""
    return f"new_{field_name(field.id)}"


def loop_lines(scope: ClassScope, field: Attribute, repeat: Repeat, store: Store) -> Lines:
    """Return the loop over the items of a repeated field."""
    before: Lines = ()
    after: Lines = ()
    counted = False
    number = "index" if field.indexed else "_"
    if field.framing is not None:
        if not isinstance(repeat, RepeatEos) or not isinstance(field.type, UserType):
            refuse(field.position, "'framing' requires items with a user-defined type that repeat up to the end")
        most, number = scope.spec.max_record, "frame"
        items = scope.call("frames_in", "io", repr(field.framing.delimiter), most)
        frame = scope.call("unstuffed", "frame", f"{scope.use('Stuffing')}.{field.framing.stuffing.made}", most)
        body = object_lines(scope, field, field.type, substream_text(scope, frame), store)
    elif scope.module.has_series(field):
        items, number = series_text(scope, field, repeat), _item(field)
        body = (store.statement(number),)
    else:
        items = _items(scope, field, repeat)
        body = item_lines(scope, field, repeat, store)
        if scope.module.debug:
            noted = f"self._debug[{field.id!r}]['arr']"
            body = (f"{noted}.append({{'start': io.pos()}})", *body, f"{noted}[-1]['end'] = io.pos()")
        if field.least == 0:
            before, after = (f"progress = {scope.call('Progress', 'io', repr(field.key_path))}",), ("progress.check()",)
        counted = isinstance(repeat, RepeatEos) and field.indexed
        number = "_" if counted else number
    if isinstance(repeat, RepeatUntil):
        until = scope.text(repeat.expression, field, _=_item(field))
        if lost := _lost(scope, field):
            until = f"not {lost} and ({until})"
            body = (f"{lost} = False", *body) if field.switch is not None else body
        after += (when(until, ["break"]),)
    items = _bounded(scope, field, repeat, items)
    if counted or (isinstance(repeat, RepeatUntil) and field.indexed and scope.module.has_series(field)):
        items, number = f"enumerate({items})", f"index, {number}"
    return (*before, block(f"for {number} in {items}:", (*body, *after)))


def _items(scope: ClassScope, field: Attribute, repeat: Repeat) -> str:
    """Return the iterable of a loop over items."""
    if isinstance(repeat, RepeatCount):
        return f"range({scope.text(repeat.expression, field)})"
    return scope.call("count") if isinstance(repeat, RepeatUntil) else "iter(io.is_eof, True)"


def _bounded(scope: ClassScope, field: Attribute, repeat: Repeat, items: str) -> str:
    """Return ``items`` with a limit on decompressed bytes. Kaitai's API has no such limit."""
    if not scope.own:
        return items
    return scope.call("bounded", "io", items, *_known_count(scope, field, repeat))


def _known_count(scope: ClassScope, field: Attribute, repeat: Repeat) -> tuple[str, ...]:
    """Return the number of items and the minimum size of each as arguments; none if one of them is not known."""
    if not isinstance(repeat, RepeatCount) or not field.least:
        return ()
    return scope.text(repeat.expression, field), str(field.least)


def series_text(scope: ClassScope, field: Attribute, repeat: Repeat) -> str:
    """Return an iterator that reads the items of a repeated field of a buffered type."""
    assert isinstance(field.type, UserType)
    arguments = ["io", parent_text(scope, field), "self._root"]
    if scope.module.api is Api.KAITAI_READ_WRITE:
        arguments.append(_list_name(field))
    if isinstance(repeat, RepeatEos):
        arguments.append("to_end=True")
    text = f"{scope.module.class_of(field.type.path)}._series({', '.join(arguments)})"
    if isinstance(repeat, RepeatCount):
        return scope.call("first_items", text, scope.text(repeat.expression, field))
    return text


def item_lines(scope: ClassScope, field: Attribute, repeat: Repeat, store: Store) -> Lines:
    """Return the statements that read one item of a repeated field and store it."""
    steps, step = scope.unit_steps(field), scope.row_step(field)
    if not steps:
        return _item_lines(scope, field, repeat, store)
    unit = scope.call("UnitOfRows", "self", "io", *steps)
    if step is not None and field.process is None and isinstance(field.size, OwnSize):
        return _row_path_lines(scope, field, store, step, contexts=f"{unit}, ")
    return (block(f"with {unit}:", _item_lines(scope, field, repeat, store)),)


def _item_lines(scope: ClassScope, field: Attribute, repeat: Repeat, store: Store) -> Lines:
    step = scope.row_step(field)
    if step is not None:
        return _row_path_lines(scope, field, store, step)
    until = repeat.expression if isinstance(repeat, RepeatUntil) else None
    if not field.checks and "_" not in names_in(until):
        return value_lines(scope, field, store)
    item = _item(field)
    return (
        *value_lines(scope, field, Store(f"{item} = ", item=True)),
        *check_field(scope, field, item),
        store.statement(item),
    )


def encoded_bytes_lines(scope: ClassScope, field: Attribute) -> Lines:
    """Return the statements that read the encoded bytes of a field; its value is decoded from them afterwards."""
    name = f"data_{field_name(field.id)}"
    line = f"{name} = {wire_text(scope, field)}"
    scope.taken[field.id] = name
    return (line,)


def _row_path_lines(scope: ClassScope, field: Attribute, store: Store, step: int, contexts: str = "") -> Lines:
    """Return the statements that read and store a value or item that leads to rows; ``contexts``: entered first."""
    assert isinstance(field.type, UserType)
    spec, item = scope.spec, _item(field)
    whole = scope.struct.attribute(field.id)
    if whole is not None and whole.switch is not None:
        item = f"{item}_{field_name(field.type.path[-1])}"
    is_row = any(path[-1] == spec.steps[step] for each in spec.tables for path in each.row_paths)
    is_block = field.process is not None and not (field.is_cut and field.process.name in SIZE_PRESERVING)
    part = "io" if isinstance(field.size, OwnSize) and not is_block else f"part_{field_name(field.id)}"
    running = [f"running_checksums={lost}"] if (lost := lost_checksums(scope, field)) else []
    if field.contains_content_errors and scope.own:
        confines = True if isinstance(field.size, WithinSize) else scope.steps_before(field)
        running.append(f"confines={confines}")
    before: Lines = ()
    body: Lines = ()
    if field.process is not None and is_block:
        data = f"data_{field_name(field.id)}"
        before = () if field.id in scope.taken else (f"{data} = {wire_text(scope, field)}",)
        function, *arguments = process_decoder(scope, field, field.process)
        entered = f"{scope.call('towards_block', 'self', 'io', data, step, *running)} as log"
        expanded = ", ".join(("io", repr(field.key_path), function, data, *arguments))
        body = (f"{part} = log.expanded({expanded})", *verify_content(scope, field, part))
    else:
        begin = f"begin_{field_name(field.id)}" if field.is_cut else ""
        before = (f"{begin} = io.pos()",) if begin else ()
        before += (f"{part} = {_part_text(scope, field, step)}",) if part != "io" else ()
        if isinstance(field.size, WithinSize):
            entered = scope.call("towards_bytes", "self", "io", part, "begin", step, *running)
        else:
            more = [*running, f"begin={begin}"] if begin else running
            entered = scope.call("towards_rows", "self", "io", part, step, *more)
        entered = f"{contexts}{entered}{' as log' if is_row else ''}"
    made = object_lines(scope, field, field.type, part, Store(f"{item} = ", item=store.item))
    if contains_process_errors(scope, field) and not is_block:
        nothing = (f"{item} = {constructed(scope, field, field.type, '')}",)
        made = message_or_refused(scope, field, made, nothing)
    made += check_field(scope, field, item)
    if store.item and part == "io":
        # Items on the way to rows consist of whole bytes: the bits that are left are no beginning of another one.
        made += ("io.align_to_byte()",) if spec.struct(field.type.path).may_end_inside_a_byte else ()
    if is_row:
        made = (f"log.begin({part})", *made, f"log.end({part}, {item})")
    body += (*made, store.statement(item))
    if lost_item := _lost(scope, field):
        before, body = (*before, f"{lost_item} = True"), (*body, f"{lost_item} = False")
    return (*before, block(f"with {entered}:", body))


def _part_text(scope: ClassScope, field: Attribute, step: int) -> str:
    """Return the text that creates the stream of a sized value that leads to rows."""
    whole = any(each.whole for each in scope.spec.tables)
    if not whole or field.process is not None or field.is_cut or field.id in scope.taken:
        return stream_text(scope, field)
    match field.size:
        case FixedSize(size):
            return scope.call("part_with_rows", "self", "io", step, str(size))
        case ExpressionSize(expression):
            return scope.call("part_with_rows", "self", "io", step, scope.text(expression, field))
        case EndOfStreamSize():
            return scope.call("part_with_rows", "self", "io", step)
        case _:
            return stream_text(scope, field)


def _lost(scope: ClassScope, field: Attribute) -> str:
    """Return the variable that tells whether an item that may be the last one is lost, and so is not; empty if that
    cannot be."""
    whole = scope.struct.attribute(field.id)
    if whole is None or not isinstance(whole.repeat, RepeatUntil) or "_" not in names_in(whole.repeat.expression):
        return ""
    forms = (each for each in (field, *field.forms) if scope.row_step(each) is not None)
    contains = any(not isinstance(each.size, OwnSize) for each in forms)
    return f"lost_{field_name(field.id)}" if contains else ""


def _item(field: Attribute) -> str:
    # Named after the field, since a type checker allows a name only one type per method.
    return f"item_{field_name(field.id)}"


def uses_index(expressions: tuple[Node, ...]) -> bool:
    """Return whether an expression uses the index of the item."""
    return any("_index" in names_in(each) for each in expressions)


# One value -----------------------------------------------------------------------------------------------------------


def value_lines(scope: ClassScope, field: Attribute, store: Store) -> Lines:
    """Return the statements that read one value and store it."""
    if field.switch is not None:
        return _switch(scope, field, field.switch, store)
    match field.type:
        case EnumType(path, base):
            number = _number(base)
            if number is None:
                refuse(field.position, f"the enum of '{field.id}' requires an integer")
            return f"raw = {number}", store.statement(f"{scope.module.table(path)}.get(raw, raw)")
        case IntegerType() | FloatType() | BitsType():
            return (store.statement(_number(field.type) or ""),)
        case VarintType() as kind:
            keys = f"big_endian={kind.big_endian}", f"zigzag={kind.zigzag}", f"reason={field.reason!r}"
            return (
                store.statement(scope.call("read_varint", "io", kind.groups, kind.most, repr(field.key_path), *keys)),
            )
        case BytesType():
            return _bytes(scope, field, store)
        case StringType(encoding):
            return (store.statement(decoded(scope, field, encoding, bytes_text(scope, field), field.key_path)),)
        case UserType():
            return object_in_place(scope, field, field.type, store)
    raise refusal(field.position, f"the type of '{field.id}' cannot be read")


def _number(kind: object) -> str | None:
    """Return the text that reads a number of the given type from the stream."""
    match kind:
        case IntegerType(size, signed, endian):
            return _number_of(f"{'s' if signed else 'u'}{size}", endian if size > 1 else "")
        case FloatType(size, endian):
            return _number_of(f"f{size}", endian)
        case BitsType(1, endian):
            return f"io.read_bits_int_{endian}(1) != 0"
        case BitsType(width, endian):
            return f"io.read_bits_int_{endian}({width})"
    return None


def _number_of(code: str, endian: str | None) -> str:
    if endian == "computed":
        return f"io.read_{code}le() if self._is_le else io.read_{code}be()"
    return f"io.read_{code}{endian}()"


def _switch(scope: ClassScope, field: Attribute, switch: Switch, store: Store) -> Lines:
    # Without a size nothing is known about values that match no case, and nothing is read.
    absent = not switch.exhaustive and (scope.own or (scope.lazy and not store.item))
    otherwise: Lines = (store.statement("None"),) if absent else ()
    store = replace(store, cased=True)
    branches = [(matches, _form_lines(scope, each, store)) for matches, each in switch.branches]
    if switch.otherwise is not None:
        otherwise = _form_lines(scope, switch.otherwise, store)
        whole = scope.struct.attribute(field.id)
        if scope.own and whole is not None and whole.has_default_case:
            otherwise = (f"self.{DEFAULT_CASE} = True", *otherwise)
    return branching(scope, field, switch.on, branches, otherwise)


def _form_lines(scope: ClassScope, form: Attribute, store: Store) -> Lines:
    """Return the statements that read a value of the type that a switch has selected."""
    step = scope.row_step(form)
    if step is None:
        return value_lines(scope, form, store)
    # The value is checked where it is stored, regardless of its type.
    return _row_path_lines(scope, replace(form, valid=None), store, step)


def _bytes(scope: ClassScope, field: Attribute, store: Store) -> Lines:
    checked = checked_content(scope, field)
    value = scope.call("content_of", f"part_{field_name(field.id)}") if checked else bytes_text(scope, field)
    return (*checked, store.statement(value))
