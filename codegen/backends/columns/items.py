"""Items of repeated fields in expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from wireloom.format.program import Code, Reason

from ...expression.nodes import Attribute, Cast, Name, Node
from ...expression.types import BytesType, ListType, StringType, UserType
from ...plan import TypePlan
from .compiled import Compiled, constant, joined, of_series
from .interval import BOOLEAN, Interval
from .refusal import NotForEngineError
from .scope import Called, PartOfItem, Repeated, Scope


@dataclass(eq=False)
class Series(Repeated, ABC):
    """The items of a repeated field, and what expressions ask of them. ``is_open``: there may be more of them."""

    is_open: bool = field(default=True, init=False)

    @abstractmethod
    def size(self) -> Compiled:
        """Return the number of items, so far."""

    @abstractmethod
    def number_of(self, path: Node, *, absent_fails: bool = True) -> tuple[int, Interval]:
        """Return the number of the series with what ``path`` finds in each item ``_``, and its values."""

    @abstractmethod
    def texts_of(self, path: Node, *, absent_fails: bool = True) -> int:
        """Return the number of the series with the text or bytes that ``path`` finds in each item ``_``.
        ``absent_fails``: there is none where that is absent; otherwise it may not be."""

    def method(self, node: Attribute) -> Compiled | Item | None:
        """Return what a method of the list gives; ``None``: there is no such method."""
        item = node.value.type.item if isinstance(node.value.type, ListType) else None
        match node.name:
            case "size" | "length":
                return self.size()
            case "first":
                return Item(self, constant(0), Name("_", type=item))
            case "last":
                size = self.size()
                last = joined((size, constant(1)), Code.SUBTRACT, Interval(-1, size.interval.high))
                return Item(self, last, Name("_", type=item))
            case "min" | "max":
                number, interval = self.number_of(Name("_", type=item))
                code = Code.SERIES_LEAST if node.name == "min" else Code.SERIES_GREATEST
                return of_series((), code, number, interval)
        return None


@dataclass(eq=False)
class Answers(Called, ABC):
    """An object that a function has read, and what expressions ask of it."""

    @abstractmethod
    def value_of(self, path: Node, *, absent_fails: bool) -> Compiled:
        """Code of the integer that ``path`` finds in the object ``_``."""


@dataclass(frozen=True)
class Answer:
    """An answer: what ``path`` finds in an object that a function has read, which is ``_`` there."""

    object: Answers
    path: Node

    def member(self, node: Attribute) -> Answer:
        """Return what is inside of it."""
        return replace(self, path=Attribute(self.path, node.name, type=node.type))

    def cast(self, node: Cast) -> Answer:
        """Return it as an object of one type."""
        return replace(self, path=_cast(self.path, node))

    def value(self, *, absent_fails: bool) -> Compiled:
        """Code of the integer that it is, as of an ``Item``."""
        return self.object.value_of(self.path, absent_fails=absent_fails)


@dataclass(frozen=True)
class Item(PartOfItem):
    """The item of a series whose number ``index`` computes, or what ``path`` finds in it, which is ``_`` there."""

    series: Series
    index: Compiled
    path: Node

    def member(self, node: Attribute) -> Item:
        """Return what is inside of it."""
        return replace(self, path=Attribute(self.path, node.name, type=node.type))

    def cast(self, node: Cast) -> Item:
        """Return it as an object of one type."""
        return replace(self, path=_cast(self.path, node))

    @property
    def struct(self) -> TypePlan | None:
        """The type of an item that is an object, which is read from the stream of what has the list."""
        kind, holder = self.path.type, self.series.holder
        if holder is None or not isinstance(kind, UserType) or kind.opaque:
            return None
        return holder.plan.type(kind.path)

    def scope(self, struct: TypePlan) -> Scope:
        """Return the item as an object of its type."""
        holder = self.series.holder
        assert holder is not None
        found = Scope(holder.plan, struct, holder, facts=self.series.facts, stream=holder.stream)
        for each in struct.fields:
            if each.repeat is None:
                found.members[each.id] = self.member(Attribute(self.path, each.id, type=each.type))
        return found

    @property
    def missing(self) -> Compiled:
        """Code of the ``Reason`` why there is no such item; of 0 where there is one."""
        first = joined((self.index, constant(0)), Code.GREATER_EQUAL, BOOLEAN)
        within = joined((self.index, self.series.size()), Code.LESS, BOOLEAN)
        exists = joined((first, within), Code.BOOLEAN_AND, BOOLEAN)
        return joined((exists, constant(0), constant(Reason.VALUE)), Code.SELECT, Interval(0, Reason.VALUE))

    def value(self, *, absent_fails: bool) -> Compiled:
        """Code of the integer that it is. ``absent_fails``: it has no value where it is absent; otherwise it may not
        be."""
        if isinstance(self.path.type, BytesType | StringType):
            raise NotForEngineError(f'an expression computes with text of an item of "{self.series.name}"')
        number, interval = self.series.number_of(self.path, absent_fails=absent_fails)
        return of_series((self.index,), Code.SERIES_ITEM, number, interval)


def _cast(path: Node, node: Cast) -> Cast:
    """Return ``path`` cast to a type by its full name, which is the same in every scope."""
    assert isinstance(node.type, UserType)
    return Cast(path, "::".join(node.type.path), type=node.type)
