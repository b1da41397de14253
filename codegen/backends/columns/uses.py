"""Names and properties of the parts of a spec that its expressions use."""

from __future__ import annotations

from ...expression.nodes import MemberAccess, Name, Node
from ...expression.types import BytesType, ListType, StreamType
from ...expression.walk import walk
from ...tree import Spec


def used_lists(spec: Spec) -> frozenset[str]:
    """Return the names of repeated fields that an expression of the spec uses."""
    return frozenset(
        each.id if isinstance(each, Name) else each.name
        for struct in spec.family
        for each in struct.nodes
        if isinstance(each, Name | MemberAccess) and isinstance(each.type, ListType)
    )


def used_bytes(spec: Spec) -> frozenset[str]:
    """Return the names of the attributes of bytes whose content, not only size, is used in an expression of the
    spec."""
    found = set()
    for struct in spec.structs:
        sized = {
            id(each.value)
            for each in struct.nodes
            if isinstance(each, MemberAccess) and each.name in ("length", "size")
        }
        for each in struct.nodes:
            if isinstance(each, Name | MemberAccess) and isinstance(each.type, BytesType) and id(each) not in sized:
                found.add(each.id if isinstance(each, Name) else each.name)
    return frozenset(found)


def used_objects(spec: Spec) -> frozenset[str]:
    """Return the names of fields whose type a switch chooses and that an expression of the spec may use."""
    switched = {each.id for struct in spec.family for each in struct.all_attributes if each.switch is not None}
    return frozenset(
        name
        for struct in spec.family
        for each in struct.nodes
        if isinstance(each, Name | MemberAccess)
        and (name := each.id if isinstance(each, Name) else each.name) in switched
    )


def uses_position(node: Node) -> bool:
    """Return whether an expression uses the position of a stream."""
    uses = (each for each in walk(node) if isinstance(each, MemberAccess) and each.name in ("pos", "eof"))
    return any(isinstance(each.value.type, StreamType) for each in uses)
