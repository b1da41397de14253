"""``_assemble``: writes a valid object of a straight type in one pass; others are checked first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ....encodings import python_codec
from ....expression.nodes import MemberAccess, Name, Node
from ....expression.types import (
    AnyStructType,
    BytesType,
    FloatType,
    IntegerType,
    Path,
    StreamType,
    StringType,
    UnionType,
    UserType,
)
from ....expression.walk import expressions_in, walk
from ....tree import Attribute, Run, Struct
from ....tree.leaves import (
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    OwnSize,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    TerminatedSize,
)
from ..checksums import computed_text
from ..encoding import array_arguments, is_array, packer_text
from ..expressions import AND, BIT_OR, OR
from ..instances import is_cached, slot
from ..module import Module
from ..names import field_name
from ..runs import packer
from ..scope import ClassScope, member
from ..statements import attempt, loop, when, when_all
from ..validation import refusals
from ..view import Lines, MethodView
from .content import data_text
from .deferral import computed_value, item_name
from .solved import followed_alone, solved_names


def assemble_method(scope: ClassScope) -> MethodView | None:
    """Return the method ``_assemble`` of a straight type; ``None`` for any other."""
    if scope.struct.path not in straight_types(scope.module):
        return None
    kept = [slot(each) for each in scope.struct.instances if each.value is not None and is_cached(scope, each)]
    lines = [f"self._forget({', '.join(map(repr, kept))})"] if kept else []
    lines += _computed_first(scope)
    refused = [text for each in scope.struct.attributes for text in _refusals(scope, each)]
    if refused:
        lines += _completed(scope, refused)
    for step in scope.struct.steps:
        lines += _packed(scope, step) if isinstance(step, Run) else _assembled(scope, step)
    annotations = scope.annotations
    parts = f"parts: {annotations.builtin('list')}[{annotations.builtin('bytes')}]"
    objects = f"objects: {annotations.builtin('list')}[{scope.use('Any')}]"
    return MethodView(f"_assemble(self, {parts}, {objects}) -> None", tuple(lines) or ("pass",))


def assembling_constants(scope: ClassScope) -> tuple[str, ...]:
    """Return the constants that the base class requires of a class with such a method."""
    straight = scope.struct.path in straight_types(scope.module)
    return ("_m_fills_stream = True",) if straight and fills_stream(scope.module, scope.struct.path) else ()


# Validity ------------------------------------------------------------------------------------------------------


def _completed(scope: ClassScope, refused: list[str]) -> Lines:
    """Return the statements that fill in unassigned values, and check the object if something is still invalid."""
    filled = dict(each for field in scope.struct.attributes for each in _fillings(scope, field))
    setters = {name: scope.module.setter(scope.struct.path, name) for name in filled}
    puts = [when(f"{name!r} not in given", [f"{setters[name]}(self, {text})"]) for name, text in filled.items()]
    lines: Lines = (when("self._dirty", ["given = self._m_given", *puts]),) if puts else ()
    others = {*solved_names(scope), *(field_name(each.id) for each in scope.struct.attributes if _is_filled_in(each))}
    condition = " or ".join(refused)
    if not others <= set(filled):
        lines += (attempt([f"unsettled = {condition}"], "AttributeError", ["unsettled = True"]),)
        condition = "unsettled"
    return (*lines, when(condition, ["self._check_alone()"]))


def _is_filled_in(field: Attribute) -> bool:
    return field.contents is not None or field.is_checksum or field.only is not None


def _fillings(scope: ClassScope, field: Attribute) -> Iterator[tuple[str, str]]:
    """Yield the values that are derived from the value of one field alone: names, each with the text of its value."""
    if field.condition is not None:
        return
    value, name = member(field.id), field_name(field.id)
    only = field.only
    if field.contents is not None:
        yield name, repr(field.contents)
    elif only is not None and field.repeat is None:
        yield name, scope.text(only, field)
    if field.is_checksum:
        yield name, _checksum(scope, field)
    counted = field.repeat.expression if isinstance(field.repeat, RepeatCount) else None
    exact = field.repeat is None and _has_data(field) and isinstance(field.size, ExpressionSize)
    if counted is not None:
        yield from followed_alone(scope, counted, field, f"len({value})")
    elif exact and isinstance(field.size, ExpressionSize):
        yield from followed_alone(scope, field.size.expression, field, f"len({_data(scope, field)})")


def _refusals(scope: ClassScope, field: Attribute) -> list[str]:
    """Return the conditions on which the value of a field, or the number of its items, is invalid."""
    value = member(field.id)
    found: list[str] = []
    if field.repeat is None:
        found += _item_refusals(scope, field, value, _data(scope, field))
    elif isinstance(field.repeat, RepeatCount):
        count = scope.translator(field.position).text(field.repeat.expression, BIT_OR)
        found.append(f"len({value}) != {count}")
    elif isinstance(field.repeat, RepeatUntil):
        found.append(f"not {value}")
    if field.is_checksum:
        found.append(f"{_checksum(scope, field)} != {value}")
    if field.condition is None or not found:
        return found
    condition = scope.translator(field.position).text(field.condition, AND)
    either = f"({' or '.join(found)})" if len(found) > 1 else found[0]
    return [f"({condition} and {either})"]


def _item_refusals(scope: ClassScope, field: Attribute, value: str, data: str) -> list[str]:
    found: list[str] = []
    match field.size:
        case FixedSize(number) if _has_data(field):
            found.append(f"len({data}) != {number}")
        case ExpressionSize(expression) if _has_data(field):
            size = scope.translator(field.position).text(expression, BIT_OR)
            found.append(f"len({data}) != {size}")
        case TerminatedSize() if field.terminator is not None:
            end = field.terminator
            if end.include:
                found += [f"not {data}", f"{data}.find({end.value!r}) != len({data}) - 1"]
            else:
                found.append(f"{end.value!r} in {data}")
    for refusal in refusals(scope, field, value):
        found.append(f"({refusal})" if " if " in refusal or " or " in refusal else refusal)
    return found


# The bytes -----------------------------------------------------------------------------------------------------------


def _has_data(field: Attribute) -> bool:
    return isinstance(field.type, BytesType | StringType)


def _is_encoded_first(field: Attribute) -> bool:
    """Return whether text is encoded before everything else: it always exists and is not filled in."""
    text = isinstance(field.type, StringType)
    return text and field.repeat is None and field.condition is None and not _is_filled_in(field)


def _computed_first(scope: ClassScope) -> Lines:
    """Return the statements that compute values that are used more than once."""
    lines: list[str] = []
    for each in scope.struct.attributes:
        if _is_encoded_first(each):
            lines.append(f"{_data(scope, each)} = {data_text(scope, each, member(each.id))}")
        if each.is_checksum and each.condition is None:
            lines.append(f"{_checksum(scope, each)} = {_computed(scope, each)}")
    return tuple(lines)


def _computed(scope: ClassScope, field: Attribute) -> str:
    """Return the text that computes a checksum."""
    cover = scope.struct.checksum(field.id)
    assert cover is not None
    assert cover.value is not None
    return computed_text(scope, cover, member(cover.value))


def _checksum(scope: ClassScope, field: Attribute) -> str:
    """Return the text of the expected value of a checksum."""
    return f"computed_{field_name(field.id)}" if field.condition is None else _computed(scope, field)


def _data(scope: ClassScope, field: Attribute) -> str:
    """Return the text of the bytes of a value."""
    if _is_encoded_first(field):
        return f"data_{field_name(field.id)}"
    return data_text(scope, field, member(field.id))


def _packed(scope: ClassScope, run: Run) -> Lines:
    """Return the statements that write consecutive fields of fixed sizes."""
    if len(run.attributes) == 1 and _has_data(run.attributes[0]):
        return (f"parts.append({_data(scope, run.attributes[0])})",)
    lines: list[str] = []
    for piece in run.pieces:
        values = ", ".join(_data(scope, each) for each in piece.attributes)
        lines.append(f"parts.append({packer(scope, piece)}.pack({values}))")
    return tuple(lines)


def _assembled(scope: ClassScope, field: Attribute) -> Lines:
    """Return the statements that write a field of variable size, an optional field or a repeated one."""
    value = member(field.id)
    lines = _list(scope, field, value) if field.repeat else _value(scope, field, value, _data(scope, field))
    return lines if field.condition is None else (when_all([scope.text(field.condition, field)], lines),)


def _value(scope: ClassScope, field: Attribute, value: str, data: str) -> Lines:
    match field.type.on_wire:
        case BytesType() | StringType():
            end = field.terminator
            return (f"parts.append({data if end is None or end.include else f'{data} + {end.value!r}'})",)
        case IntegerType() | FloatType() as kind:
            return (f"parts.append({packer_text(scope, field, kind)}.pack({value}))",)
        case UserType():
            stranger = f"{value}._parent is not self or {value}._root is not self._root"
            with_parent = when(stranger, [f"self._adopt({field.id!r}, {value}, self)"])
            alone = [f"objects.append({value})"] if field.repeat is None else []
            return (with_parent, f"{value}._assemble(parts, objects)", *alone)
    raise AssertionError(field)


def _list(scope: ClassScope, field: Attribute, values: str) -> Lines:
    item = item_name(field)
    if is_array(field) and not isinstance(field.repeat, RepeatUntil):
        return (f"parts.append({scope.call('pack_numbers', *array_arguments(field, values))})",)
    body: list[str] = []
    data = data_text(scope, field, item)
    if data != item:
        body.append(f"data = {data}")
        data = "data"
    refused = _item_refusals(scope, field, item, data)
    if refused:
        body.append(_give_up(scope, " or ".join(refused)))
    body += _value(scope, field, item, data)
    if isinstance(field.repeat, RepeatUntil):
        ends = scope.translator(field.position, _=item).text(field.repeat.expression, OR)
        body.append(_give_up(scope, f"({ends}) != (index == len({values}) - 1)"))
    objects = [f"objects.extend({values})"] if isinstance(field.type, UserType) else []
    return (loop(item, values, tuple(body)), *objects)


def _give_up(scope: ClassScope, condition: str) -> str:
    return when(condition, [f"raise {scope.use('UnassembledError')}"])


ELSEWHERE = ("_parent", "_root", "_io", "_on", "_sizeof")
"""Names that refer to something outside the object."""

OBJECTS = (UserType, AnyStructType, UnionType)


@lru_cache(maxsize=4)
def straight_types(module: Module) -> frozenset[Path]:
    """Return the straight types of a spec."""
    found = {each.path: each for each in module.spec.structs if _is_straight(each)}
    before = -1
    while before != len(found):
        before = len(found)
        filling = frozenset(path for path in found if fills_stream(module, path))
        for path in [path for path, each in found.items() if not _fits_together(module, each, found, filling)]:
            del found[path]
    return frozenset(found)


def fills_stream(module: Module, path: Path) -> bool:
    """Return whether objects of a straight type extend to the end of their stream, because their last field does."""
    seen: set[Path] = set()
    while path not in seen:
        seen.add(path)
        fields = module.spec.struct(path).attributes
        if not fields:
            return False
        if _goes_to_the_end(fields[-1]):
            return True
        kind = fields[-1].type
        if not isinstance(kind, UserType) or not module.spec.owns(kind):
            return False
        path = kind.path
    return False


def _goes_to_the_end(field: Attribute) -> bool:
    return isinstance(field.repeat, RepeatEos) or isinstance(field.size, EndOfStreamSize)


def _fits_together(module: Module, struct: Struct, found: dict[Path, Struct], filling: frozenset[Path]) -> bool:
    """Return whether the types of the fields are straight too, and only the last field extends to the end of the
    stream.
    """
    for field in struct.attributes:
        last = field is struct.attributes[-1] and field.condition is None
        if isinstance(field.type, UserType):
            if not module.spec.owns(field.type) or field.type.path not in found:
                return False
            if field.type.path in filling and not (last and field.repeat is None):
                return False
        if _goes_to_the_end(field) and not last:
            return False
        if isinstance(field.repeat, RepeatEos) and field.least == 0:
            return False
    return True


def _is_straight(struct: Struct) -> bool:
    if struct.parameters or struct.endian is not None or struct.message is not None:
        return False
    if any(each.attribute is not None for each in struct.instances):
        return False
    if any(each.value is None for each in struct.checksums):
        return False
    local: dict[str, bool] = {}
    return all(_is_straight_attribute(struct, each, local) for each in struct.attributes)


def _is_straight_attribute(struct: Struct, field: Attribute, local: dict[str, bool]) -> bool:
    if field.switch or field.process or field.framing or field.arguments or field.parent is not None:
        return False
    if computed_value(field) is not None or not all(_is_local(struct, each, local) for each in expressions_in(field)):
        return False
    kind = field.type.on_wire
    match kind:
        case IntegerType() | FloatType():
            return kind.size == 1 or kind.endian != "computed"
        case BytesType() | StringType():
            return _is_straight_content(field)
        case UserType():
            return isinstance(field.size, OwnSize)
    return False


def _is_straight_content(field: Attribute) -> bool:
    """Return whether bytes or text fill their field, or end at a terminator of one byte that is part of the field."""
    if isinstance(field.type, StringType) and python_codec(field.type.encoding or "UTF-8") is None:
        return False
    end = field.terminator
    if isinstance(field.size, TerminatedSize):
        return end is not None and len(end.value) == 1 and end.consume and end.eos_error
    both = isinstance(field.size, EndOfStreamSize) and field.repeat is not None
    return end is None and field.pad_right is None and not both


def _is_local(struct: Struct, node: Node, known: dict[str, bool]) -> bool:
    """Return whether an expression depends only on the numbers, bytes, texts and lists of the object itself, or of the
    last item.

    ``known``: the results for instances that were visited, by id.
    """
    for each in walk(node):
        if isinstance(each.type, StreamType) or (isinstance(each, Name) and each.id in ELSEWHERE):
            return False
        is_last = isinstance(each, MemberAccess) and isinstance(each.value, Name) and each.value.id == "_"
        if isinstance(each, MemberAccess) and not is_last and isinstance(each.value.type, OBJECTS):
            return False
        instance = struct.instance(each.id) if isinstance(each, Name) else None
        if instance is not None and instance.id not in known:
            parts = [part for part in (instance.value, instance.condition) if part is not None]
            # An instance that depends on itself is not local.
            known[instance.id] = False
            known[instance.id] = all(_is_local(struct, part, known) for part in parts)
        if instance is not None and not known[instance.id]:
            return False
    return True
