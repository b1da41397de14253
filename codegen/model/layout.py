"""Attributes that determine the position of later bytes (``Attribute.determines_layout``), and types of which these
must end where their bytes do (``Struct.fills_stream``).

The former are the ones that appear in a size, a count, a condition or a switch, directly or through value instances,
parameters and other objects; and fixed contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import zip_longest

from wireloom.base.dataclass import dataclass, field

from ..expression.nodes import MemberAccess, Name, Node
from ..expression.types import BitsType, Path, UserType
from ..expression.walk import expressions_in, names_in, updated, walk
from ..spec.diagnostics import Diagnostics
from ..tree import Attribute, Struct, SwitchCase
from ..tree.leaves import EndOfStreamSize, ExpressionSize, OwnSize, RepeatCount, RepeatEos, RepeatUntil, WithinSize
from ..words import shown

Reference = tuple[Path, str]
"""The type that declares a member, and the member's id."""


def references(node: Node, owner: Path) -> Iterator[Reference]:
    """Yield all members that a typed tree inside the type ``owner`` names, its own and those of other objects."""
    for each in walk(node):
        if isinstance(each, Name) and not each.id.startswith("_"):
            yield owner, each.id
        elif isinstance(each, MemberAccess) and isinstance(each.value.type, UserType):
            yield each.value.type.path, each.name


def framing_members(structs: Iterable[Struct]) -> frozenset[Reference]:
    """Return the members of all ``structs`` that determine the position of later bytes."""
    return _with_sources(list(structs), _direct)


def members_read_from(structs: Iterable[Struct]) -> frozenset[Reference]:
    """Return the members of all ``structs`` whose values something else that is read depends on, other than columns:
    layout, checks, checksums, arguments, positions, variables."""
    return _with_sources(list(structs), _all_uses)


def _with_sources(known: list[Struct], direct: Callable[[Struct], Iterator[Reference]]) -> frozenset[Reference]:
    """Return the members that ``direct`` yields for each type, and those that their values depend on."""
    after = _after(known)
    found: set[Reference] = set()
    waiting = [each for struct in known for each in direct(struct)]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting.extend(after.get(current, ()))
    return frozenset(found)


def delimited_types(root: Struct, structs: Iterable[Struct]) -> frozenset[Path]:
    """Return the types of items between delimiters that may leave bytes there. By default these are damage: they may be
    a record after a delimiter that was lost. A type that is also read elsewhere has the default of types there."""
    known = list(structs)
    found: set[Path] = set()
    for each in root.attributes:
        if each.framing is not None and isinstance(each.type, UserType):
            path = each.type.path
            uses = [use.path for struct in known for other in struct.all_attributes for use, _ in _uses(other)]
            type = next((struct for struct in known if struct.path == path), None)
            if type is not None and uses.count(path) == 1 and not _takes_rest(type):
                found.add(path)
    return frozenset(found)


def check_trailing(struct: Struct, structs: Mapping[Path, Struct], diagnostics: Diagnostics) -> None:
    """Report the attributes of a type whose own type refuses trailing bytes, but has neither a size there nor the last
    bytes of the object: whatever follows would be refused."""
    for each, following in zip_longest(struct.attributes, struct.attributes[1:]):
        for item in (each, *(each.switch.cases if each.switch is not None else ())):
            kind = structs.get(item.type.path) if isinstance(item.type, UserType) else None
            is_last = following is None and each.repeat is None
            if kind is None or not kind.fills_stream or not isinstance(item.size, OwnSize) or is_last or each.framing:
                continue
            assert each.position is not None
            what = f"{shown(kind.path[-1])} has 'trailing-bytes: refuse', and the bytes after it belong to others"
            diagnostics.error(each.position, f"{shown(each.id)} needs a 'size': its type {what}")


def _takes_rest(type: Struct) -> bool:
    last = type.attributes[-1] if type.attributes else None
    if last is None or last.condition is not None:
        return False
    return isinstance(last.repeat, RepeatEos) or (last.repeat is None and isinstance(last.size, EndOfStreamSize))


def mark(struct: Struct, framing: frozenset[Reference], filling: frozenset[Path]) -> Struct:
    """Return a type, and those inside it, with ``determines_layout`` and ``fills_stream`` set.

    Args:
        struct: The type.
        framing: The members that determine the position of later bytes, from ``framing_members``.
        filling: The types that fill their stream unless the spec says otherwise, from ``delimited_types``.
    """
    attributes = tuple(
        updated(each, determines_layout=each.contents is not None or (struct.path, each.id) in framing)
        for each in struct.attributes
    )
    nested = tuple(mark(each, framing, filling) for each in struct.structs)
    fills = struct.path in filling if struct.fills_stream is None else struct.fills_stream
    return updated(struct, attributes=attributes, structs=nested, fills_stream=fills)


def _direct(struct: Struct) -> Iterator[Reference]:
    for attribute in struct.attributes:
        for node in _size_expressions(attribute):
            yield from references(node, struct.path)
            if "_" in names_in(node):
                yield struct.path, attribute.id


def _all_uses(struct: Struct) -> Iterator[Reference]:
    set_ones = (each for each in struct.instances if each.sets is not None)
    at_positions = (each for each in struct.instances if each.attribute is not None)
    for node in expressions_in((struct.attributes, *set_ones, *at_positions)):
        yield from references(node, struct.path)
    yield from ((struct.path, each.path[0]) for each in struct.inner_sums)


def _size_expressions(attribute: Attribute) -> Iterator[Node]:
    """Yield the expressions of an attribute that determine its size: none if it is in bytes that were read before."""
    if isinstance(attribute.size, WithinSize):
        return
    if attribute.condition is not None:
        yield attribute.condition
    if isinstance(attribute.size, ExpressionSize):
        yield attribute.size.expression
    if isinstance(attribute.repeat, (RepeatCount, RepeatUntil)):
        yield attribute.repeat.expression
    if attribute.switch is not None:
        yield attribute.switch.on
        for case in attribute.switch.cases:
            if case.match is not None:
                yield case.match
            if isinstance(case.size, ExpressionSize):
                yield case.size.expression


def _after(structs: list[Struct]) -> dict[Reference, list[Reference]]:
    """Return the members that the value of a member depends on: an instance on its expression, a parameter on the
    arguments."""
    parameters: dict[Path, list[str]] = {each.path: [one.id for one in each.parameters] for each in structs}
    after: dict[Reference, list[Reference]] = {}
    for struct in structs:
        for instance in struct.instances:
            nodes = [each for each in (instance.value, instance.condition) if each is not None]
            for node in nodes:
                after.setdefault((struct.path, instance.id), []).extend(references(node, struct.path))
            for variable in () if instance.sets is None else references(instance.sets, struct.path):
                after.setdefault(variable, []).append((struct.path, instance.id))
        fields = (*struct.attributes, *(each.attribute for each in struct.instances if each.attribute is not None))
        for attribute in fields:
            for type, arguments in _uses(attribute):
                for name, node in zip(parameters.get(type.path, ()), arguments, strict=False):
                    after.setdefault((type.path, name), []).extend(references(node, struct.path))
    return after


def _uses(attribute: Attribute) -> Iterator[tuple[UserType, tuple[Node, ...]]]:
    if isinstance(attribute.type, UserType):
        yield attribute.type, attribute.arguments
    if attribute.switch is not None:
        for case in attribute.switch.cases:
            if isinstance(case.type, UserType):
                yield case.type, case.arguments


ANYWHERE = frozenset(range(8))
WHOLE = frozenset((0,))

Structs = Mapping[Path, Struct]
Offsets = frozenset[int]
"""Offsets inside a byte, in bits."""


def ends_inside_a_byte(attributes: Iterable[Attribute], structs: Structs) -> bool:
    """Return whether attributes that begin at a whole byte always end inside one."""
    return 0 not in end_of_byte(attributes, structs)


def end_of_byte(attributes: Iterable[Attribute], structs: Structs) -> Offsets:
    """Return the bits of the last byte that attributes that begin at a whole byte may take; 0 for a whole byte."""
    return BitOffsets(structs).after(attributes, WHOLE)


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
class BitOffsets:
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
        return self.after_type(inner, ANYWHERE if repeats else offsets)

    def after_type(self, struct: Struct, offsets: Offsets = WHOLE) -> Offsets:
        """Return where objects of a type may end if they begin at one of the offsets."""
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
