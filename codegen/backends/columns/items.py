"""Items of repeated fields in expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod

from wireloom.base.dataclass import dataclass, field, replace
from wireloom.format.program import Code, Reason

from ...expression.nodes import Cast, MemberAccess, Name, Node
from ...expression.types import BytesType, ListType, StringType, UserType
from ...tree import Struct
from .interval import BOOLEAN, Interval
from .refusal import NotForEngineError
from .stack_code import StackCode, constant, joined, of_series
from .symbols import CallResult, Chosen, ConstantTable, Member, ObjectScope, PartOfItem, RepeatedField


@dataclass(eq=False)
class Series(RepeatedField, ABC):
    """The items of a repeated field, as expressions use them. ``is_open``: further items may follow."""

    is_open: bool = field(default=True, init=False)

    @abstractmethod
    def size(self) -> StackCode:
        """Return the number of items read so far."""

    @abstractmethod
    def number_of(self, path: Node) -> tuple[int, Interval]:
        """Return the number of the series with the values of ``path`` in each item ``_``, and their range."""

    @abstractmethod
    def may_be_absent(self, path: Node) -> bool:
        """Return whether the value of ``path`` may be missing in an item because an attribute is absent."""

    @abstractmethod
    def texts_of(self, path: Node) -> int:
        """Return the number of the series with the text or bytes that ``path`` finds in each item ``_``."""

    def method(self, node: MemberAccess) -> StackCode | ListItem | None:
        """Return the result of a method of the list; ``None`` if there is no such method."""
        item = node.value.type.item if isinstance(node.value.type, ListType) else None
        match node.name:
            case "size" | "length":
                return self.size()
            case "first":
                return ListItem(self, constant(0), Name("_", type=item))
            case "last":
                size = self.size()
                last = joined((size, constant(1)), Code.SUBTRACT, Interval(-1, size.interval.high))
                return ListItem(self, last, Name("_", type=item))
            case "min" | "max":
                number, interval = self.number_of(Name("_", type=item))
                if interval.is_float:
                    raise NotForEngineError(f'an expression uses ".{node.name}"')
                code = Code.SERIES_LEAST if node.name == "min" else Code.SERIES_GREATEST
                return of_series((), code, number, interval)
        return None


@dataclass(eq=False)
class CallResultObject(CallResult, ABC):
    """An object that a function has read, as expressions use it."""

    @abstractmethod
    def value_of(self, path: Node) -> StackCode:
        """Return code of the integer that ``path`` finds in the object ``_``."""


@dataclass(frozen=True)
class CallResultMember:
    """The value of ``path`` in an object that a function has read; ``_`` in the path is that object."""

    object: CallResultObject
    path: Node

    def member(self, node: MemberAccess) -> CallResultMember:
        """Return a member of the value."""
        return replace(self, path=MemberAccess(self.path, node.name, type=node.type))

    def cast(self, node: Cast) -> CallResultMember:
        """Return the value as an object of one type."""
        return replace(self, path=_cast(self.path, node))

    def value(self) -> StackCode:
        """Return code of the integer."""
        return self.object.value_of(self.path)


@dataclass(frozen=True)
class ListItem(PartOfItem):
    """The item of a series at the index ``index``, or the value of ``path`` in it; ``_`` in the path is the item."""

    series: Series
    index: StackCode
    path: Node

    def member(self, node: MemberAccess) -> ListItem:
        """Return a member of the item."""
        return replace(self, path=MemberAccess(self.path, node.name, type=node.type))

    def cast(self, node: Cast) -> ListItem:
        """Return the item as an object of one type."""
        return replace(self, path=_cast(self.path, node))

    @property
    def struct(self) -> Struct | None:
        """Return the type of an item that is an object read from the stream of the object with the list; ``None`` for
        other items."""
        kind, holder = self.path.type, self.series.holder
        if holder is None or not isinstance(kind, UserType) or kind.opaque:
            return None
        return holder.spec.struct(kind.path)

    def scope(self, struct: Struct) -> ObjectScope:
        """Return the item as an object of its type."""
        holder = self.series.holder
        assert holder is not None
        found = ObjectScope(
            holder.spec, struct, holder, path_conditions=self.series.path_conditions, stream=holder.stream
        )
        found.presence = self.series.presence
        for each in struct.attributes:
            if each.repeat is None:
                found.members[each.id] = self.member(MemberAccess(self.path, each.id, type=each.type))
        return found

    @property
    def missing(self) -> StackCode:
        """Return code of the ``Reason`` why the item does not exist; 0 if it does."""
        first = joined((self.index, constant(0)), Code.GREATER_EQUAL, BOOLEAN)
        within = joined((self.index, self.series.size()), Code.LESS, BOOLEAN)
        exists = joined((first, within), Code.BOOLEAN_AND, BOOLEAN)
        return joined((exists, constant(0), constant(Reason.VALUE)), Code.SELECT, Interval(0, Reason.VALUE))

    def value(self) -> StackCode:
        """Return code of the integer."""
        if isinstance(self.path.type, BytesType | StringType):
            raise NotForEngineError(f'an expression computes with text of an item of "{self.series.name}"')
        number, interval = self.series.number_of(self.path)
        nullable = self.series.may_be_absent(self.path)
        return of_series((self.index,), Code.SERIES_ITEM, number, interval, nullable=nullable)


def _cast(path: Node, node: Cast) -> Cast:
    """Return ``path`` cast to a type by its full name, which is valid in every scope."""
    assert isinstance(node.type, UserType)
    return Cast(path, "::".join(node.type.path), type=node.type)


Resolved = Member | ConstantTable | ObjectScope | Chosen | StackCode | ListItem | CallResultMember | RepeatedField
"""What a name or a path of names refers to."""
