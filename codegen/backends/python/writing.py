"""Attributes as the statements that write them, and the method that writes an object.

The order is: constants, the bytes from which lengths are derived, lengths and counts, checksums that can be computed
beforehand, the fields in order, and finally the checksums of bytes already written.
"""

from __future__ import annotations

from wireloom.base.dataclass import replace
from wireloom.format.stuffings import Stuffing

from ...expression.nodes import MemberAccess, Name, Node
from ...expression.types import (
    BitsType,
    BytesType,
    FloatType,
    IntegerType,
    StringType,
    UserType,
    VarintType,
)
from ...expression.walk import expressions_in, names_in, walk
from ...passes.filling import always_holds, depends_on_end, written_within
from ...tree import Attribute, ReadOnly, Run
from ...tree.leaves import Framing, RepeatCount, RepeatUntil, TerminatedSize
from ..base import refusal
from .checksums import backpatch_lines, precomputed_lines, running_checksum_lines
from .constructing import switch_branches
from .encoding import (
    Contents,
    array_arguments,
    content_lines,
    content_text,
    contents_in,
    contents_of,
    fitted_text,
    has_bytes,
    is_array,
    packer_text,
    processed_text,
    varint_text,
    with_parent,
    write_number,
)
from .endian import endian_lines
from .filling import absent, constants, derivations, has_deferred_condition, is_set, under_condition
from .marks import Marks
from .names import field_name
from .outdated import (
    before_lines,
    inserted_lines,
    is_inserted,
    measured,
    measured_lines,
    outdated_lines,
    unmeasured_lines,
)
from .reading import uses_index
from .runs import names_text, packer
from .scope import ClassScope, member
from .statements import attempt, block, when
from .validation import check_lines
from .variables import begin_lines, end_lines
from .view import Lines, MethodView
from .within import within_lines


def append_method(scope: ClassScope) -> MethodView:
    """Return the method that writes an object."""
    return MethodView(
        signature=f"_append(self, io: {scope.use('WriteStream')}) -> None",
        lines=_append_lines(scope) or ("pass",),
    )


def _append_lines(scope: ClassScope) -> Lines:
    why = scope.struct.read_only
    if why is not None:
        return (_write_refused(scope, why),)
    marks = Marks(scope.struct)
    backpatched = {each.attribute.id for each in scope.struct.checksums if each.value is None and not each.of_object}
    backpatched.update(map(marks.want_size, measured(scope.struct)))
    for name in backpatched:
        marks.want_begin(name)
    contents = contents_of(scope)
    wires = _wires(scope, contents)
    lines: list[str] = [*begin_lines(scope), *endian_lines(scope), *running_checksum_lines(scope), *constants(scope)]
    lines.extend(within_lines(scope, lambda field, wire: _wire_lines(scope, field, wire, {})))
    lines.extend(content_lines(scope, contents))
    wire_variables = {id: text for id, text in wires.items() if text.startswith("wire_")}
    lines.extend(before_lines(scope, wire_variables))
    solved = [each for each in scope.struct.fills if each.how == "solved" and each.value is not None]
    early = [each for each in solved if each.value is not None and contents_in(each.value)]
    lines.extend(derivations(scope, early, wires, contents))
    # The bytes of an object of which a length is filled in come after those whose length it is.
    holders = {each.id.partition(".")[0] for each in solved if "." in each.id}
    late = [each for each in solved if each not in early and each.value is not None and _sizes(each.value) & holders]
    for ids, fills in ((wire_variables.keys() - holders, solved), (wire_variables.keys() & holders, late)):
        for field in scope.struct.attributes:
            if field.id in ids:
                lines.extend(_wire_lines(scope, field, wires[field.id], contents))
        done = early if fills is late else [*early, *late]
        lines.extend(derivations(scope, [each for each in fills if each not in done], wires, contents))
    lines.extend(outdated_lines(scope, wire_variables, lambda field, wire: _wire_lines(scope, field, wire, contents)))
    lines.extend(precomputed_lines(scope, contents))
    lines.extend(unmeasured_lines(scope))
    for step in scope.struct.steps:
        fields, offsets = (step.attributes, step.offsets) if isinstance(step, Run) else ((step,), (0,))
        lines.extend(marks.before(fields, offsets))
        if isinstance(step, Run):
            lines.extend(_write_run(scope, step, wires, backpatched))
        elif not is_inserted(step) and not written_within(step):
            lines.extend(_write_field(scope, step, wires))
        lines.extend(marks.after(fields))
        lines.extend(inserted_lines(scope, marks, fields[-1]))
    lines.extend(measured_lines(scope, marks))
    lines.extend(backpatch_lines(scope, marks))
    lines.extend(end_lines(scope, reads=False))
    return tuple(lines)


def _write_refused(scope: ClassScope, why: ReadOnly) -> str:
    """Return the statement that refuses to write an object, and says why."""
    reasons = [repr(each) for each in (scope.struct.path[-1], *why.unsolved)]
    reasons += [f"{name}={reason!r}" for name, reason in why.words.items() if reason]
    # The formatter puts arguments with a comma at the end on lines of their own.
    return f"raise {scope.call('only_read', *reasons, '')}"


# Bytes created before lengths --------------------------------------------------------------------------------------


def _wires(scope: ClassScope, contents: Contents) -> dict[str, str]:
    """Return the fields whose size is required by solved values, and the texts of their bytes: a local variable, or the
    value itself.
    """
    solved = [each.value for each in scope.struct.fills if each.how == "solved" and each.value is not None]
    used = {name for each in solved for name in _sizes(each)} | contents.keys()
    found: dict[str, str] = {}
    for field in scope.struct.attributes:
        if field.id in used and all(map(has_bytes, field.forms)) and field.repeat is None:
            plain = (
                field.switch is None
                and field.condition is None
                and content_text(scope, field, "_", size_known=False) == "_"
            )
            found[field.id] = member(field.id) if plain else f"wire_{field_name(field.id)}"
    return found


def _sizes(expression: Node) -> set[str]:
    return {
        each.value.id
        for each in walk(expression)
        if isinstance(each, MemberAccess) and each.name == "size" and isinstance(each.value, Name)
    }


def _wire_lines(scope: ClassScope, field: Attribute, wire: str, contents: Contents) -> Lines:
    """Return the statements that create the bytes of a field before it is written."""
    if field.switch is None:
        return (f"{wire} = {_wire_text(scope, field, contents)}",)

    def made(case: Attribute) -> Lines:
        value = _as_case(scope, field, case, _present(scope, field))
        return (f"{wire} = {content_text(scope, case, value, size_known=False)}",)

    branches = under_condition(scope, field, switch_branches(scope, field, field.switch, made))
    return (f'{wire} = b""', *branches)


def _wire_text(scope: ClassScope, field: Attribute, contents: Contents) -> str:
    if field.id in contents:
        return processed_text(scope, field, contents[field.id])
    if field.condition is None:
        return content_text(scope, field, member(field.id), size_known=False)
    content = content_text(scope, field, _present(scope, field), size_known=False)
    return f"b'' if getattr(self, {field_name(field.id)!r}, None) is None else {content}"


# Runs ----------------------------------------------------------------------------------------------------------------


def _write_run(scope: ClassScope, run: Run, wires: dict[str, str], backpatched: set[str]) -> Lines:
    lines: list[str] = []
    for field in run.attributes:
        if field.id not in backpatched and field.contents is None and not always_holds(scope.struct, field):
            lines.extend(check_lines(scope, field, member(field.id)))
    for piece in run.pieces:
        values = [_packable(scope, each, wires) for each in piece.attributes]
        lines.extend(_write_packed(scope, packer(scope, piece), [each.id for each in piece.attributes], values))
    return tuple(lines)


def _write_packed(scope: ClassScope, packer: str, ids: list[str], values: list[str]) -> Lines:
    """Return the statements that pack values and write them. Several are packed without a call in between; on failure a
    call reports the value that does not fit.
    """
    names = names_text(ids)
    if len(values) == 1:
        return (write_number(scope, packer, names, values[0]),)
    error, listed = f"{scope.module.use_module('struct')}.error", ", ".join(values)
    if values == [f"self.{each}" for each in ids]:
        checked = f"self._check_fields({packer}, {names})"
        return (attempt([f"io.write_bytes({packer}.pack({listed}))"], error, [checked, "raise"]),)
    variable = f"values_{field_name(ids[0])}"
    checked, written = (
        scope.call("packed", packer, names, f"*{variable}"),
        f"io.write_bytes({packer}.pack(*{variable}))",
    )
    return f"{variable} = {listed}", attempt([written], error, [checked, "raise"])


def _packable(scope: ClassScope, field: Attribute, wires: dict[str, str]) -> str:
    if not has_bytes(field) or field.contents is not None:
        return member(field.id)
    content = wires.get(field.id) or content_text(scope, field, member(field.id))
    return fitted_text(scope, field, content)


# Other fields ----------------------------------------------------------------------------------------------------


def _write_field(scope: ClassScope, field: Attribute, wires: dict[str, str]) -> Lines:
    value = _present(scope, field)
    if field.repeat is None:
        lines = _write_checked(scope, field, value, wires.get(field.id))
    else:
        lines = _write_repeated(scope, field, value)
    if field.condition is None:
        return lines
    if field.contents is not None and field.repeat is None and has_deferred_condition(field):
        lines = (f"{member(field.id)} = {field.contents!r}", *lines)
    if "_io" not in names_in(field.condition):
        if field.id in wires and field.switch is None:
            # The bytes were created without the condition, from nothing if there is no value.
            lines = (value, *lines)
        return under_condition(scope, field, (*absent(field), *lines))
    # A writer cannot ask for the rest of the input: what is set is written.
    return (when(is_set(field), lines),)


def _present(scope: ClassScope, field: Attribute) -> str:
    target = member(field.id)
    return target if field.condition is None else scope.call("some", target, repr(field.id))


def _write_framed(scope: ClassScope, field: Attribute, framing: Framing, item: str) -> str:
    content, delimiter = content_text(scope, field, item), repr(framing.delimiter)
    if framing.stuffing == Stuffing.NONE:
        return f"io.write_bytes({scope.call('delimited', content, delimiter)})"
    stuffed = scope.call("stuff", content, f"{scope.use('Stuffing')}.{framing.stuffing.made}")
    return f"io.write_bytes({stuffed} + {delimiter})"


def _write_repeated(scope: ClassScope, field: Attribute, values: str) -> Lines:
    item, ends = f"item_{field_name(field.id)}", ""
    match field.repeat:
        case RepeatCount(expression):
            values = scope.call("counted", values, scope.text(expression, field), repr(field.id))
            if is_array(field):
                return (scope.call("write_numbers", "io", *array_arguments(field, values)),)
        case RepeatUntil(expression):
            values = scope.call("at_least_one", values, repr(field.id))
            ends = "" if depends_on_end(expression) else scope.text(expression, field, _=item)
    if field.framing is not None:
        body: Lines = (_write_framed(scope, field, field.framing, item),)
    else:
        body = _write_checked(scope, field, item, None)
    if ends:
        body += (scope.call("check_end", ends, "index", f"len({_present(scope, field)})", repr(field.id)),)
    if ends or uses_index(tuple(expressions_in(_without_arguments(field)))):
        return (block(f"for index, {item} in enumerate({values}):", body),)
    return (block(f"for {item} in {values}:", body),)


def _without_arguments(field: Attribute) -> Attribute:
    """Return the field for a writer of its items: an object to be written already has its arguments."""
    switch = field.switch
    if switch is not None:
        switch = replace(switch, cases=tuple(replace(each, arguments=()) for each in switch.cases))
    return replace(field, arguments=(), switch=switch, repeat=None)


def _write_checked(scope: ClassScope, field: Attribute, value: str, content: str | None) -> Lines:
    checks = check_lines(scope, field, value)
    if field.switch is None:
        return (*checks, *_write_value(scope, field, value, content))

    bodies = {_write_value(scope, case, value, content) for case in field.forms if content is not None}
    if len(bodies) == 1:
        return (*checks, *bodies.pop())

    def write(case: Attribute) -> Lines:
        return _write_value(scope, case, _as_case(scope, field, case, value), content)

    return (*checks, *switch_branches(scope, field, field.switch, write))


def _as_case(scope: ClassScope, field: Attribute, case: Attribute, value: str) -> str:
    annotation = scope.annotations.of(case.type)
    if isinstance(case.type, UserType | BytesType | StringType) and not getattr(case.type, "opaque", False):
        # Otherwise a value of another type would be written as if it had this one.
        return scope.call("of_case", annotation, value, repr(field.id))
    if annotation != scope.annotations.of(field.type):
        return scope.call("cast", repr(annotation), value)
    return scope.call("some", value, repr(field.id)) if field.unmatched else value


def _write_value(scope: ClassScope, field: Attribute, value: str, content: str | None) -> Lines:
    if has_bytes(field):
        content = content or content_text(scope, field, value)
        lines: Lines = (f"io.write_bytes({fitted_text(scope, field, content)})",)
        end = field.terminator
        if end is not None and isinstance(field.size, TerminatedSize) and not end.consume:
            lines += (f"io.ends_with({end.value!r}, {field.id!r}, required={end.eos_error})",)
        return lines
    match field.type.on_wire:
        case UserType() as kind:
            if field.parent is None and scope.spec.owns(kind) and value.isidentifier():
                return (f"{value}._parent = self", f"{value}._root = self._root", f"{value}._append(io)")
            return (f"{with_parent(scope, field, value)}._append(io)",)
        case BitsType(width, endian):
            number = scope.call("within", value, width, repr(field.id))
            return (f"io.write_bits_int_{endian}({width}, {number})",)
        case VarintType() as kind:
            return (f"io.write_bytes({varint_text(scope, field, kind, value)})",)
        case IntegerType() | FloatType() as kind:
            return (write_number(scope, packer_text(scope, field, kind), repr(field.id), value),)
    raise refusal(field.position, f"the type of '{field.id}' cannot be written")
