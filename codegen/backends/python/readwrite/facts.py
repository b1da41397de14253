"""What is known of all objects of a type, and need not be asked of each."""

from __future__ import annotations

from collections.abc import Callable

from ....expression.nodes import Name, Node
from ....expression.types import AnyStructType, Path, StreamType, UnionType, UserType
from ....expression.walk import walk
from ....model.model import Spec, Struct
from ....model.solving import solutions
from ....model.walking import attributes_of, held
from ....plan.covers import plain_cover
from ....plan.sizes import nodes
from ....wire import ExpressionSize


class Facts:
    """Facts about types and about everything below them."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def has_instances(self, struct: Struct) -> bool:
        """Whether there are instances that stand at positions of their own."""
        return self._anywhere(struct, lambda each: any(one.attribute is not None for one in each.instances))

    def has_layout(self, struct: Struct) -> bool:
        """Whether anything follows from where things stand."""
        return self._anywhere(struct, self._has_own_layout)

    def _has_own_layout(self, struct: Struct) -> bool:
        for position in (each.pos for each in struct.instances if each.pos is not None):
            if _leaves(position) or solutions(self.spec, struct, position):
                return True
        for attribute in attributes_of(struct):
            if attribute.checksum is not None and plain_cover(struct, attribute.checksum) is None:
                return True
            equal = attribute.valid.equal if attribute.valid is not None else None
            if equal is not None and any(isinstance(each, Name) for each in walk(equal)):
                return True
            sizes = [attribute.size, *(case.size for case in (attribute.switch.cases if attribute.switch else ()))]
            kinds = list(held(attribute))
            objects = any(isinstance(each, UserType) for each in kinds)
            if objects and any(isinstance(size, ExpressionSize) for size in sizes):
                return True
        return False

    def _anywhere(self, struct: Struct, test: Callable[[Struct], bool]) -> bool:
        """Whether a test holds for a type or for one below it; what is not known may be anything."""
        waiting, seen = [struct], {struct.path}
        while waiting:
            current = waiting.pop()
            if test(current):
                return True
            for attribute in attributes_of(current):
                for kind in held(attribute):
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
    """Whether the checks of an object depend on its own values alone, none of which can change unnoticed."""
    if struct.instances or struct.parameters or struct.endian is not None:
        return False
    for attribute in struct.attributes:
        if attribute.repeat is not None or attribute.switch is not None or attribute.checksum is not None:
            return False
        if isinstance(attribute.type, UserType | AnyStructType | UnionType):
            return False
        if any(_leaves(each) for each in nodes(attribute)):
            return False
    return not _share_a_size(struct)


def _share_a_size(struct: Struct) -> bool:
    """Whether two attributes have a size by the same other one, which may then have to change twice."""
    names: set[str] = set()
    for attribute in struct.attributes:
        if isinstance(attribute.size, ExpressionSize):
            own = {each.id for each in walk(attribute.size.expression) if isinstance(each, Name)}
            if own & names:
                return True
            names |= own
    return False


def _leaves(node: Node) -> bool:
    """Whether an expression looks beyond the object."""
    return any(
        (isinstance(each, Name) and each.id in ("_parent", "_root", "_io")) or isinstance(each.type, StreamType)
        for each in walk(node)
    )
