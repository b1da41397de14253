"""Facts about all objects of a type, which need not be checked for each object."""

from __future__ import annotations

from collections.abc import Callable

from ....expression.nodes import Node
from ....expression.types import AnyStructType, Path, StreamType, UnionType, UserType
from ....expression.walk import expressions_in, names_in, walk
from ....passes.solving import solutions
from ....tree import Spec, Struct
from ....wire import ExpressionSize


class Facts:
    """Facts about a type and the types of the objects inside it."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def has_instances(self, struct: Struct) -> bool:
        """Return whether there are instances at explicit positions."""
        return self._anywhere(struct, lambda each: any(one.attribute is not None for one in each.instances))

    def has_layout(self, struct: Struct) -> bool:
        """Return whether any value is derived from the positions of others."""
        return self._anywhere(struct, self._has_own_layout)

    def _has_own_layout(self, struct: Struct) -> bool:
        for position in (each.pos for each in struct.instances if each.pos is not None):
            if _leaves(position) or solutions(self.spec, struct, position):
                return True
        if any(each.value is None for each in struct.checksums):
            return True
        for field in struct.read:
            if names_in(field.only):
                return True
            if field.object_types and any(isinstance(each.size, ExpressionSize) for each in (field, *field.forms)):
                return True
        return False

    def _anywhere(self, struct: Struct, test: Callable[[Struct], bool]) -> bool:
        """Return whether a test is true for a type or for one inside it; it counts as true for unknown types."""
        waiting, seen = [struct], {struct.path}
        while waiting:
            current = waiting.pop()
            if test(current):
                return True
            for field in current.read:
                for kind in field.object_types:
                    found = self._struct(kind)
                    if found is None:
                        return True
                    if found.path not in seen:
                        seen.add(found.path)
                        waiting.append(found)
        return False

    def _struct(self, kind: UserType) -> Struct | None:
        path: Path = kind.path
        if kind.opaque:
            return None
        try:
            return self.spec.struct(path)
        except KeyError:
            return None


def is_plain(struct: Struct) -> bool:
    """Return whether the checks of an object depend on its own values alone, none of which can change unnoticed."""
    if struct.instances or struct.parameters or struct.checksums or struct.endian is not None:
        return False
    for field in struct.attributes:
        if field.repeat is not None or field.switch is not None:
            return False
        if isinstance(field.type, UserType | AnyStructType | UnionType):
            return False
        if any(_leaves(each) for each in expressions_in(field)):
            return False
    return not _share_a_size(struct)


def _share_a_size(struct: Struct) -> bool:
    """Return whether the sizes of two fields depend on the same field, which may then have to change twice."""
    names: set[str] = set()
    for field in struct.attributes:
        if isinstance(field.size, ExpressionSize):
            own = names_in(field.size.expression)
            if own & names:
                return True
            names |= own
    return False


def _leaves(node: Node) -> bool:
    """Return whether an expression refers to something outside the object."""
    outside = not names_in(node).isdisjoint(("_parent", "_root", "_io"))
    return outside or any(isinstance(each.type, StreamType) for each in walk(node))
