"""Derives the Arrow type of a field of a layout or of a message; types are nested as the objects are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from wireloom.base.dataclass import replace

from ...expression.types import (
    BooleanType,
    BytesType,
    FloatType,
    IntegerType,
    ListType,
    Path,
    StringType,
    Type,
    UserType,
)
from ...tree import Attribute, Instance, Spec, Struct
from ...tree.leaves import DenseUnion, Labels, MessageField, Pairs
from ..base import refuse
from ..python.names import qualified
from .arrow import (
    JSON,
    TEXT,
    ArrowType,
    computed_integer,
    integer_interval,
    list_type,
    map_type,
    scalar_type,
    struct_type,
    union_type,
)
from .interval import Interval
from .ranges import computed_interval, declared


def field_type(
    spec: Spec, field: Attribute | Instance, computed: Interval | None = None, within: tuple[Type, ...] = ()
) -> ArrowType | None:
    """Return the type of the column of an attribute or a value instance; ``None`` if no single Arrow type fits.

    ``computed``: the range of a computed integer, if known. ``within``: the user types that this field is nested in.
    Labels apply to whole columns; enums inside structs are their numbers. Raises ``SpecError`` for a message type that
    contains itself.
    """
    repeated = isinstance(field, Attribute) and field.repeat is not None
    if isinstance(field, Attribute) and isinstance(field.logical, Pairs):
        return _map(spec, field, field.logical, within)
    if isinstance(field, Attribute) and field.switch is not None:
        computed = _of_cases(field)
    item = _type(spec, field, field.type, computed, within)
    if item is None and isinstance(field, Attribute) and field.switch is not None:
        item = _variants(spec, field, within)
        if item is not None and isinstance(field.logical, DenseUnion):
            item = union_type(item)
    return list_type(item) if item is not None and repeated and not isinstance(field.type, ListType) else item


def _of_cases(field: Attribute) -> Interval | None:
    """Return the union of the ranges of all cases; ``None`` if the cases are not integers."""
    found = [integer_interval(each.type) for each in field.forms]
    known = [each for each in found if each is not None]
    return reduce(Interval.union, known) if known and len(known) == len(found) else None


def _type(
    spec: Spec, field: Attribute | Instance, kind: Type, computed: Interval | None, within: tuple[Type, ...]
) -> ArrowType | None:
    match kind:
        case ListType(item=inner):
            item = _type(spec, field, inner, None, within)
            return item and list_type(item)
        case UserType(path=path, opaque=False) if kind not in within:
            struct = spec.struct(path)
            if struct.json is not None:
                return JSON
            return message_type(spec, path, field) if struct.message else _struct(spec, struct, (*within, kind))
        case _:
            logical = None if within and isinstance(field.logical, Labels) else field.logical
            return scalar_type(spec, kind, logical, computed)


def _variants(spec: Spec, field: Attribute, within: tuple[Type, ...]) -> ArrowType | None:
    """Return the struct of the types that a switch chooses from; the chosen one is present, the others are null."""
    found: dict[str, tuple[ArrowType, str]] = {}
    for form in field.forms:
        kind = _type(spec, form, form.type, None, within)
        if kind is None:
            # A type without fields that a column can show.
            continue
        name = variant_name(form)
        if isinstance(form.type, UserType):
            made = kind, qualified(form.type.path)
            if found.get(name, made) != made:
                name = "_".join(form.type.path[-2:])
        elif kind.kind is not None:
            made = computed_integer(_of_cases(field)), ""
        else:
            made = kind, ""
        found[name] = made
    fields = tuple((name, kind) for name, (kind, _) in found.items())
    return replace(struct_type(fields), variants=tuple(each for _, each in found.values())) if fields else None


def variant_name(form: Attribute) -> str:
    """Return the name of a type that a switch chooses, as a field of the struct of all cases."""
    match form.type:
        case UserType(path=path):
            return path[-1]
        case BytesType():
            return "raw"
        case StringType():
            return "text"
        case FloatType():
            return "float"
        case _:
            return "integer"


def _struct(spec: Spec, struct: Struct, within: tuple[Type, ...]) -> ArrowType | None:
    scope = declared(spec, struct, None)
    shown = [(each, computed_interval(scope, each)) for each in struct.shown_members(struct.shown)]
    kinds = [(each.id, field_type(spec, each, computed, within)) for each, computed in shown]
    fields = tuple((name, kind) for name, kind in kinds if kind is not None)
    return struct_type(fields, struct.path) if fields else None


def left_out(
    spec: Spec, field: Attribute | Instance, within: tuple[Type, ...] = ()
) -> Iterator[tuple[Attribute | Instance, str]]:
    """Yield the attributes and cases that the column of a field leaves out: each with a clause that names it.

    Args:
        spec: The spec, with what the passes derive.
        field: The attribute or the value instance that the column shows.
        within: The user types that the field is nested in.
    """
    if isinstance(field, Attribute) and isinstance(field.logical, Pairs):
        return
    forms = field.forms if isinstance(field, Attribute) else (field,)
    for form in forms:
        kind = form.type.item if isinstance(form.type, ListType) else form.type
        if not isinstance(kind, UserType):
            continue
        name = f"the case '{kind.path[-1]}' of '{field.id}'" if len(forms) > 1 else f"'{field.id}'"
        if kind.opaque:
            yield field, f"{name}, whose type is not in the spec"
        elif kind in within:
            yield field, f"{name}, which contains itself: Arrow has no recursive types"
        elif (struct := spec.struct(kind.path)).message is None and struct.json is None:
            if _struct(spec, struct, (*within, kind)) is None:
                yield field, f"{name}, which has no attribute that a column can show"
            for attribute in struct.shown_members(struct.shown):
                yield from left_out(spec, attribute, (*within, kind))


def _map(spec: Spec, field: Attribute, pairs: Pairs, within: tuple[Type, ...]) -> ArrowType | None:
    """Return the map type of a list of pairs, whose structs contain only keys and values."""
    kind = field.type
    assert isinstance(kind, UserType)
    if kind in within:
        return None
    item = _pair(spec, spec.struct(kind.path), (pairs.key, pairs.value), (*within, kind))
    return item and map_type(item, pairs)


def _pair(spec: Spec, struct: Struct, paths: tuple[tuple[str, ...], ...], within: tuple[Type, ...]) -> ArrowType | None:
    fields, scope = [], declared(spec, struct, None)
    members = {each.id: each for each in struct.shown_members(tuple(path[0] for path in paths))}
    for name in dict.fromkeys(path[0] for path in paths):
        attribute = members[name]
        rest = tuple(path[1:] for path in paths if path[0] == name and path[1:])
        if rest and isinstance(attribute.type, UserType):
            inner = _pair(spec, spec.struct(attribute.type.path), rest, within)
        else:
            inner = field_type(spec, attribute, computed_interval(scope, attribute), within)
        if inner is None:
            return None
        fields.append((name, inner))
    return struct_type(tuple(fields), struct.path)


KEYS: dict[str, Type] = {
    "bool": BooleanType(),
    "string": StringType("UTF-8"),
    **{f"{sign}int{bits}": IntegerType(bits // 8, sign != "u", None) for sign in ("", "u", "s") for bits in (32, 64)},
    **{f"{sign}fixed{bits}": IntegerType(bits // 8, sign == "s", None) for sign in ("", "s") for bits in (32, 64)},
}
"""The types of a map's keys, by their protobuf keywords."""


def message_field_type(spec: Spec, attribute: Attribute, within: tuple[Path, ...] = ()) -> ArrowType:
    """Return the type of the column of a field. ``within``: the message types that it is nested in.

    A message is a struct of all its fields, a repeated field a list, a map a list of structs of ``key`` and ``value``;
    messages of a field with ``json`` are text. Labels apply to whole columns; enums inside lists and structs are their
    numbers. Raises ``SpecError`` if a message type contains itself: such values have no Arrow type.
    """
    field = field_of(attribute)
    repeated = field.label == "repeated"
    nested = bool(within) or repeated
    logical = None if nested and isinstance(attribute.logical, Labels) else attribute.logical
    if field.json:
        item = TEXT
    elif isinstance(attribute.type, UserType):
        item = message_type(spec, attribute.type.path, attribute, within)
    else:
        found = scalar_type(spec, attribute.type, logical)
        if found is None:
            refuse(attribute.position, f'"{attribute.id}" cannot be a column: no Arrow type fits it')
        item = found
    key = field.key
    if key:
        key_type = scalar_type(spec, KEYS[key], None)
        if key_type is None:
            refuse(attribute.position, f'"{attribute.id}" cannot be a column: no Arrow type fits its keys')
        item = struct_type((("key", key_type), ("value", item)))
    return list_type(item) if repeated else item


def message_type(spec: Spec, path: Path, field: Attribute | Instance, within: tuple[Path, ...] = ()) -> ArrowType:
    """Return the struct of a message type, as the value of ``field``. Raises ``SpecError`` if it contains itself."""
    if path in within:
        refuse(
            field.position,
            f'"{field.id}" cannot be part of a column: the message type {"::".join(path)} contains itself,'
            " and Arrow has no recursive types: add 'json: true' to the field that causes this",
        )
    fields = spec.struct(path).attributes
    return struct_type(tuple((each.id, message_field_type(spec, each, (*within, path))) for each in fields), path)


def field_of(attribute: Attribute) -> MessageField:
    """Return the field data of an attribute of a message type. Raises ``SpecError`` if it has none."""
    if attribute.message is None:
        refuse(attribute.position, f'"{attribute.id}" is not a field of a message')
    return attribute.message
