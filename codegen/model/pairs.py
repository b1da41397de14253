"""The keys ``map`` of attributes, and ``columns`` and ``json`` of types, checked against the types of the members."""

from __future__ import annotations

from collections.abc import Mapping

from ..expression.types import (
    BooleanType,
    BytesType,
    EnumType,
    ListType,
    Path,
    UserType,
    VarintType,
    is_integer,
    is_text,
    type_name,
)
from ..spec.diagnostics import Diagnostics
from ..tree import Attribute, Instance, Struct
from ..tree.leaves import Pairs, Timestamp
from ..words import no_attribute, shown


def check_pairs(struct: Struct, structs: Mapping[Path, Struct], diagnostics: Diagnostics) -> None:
    """Report maps whose keys or values are not suitable attributes of the item type."""
    members = [*struct.attributes, *(each.attribute for each in struct.instances if each.attribute is not None)]
    for each in members:
        if isinstance(each.logical, Pairs) and isinstance(each.type, UserType) and each.position is not None:
            problem = _problem(structs[each.type.path], each.logical, structs)
            if problem:
                diagnostics.error(each.position, f"the map {shown(each.id)}: {problem}")


def check_shown(struct: Struct, diagnostics: Diagnostics) -> None:
    """Report members of structs and of JSON text that are objects or lists without bytes of their own, which could
    contain the object itself."""
    for each in struct.shown_members((*struct.shown, *(struct.json or ()))) if struct.shown or struct.json else ():
        if isinstance(each, Instance) and not each.is_scalar and each.position is not None:
            message = f"{shown(each.id)} is {type_name(each.type)}, but only a single value can be a field of a struct"
            diagnostics.error(each.position, message)


def _problem(item: Struct, pairs: Pairs, structs: Mapping[Path, Struct]) -> str:
    shorter = min(len(pairs.key), len(pairs.value))
    if pairs.key[:shorter] == pairs.value[:shorter]:
        return "one of its key and its value contains the other"
    for what, way in (("key", pairs.key), ("value", pairs.value)):
        struct = item
        for number, name in enumerate(way, 1):
            members = (*struct.shown_members(()), *(each for each in struct.instances if each.value is not None))
            known = {each.id: each for each in members}
            found = known.get(name)
            if found is None:
                hint = no_attribute(name, known, struct.instance(name))
                return f"{'::'.join(struct.path)} has no attribute {shown(name)}{hint}"
            if isinstance(found, Instance):
                if number < len(way) or not found.is_scalar:
                    return f"{shown(name)} is {type_name(found.type)}, but only a single value can be in a map"
                if what == "key":
                    return f"{shown(name)} is a value instance, which may be absent, but a map cannot have null keys"
                continue
            attribute = found
            if what == "key" and (attribute.condition is not None or attribute.switch is not None):
                return f"{shown(name)} may be absent or have several types, but a map cannot have null keys"
            if number < len(way):
                if not isinstance(attribute.type, UserType) or attribute.repeat is not None or attribute.switch:
                    return f"{shown(name)} is not a struct, so it has no attribute {shown(way[number])}"
                struct = structs[attribute.type.path]
            elif what == "key" and not _is_key(attribute, structs):
                whole = ListType(attribute.type) if attribute.repeat is not None else attribute.type
                return f"a key must be an integer, text or bytes, but {shown(name)} is {type_name(whole)}"
    return ""


def _is_key(attribute: Attribute, structs: Mapping[Path, Struct]) -> bool:
    type = attribute.type
    single = attribute.repeat is None and not isinstance(attribute.logical, Timestamp)
    if isinstance(type, UserType) and not type.opaque:
        return single and structs[type.path].json is not None
    whole = is_integer(type) or is_text(type) or isinstance(type, BooleanType | BytesType | EnumType | VarintType)
    return single and whole
