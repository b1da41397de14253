"""``_write__seq``: writes the fields in order."""

from __future__ import annotations

from itertools import groupby

from ....expression.nodes import Node
from ....expression.types import BitsType, BytesType, FloatType, IntegerType, StringType, UserType
from ....tree import Attribute, Run, run_of
from ....tree.leaves import Framing, RepeatCount, RepeatEos, RepeatUntil
from ..constructing import switch_branches
from ..encoding import array_arguments, is_array, packer_text, write_number
from ..endian import endian_lines, inherited_argument
from ..instances import is_cached, slot
from ..names import field_name
from ..runs import names_text, packer
from ..scope import ClassScope, member
from ..statements import loop, when_all
from ..view import Lines, MethodView
from .checksums import backpatch_lines, wanted_marks
from .content import data_text, enclosed_line, write_content, write_object
from .deferral import arguments_of, depends_on_position, depends_on_stream, item_name, write_computed
from .tags import as_case


def write_method(scope: ClassScope) -> MethodView:
    """Return the method that writes the fields of ``seq``."""
    placed = [field_name(each.id) for each in scope.struct.instances if each.attribute is not None]
    stale = [
        slot(each) for each in scope.struct.instances if is_cached(scope, each) and depends_on_stream(scope, each.value)
    ]
    lines = ["super()._write__seq(io)", *(f"self._should_write_{each} = self.{each}__enabled" for each in placed)]
    lines += [f"self._forget({', '.join(map(repr, stale))})"] if stale else []
    lines += endian_lines(scope)
    written: list[str] = []
    marks = wanted_marks(scope)
    for fused, group in groupby(scope.struct.attributes, key=_can_be_fused):
        together = tuple(group)
        for run in (together,) if fused else ((each,) for each in together):
            whole = run_of(run) if len(run) > 1 else None
            written.extend(marks.before(run, (0,) if whole is None else whole.offsets))
            target = member(run[0].id)
            written.extend(field_writer(scope, run[0], target) if whole is None else _write_run(scope, whole))
            written.extend(marks.after(run))
    written.extend(backpatch_lines(scope, marks))
    lines += ["io = self._io", *written] if written else []
    return MethodView(f"_write__seq(self, io: {scope.use('KaitaiStream')} | None = None) -> None", tuple(lines))


# Runs ----------------------------------------------------------------------------------------------------------------


def _can_be_fused(field: Attribute) -> bool:
    """Return whether the value can be written together with its neighbours."""
    plain = not isinstance(field.type, BytesType | StringType) or not field.is_cut
    return plain and field.fixed_size is not None


def _write_run(scope: ClassScope, run: Run) -> Lines:
    lines = [line for each in run.attributes for line in write_computed(scope, each, member(each.id))]
    for piece in run.pieces:
        names = names_text([each.id for each in piece.attributes])
        sizes = repr(tuple(each.fixed_size for each in piece.attributes))
        values = [data_text(scope, each, member(each.id)) for each in piece.attributes]
        lines.append(scope.call("write_run", "io", packer(scope, piece), names, sizes, *values))
    return tuple(lines)


# One field -------------------------------------------------------------------------------------------------------


def field_writer(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the statements that write a field of ``seq`` or of an instance, including conditions and repetition."""
    lines = _write_repeated(scope, field, value) if field.repeat else _write_item(scope, field, value, None)
    if field.condition is None or not lines:
        return lines
    condition = scope.text(field.condition, field)
    if depends_on_stream(scope, field.condition):
        condition = scope.call("expected", "io", "self", repr(field_name(field.id)), condition)
    return (when_all([condition], lines),)


def _write_repeated(scope: ClassScope, field: Attribute, values: str) -> Lines:
    item, id = item_name(field), repr(field.id)
    repeat = field.repeat
    if isinstance(repeat, RepeatCount) and is_array(field):
        line = scope.call("write_numbers", "io", *array_arguments(field, values))
        return (*_deferred_count(scope, field, repeat.expression, values), line)
    objects = field.framing is not None or any(each.has_stream for each in field.forms)
    body = list(_write_item(scope, field, item, "index" if objects else None))
    before: Lines = ()
    after: Lines = ()
    match repeat:
        case RepeatCount(expression):
            before = _deferred_count(scope, field, expression, values)
        case RepeatEos():
            body.insert(0, scope.call("room", "io", id))
            after = (scope.call("at_end", "io", id),)
        case RepeatUntil(expression) if depends_on_stream(scope, expression) or depends_on_position(scope, expression):
            ends = scope.text(expression, field, _=item)
            body.append(scope.call("check_last_now", "io", id, ends, "index", values))
    return (*before, loop(item, values, tuple(body)), *after)


def _deferred_count(scope: ClassScope, field: Attribute, expression: Node, values: str) -> Lines:
    """Return the check of a count that is known only when the items are written."""
    if not depends_on_stream(scope, expression) and not depends_on_position(scope, expression):
        return ()
    return (scope.call("check_count_now", "io", repr(field.id), values, scope.text(expression, field)),)


def _write_item(scope: ClassScope, field: Attribute, value: str, index: str | None) -> Lines:
    if field.framing is not None:
        return _write_framed(scope, field, field.framing, value)
    deferred = write_computed(scope, field, value)
    if field.switch is None:
        return (*deferred, *_write_value(scope, field, value, index))

    def write(case: Attribute) -> Lines:
        return _write_value(scope, case, as_case(scope, field, case, value), index)

    return (*deferred, *switch_branches(scope, field, field.switch, write))


def _write_value(scope: ClassScope, field: Attribute, value: str, index: str | None) -> Lines:
    kind = field.type.on_wire
    match kind:
        case BytesType() | StringType():
            return write_content(scope, field, value)
        case UserType():
            own_stream = field.has_stream
            write = write_object(scope, field, value, index) if own_stream else (f"{value}._write__seq(io)",)
            return (*_deferred_arguments(scope, field, kind, value), *write)
        case BitsType(width, endian):
            return (f"io.write_bits_int_{endian}({width}, int({value}))",)
        case IntegerType() | FloatType():
            return (write_number(scope, packer_text(scope, field, kind), repr(field.id), value),)
    raise AssertionError(kind)


def _deferred_arguments(scope: ClassScope, field: Attribute, kind: UserType, value: str) -> Lines:
    """Return the statements that update arguments that depend on a stream for the stream that is written, and the byte
    order.
    """
    deferred = {
        field_name(name): scope.text(argument, field)
        for name, argument in arguments_of(scope, field, kind)
        if depends_on_stream(scope, argument)
    }
    if scope.spec.owns(kind):
        deferred.update(("_is_le", each) for each in inherited_argument(scope, kind))
    return tuple(scope.call("set_argument", value, repr(name), each) for name, each in deferred.items())


def _write_framed(scope: ClassScope, field: Attribute, framing: Framing, value: str) -> Lines:
    """Return the statement that writes an item between delimiters, stuffed so that it contains none."""
    parts = [repr(field.id), f"terminator={framing.delimiter!r}", "keeps_size=False", "index=index"]
    encoder = [scope.use("stuff"), f"{scope.use('Stuffing')}.{framing.stuffing.made}"]
    return (enclosed_line(scope, value, parts, encoder),)
