"""The presence of values at a position in a row, and code that reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

from wireloom.base.dataclass import dataclass, field, replace
from wireloom.format.program import Code

from ...expression.nodes import Cast, MemberAccess, Name, Node
from .interval import BOOLEAN, Interval
from .items import CallResultMember, ListItem, Resolved
from .refusal import NotForEngineError
from .stack_code import FAILED, Digits, StackCode, constant, joined, optional, where
from .symbols import (
    Argument,
    CallResult,
    Chosen,
    Created,
    ObjectScope,
    PathCondition,
    RepeatedField,
    Scalar,
    Span,
    Unavailable,
)


@dataclass(frozen=True)
class Presence(ABC):
    """The base of the compiler of expressions in ``scope``: code that reads values, which may be absent where it runs.
    An absent integer is null; everything else has a presence register. Values that are known to be present are read
    without a test.

    - ``path_conditions``: conditions under which the code runs.
    - ``assumed``: further conditions, which another operand of the expression tests: the engine evaluates the code even
      if they do not hold, and ignores the result.
    - ``of_argument``: the code computes an argument of an object. The object got it at its beginning, so that lists
      have the items that they had then.
    """

    scope: ObjectScope
    path_conditions: tuple[PathCondition, ...] = ()
    assumed: tuple[PathCondition, ...] = field(default=(), kw_only=True)
    of_argument: bool = field(default=False, kw_only=True)

    @abstractmethod
    def resolve(self, node: Node) -> Resolved:
        """Return what a name or a path of names refers to. Raises ``NotForEngineError``."""

    @abstractmethod
    def within(self, scope: ObjectScope) -> Self:
        """Return a copy for expressions that are written in another object."""

    @abstractmethod
    def _compile(self, node: Node) -> StackCode:
        """Return the code of an integer or boolean expression. Raises ``NotForEngineError``."""

    def _read(self, found: Resolved) -> StackCode:
        if isinstance(found, StackCode):
            return found
        if isinstance(found, ListItem):
            return where(self._presence_of(found.series), found.value())
        if isinstance(found, CallResultMember):
            return where(self._presence_of(found.object), found.value())
        if isinstance(found, Unavailable):
            raise NotForEngineError(found.sentence)
        if not isinstance(found, Scalar):
            raise NotForEngineError("an expression computes with values other than numbers and booleans")
        return self.scalar(found)

    def scalar(self, found: Scalar) -> StackCode:
        """Return the code of an integer, which is null where it is absent. Raises ``NotForEngineError`` if no step sets
        it there."""
        if not found.is_optional:
            self.must_be_present(found)
        elif not self.is_known_present(found):
            found.read_as_null()
        return StackCode((found,), found.interval)

    def _span_size(self, node: Node, span: Span) -> StackCode:
        size = StackCode((span,), Interval(0, (1 << 31) - 1)) if span.size is None else constant(span.size)
        return where(self.present(node, span), size)

    def _digits(self, node: Node, span: Span, radix: int) -> StackCode:
        largest = min(radix ** (span.size or 128), 1 << 100)
        return self._of_span(node, span, StackCode((Digits(span, radix),), Interval(-largest, largest)))

    def _of_span(self, node: Node, span: Span, value: StackCode) -> StackCode:
        """Return code computed from bytes or text, which is absent if these are."""
        must_be_located(span)
        return where(self.present(node, span), value)

    def _presence_of(self, member: Span | RepeatedField | CallResult | ObjectScope | Chosen) -> StackCode:
        """Return code of whether a member is present. Raises ``NotForEngineError`` if no step says so."""
        if member.presence is None or self.is_known_present(member):
            self.must_be_present(member)
            return constant(1)
        return StackCode((member.presence,), BOOLEAN)

    def present(self, node: Node, found: Resolved) -> StackCode:
        """Return code of whether the object, the bytes or the text to which an expression refers is present, not null.
        It has no value if an object that contains it is absent, or is of another type."""
        if not isinstance(found, ObjectScope | Chosen | Span) or self.is_known_present(found):
            return constant(1)
        if isinstance(node, Cast):
            value = self.resolve(node.value)
            there = self.present(node.value, value)
            if not isinstance(value, Chosen) or found.presence is None:
                return there
            is_of_type = joined((self._presence_of(found), constant(1), FAILED), Code.SELECT, BOOLEAN)
            return where(there, is_of_type)
        outer, holder = constant(1), self.scope
        if isinstance(node, MemberAccess):
            owner = self.resolve(node.value)
            outer = self.present(node.value, owner)
            if not isinstance(owner, ObjectScope):
                return where(outer, self._presence_of(found))
            holder = owner
        name = node.id if isinstance(node, Name) else node.name if isinstance(node, MemberAccess) else ""
        member, instance = holder.members.get(name), holder.struct.instance(name)
        within = self.within(holder)
        if isinstance(member, Argument):
            of_argument = replace(self.within(member.scope), of_argument=True)
            return where(outer, of_argument.present(member.node, found))
        if member is not None or instance is None or instance.value is None:
            return where(outer, self._presence_of(found))
        there = within.present(instance.value, found)
        if instance.condition is not None:
            holds = within._compile(instance.condition)
            there = joined((holds, there, constant(0)), Code.SELECT, BOOLEAN)
        if there.nullable:
            there = joined((optional(there), constant(1)), Code.EQUAL, BOOLEAN)
        return where(outer, there)

    def must_be_present(self, member: Created) -> None:
        """Raise ``NotForEngineError`` if the field may be absent at this position."""
        if not self.is_known_present(member):
            raise NotForEngineError(f'an expression uses "{member.name}" where it may be absent')

    def is_known_present(self, member: Created) -> bool:
        """Return whether the member is known to be present."""
        return set(member.path_conditions) <= {*self.path_conditions, *self.assumed}


def must_be_located(span: Span) -> None:
    """Raise ``NotForEngineError`` if no step locates the bytes."""
    if not span.located:
        raise NotForEngineError(f'an expression uses the bytes of "{span.name}", which is not a column')
