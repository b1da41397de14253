"""Recognition of types that are varints by their meaning: bytes with seven bits each, and an instance with the integer
that they form.

Nothing depends on names: the instance is evaluated symbolically for each number of bytes and compared with the integer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from ..expression.linear import Sum, UnknownError, Value, value_of
from ..expression.nodes import Attribute as Member
from ..expression.nodes import Comparison, IntegerLiteral, Name, Node, Subscript
from ..expression.types import BitsType, IntegerType, Path, UserType, VarintType
from ..expression.walk import expressions_in, walk
from ..wire import RepeatUntil
from .model import Attribute, Instance, Struct, Valid

MOST_GROUPS = 10
"""Maximum number of bytes of a 64-bit varint."""

COUNTS = (*range(1, 33), 127, 128, 129)
"""Numbers of bytes with which a type without a limit is evaluated. Its expressions must not distinguish larger numbers:
see ``_check_comparisons``."""

COMPARED = (*range(17), 127, 128)
"""Numbers that comparisons in such a type may use."""

BUDGET = 200_000
"""Maximum number of values that are computed for one type."""

MAX_CACHED = 256
"""Maximum number of types whose result is cached: specs share the same few varints, and evaluation is slow."""

_recognised: dict[bytes, tuple[str, VarintType] | None] = {}
"""Results by the digest of everything that they depend on: the type, and the type of its groups."""


def varint_of(struct: Struct, structs: Mapping[Path, Struct]) -> tuple[str, VarintType] | None:
    """Return the instance with the integer, and the kind of varint, if the type is a varint.

    A type whose only attribute is a varint and that has an instance which undoes zigzag is one too.
    """
    if len(struct.attributes) != 1 or not struct.instances or struct.parameters or struct.message is not None:
        return None
    only = struct.attributes[0]
    group = structs.get(only.type.path) if isinstance(only.type, UserType) else None
    key = hashlib.sha256(repr((struct, group)).encode("utf-8", "surrogatepass")).digest()
    if key in _recognised:
        return _recognised[key]
    if len(_recognised) >= MAX_CACHED:
        _recognised.clear()
    found = _recognised[key] = _recognise(struct, only, structs)
    return found


def _recognise(struct: Struct, only: Attribute, structs: Mapping[Path, Struct]) -> tuple[str, VarintType] | None:
    for instance in sorted(struct.instances, key=lambda each: each.id != "value"):
        try:
            if isinstance(only.type, VarintType):
                return instance.id, _wrapped(struct, only, only.type, instance)
            return instance.id, _Groups(struct, only, structs).kind(instance)
        except (UnknownError, RecursionError):
            # Instances that depend on each other hundreds of levels deep are not the integer of a varint.
            continue
    return None


def _is_plain(attribute: Attribute) -> bool:
    extended = attribute.checksum or attribute.framing or attribute.logical or attribute.given
    absent = attribute.condition is None and attribute.contents is None and attribute.parent is None
    return absent and attribute.process is None and attribute.switch is None and not extended


def _wrapped(struct: Struct, only: Attribute, kind: VarintType, instance: Instance) -> VarintType:
    """Return the kind of a type that consists of a varint and has an instance that undoes zigzag."""
    if kind.zigzag or not _is_plain(only) or only.repeat is not None or only.valid is not None:
        raise UnknownError
    half = Sum.unknown("half", kind.limits[1] // 2)
    for odd in (0, 1):
        if _Object(struct, {only.id: half * 2 + Sum(odd)}).value_of(instance) != _unzigzag(half, odd):
            raise UnknownError
    return replace(kind, path=struct.path, zigzag=True)


def _unzigzag(half: Sum, odd: int) -> Sum:
    return half * -1 + Sum(-1) if odd else half


@dataclass
class _Object:
    """An object with some given values, from which its instances are computed. A given value may be a function."""

    struct: Struct
    given: dict[str, Value | Callable[[], Value]]
    budget: list[int] = field(default_factory=lambda: [BUDGET])

    def value(self, node: Node) -> Value:
        """Return the value of an expression of the object."""
        return value_of(node, self._named)

    def value_of(self, instance: Instance) -> Value:
        """Return the value of a value instance."""
        if instance.value is None or instance.condition is not None or instance.valid is not None:
            raise UnknownError
        return self.value(instance.value)

    def member(self, name: str) -> Value:
        """Return a given value or the value of an instance."""
        self.budget[0] -= 1
        if self.budget[0] < 0:
            raise UnknownError
        if name not in self.given:
            instance = self.struct.instance(name)
            if instance is None:
                raise UnknownError
            self.given[name] = self.value_of(instance)
        found = self.given[name]
        if callable(found):
            found = self.given[name] = found()
        return found

    def _named(self, node: Node) -> Value:
        match node:
            case Name(name):
                return self.member(name)
            case Member(inner, name):
                holder = self.value(inner)
                if isinstance(holder, _Object):
                    return holder.member(name)
                if isinstance(holder, tuple) and name in ("size", "length"):
                    return Sum(len(holder))
                if isinstance(holder, tuple) and holder and name in ("first", "last"):
                    first_or_last: Value = holder[0 if name == "first" else -1]
                    return first_or_last
            case Subscript(inner, index):
                items, number = self.value(inner), self.value(index)
                if isinstance(items, tuple) and isinstance(number, Sum) and 0 <= number.number < len(items):
                    item: Value = items[number.number]
                    return item
        raise UnknownError


class _Groups:
    """A type whose only attribute is the list of the bytes of a varint, or of objects with their bits."""

    def __init__(self, struct: Struct, attribute: Attribute, structs: Mapping[Path, Struct]) -> None:
        self.struct = struct
        self.attribute = attribute
        self.budget = [BUDGET]
        self.group: Struct | None = None
        self.flag = self.bits = ""
        if not _is_plain(attribute) or not isinstance(attribute.repeat, RepeatUntil):
            raise UnknownError
        if isinstance(attribute.type, UserType) and not attribute.type.opaque and attribute.terminator is None:
            self.group = structs[attribute.type.path]
            self._find_bits(self.group)
        elif attribute.type != IntegerType(1, False, None):
            raise UnknownError
        self.most, self.top = self._limit(attribute.repeat.expression)
        if not self.most:
            self._check_comparisons()

    def _find_bits(self, group: Struct) -> None:
        """Find the flag and the bits in the type of a group, which has one byte."""
        if len(group.attributes) != 2 or not all(_is_plain(each) and not each.repeat for each in group.attributes):
            raise UnknownError
        first, second = group.attributes
        if (first.type, second.type) == (BitsType(1, "be"), BitsType(7, "be")):
            self.flag, self.bits = first.id, second.id
        elif (first.type, second.type) == (BitsType(7, "le"), BitsType(1, "le")):
            self.bits, self.flag = first.id, second.id
        else:
            raise UnknownError

    def kind(self, instance: Instance) -> VarintType:
        """Return the kind of varint with ``instance`` as its value. Raises ``UnknownError`` if it is not a varint."""
        for kind in self._kinds():
            counts = range(1, self.most + 1) if self.most else COUNTS
            if all(self._is(kind, instance, count) for count in reversed(counts)):
                return kind
        raise UnknownError

    def _kinds(self) -> Iterator[VarintType]:
        limited = self.top < 127
        for groups in range(min(self.most or MOST_GROUPS, MOST_GROUPS), max(1, self.most - 1) if limited else 1, -1):
            for order in ("le",) if limited else ("le", "be"):
                kind = VarintType(self.struct.path, order, groups, self.most, self.top)
                if kind.limits[1] < 1 << 64:
                    yield from (kind, replace(kind, zigzag=True))

    def _is(self, kind: VarintType, instance: Instance, count: int) -> bool:
        """Return whether ``instance`` is the value of all varints of the kind with ``count`` bytes."""
        for odd in (0, 1) if kind.zigzag else (0,):
            tops = [127] * count
            if count == self.most:
                tops[-1] = self.top
            lows = [Sum.unknown(str(number), top) for number, top in enumerate(tops)]
            lowest = 0 if kind.order == "le" else count - 1
            if kind.zigzag:
                lows[lowest] = Sum.unknown("half", tops[lowest] // 2) * 2 + Sum(odd)
            groups = lows if kind.order == "le" else lows[::-1]
            expected = Sum()
            for number, low in enumerate(groups[: kind.groups]):
                expected += low * (1 << 7 * number)
            if kind.zigzag:
                expected = _unzigzag((expected + Sum(-odd)).divided(2)[0], odd)
            made = _Object(self.struct, {self.attribute.id: self._items(lows)}, self.budget)
            try:
                if made.value_of(instance) != expected:
                    return False
            except UnknownError:
                return False
        return True

    def _items(self, bits: list[Sum]) -> tuple[Value, ...]:
        """Build the list of groups that contain ``bits``, in order."""
        made: tuple[Value, ...] = ()
        for low in bits:
            made = (*made, self._item(low, made, follows=len(made) + 1 < len(bits)))
        return made

    def _item(self, low: Sum, before: tuple[Value, ...], *, follows: bool) -> Value:
        if self.group is None:
            return low + Sum(128) if follows else low
        given: dict[str, Value | Callable[[], Value]] = {self.flag: follows, self.bits: low}
        outside = _Object(self.struct, {self.attribute.id: before, "_index": Sum(len(before))}, self.budget)
        for parameter, argument in zip(self.group.parameters, self.attribute.arguments, strict=True):
            given[parameter.id] = partial(outside.value, argument)
        return _Object(self.group, given, self.budget)

    # Where it ends ---------------------------------------------------------------------------------------------------

    def _limit(self, until: Node) -> tuple[int, int]:
        """Return the maximum number of bytes, and the largest value of the last byte; 0 and 127 without a limit."""
        before: tuple[Value, ...] = ()
        for number in range(MOST_GROUPS + 1):
            low = Sum.unknown(str(number), 127)
            for follows in (False, True):
                scope = {"_": self._item(low, before, follows=follows), "_index": Sum(number)}
                if _Object(self.struct, {**scope}, self.budget).value(until) is not (not follows):
                    raise UnknownError
            last, more = (self._allowed(before, follows=follows) for follows in (False, True))
            top = last.count(True) - 1
            if top < 0 or not all(last[: top + 1]) or len(set(more)) != 1:
                raise UnknownError
            if not more[0]:
                return number + 1, top
            if top != 127:
                raise UnknownError
            before = (*before, self._item(low, before, follows=True))
        members = (self.attribute, *(self.group.attributes if self.group is not None else ()))
        if any(each.valid is not None for each in members):
            raise UnknownError
        return 0, 127

    def _allowed(self, before: tuple[Value, ...], *, follows: bool) -> list[bool]:
        """Return for each value of the bits of a byte whether ``valid`` accepts it."""
        try:
            # Limits of most bytes do not depend on their bits.
            return [self._allows(Sum.unknown("any", 127), before, follows=follows)] * 128
        except UnknownError:
            return [self._allows(Sum(each), before, follows=follows) for each in range(128)]

    def _allows(self, low: Sum, before: tuple[Value, ...], *, follows: bool) -> bool:
        """Return whether ``valid`` accepts a byte."""
        item = self._item(low, before, follows=follows)
        around: dict[str, Value | Callable[[], Value]] = {"_index": Sum(len(before)), self.attribute.id: before}
        checked = [(self.attribute, _Object(self.struct, {**around, "_": item}, self.budget))]
        if isinstance(item, _Object):
            # Attributes are checked in order: later ones have no value yet.
            checked += [
                (each, replace(item, given={**item.given, "_": item.member(each.id)}))
                for each in item.struct.attributes
            ]
        return all(each.valid is None or _holds(each.valid, scope) for each, scope in checked)

    def _check_comparisons(self) -> None:
        """Check that no expression distinguishes larger numbers of bytes than those that are evaluated."""
        compared = (
            each
            for node in expressions_in((self.struct, self.group))
            for comparison in walk(node)
            if isinstance(comparison, Comparison)
            for each in walk(comparison)
        )
        if any(isinstance(each, IntegerLiteral) and each.value not in COMPARED for each in compared):
            raise UnknownError


def _holds(valid: Valid, scope: _Object) -> bool:
    """Return whether the value ``_`` of a scope is valid."""
    found = scope.member("_")
    if valid.any_of or valid.in_enum:
        raise UnknownError
    if valid.equal is not None:
        if isinstance(found, Sum) and found.terms:
            raise UnknownError
        if scope.value(valid.equal) != found:
            return False
    if valid.expression is not None:
        truth = scope.value(valid.expression)
        if not isinstance(truth, bool):
            raise UnknownError
        return truth
    for bound, sign in ((valid.minimum, -1), (valid.maximum, 1)):
        if bound is not None:
            difference = scope.value(bound)
            if not isinstance(difference, Sum) or not isinstance(found, Sum):
                raise UnknownError
            if (difference.number - found.number) * sign < 0:
                return False
    return True
