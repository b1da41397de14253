"""The key ``map`` of attributes, checked against the types of the pairs."""

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
from ..tree import Attribute, Struct
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


def _problem(item: Struct, pairs: Pairs, structs: Mapping[Path, Struct]) -> str:
    shorter = min(len(pairs.key), len(pairs.value))
    if pairs.key[:shorter] == pairs.value[:shorter]:
        return "one of its key and its value contains the other"
    for what, way in (("key", pairs.key), ("value", pairs.value)):
        struct = item
        for number, name in enumerate(way, 1):
            known = {each.id: each for each in struct.attributes if not each.anonymous}
            attribute = known.get(name)
            if attribute is None:
                hint = no_attribute(name, known, struct.instance(name))
                return f"{'::'.join(struct.path)} has no attribute {shown(name)}{hint}"
            if what == "key" and (attribute.condition is not None or attribute.switch is not None):
                return f"{shown(name)} may be absent or have several types, but a map cannot have null keys"
            if number < len(way):
                if not isinstance(attribute.type, UserType) or attribute.repeat is not None or attribute.switch:
                    return f"{shown(name)} is not a struct, so it has no attribute {shown(way[number])}"
                struct = structs[attribute.type.path]
            elif what == "key" and not _is_key(attribute):
                whole = ListType(attribute.type) if attribute.repeat is not None else attribute.type
                return f"a key must be an integer, text or bytes, but {shown(name)} is {type_name(whole)}"
    return ""


def _is_key(attribute: Attribute) -> bool:
    type = attribute.type
    single = attribute.repeat is None and not isinstance(attribute.logical, Timestamp)
    whole = is_integer(type) or is_text(type) or isinstance(type, BooleanType | BytesType | EnumType | VarintType)
    return single and whole
