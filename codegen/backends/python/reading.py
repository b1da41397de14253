"""Attributes as the statements that read them: one value, its repetition, its condition, its checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ...expression.nodes import BooleanLiteral
from ...expression.types import BitsType, BytesType, EnumType, FloatType, IntegerType, StringType, UserType
from ...model.encodings import python_codec
from ...model.model import (
    Attribute,
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    OwnSize,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    Switch,
    TerminatedSize,
)
from ...plan.checks import has_checks
from ...plan.presence import may_be_unmatched
from ...plan.sizes import nodes
from ..base import refusal, refuse
from .api import Api
from .buffered_types import has_series
from .debugging import recorded
from .endian import inherited_argument
from .mentions import mentions_name
from .names import field_name
from .processing import SIZE_PRESERVING, is_deferred, processed, undoing
from .scope import ClassScope
from .struct_codes import byte_order, number_code
from .switches import switch_branches
from .validation import check_lines
from .view import Line, Lines, block

Store = Callable[[str], Line]
"""Makes the statement that keeps a value of which the text is given."""


def attribute_lines(scope: ClassScope, attribute: Attribute, target: str, source: str) -> Lines:
    """Reads an attribute of ``seq`` or of a ``pos`` instance into ``target``, with everything that it says."""
    if attribute.repeat is None:
        lines = value_lines(scope, attribute, lambda text: Line(f"{target} = {text}"), source)
        lines += check_lines(scope, attribute, target, source)
    else:
        lines = repeated_lines(scope, attribute, target, source)
    lines = recorded(scope, attribute, "", lines)
    if attribute.condition is None:
        return lines
    branch = block(f"if {scope.text(attribute.condition, attribute)}:", lines)
    # With Kaitai's API what is absent is not set.
    return (branch, block("else:", [Line(f"{target} = None")])) if scope.module.api is Api.WIRELOOM else (branch,)


# Repetition ----------------------------------------------------------------------------------------------------------


def repeated_lines(scope: ClassScope, attribute: Attribute, target: str, source: str) -> Lines:
    """Reads a repeated attribute into a new list."""
    name = _new_list(attribute)
    annotation = f"{scope.annotations.builtin('list')}[{scope.annotations.of_item(attribute)}]"
    at_once = _array(scope, attribute)
    if at_once is not None:
        return (Line(f"{target} = {at_once}"),)
    begin = (Line(f"{name}: {annotation} = []"), Line(f"{target} = {name}"))
    if has_series(scope.module, attribute) and not isinstance(attribute.repeat, RepeatUntil):
        items = bounded(scope, series_text(scope, attribute), attribute)
        return (*begin, Line(f"{scope.use('gather')}({name}, {items})"))
    return (
        *begin,
        *loop_lines(scope, attribute, lambda text: Line(f"{name}.append({_alone(text)})"), source),
    )


def _new_list(attribute: Attribute) -> str:
    """The local variable of the list of the items."""
    return f"new_{field_name(attribute.id)}"


def _array(scope: ClassScope, attribute: Attribute) -> str | None:
    """A counted list of plain numbers is read in one step."""
    if not isinstance(attribute.repeat, RepeatCount) or has_checks(attribute) or attribute.switch:
        return None
    if scope.module.debug:
        return None
    if not isinstance(attribute.type, IntegerType | FloatType):
        return None
    if attribute.type.endian == "computed":
        return None
    function = scope.use("read_floats" if isinstance(attribute.type, FloatType) else "read_numbers")
    order, code = byte_order(attribute.type.endian), number_code(attribute.type)
    return f"{function}(io, {order!r}, {code!r}, {scope.text(attribute.repeat.expression, attribute)})"


def loop_lines(scope: ClassScope, attribute: Attribute, keep: Store, source: str) -> Lines:
    """The loop over the items of a repeated attribute; ``keep`` appends or yields one."""
    if attribute.framing is not None:
        return _framed_loop(scope, attribute, keep)
    if has_series(scope.module, attribute):
        return _series_loop(scope, attribute, keep)
    counts = uses_index(attribute)
    body = list(recorded(scope, attribute, "[-1]", item_lines(scope, attribute, keep, source)))
    lines: list[Line] = []
    if scope.module.minimums.of(replace(attribute, repeat=None)) == 0:
        lines.append(Line(f"progress = {scope.use('Progress')}(io, {source!r})"))
        body.append(Line("progress.check()"))
    number = "index" if counts else "_"
    match attribute.repeat:
        case RepeatCount(expression):
            items = f"range({scope.text(expression, attribute)})"
            head = f"for {number} in {bounded(scope, items, attribute)}:"
            return (*lines, block(head, body))
        case RepeatUntil(expression):
            condition = scope.text(expression, attribute, _=_item(attribute))
            body.append(block(f"if {condition}:", [Line("break")]))
            return (*lines, block(f"for {number} in {bounded(scope, scope.use('count') + '()')}:", body))
    if counts:
        lines.insert(0, Line("index = 0"))
        body.append(Line("index += 1"))
    return (*lines, block(f"for _ in {bounded(scope, 'iter(io.is_eof, True)')}:", body))


def bounded(scope: ClassScope, items: str, attribute: Attribute | None = None) -> str:
    """What a repetition iterates over: ``items``, of which decompressed bytes must not become too many. Those of
    ``attribute`` are as many as it says, where it does.

    Kaitai's API has no such limit.
    """
    if scope.module.api is not Api.WIRELOOM:
        return items
    known = ""
    if attribute is not None and isinstance(attribute.repeat, RepeatCount):
        least = scope.module.minimums.of(replace(attribute, repeat=None))
        known = f", {scope.text(attribute.repeat.expression, attribute)}, {least}" if least else ""
    return f"{scope.use('bounded')}(io, {items}{known})"


def series_text(scope: ClassScope, attribute: Attribute) -> str:
    """The items of an attribute that ``has_series``, as an iterator that reads them."""
    assert isinstance(attribute.type, UserType)
    arguments = f"io, {parent_text(scope, attribute)}, self._root"
    if scope.module.api is Api.KAITAI_READ_WRITE:
        arguments += f", {_new_list(attribute)}"
    name = f"{scope.module.class_of(attribute.type.path)}._series"
    match attribute.repeat:
        case RepeatCount(expression):
            return f"{scope.use('first_items')}({name}({arguments}), {scope.text(expression, attribute)})"
        case RepeatEos():
            return f"{name}({arguments}, to_end=True)"
    return f"{name}({arguments})"


def _series_loop(scope: ClassScope, attribute: Attribute, keep: Store) -> Lines:
    item = _item(attribute)
    body = [keep(item)]
    if isinstance(attribute.repeat, RepeatUntil):
        condition = scope.text(attribute.repeat.expression, attribute, _=item)
        body.append(block(f"if {condition}:", [Line("break")]))
    items = bounded(scope, series_text(scope, attribute), attribute)
    if isinstance(attribute.repeat, RepeatUntil) and uses_index(attribute):
        return (block(f"for index, {item} in enumerate({items}):", body),)
    return (block(f"for {item} in {items}:", body),)


def item_lines(scope: ClassScope, attribute: Attribute, keep: Store, source: str) -> Lines:
    """Reads one item of a repeated attribute and keeps it."""
    until = attribute.repeat.expression if isinstance(attribute.repeat, RepeatUntil) else None
    if not has_checks(attribute) and not mentions_name(until, "_"):
        return value_lines(scope, attribute, keep, source)
    item = _item(attribute)
    return (
        *value_lines(scope, attribute, lambda text: Line(f"{item} = {text}"), source),
        *check_lines(scope, attribute, item, source),
        keep(item),
    )


def _item(attribute: Attribute) -> str:
    # Named after the attribute: a type checker gives one name one type per method.
    return f"item_{field_name(attribute.id)}"


def uses_index(attribute: Attribute) -> bool:
    """Whether an expression of the attribute asks for the number of the item."""
    return any(mentions_name(each, "_index") for each in nodes(attribute))


def _framed_loop(scope: ClassScope, attribute: Attribute, keep: Store) -> Lines:
    framing = attribute.framing
    if framing is None or not isinstance(attribute.repeat, RepeatEos) or not isinstance(attribute.type, UserType):
        refuse(attribute.position, "framing needs items of a type of the spec that repeat to the end")
    unstuffed = (
        f"{scope.use('unstuffed')}(frame, {scope.use('Stuffing')}.{framing.stuffing.upper()}, {scope.spec.max_record})"
    )
    frames = f"{scope.use('frames_in')}(io, {framing.delimiter!r}, {scope.spec.max_record})"
    head = f"for frame in {bounded(scope, frames)}:"
    stream = _substream(scope, unstuffed)
    return (block(head, _object_lines(scope, attribute, attribute.type, stream, keep)),)


# One value -----------------------------------------------------------------------------------------------------------


def value_lines(scope: ClassScope, attribute: Attribute, store: Store, source: str) -> Lines:
    """Reads one value and stores it."""
    if attribute.switch is not None:
        return _switch_lines(scope, attribute, attribute.switch, store, source)
    match attribute.type:
        case EnumType(path, base):
            table = scope.module.table(path)
            raw = _number(base)
            if raw is None:
                refuse(attribute.position, f"the enum of '{attribute.id}' needs an integer")
            return Line(f"raw = {raw}"), store(f"{table}.get(raw, raw)")
        case BitsType(1):
            return (store(f"{_number(attribute.type)} != 0"),)
        case IntegerType() | FloatType() | BitsType():
            return (store(_number(attribute.type) or ""),)
        case BytesType():
            return (store(bytes_text(scope, attribute, source)),)
        case StringType(encoding):
            return (store(decoded(scope, attribute, encoding, bytes_text(scope, attribute, source), source)),)
        case UserType():
            if isinstance(attribute.size, OwnSize):
                return _object_lines(scope, attribute, attribute.type, "io", store)
            lines = _object_lines(scope, attribute, attribute.type, _stream_text(scope, attribute, source), store)
            if attribute.process is None or not is_deferred(scope, attribute, attribute.process):
                return lines
            nothing = _object_lines(scope, attribute, attribute.type, "None", store)
            refused = Line(f"self._refuse_computed(error, {source!r})")
            failing = f"except {scope.use('ComputedError')} as error:"
            return block("try:", lines), block(failing, [refused, *nothing])
    raise refusal(attribute.position, f"the type of '{attribute.id}' cannot be read")


def _number(kind: object) -> str | None:
    """The text that reads a number of one type from the stream."""
    match kind:
        case IntegerType(size, signed, endian):
            return _read_call(f"{'s' if signed else 'u'}{size}", endian if size > 1 else "")
        case FloatType(size, endian):
            return _read_call(f"f{size}", endian)
        case BitsType(width, endian):
            return f"io.read_bits_int_{endian}({width})"
    return None


def _alone(text: str) -> str:
    """A number of computed endianness needs no parentheses where it is an argument."""
    return text[1:-1] if re.fullmatch(r"\(io\.read_\w+\(\) if self\._is_le else io\.read_\w+\(\)\)", text) else text


def _read_call(code: str, endian: str | None) -> str:
    if endian == "computed":
        return f"(io.read_{code}le() if self._is_le else io.read_{code}be())"
    return f"io.read_{code}{endian}()"


def _object_lines(scope: ClassScope, attribute: Attribute, kind: UserType, stream: str, store: Store) -> Lines:
    """Makes an object, and has it read where its constructor does not."""
    text = _user_value(scope, attribute, kind, stream)
    if scope.module.reads_at_once(kind):
        return (store(text),)
    name = f"object_{field_name(attribute.id)}"
    if may_have_types(scope, attribute):
        # A type checker gives one name one type per method.
        name += f"_{kind.path[-1]}"
    made, read = Line(f"{name} = {text}"), Line(f"{name}._read()")
    if attribute.repeat is None:
        return made, store(name), read
    # What can be read of an item is kept, also where it is the last that can be read.
    return made, block("try:", [read]), block("finally:", [store(name)])


def may_have_types(scope: ClassScope, attribute: Attribute) -> bool:
    """Whether the attribute, of which this may be one case, is of several types."""
    instance = scope.struct.instance(attribute.id)
    declared = instance.attribute if instance is not None else scope.struct.attribute(attribute.id)
    return declared is not None and declared.switch is not None


def _user_value(scope: ClassScope, attribute: Attribute, kind: UserType, stream: str) -> str:
    kaitai = scope.module.api is not Api.WIRELOOM
    if kind.opaque and not kaitai:
        refuse(attribute.position, f"the type '{'::'.join(kind.path)}' is defined nowhere")
    arguments = [scope.text(each, attribute) for each in attribute.arguments]
    arguments.append(stream)
    inside = kind.path[0] == scope.spec.root.path[0] and not kind.opaque
    if inside or not kaitai:
        # A type of another file is the root of its own; with Kaitai's API it has no parent either.
        arguments += [parent_text(scope, attribute), "self._root" if inside else "None"]
    if inside and kaitai:
        arguments += inherited_argument(scope, kind)
    return f"{scope.module.class_of(kind.path)}({', '.join(arguments)})"


def parent_text(scope: ClassScope, attribute: Attribute) -> str:
    """What an object that is read gets as its parent."""
    if attribute.parent is None:
        return "self"
    return "None" if isinstance(attribute.parent, BooleanLiteral) else scope.text(attribute.parent, attribute)


def decoded(scope: ClassScope, attribute: Attribute, encoding: str | None, data: str, source: str) -> str:
    """The text that turns wire bytes into a string."""
    name = codec(scope, attribute, encoding)
    if scope.module.api is Api.KAITAI:
        return f"{data}.decode({name!r})"
    return f"self._text({data}, {name!r}, {source!r})"


def codec(scope: ClassScope, attribute: Attribute, encoding: str | None) -> str:
    """Python's name of an encoding. With Kaitai's API one that Python does not know is an error when it is used."""
    found = python_codec(encoding or "UTF-8")
    if found is None and scope.module.api is Api.WIRELOOM:
        refuse(attribute.position, f"Python does not know the encoding '{encoding}'")
    return found or encoding or ""


# Bytes ---------------------------------------------------------------------------------------------------------------


def bytes_text(scope: ClassScope, attribute: Attribute, source: str) -> str:
    """The text that reads the bytes of a value: as many as the size says, cut, and with ``process`` undone."""
    process, text = attribute.process, trimmed(scope, attribute, _wire_text(scope, attribute))
    if process is None:
        return text
    if is_deferred(scope, attribute, process):
        return f"self._undone({source!r}, {undoing(scope, attribute, process, text)})"
    return processed(scope, attribute, process, text)


def _stream_text(scope: ClassScope, attribute: Attribute, source: str) -> str:
    """The text that makes a stream of these bytes."""
    process = attribute.process
    if process is not None and is_deferred(scope, attribute, process):
        text = trimmed(scope, attribute, _wire_text(scope, attribute))
        return f"self._undone_stream({source!r}, {undoing(scope, attribute, process, text)})"
    if process is not None and process.name not in SIZE_PRESERVING and scope.module.api is Api.WIRELOOM:
        text = trimmed(scope, attribute, _wire_text(scope, attribute))
        return f"{scope.use('undone_stream')}(io, {undoing(scope, attribute, process, text)})"
    return _substream(scope, bytes_text(scope, attribute, source))


def _substream(scope: ClassScope, data: str) -> str:
    """The text that makes a stream of a part of the stream that is read."""
    if scope.module.api is Api.WIRELOOM:
        return f"{scope.use('substream')}(io, {data})"
    return f"{scope.use('SubStream')}({data})"


def _wire_text(scope: ClassScope, attribute: Attribute) -> str:
    match attribute.size:
        case FixedSize(size):
            return f"io.read_bytes({size})"
        case ExpressionSize(expression):
            return f"io.read_bytes({scope.text(expression, attribute)})"
        case EndOfStreamSize():
            return "io.read_bytes_full()"
        case TerminatedSize() if attribute.terminator is not None:
            end = attribute.terminator
            single = len(end.value) == 1
            what = str(end.value[0]) if single else repr(end.value)
            return (
                f"io.read_bytes_term{'' if single else '_multi'}({what}, {end.include}, {end.consume}, {end.eos_error})"
            )
    raise refusal(attribute.position, f"the size of '{attribute.id}' is not known")


def trimmed(scope: ClassScope, attribute: Attribute, text: str) -> str:
    """``text`` without padding, and cut at a terminator inside a field of a given size."""
    if isinstance(attribute.size, TerminatedSize):
        return text
    if attribute.stripped is not None:
        text = f"{text}.rstrip({bytes((attribute.stripped,))!r})"
    if attribute.terminator is not None:
        text = f"{scope.use('cut')}({text}, {attribute.terminator.value!r}, include={attribute.terminator.include})"
    return text


# Switches ------------------------------------------------------------------------------------------------------------


def _switch_lines(scope: ClassScope, attribute: Attribute, switch: Switch, store: Store, source: str) -> Lines:
    # Without a size nothing is known of what no case takes, and nothing is read.
    absent = may_be_unmatched(attribute) and (scope.module.api is Api.WIRELOOM or (scope.lazy and not attribute.repeat))
    nothing = (store("None"),) if absent else ()
    return switch_branches(scope, attribute, switch, lambda case: value_lines(scope, case, store, source), nothing)
