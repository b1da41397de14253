"""``_assemble``: an object of a straight type in one pass, where it holds, or does once it has been checked."""

from __future__ import annotations

from collections.abc import Iterator

from ....expression.nodes import Node
from ....expression.types import BytesType, EnumType, FloatType, IntegerType, StringType, UserType
from ....model.model import Attribute
from ....plan.build import run_of
from ....plan.sizes import fixed_size, runs
from ....wire import ExpressionSize, FixedSize, RepeatCount, RepeatUntil, TerminatedSize
from ..checksums import computed_text
from ..expressions import AND, BIT_OR, OR
from ..instances import is_kept, slot
from ..names import field_name
from ..runs import packer
from ..scope import ClassScope, member
from ..struct_codes import byte_order, number_code
from ..validation import refusals
from ..view import Lines, MethodView
from ..writing import attribute_of, is_array, packer_text
from .blocks import loop, when
from .content import data_text
from .questions import item_name
from .solved import followed_alone, solved_names
from .straight import fills_stream, straight_types


def assemble_method(scope: ClassScope) -> MethodView | None:
    """The method of a straight type; ``None`` for any other."""
    if scope.struct.path not in straight_types(scope.module):
        return None
    kept = [slot(each) for each in scope.struct.instances if each.value is not None and is_kept(scope, each)]
    lines = [scope.code("readwrite/forget", slots=kept)] if kept else []
    lines += _computed_first(scope)
    refused = [text for each in scope.struct.attributes for text in _refusals(scope, each)]
    if refused:
        lines += _settled(scope, refused)
    for run in runs(scope.struct.attributes):
        lines += _packed(scope, run) if fixed_size(run[0]) is not None else _assembled(scope, run[0])
    annotations = scope.annotations
    parts = f"parts: {annotations.builtin('list')}[{annotations.builtin('bytes')}]"
    objects = f"objects: {annotations.builtin('list')}[{scope.use('Any')}]"
    return MethodView(f"_assemble(self, {parts}, {objects}) -> None", tuple(lines) or ("pass",))


def assembling_constants(scope: ClassScope) -> tuple[str, ...]:
    """What the base has to know of a class with such a method."""
    straight = scope.struct.path in straight_types(scope.module)
    return ("_m_fills_stream = True",) if straight and fills_stream(scope.module, scope.struct.path) else ()


# What must hold ------------------------------------------------------------------------------------------------------


def _settled(scope: ClassScope, refused: list[str]) -> Lines:
    """Fill in what was not assigned, and have the object checked where something still does not hold."""
    filled = dict(each for attribute in scope.struct.attributes for each in _fillings(scope, attribute))
    fillings = [(name, scope.module.setter(scope.struct.path, name), text) for name, text in filled.items()]
    lines: Lines = (scope.code("readwrite/assemble_given", fillings=fillings),) if fillings else ()
    others = {*solved_names(scope), *(field_name(each.id) for each in scope.struct.attributes if _is_filled_in(each))}
    template = "readwrite/assemble_refused" if others <= set(filled) else "readwrite/assemble_refused_or_unset"
    return (*lines, scope.code(template, refused=refused))


def _is_filled_in(attribute: Attribute) -> bool:
    return attribute.contents is not None or attribute.checksum is not None or _only_value(attribute) is not None


def _only_value(attribute: Attribute) -> Node | None:
    return attribute.valid.equal if attribute.valid is not None else None


def _fillings(scope: ClassScope, attribute: Attribute) -> Iterator[tuple[str, str]]:
    """What follows from the values of one attribute alone: names, each with the text of its value."""
    if attribute.condition is not None:
        return
    value, name = member(attribute.id), field_name(attribute.id)
    only = _only_value(attribute)
    if attribute.contents is not None:
        yield name, repr(attribute.contents)
    elif only is not None and attribute.repeat is None:
        yield name, scope.text(only, attribute)
    if attribute.checksum is not None:
        yield name, _checksum(scope, attribute)
    counted = attribute.repeat.expression if isinstance(attribute.repeat, RepeatCount) else None
    exact = attribute.repeat is None and _has_data(attribute) and isinstance(attribute.size, ExpressionSize)
    if counted is not None:
        yield from followed_alone(scope, counted, attribute, f"len({value})")
    elif exact and isinstance(attribute.size, ExpressionSize):
        yield from followed_alone(scope, attribute.size.expression, attribute, f"len({_data(scope, attribute)})")


def _refusals(scope: ClassScope, attribute: Attribute) -> list[str]:
    """The conditions on which the value of an attribute, or the number of its items, does not hold."""
    value = member(attribute.id)
    found: list[str] = []
    if attribute.repeat is None:
        found += _item_refusals(scope, attribute, value, _data(scope, attribute))
    elif isinstance(attribute.repeat, RepeatCount):
        count = scope.translator(attribute.position).text(attribute.repeat.expression, BIT_OR)
        found.append(f"len({value}) != {count}")
    elif isinstance(attribute.repeat, RepeatUntil):
        found.append(f"not {value}")
    if attribute.checksum is not None:
        found.append(f"{_checksum(scope, attribute)} != {value}")
    if attribute.condition is None or not found:
        return found
    condition = scope.translator(attribute.position).text(attribute.condition, AND)
    either = f"({' or '.join(found)})" if len(found) > 1 else found[0]
    return [f"({condition} and {either})"]


def _item_refusals(scope: ClassScope, attribute: Attribute, value: str, data: str) -> list[str]:
    found: list[str] = []
    match attribute.size:
        case FixedSize(number) if _has_data(attribute):
            found.append(f"len({data}) != {number}")
        case ExpressionSize(expression) if _has_data(attribute):
            size = scope.translator(attribute.position).text(expression, BIT_OR)
            found.append(f"len({data}) != {size}")
        case TerminatedSize() if attribute.terminator is not None:
            end = attribute.terminator
            if end.include:
                found += [f"not {data}", f"{data}.find({end.value!r}) != len({data}) - 1"]
            else:
                found.append(f"{end.value!r} in {data}")
    for refusal in refusals(scope, attribute, value):
        found.append(f"({refusal})" if " if " in refusal or " or " in refusal else refusal)
    return found


# The bytes -----------------------------------------------------------------------------------------------------------


def _has_data(attribute: Attribute) -> bool:
    return isinstance(attribute.type, BytesType | StringType)


def _is_encoded_first(attribute: Attribute) -> bool:
    """Whether text becomes bytes before anything else: it is there, and is not filled in."""
    text = isinstance(attribute.type, StringType)
    return text and attribute.repeat is None and attribute.condition is None and not _is_filled_in(attribute)


def _computed_first(scope: ClassScope) -> Lines:
    """What is asked for more than once."""
    lines: list[str] = []
    for each in scope.struct.attributes:
        if _is_encoded_first(each):
            lines.append(_local(scope, _data(scope, each), data_text(scope, each, member(each.id))))
        if each.checksum is not None and each.condition is None:
            lines.append(_local(scope, _checksum(scope, each), _computed(scope, each)))
    return tuple(lines)


def _local(scope: ClassScope, name: str, value: str) -> str:
    return scope.code("readwrite/local", name=name, value=value)


def _computed(scope: ClassScope, attribute: Attribute) -> str:
    """The text that computes a checksum."""
    cover = next(each for each in scope.plan.covers if each.field.id == attribute.id)
    assert cover.value is not None
    return computed_text(scope, cover, member(cover.value))


def _checksum(scope: ClassScope, attribute: Attribute) -> str:
    """The text of what a checksum must be."""
    return f"computed_{field_name(attribute.id)}" if attribute.condition is None else _computed(scope, attribute)


def _data(scope: ClassScope, attribute: Attribute) -> str:
    """The text of the bytes of a value."""
    if _is_encoded_first(attribute):
        return f"data_{field_name(attribute.id)}"
    return data_text(scope, attribute, member(attribute.id))


def _packed(scope: ClassScope, run: tuple[Attribute, ...]) -> Lines:
    """Attributes of fixed sizes that follow each other."""
    if len(run) == 1 and _has_data(run[0]):
        return (_append(scope, _data(scope, run[0])),)
    lines: list[str] = []
    for piece in run_of(tuple(scope.plan.field(each.id) for each in run)).pieces:
        values = [_data(scope, attribute_of(scope, each)) for each in piece.fields]
        lines.append(scope.code("readwrite/assemble_packed", packer=packer(scope, piece), values=values))
    return tuple(lines)


def _append(scope: ClassScope, data: str) -> str:
    return scope.code("readwrite/assemble_bytes", data=data)


def _assembled(scope: ClassScope, attribute: Attribute) -> Lines:
    """An attribute of another size, or with a condition, or repeated."""
    value = member(attribute.id)
    if attribute.repeat is not None:
        lines = _list(scope, attribute, value)
    else:
        lines = _value(scope, attribute, value, _data(scope, attribute))
    return lines if attribute.condition is None else (when(scope, [scope.text(attribute.condition, attribute)], lines),)


def _value(scope: ClassScope, attribute: Attribute, value: str, data: str) -> Lines:
    match attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type:
        case BytesType() | StringType():
            end = attribute.terminator
            return (_append(scope, data if end is None or end.include else f"{data} + {end.value!r}"),)
        case IntegerType() | FloatType() as kind:
            packer_name = packer_text(scope, attribute, kind)
            return (scope.code("readwrite/assemble_packed", packer=packer_name, values=(value,)),)
        case UserType():
            alone = attribute.repeat is None
            return (scope.code("readwrite/assemble_object", id=attribute.id, value=value, alone=alone),)
    raise AssertionError(attribute)


def _list(scope: ClassScope, attribute: Attribute, values: str) -> Lines:
    item = item_name(attribute)
    at_once = is_array(attribute) and not isinstance(attribute.repeat, RepeatUntil)
    if at_once and isinstance(attribute.type, IntegerType | FloatType):
        order, code = byte_order(attribute.type.endian), number_code(attribute.type)
        given = {"order": order, "code": code, "id": attribute.id, "values": values}
        return (scope.code("readwrite/assemble_numbers", **given),)
    body: list[str] = []
    data = data_text(scope, attribute, item)
    if data != item:
        body.append(_local(scope, "data", data))
        data = "data"
    refused = _item_refusals(scope, attribute, item, data)
    if refused:
        body.append(_give_up(scope, " or ".join(refused)))
    body += _value(scope, attribute, item, data)
    if isinstance(attribute.repeat, RepeatUntil):
        ends = scope.translator(attribute.position, _=item).text(attribute.repeat.expression, OR)
        body.append(_give_up(scope, f"({ends}) != (index == len({values}) - 1)"))
    objects = isinstance(attribute.type, UserType)
    return (
        loop(scope, item, values, body),
        *([scope.code("readwrite/assemble_objects", values=values)] if objects else []),
    )


def _give_up(scope: ClassScope, condition: str) -> str:
    return scope.code("readwrite/give_up", condition=condition)
