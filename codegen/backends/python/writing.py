"""Attributes as the statements that write them, and the method that writes an object.

The order: constants, the bytes of what lengths are derived from, lengths and counts, checksums that can be computed
beforehand, the attributes in their order, and at last the checksums over what has been written.
"""

from __future__ import annotations

from dataclasses import replace

from ...expression.fold import constant_integer
from ...expression.nodes import Attribute as Member
from ...expression.nodes import Binary, IntegerLiteral, Name, Node
from ...expression.types import BitsType, BytesType, EnumType, FloatType, IntegerType, StringType, UserType
from ...expression.walk import walk
from ...model.model import Attribute
from ...model.read_only import read_only
from ...plan import Field, Run
from ...plan.checks import has_checks
from ...plan.presence import may_be_unmatched
from ...plan.sizes import nodes
from ...wire import ExpressionSize, Framing, RepeatCount, RepeatUntil, TerminatedSize
from ..base import refusal
from .checksums import early_lines, late_lines
from .encoding import adopted, asks_for_end, content_text, fitted_text, has_bytes, is_own
from .endian import endian_lines
from .marks import Marks
from .mentions import mentions_name
from .names import field_name
from .reading import Keep, uses_index
from .runs import names_text, packer
from .scope import ClassScope, member
from .settling import settled_lines
from .struct_codes import byte_order, number_code
from .switches import switch_branches
from .validation import check_lines
from .view import Lines, MethodView


def append_method(scope: ClassScope) -> MethodView:
    """The method that writes an object."""
    return MethodView(
        signature=f"_append(self, io: {scope.use('WriteStream')}) -> None",
        lines=_append_lines(scope) or ("pass",),
    )


def _append_lines(scope: ClassScope) -> Lines:
    unwritable = read_only(scope.struct)
    if unwritable is not None:
        return (scope.code("write_refused", type=unwritable.type, instance=unwritable.instance),)
    marks = Marks(scope.plan)
    late = {each.field.id for each in scope.plan.covers if each.value is None}
    for name in late:
        marks.want_begin(name)
    wires = _wires(scope)
    lines: list[str] = [*endian_lines(scope), *_constants(scope)]
    for attribute in scope.struct.attributes:
        if wires.get(attribute.id, "").startswith("wire_"):
            lines.append(_assigned(scope, wires[attribute.id], _wire_text(scope, attribute)))
    lines.extend(_derivations(scope, wires))
    lines.extend(settled_lines(scope, wires, lambda attribute: _wire_text(scope, attribute)))
    lines.extend(early_lines(scope))
    for step in scope.plan.steps:
        fields, offsets = (step.fields, step.offsets) if isinstance(step, Run) else ((step.field,), (0,))
        lines.extend(marks.before(scope, fields, offsets))
        if isinstance(step, Run):
            lines.extend(_write_run(scope, step, wires, late))
        else:
            lines.extend(_write_attribute(scope, attribute_of(scope, step.field), wires))
        lines.extend(marks.after(scope, fields))
    lines.extend(late_lines(scope, marks))
    return tuple(lines)


# What is filled in ---------------------------------------------------------------------------------------------------


def _assigned(scope: ClassScope, target: str, value: str) -> str:
    return scope.code("kept", keep=Keep(f"{target} = "), value=value)


def _constants(scope: ClassScope) -> Lines:
    """Fixed contents, and fields that the spec allows one value only."""
    lines: list[str] = []
    for fill in scope.plan.fills:
        attribute = scope.struct.attribute(fill.id)
        if attribute is None:
            continue
        if fill.how == "constant" and not _is_known_late(attribute):
            lines.append(_assigned(scope, member(fill.id), repr(fill.contents)))
        elif fill.how == "unless given" and fill.value is not None:
            value = scope.text(fill.value, attribute)
            lines.append(scope.code("unless_set", name=field_name(fill.id), value=value))
    return tuple(lines)


def _is_known_late(attribute: Attribute) -> bool:
    """Whether a condition says if the attribute is there, which may ask for what is derived."""
    return attribute.condition is not None and not mentions_name(attribute.condition, "_io")


def _wires(scope: ClassScope) -> dict[str, str]:
    """The attributes whose size is asked for by what is solved, and the texts of their bytes: a local variable, or the
    value itself."""
    solved = [each.value for each in scope.plan.fills if each.how == "solved" and each.value is not None]
    asked = {name for each in solved for name in _sizes(each)}
    found: dict[str, str] = {}
    for attribute in scope.struct.attributes:
        if attribute.id in asked and attribute.switch is None and has_bytes(attribute) and attribute.repeat is None:
            plain = attribute.condition is None and content_text(scope, attribute, "_", size_known=False) == "_"
            found[attribute.id] = member(attribute.id) if plain else f"wire_{field_name(attribute.id)}"
    return found


def _sizes(expression: Node) -> set[str]:
    return {
        each.value.id
        for each in walk(expression)
        if isinstance(each, Member) and each.name == "size" and isinstance(each.value, Name)
    }


def _wire_text(scope: ClassScope, attribute: Attribute) -> str:
    if attribute.condition is None:
        return content_text(scope, attribute, member(attribute.id), size_known=False)
    content = content_text(scope, attribute, _present(scope, attribute), size_known=False)
    return scope.code("wire_of_optional", name=field_name(attribute.id), content=content)


def _derivations(scope: ClassScope, wires: dict[str, str]) -> Lines:
    lines: list[str] = []
    for fill in scope.plan.fills:
        attribute = scope.struct.attribute(fill.id)
        if fill.how != "solved" or fill.value is None or attribute is None:
            continue
        translator = replace(scope.translator(attribute.position), sizes=wires)
        line = _assigned(scope, member(fill.id), translator.text(fill.value))
        lines.extend(_when(scope, attribute, (line,)))
    return tuple(lines)


def _when(scope: ClassScope, attribute: Attribute, lines: Lines) -> Lines:
    """``lines`` where the attribute is there."""
    if attribute.condition is None:
        return lines
    condition = scope.text(attribute.condition, attribute)
    return (scope.code("when", condition=condition, body=lines, otherwise=()),)


# Runs ----------------------------------------------------------------------------------------------------------------


def attribute_of(scope: ClassScope, field: Field) -> Attribute:
    """The attribute of which a field was planned."""
    found = scope.struct.attribute(field.id)
    assert found is not None
    return found


def _write_run(scope: ClassScope, run: Run, wires: dict[str, str], late: set[str]) -> Lines:
    lines: list[str] = []
    for field in run.fields:
        attribute = attribute_of(scope, field)
        if field.id not in late and attribute.contents is None and not _always_holds(scope, field):
            lines.extend(check_lines(scope, attribute, member(field.id), field.place))
    for piece in run.pieces:
        values = [_packable(scope, attribute_of(scope, each), wires) for each in piece.fields]
        lines.extend(_write_packed(scope, packer(scope, piece), [each.id for each in piece.fields], values))
    return tuple(lines)


def _is_measured(scope: ClassScope, attribute: Attribute) -> bool:
    """Whether the size of bytes is what was filled in for them: it takes no look to see that they fit."""
    if attribute.repeat is not None or not isinstance(attribute.size, ExpressionSize):
        return False
    if not isinstance(attribute.type, BytesType | StringType):
        return False
    solved = {each.id: each.value for each in scope.plan.fills if each.how == "solved"}
    match attribute.size.expression:
        case Name(name):
            added = 0
        case Binary("-", Name(name), IntegerLiteral(added)):
            pass
        case _:
            return False
    size = Member(Name(attribute.id), "size")
    return solved.get(name) == (Binary("+", size, IntegerLiteral(added)) if added else size)


def _always_holds(scope: ClassScope, field: Field) -> bool:
    """Whether the value that is filled in is one that the only check lets pass: a size and what is added to it is not
    less than that."""
    if len(field.checks) != 1 or field.checks[0].rule != "at least":
        return False
    least = constant_integer(field.checks[0].operands[0])
    value = next((each.value for each in scope.plan.fills if each.id == field.id and each.how == "solved"), None)
    match value:
        case Binary("+", Member(Name(), "size" | "length"), IntegerLiteral(number)):
            return least is not None and least <= number
        case Member(Name(), "size" | "length"):
            return least is not None and least <= 0
    return False


def _write_packed(scope: ClassScope, packer: str, ids: list[str], values: list[str]) -> Lines:
    """Pack values and write them. Several are packed without a call in between; where they do not fit, one is made
    that says which of them."""
    names = names_text(ids)
    if len(values) == 1:
        return (scope.code("write_number", packer=packer, names=names, value=values[0]),)
    given = {"packer": packer, "names": names, "values": values, "struct": scope.module.use_module("struct")}
    if values == [f"self.{each}" for each in ids]:
        return (scope.code("write_run", **given),)
    return (scope.code("write_values", variable=f"values_{field_name(ids[0])}", **given),)


def _packable(scope: ClassScope, attribute: Attribute, wires: dict[str, str]) -> str:
    if not has_bytes(attribute) or attribute.contents is not None:
        return member(attribute.id)
    content = wires.get(attribute.id) or content_text(scope, attribute, member(attribute.id))
    return fitted_text(scope, attribute, content)


# Other attributes ----------------------------------------------------------------------------------------------------


def _write_attribute(scope: ClassScope, attribute: Attribute, wires: dict[str, str]) -> Lines:
    value = _present(scope, attribute)
    if attribute.repeat is None:
        lines = _write_checked(scope, attribute, value, wires.get(attribute.id))
    else:
        lines = _write_repeated(scope, attribute, value)
    if attribute.condition is None:
        return lines
    if attribute.contents is not None and attribute.repeat is None and _is_known_late(attribute):
        lines = (_assigned(scope, member(attribute.id), repr(attribute.contents)), *lines)
    if not mentions_name(attribute.condition, "_io"):
        return _when(scope, attribute, lines)
    # Whether the input had more to come is not for a writer to ask: what is there is written.
    condition = scope.code("is_set", name=field_name(attribute.id))
    return (scope.code("when", condition=condition, body=lines, otherwise=()),)


def _present(scope: ClassScope, attribute: Attribute) -> str:
    target = member(attribute.id)
    return target if attribute.condition is None else scope.code("some", value=target, id=attribute.id)


def _write_framed(scope: ClassScope, attribute: Attribute, framing: Framing, item: str) -> str:
    template = "write_delimited" if framing.stuffing == "none" else "write_stuffed"
    content = content_text(scope, attribute, item)
    return scope.code(template, content=content, stuffing=framing.stuffing.upper(), delimiter=framing.delimiter)


def _write_repeated(scope: ClassScope, attribute: Attribute, values: str) -> Lines:
    item, ends = f"item_{field_name(attribute.id)}", ""
    match attribute.repeat:
        case RepeatCount(expression):
            values = scope.code("counted", values=values, count=scope.text(expression, attribute), id=attribute.id)
            if isinstance(attribute.type, IntegerType | FloatType) and is_array(attribute):
                order, code = byte_order(attribute.type.endian), number_code(attribute.type)
                return (scope.code("write_numbers", order=order, code=code, id=attribute.id, values=values),)
        case RepeatUntil(expression):
            values = scope.code("at_least_one", values=values, id=attribute.id)
            ends = "" if asks_for_end(expression) else scope.text(expression, attribute, _=item)
    if attribute.framing is not None:
        body: Lines = (_write_framed(scope, attribute, attribute.framing, item),)
    else:
        body = _write_checked(scope, attribute, item, None)
    return (
        scope.code(
            "write_items",
            item=item,
            values=values,
            body=body,
            ends=ends,
            count=_present(scope, attribute) if ends else "",
            id=attribute.id,
            indexed=bool(ends) or uses_index(tuple(nodes(_without_arguments(attribute)))),
        ),
    )


def _without_arguments(attribute: Attribute) -> Attribute:
    """The attribute as a writer sees it: an object that is written has its arguments already."""
    cases = tuple(replace(each, arguments=()) for each in attribute.switch.cases) if attribute.switch else ()
    switch = replace(attribute.switch, cases=cases) if attribute.switch else None
    return replace(attribute, arguments=(), switch=switch)


def is_array(attribute: Attribute) -> bool:
    """Whether the items of a repeated attribute are plain numbers, which are written in one step."""
    kind = attribute.type
    plain = not has_checks(attribute) and attribute.switch is None
    return plain and isinstance(kind, IntegerType | FloatType) and kind.endian != "computed"


def _write_checked(scope: ClassScope, attribute: Attribute, value: str, content: str | None) -> Lines:
    source = scope.source_of(_declared(scope, attribute))
    checks = check_lines(scope, attribute, value, source)
    if attribute.switch is None:
        return (*checks, *_write_value(scope, attribute, value, content))

    def write(case: Attribute) -> Lines:
        return _write_value(scope, case, _as_case(scope, attribute, case, value), None)

    return (*checks, *switch_branches(scope, attribute, attribute.switch, write))


def _declared(scope: ClassScope, attribute: Attribute) -> Attribute:
    """The attribute of the type itself: that of a case or an item is a changed copy."""
    return scope.struct.attribute(attribute.id) or attribute


def _as_case(scope: ClassScope, attribute: Attribute, case: Attribute, value: str) -> str:
    annotation = scope.annotations.of(case.type)
    if annotation != scope.annotations.of(attribute.type):
        return scope.code("cast", annotation=annotation, value=value)
    return scope.code("some", value=value, id=attribute.id) if may_be_unmatched(attribute) else value


def _write_value(scope: ClassScope, attribute: Attribute, value: str, content: str | None) -> Lines:
    if has_bytes(attribute):
        content = content or content_text(scope, attribute, value)
        end = attribute.terminator
        left = end is not None and isinstance(attribute.size, TerminatedSize) and not end.consume and end.eos_error
        fitted = content if _is_measured(scope, attribute) else fitted_text(scope, attribute, content)
        return (scope.code("write_bytes", data=fitted, ends_with=end.value if end is not None and left else b""),)
    match attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type:
        case UserType():
            if attribute.parent is None and is_own(scope, attribute) and value.isidentifier():
                return (scope.code("write_object", value=value),)
            return (scope.code("write_object_elsewhere", adopted=adopted(scope, attribute, value)),)
        case BitsType(width, endian):
            return (scope.code("write_bits", endian=endian, width=width, value=value, id=attribute.id),)
        case IntegerType() | FloatType() as kind:
            packer = packer_text(scope, attribute, kind)
            return (scope.code("write_number", packer=packer, names=repr(attribute.id), value=value),)
    raise refusal(attribute.position, f"the type of '{attribute.id}' cannot be written")


def packer_text(scope: ClassScope, attribute: Attribute, kind: IntegerType | FloatType) -> str:
    """The constant that packs a number; of a computed byte order, the choice between two."""
    code = number_code(kind)
    if kind.endian != "computed":
        return scope.module.packer(scope.struct.path, attribute.id, byte_order(kind.endian) + code)
    little, big = (scope.module.packer(scope.struct.path, attribute.id, order + code) for order in "<>")
    return scope.code("packer_of_computed_order", little=little, big=big)
