"""Byte alignment of bit fields: rows begin at whole bytes, while the bits of one type continue in the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..dataclass import dataclass, field
from ..expression.types import BitsType, Path, UserType
from ..tree import Attribute, Struct, SwitchCase
from ..wire import OwnSize

ANYWHERE = frozenset(range(8))
WHOLE = frozenset((0,))

Structs = Mapping[Path, Struct]
Offsets = frozenset[int]
"""Offsets inside a byte, in bits."""


def ends_inside_a_byte(attributes: Iterable[Attribute], structs: Structs) -> bool:
    """Return whether attributes that begin at a whole byte always end inside one."""
    return 0 not in _Edges(structs).after(attributes, WHOLE)


def may_end_inside_a_byte(attributes: Iterable[Attribute], structs: Structs) -> bool:
    """Return whether attributes that begin at a whole byte can end inside one."""
    return _Edges(structs).after(attributes, WHOLE) != WHOLE


def begins_with_bits(struct: Struct, structs: Structs) -> bool:
    """Return whether an object always begins with a bit field."""
    seen: set[Path] = set()
    inner: Struct | None = struct
    while inner is not None and inner.attributes and inner.path not in seen:
        seen.add(inner.path)
        first = inner.attributes[0]
        if first.condition is not None or first.repeat is not None:
            return False
        if _width(first) is not None:
            return True
        inner = _inline(first, structs)
    return False


@dataclass
class _Edges:
    """Computes the bit offsets at which attributes may end, cached by type and initial offset."""

    structs: Structs
    known: dict[tuple[Path, Offsets], Offsets] = field(default_factory=dict)
    open: set[Path] = field(default_factory=set)

    def after(self, attributes: Iterable[Attribute], offsets: Offsets) -> Offsets:
        """Return where the attributes may end if they begin at one of the offsets."""
        for attribute in attributes:
            there = self._after_one(attribute, offsets)
            may_be_absent = attribute.condition is not None or attribute.repeat is not None
            offsets = there | offsets if may_be_absent else there
        return offsets

    def _after_one(self, attribute: Attribute, offsets: Offsets) -> Offsets:
        repeats = attribute.repeat is not None
        if attribute.switch is None:
            return self._after_item(attribute, offsets, repeats=repeats)
        # Without a case for the value, nothing is read.
        return offsets.union(*(self._after_item(each, offsets, repeats=repeats) for each in attribute.switch.cases))

    def _after_item(self, item: Attribute | SwitchCase, offsets: Offsets, *, repeats: bool) -> Offsets:
        width, inner = _width(item), _inline(item, self.structs)
        if width is not None:
            return ANYWHERE if repeats else frozenset((each + width) % 8 for each in offsets)
        if inner is None:
            return WHOLE
        if inner.path in self.open:
            return ANYWHERE
        return self._after_type(inner, ANYWHERE if repeats else offsets)

    def _after_type(self, struct: Struct, offsets: Offsets) -> Offsets:
        key = struct.path, offsets
        if key not in self.known:
            self.open.add(struct.path)
            self.known[key] = self.after(struct.attributes, offsets)
            self.open.discard(struct.path)
        return self.known[key]


def _width(attribute: Attribute | SwitchCase) -> int | None:
    kind = attribute.type.on_wire
    return kind.width if isinstance(kind, BitsType) else None


def _inline(attribute: Attribute | SwitchCase, structs: Structs) -> Struct | None:
    """Return the type of an attribute without its own stream, whose attributes continue in the same bits."""
    if isinstance(attribute.type, UserType) and isinstance(attribute.size, OwnSize):
        return structs.get(attribute.type.path)
    return None
