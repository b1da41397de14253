"""Names and properties of the parts of a spec that its expressions use."""

from __future__ import annotations

from wireloom.base.cached import cached_property

from ...expression.nodes import MemberAccess, Name, Node
from ...expression.types import BytesType, ListType, StreamType
from ...expression.walk import walk
from ...tree import Spec


class Used:
    """The names that expressions of a spec use, each kind looked for when a field of that kind is lowered."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    @cached_property
    def lists(self) -> frozenset[str]:
        """Return the names of repeated fields that an expression uses."""
        return frozenset(
            each.id if isinstance(each, Name) else each.name
            for struct in self._spec.family
            for each in struct.nodes
            if isinstance(each, Name | MemberAccess) and isinstance(each.type, ListType)
        )

    @cached_property
    def bytes(self) -> frozenset[str]:
        """Return the names of attributes of bytes whose content, not only size, is used in an expression."""
        found = set()
        for struct in self._spec.structs:
            sized = {
                id(each.value)
                for each in struct.nodes
                if isinstance(each, MemberAccess) and each.name in ("length", "size")
            }
            for each in struct.nodes:
                if isinstance(each, Name | MemberAccess) and isinstance(each.type, BytesType) and id(each) not in sized:
                    found.add(each.id if isinstance(each, Name) else each.name)
        return frozenset(found)

    @cached_property
    def objects(self) -> frozenset[str]:
        """Return the names of fields whose type a switch chooses and that an expression may use."""
        family = [*self._spec.family]
        switched = {each.id for struct in family for each in struct.all_attributes if each.switch is not None}
        return frozenset(
            name
            for struct in family
            for each in struct.nodes
            if isinstance(each, Name | MemberAccess)
            and (name := each.id if isinstance(each, Name) else each.name) in switched
        )


def uses_position(node: Node) -> bool:
    """Return whether an expression uses the position of a stream."""
    uses = (each for each in walk(node) if isinstance(each, MemberAccess) and each.name in ("pos", "eof"))
    return any(isinstance(each.value.type, StreamType) for each in uses)
