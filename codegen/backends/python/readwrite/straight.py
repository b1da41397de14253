"""Straight types: consecutive fields whose sizes are determined by the object's own values.

Objects of such types are checked and written in one pass, without a stream and without trying out the layout.
"""

from __future__ import annotations

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
from ....tree import Attribute, Struct
from ....wire import EndOfStreamSize, OwnSize, RepeatEos, TerminatedSize
from ..module import Module
from .computed import computed_value

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
