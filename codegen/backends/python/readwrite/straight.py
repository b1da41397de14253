"""Which types are straight: fields one after the other, each of a size that the object's own values give.

Objects of such types are checked and written in one pass, without a stream to ask and without trying out where things
come to stand.
"""

from __future__ import annotations

from functools import lru_cache

from ....encodings import python_codec
from ....expression.nodes import Attribute as Member
from ....expression.nodes import Name, Node
from ....expression.types import (
    AnyStructType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    Path,
    StreamType,
    StringType,
    UnionType,
    UserType,
)
from ....expression.walk import walk
from ....model.model import Attribute, Struct
from ....model.walking import structs
from ....plan.covers import plain_cover
from ....plan.sizes import nodes
from ....wire import EndOfStreamSize, OwnSize, RepeatEos, TerminatedSize
from ..module import Module
from .computed import computed_value

ELSEWHERE = ("_parent", "_root", "_io", "_on", "_sizeof")
"""Names of what does not belong to the object."""

OBJECTS = (UserType, AnyStructType, UnionType)


@lru_cache(maxsize=4)
def straight_types(module: Module) -> frozenset[Path]:
    """The straight types of a spec."""
    found = {each.path: each for each in structs(module.spec.root) if _is_straight(each)}
    before = -1
    while before != len(found):
        before = len(found)
        filling = frozenset(path for path in found if fills_stream(module, path))
        for path in [path for path, each in found.items() if not _fits_together(module, each, found, filling)]:
            del found[path]
    return frozenset(found)


def fills_stream(module: Module, path: Path) -> bool:
    """Whether objects of a straight type go to the end of their stream: their last attribute does."""
    seen: set[Path] = set()
    while path not in seen:
        seen.add(path)
        attributes = module.spec.struct(path).attributes
        if not attributes:
            return False
        if _goes_to_the_end(attributes[-1]):
            return True
        kind = attributes[-1].type
        if not isinstance(kind, UserType) or kind.opaque or not _is_own(module, kind):
            return False
        path = kind.path
    return False


def _goes_to_the_end(attribute: Attribute) -> bool:
    return isinstance(attribute.repeat, RepeatEos) or isinstance(attribute.size, EndOfStreamSize)


def _fits_together(module: Module, struct: Struct, found: dict[Path, Struct], filling: frozenset[Path]) -> bool:
    """Whether what the attributes hold is straight too, and only the last of them goes to the end of the stream."""
    for attribute in struct.attributes:
        last = attribute is struct.attributes[-1] and attribute.condition is None
        if isinstance(attribute.type, UserType):
            if not _is_own(module, attribute.type) or attribute.type.path not in found:
                return False
            if attribute.type.path in filling and not (last and attribute.repeat is None):
                return False
        if _goes_to_the_end(attribute) and not last:
            return False
        if isinstance(attribute.repeat, RepeatEos) and module.minimums.of(attribute) == 0:
            return False
    return True


def _is_own(module: Module, kind: UserType) -> bool:
    return not kind.opaque and kind.path[0] == module.spec.root.path[0]


def _is_straight(struct: Struct) -> bool:
    if struct.parameters or struct.endian is not None or struct.message is not None:
        return False
    if any(each.attribute is not None for each in struct.instances):
        return False
    local: dict[str, bool] = {}
    return all(_is_straight_attribute(struct, each, local) for each in struct.attributes)


def _is_straight_attribute(struct: Struct, attribute: Attribute, local: dict[str, bool]) -> bool:
    if (
        attribute.switch
        or attribute.process
        or attribute.framing
        or attribute.arguments
        or attribute.parent is not None
    ):
        return False
    if attribute.checksum is not None and plain_cover(struct, attribute.checksum) is None:
        return False
    if computed_value(attribute) is not None or not all(_is_local(struct, each, local) for each in nodes(attribute)):
        return False
    kind = attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type
    match kind:
        case IntegerType() | FloatType():
            return kind.size == 1 or kind.endian != "computed"
        case BytesType() | StringType():
            return _is_straight_content(attribute)
        case UserType():
            return isinstance(attribute.size, OwnSize)
    return False


def _is_straight_content(attribute: Attribute) -> bool:
    """Bytes and text that fill their field, or that a terminator of one byte ends, which belongs to them alone."""
    if isinstance(attribute.type, StringType) and python_codec(attribute.type.encoding or "UTF-8") is None:
        return False
    end = attribute.terminator
    if isinstance(attribute.size, TerminatedSize):
        return end is not None and len(end.value) == 1 and end.consume and end.eos_error
    both = isinstance(attribute.size, EndOfStreamSize) and attribute.repeat is not None
    return end is None and attribute.pad_right is None and not both


def _is_local(struct: Struct, node: Node, known: dict[str, bool]) -> bool:
    """Whether an expression stands on the numbers, bytes, texts and lists of the object itself, or of the last item.

    ``known``: the same of the instances that were asked about.
    """
    for each in walk(node):
        if isinstance(each.type, StreamType) or (isinstance(each, Name) and each.id in ELSEWHERE):
            return False
        is_last = isinstance(each, Member) and isinstance(each.value, Name) and each.value.id == "_"
        if isinstance(each, Member) and not is_last and isinstance(each.value.type, OBJECTS):
            return False
        instance = struct.instance(each.id) if isinstance(each, Name) else None
        if instance is not None and instance.id not in known:
            parts = [part for part in (instance.value, instance.condition) if part is not None]
            # One that stands on itself is not.
            known[instance.id] = False
            known[instance.id] = all(_is_local(struct, part, known) for part in parts)
        if instance is not None and not known[instance.id]:
            return False
    return True
