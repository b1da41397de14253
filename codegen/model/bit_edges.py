"""Whether two things that stand one behind the other may share a byte: the first ends inside it, the second begins
there with bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .model import Attribute, OwnSize, RepeatCount, Struct
from .types import BitsType, EnumType, Path, UserType

ANYWHERE = frozenset(range(8))
BEGINNING = frozenset((0,))

Structs = Mapping[Path, Struct]


def may_share_a_byte(first: Iterable[Attribute], second: Struct, structs: Structs) -> bool:
    """``first``: all attributes that stand before an object of the second type, from a whole byte on."""
    return bool(_behind(first, BEGINNING, structs, ()) - BEGINNING) and _begins(second.attributes, structs, ()) is True


def _behind(attributes: Iterable[Attribute], offsets: frozenset[int], structs: Structs, outer: tuple[Path, ...]) -> frozenset[int]:
    """Where in a byte the attributes may end, in bits, if they begin at one of the offsets."""
    for attribute in attributes:
        there = _behind_one(attribute, offsets, structs, outer)
        offsets = there | offsets if attribute.condition is not None or _may_be_empty(attribute) else there
    return offsets


def _behind_one(attribute: Attribute, offsets: frozenset[int], structs: Structs, outer: tuple[Path, ...]) -> frozenset[int]:
    width = _width(attribute)
    if width is not None and attribute.repeat is None:
        return frozenset((each + width) % 8 for each in offsets)
    inner = _inline(attribute, structs)
    if inner is not None:
        if inner.path in outer or attribute.repeat is not None:
            return ANYWHERE if width is not None or _begins(inner.attributes, structs, outer) is not False else BEGINNING
        return _behind(inner.attributes, offsets, structs, (*outer, inner.path))
    return ANYWHERE if width is not None else BEGINNING


def _begins(attributes: Iterable[Attribute], structs: Structs, outer: tuple[Path, ...]) -> bool | None:
    """Whether the first thing that is read may be bits; ``None``: nothing may be read at all."""
    for attribute in attributes:
        found: bool | None = _width(attribute) is not None
        inner = _inline(attribute, structs)
        if inner is not None and inner.path not in outer:
            found = _begins(inner.attributes, structs, (*outer, inner.path))
        if found:
            return True
        if found is False and attribute.condition is None and not _may_be_empty(attribute):
            return False
    return None


def _may_be_empty(attribute: Attribute) -> bool:
    return attribute.repeat is not None


def _width(attribute: Attribute) -> int | None:
    kind = attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type
    return kind.width if isinstance(kind, BitsType) else None


def _inline(attribute: Attribute, structs: Structs) -> Struct | None:
    """The type whose attributes stand in the stream of those around them."""
    if isinstance(attribute.type, UserType) and isinstance(attribute.size, OwnSize):
        return structs.get(attribute.type.path)
    return None
