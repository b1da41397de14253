"""``_write__seq``: the attributes in their order, each as its field has it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ....expression.nodes import Node
from ....expression.types import BitsType, BytesType, EnumType, FloatType, IntegerType, StringType, UserType
from ....model.model import Attribute
from ....plan import Run
from ....plan.build import run_of
from ....plan.sizes import fixed_size
from ....wire import Framing, RepeatCount, RepeatEos, RepeatUntil
from ..endian import endian_lines, inherited_argument
from ..instances import is_kept, slot
from ..names import field_name
from ..runs import names_text, packer
from ..scope import ClassScope, member
from ..struct_codes import byte_order, number_code
from ..switches import cases_of, switch_branches
from ..view import Lines, MethodView
from ..writing import attribute_of, is_array, packer_text
from .blocks import loop, when
from .cases import as_case
from .checksums import late_lines, wanted_marks
from .computed import late_value
from .content import data_text, enclosed_line, has_stream, is_cut, write_content, write_object
from .questions import arguments_of, asks_place, asks_stream, is_foreign, item_name


def write_method(scope: ClassScope) -> MethodView:
    """The method that writes the attributes of ``seq``."""
    placed = [field_name(each.id) for each in scope.struct.instances if each.attribute is not None]
    stale = [slot(each) for each in scope.struct.instances if is_kept(scope, each) and asks_stream(scope, each.value)]
    written: list[str] = []
    marks = wanted_marks(scope)
    for run in _runs(scope.struct.attributes):
        fused = run_of(tuple(scope.plan.field(each.id) for each in run)) if len(run) > 1 else None
        written.extend(marks.before(scope, run, fused.offsets if fused is not None else (0,)))
        if fused is not None:
            written.extend(_write_run(scope, fused))
        else:
            written.extend(attribute_writer(scope, run[0], member(run[0].id)))
        written.extend(marks.after(scope, run))
    written.extend(late_lines(scope, marks))
    order = endian_lines(scope)
    line = scope.code("readwrite/write_seq", placed=placed, stale=stale, order=order, written=written)
    stream = scope.use("KaitaiStream")
    return MethodView(f"_write__seq(self, io: {stream} | None = None) -> None", (line,))


# Runs ----------------------------------------------------------------------------------------------------------------


def _runs(attributes: tuple[Attribute, ...]) -> Iterator[tuple[Attribute, ...]]:
    """The attributes in order, those together that are written together."""
    for fused, group in groupby(attributes, key=_can_be_fused):
        run = tuple(group)
        yield from (run,) if fused else ((each,) for each in run)


def _can_be_fused(attribute: Attribute) -> bool:
    """Whether the value can be written together with its neighbours."""
    plain = not isinstance(attribute.type, BytesType | StringType) or not is_cut(attribute)
    return plain and fixed_size(attribute) is not None


def _write_run(scope: ClassScope, run: Run) -> Lines:
    attributes = {each.id: attribute_of(scope, each) for each in run.fields}
    lines = [line for each in attributes.values() for line in late_value(scope, each, member(each.id))]
    for piece in run.pieces:
        names = names_text([each.id for each in piece.fields])
        sizes = repr(tuple(each.fixed_size for each in piece.fields))
        values = [data_text(scope, attributes[each.id], member(each.id)) for each in piece.fields]
        given = {"names": names, "sizes": sizes, "values": values}
        lines.append(scope.code("readwrite/write_run", packer=packer(scope, piece), **given))
    return tuple(lines)


# One attribute -------------------------------------------------------------------------------------------------------


def attribute_writer(scope: ClassScope, attribute: Attribute, value: str) -> Lines:
    """Write an attribute of ``seq`` or of an instance, with everything that it says."""
    lines = _write_repeated(scope, attribute, value) if attribute.repeat else _write_item(scope, attribute, value, None)
    if attribute.condition is None or not lines:
        return lines
    condition = scope.text(attribute.condition, attribute)
    if asks_stream(scope, attribute.condition):
        condition = scope.code("readwrite/expected", name=field_name(attribute.id), condition=condition)
    return (when(scope, [condition], lines),)


def _write_repeated(scope: ClassScope, attribute: Attribute, values: str) -> Lines:
    item = item_name(attribute)
    repeat = attribute.repeat
    if isinstance(repeat, RepeatCount) and isinstance(attribute.type, IntegerType | FloatType) and is_array(attribute):
        order, code = byte_order(attribute.type.endian), number_code(attribute.type)
        line = scope.code("write_numbers", order=order, code=code, id=attribute.id, values=values)
        return (*_late_count(scope, attribute, repeat.expression, values), line)
    objects = attribute.framing is not None or any(has_stream(each) for each in cases_of(attribute))
    body = list(_write_item(scope, attribute, item, "index" if objects else None))
    before: Lines = ()
    after: Lines = ()
    match repeat:
        case RepeatCount(expression):
            before = _late_count(scope, attribute, expression, values)
        case RepeatEos():
            body.insert(0, scope.code("readwrite/room", id=attribute.id))
            after = (scope.code("readwrite/at_end", id=attribute.id),)
        case RepeatUntil(expression) if asks_stream(scope, expression) or asks_place(scope, expression):
            ends = scope.text(expression, attribute, _=item)
            body.append(scope.code("readwrite/check_last_now", id=attribute.id, ends=ends, values=values))
    return (*before, loop(scope, item, values, body), *after)


def _late_count(scope: ClassScope, attribute: Attribute, expression: Node, values: str) -> Lines:
    """The check of a count that is known only where the items are written."""
    if not asks_stream(scope, expression) and not asks_place(scope, expression):
        return ()
    count = scope.text(expression, attribute)
    return (scope.code("readwrite/check_count_now", id=attribute.id, values=values, count=count),)


def _write_item(scope: ClassScope, attribute: Attribute, value: str, index: str | None) -> Lines:
    if attribute.framing is not None:
        return _write_framed(scope, attribute, attribute.framing, value)
    late = late_value(scope, attribute, value)
    if attribute.switch is None:
        return (*late, *_write_value(scope, attribute, value, index))

    def write(case: Attribute) -> Lines:
        return _write_value(scope, case, as_case(scope, attribute, case, value), index)

    return (*late, *switch_branches(scope, attribute, attribute.switch, write))


def _write_value(scope: ClassScope, attribute: Attribute, value: str, index: str | None) -> Lines:
    kind = attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type
    match kind:
        case BytesType() | StringType():
            return write_content(scope, attribute, value)
        case UserType():
            write: Lines = (scope.code("readwrite/write_object", value=value),)
            if has_stream(attribute):
                write = write_object(scope, attribute, value, index)
            return (*_late_arguments(scope, attribute, kind, value), *write)
        case BitsType(width, endian):
            return (scope.code("readwrite/write_bits", endian=endian, width=width, value=value),)
        case IntegerType() | FloatType():
            packer = packer_text(scope, attribute, kind)
            return (scope.code("readwrite/write_number", packer=packer, id=attribute.id, value=value),)
    raise AssertionError(kind)


def _late_arguments(scope: ClassScope, attribute: Attribute, kind: UserType, value: str) -> Lines:
    """Arguments that are streams, or ask one, are those of the stream that is written; so is a byte order."""
    late = {
        field_name(name): scope.text(argument, attribute)
        for name, argument in arguments_of(scope, attribute, kind)
        if asks_stream(scope, argument)
    }
    if not is_foreign(scope, kind):
        late.update(("_is_le", each) for each in inherited_argument(scope, kind))
    return tuple(
        scope.code("readwrite/set_argument", value=value, name=name, argument=each) for name, each in late.items()
    )


def _write_framed(scope: ClassScope, attribute: Attribute, framing: Framing, value: str) -> Lines:
    """An item between delimiters, stuffed so that it holds none."""
    parts = [repr(attribute.id), f"terminator={framing.delimiter!r}", "keeps_size=False", "index=index"]
    encoder = [scope.use("stuff"), f"{scope.use('Stuffing')}.{framing.stuffing.upper()}"]
    return (enclosed_line(scope, value, parts, encoder),)
