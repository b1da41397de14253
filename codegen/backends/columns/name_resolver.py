"""Resolves names in expressions at a position in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from wireloom.base.dataclass import dataclass, replace
from wireloom.format.program import Code

from ...expression.nodes import Call, Cast, MemberAccess, Name, Node, Subscript, TableLiteral
from ...expression.types import BytesType, ListType, StreamType, StringType, Type, UserType
from ...expression.walk import names_in
from ...tree import Instance
from .interval import Interval
from .items import CallResultMember, CallResultObject, ListItem, Resolved, Series
from .path_conditions import conjuncts_of_negation, path_conditions_of
from .presence import Presence
from .refusal import NotForEngineError
from .stack_code import Byte, StackCode, constant, joined, where
from .symbols import (
    Argument,
    Chosen,
    ConstantTable,
    ListVariable,
    Member,
    ObjectScope,
    PathCondition,
    RepeatedField,
    Scalar,
    Span,
    TableVariable,
    Unavailable,
)
from .uses import uses_position

_METHODS = ("length", "size", "to_i", "to_s", "reverse")
"""Methods whose values are computed, unless they belong to lists."""

MAX_NESTING = 64
"""Maximum depth of instances that depend on each other; beyond it the lowering gives up on an expression."""


@dataclass(frozen=True)
class NameResolver(Presence):
    """Resolves names in expressions that are written in ``scope``; ``it`` is the value of ``_``.

    - ``of_stream``: returns the position, the size or the end of an object's stream, at the position of the code.
    - ``of_item``: returns an item of a list variable, or an entry of a table; ``keep``: stores a value in a register.
    - ``read``: reads an instance at its position; ``attempt``: the same for a column, where it may fail.
    - ``needs``: receives the code of the reason of that failure, for a value needed only if all of ``guards`` hold.
    - ``items_of``: the object that contains the list if the code is about an item, at its end.
    - ``of_row``: the code is a column, computed after all fields.
    - ``share``: returns the register of an instance that several columns use.
    - ``is_open``: whether the stream of an object has not been left; ``incomplete``: lists that are still being read.
    """

    it: Member | ObjectScope | Chosen | None = None
    nesting: int = 0
    of_stream: Callable[[ObjectScope, str, bool], StackCode] | None = None
    of_item: Callable[[ListVariable | TableVariable | ConstantTable, StackCode], StackCode] | None = None
    keep: Callable[[StackCode, ObjectScope, Instance], Scalar] | None = None
    read: Callable[[ObjectScope, Instance], None] | None = None
    items_of: ObjectScope | None = None
    of_row: bool = False
    share: Callable[[NameResolver, ObjectScope, Instance], Scalar | None] | None = None
    is_open: Callable[[ObjectScope], bool] | None = None
    incomplete: tuple[RepeatedField, ...] = ()
    attempt: Callable[[ObjectScope, Instance], None] | None = None
    needs: Callable[[StackCode, tuple[StackCode, ...]], None] | None = None
    guards: tuple[StackCode, ...] = ()

    def _stream(self, stream: Node, name: str) -> StackCode:
        later = self.of_row and self.scope.encloses_rows and name != "size"
        if self.of_stream is None or later:
            raise NotForEngineError(f'an expression uses "_io.{name}" where the engine does not support it')
        return self.of_stream(self.holder_of(stream), name, self.of_row)

    def holder_of(self, stream: Node) -> ObjectScope:
        """Return the object that is read from a stream. Raises ``NotForEngineError``."""
        found = self.resolve(stream.value) if isinstance(stream, MemberAccess) and stream.name == "_io" else None
        holder = self.scope if isinstance(stream, Name) and stream.id == "_io" else found
        if not isinstance(holder, ObjectScope):
            raise NotForEngineError("an expression uses the stream of an object that does not enclose it")
        return holder

    def resolve(self, node: Node) -> Resolved:
        """Return what a name or a path of names refers to. Raises ``NotForEngineError``."""
        if isinstance(node, Cast):
            return self._cast(self.resolve(node.value), node)
        if isinstance(node, Name):
            return self._name(node.id, node.type)
        if isinstance(node, MemberAccess):
            if isinstance(node.value.type, StreamType):
                return self._stream(node.value, node.name)
            if node.name in _METHODS and not isinstance(node.value.type, UserType | ListType):
                return self._value_of(node)
            return self._member(self.resolve(node.value), node)
        if isinstance(node, Subscript):
            return self._item(self.resolve(node.value), node)
        return self._value_of(node)

    def _value_of(self, node: Node) -> Resolved:
        """Return the value of an expression that is not a name."""
        if isinstance(node, Call) and node.name != "to_i":
            return Unavailable(f'an expression uses ".{node.name}()"')
        return self._compile(node)

    def _member(self, owner: Resolved, node: MemberAccess) -> Resolved:
        found: Resolved | None = None
        if isinstance(owner, Chosen):
            owner = owner.object_of(node.value.type)
        if isinstance(owner, Unavailable):
            return owner
        if isinstance(owner, ObjectScope):
            return self._inside(node.value, owner, replace(self, scope=owner, it=None)._name(node.name, node.type))
        if isinstance(owner, ListItem) and (within := self._item_scope(owner, node)) is not None:
            if self.needs is not None:
                self.needs(owner.missing, self.guards)
            return replace(self.within(within), guards=self.guards)._name(node.name, node.type)
        if isinstance(owner, ListItem | CallResultMember):
            return owner.member(node)
        if isinstance(owner, CallResultObject):
            return CallResultMember(owner, Name("_", type=node.value.type)).member(node)
        if isinstance(owner, Series):
            self._must_be_complete(owner)
            found = owner.method(node)
            if isinstance(found, StackCode):
                found = where(self._presence_of(owner), found)
        elif isinstance(owner, Span) and node.name in ("first", "last"):
            index = constant(0)
            if node.name == "last":
                size = self._span_size(node.value, owner)
                index = joined((size, constant(1)), Code.SUBTRACT, Interval(-1, 1 << 31))
            found = self._byte(node.value, owner, index)
        return Unavailable(f'an expression uses ".{node.name}"') if found is None else found

    @staticmethod
    def _cast(found: Resolved, node: Cast) -> Resolved:
        """Return the object found, cast to one type."""
        if not isinstance(node.type, UserType) or node.type.opaque:
            return found
        if isinstance(found, ListItem | CallResultMember):
            return found.cast(node)
        if isinstance(found, ObjectScope) and found.struct.path != node.type.path:
            return Unavailable(f"an expression casts an object to another type, {'::'.join(node.type.path)}")
        return found.object_of(node.type) if isinstance(found, Chosen) else found

    def _inside(self, node: Node, owner: ObjectScope, found: Resolved) -> Resolved:
        """Return a member of the object to which ``node`` refers; it is absent if the object is."""
        if self.is_known_present(owner) or not isinstance(found, StackCode | Scalar):
            return found
        return where(self.present(node, owner), self._read(found))

    def _item_scope(self, item: ListItem, node: MemberAccess) -> ObjectScope | None:
        """Return the item as an object for an instance at a position of it, or for text; otherwise ``None``."""
        struct = item.struct
        instance = None if struct is None else struct.instance(node.name)
        if self.attempt is None or struct is None or instance is None:
            return None
        self.must_be_present(item.series)
        known, is_text = self.scope.root.items, isinstance(node.type, BytesType | StringType)
        return known.setdefault(item, item.scope(struct)) if instance.attribute is not None or is_text else None

    def _item(self, owner: Resolved, node: Subscript) -> Resolved:
        if isinstance(owner, Unavailable):
            return owner
        if isinstance(owner, ListVariable | TableVariable | ConstantTable):
            return self.item_of(owner, node.index)
        if isinstance(owner, Span) and isinstance(node.value.type, BytesType):
            return self._byte(node.value, owner, self._compile(node.index))
        if not isinstance(owner, Series):
            return Unavailable("an expression uses an item of something other than a list that was already read")
        self._must_be_complete(owner)
        return ListItem(owner, self._compile(node.index), Name("_", type=node.type))

    def item_of(self, items: ListVariable | TableVariable | ConstantTable, index: Node) -> Resolved:
        """Return an item of a list, or an entry of a table, which is null if it is not there."""
        if self.of_item is None:
            return Unavailable(f'an expression uses an item of "{items.name}" where the engine does not support it')
        return self.of_item(items, self._compile(index))

    def _must_be_around(self, scope: ObjectScope) -> None:
        """Raise ``NotForEngineError`` for items in an object that confines damage to itself, once it has been left."""
        for each in (scope, *scope.enclosing()):
            if each.contains_damage and self.is_open is not None and not self.is_open(each):
                raise _contained(each)

    def _must_be_complete(self, series: Series) -> None:
        if not self.of_argument and (series in self.incomplete or (self.of_row and series.is_open)):
            raise NotForEngineError(f'a column uses the list "{series.name}", which continues after the row')

    def _byte(self, node: Node, span: Span, index: StackCode) -> StackCode:
        return self._of_span(node, span, StackCode((*index.parts, Byte(span)), Interval(0, 255), index.depth))

    def _name(self, name: str, type: Type | None) -> Resolved:
        scope = self.scope
        if isinstance(type, ListType) and name in scope.lists:
            self._must_be_around(scope)
            self._note_failures(scope, name)
            return scope.lists[name]
        if (
            self.items_of is not None
            and scope.contains_damage
            and scope not in (self.items_of, *self.items_of.enclosing())
        ):
            raise _contained(scope)
        if name == "_" and self.it is not None:
            return self.it
        if name == "_root":
            return scope.own_root
        if name == "_parent" and scope.parent is not None:
            return scope.parent
        found = scope.members.get(name)
        if isinstance(found, Argument):
            return replace(self.within(found.scope), of_argument=True)._resolve_or_compile(found.node)
        if found is not None:
            self._note_failures(scope, name)
            return found
        instance = scope.struct.instance(name)
        if instance is not None and isinstance(instance.value, TableLiteral) and not instance.variable:
            return _constants(instance.id, instance.value)
        known = {*self.path_conditions, *self.assumed}
        if (
            instance is not None
            and instance.value is not None
            and (
                instance.condition is None
                or set(path_conditions_of(scope, instance.condition)) <= known
                or self._always_holds(scope, instance.condition)
            )
        ):
            shared = self._shared(scope, instance)
            if shared is not None:
                self._note_failures(scope, name)
                return shared
            value = self.within(scope)._resolve_or_compile(instance.value)
            return self._kept(instance, value) if "_io" in names_in(instance.value) else value
        if instance is not None and instance.value is not None and instance.condition is not None:
            return self._where_held(scope, instance.value, instance.condition)
        if instance is not None and instance.attribute is not None and self._may_read(scope, instance):
            read = self.attempt if self.of_row else self.read
            assert read is not None
            read(scope, instance)
            self._note_failures(scope, name)
            return scope.lists.get(name) or scope.members[name]
        return Unavailable(f'an expression uses "{name}", which has not been read yet')

    def _always_holds(self, scope: ObjectScope, condition: Node) -> bool:
        """Return whether a condition holds in all rows, for instance because of the arguments of the object."""
        try:
            return bool(self.within(scope)._compile(condition).constant)
        except NotForEngineError:
            return False

    def _shared(self, scope: ObjectScope, instance: Instance) -> Scalar | None:
        if self.share is None or not self.of_row or self.of_argument or instance.condition is not None:
            return None
        return self.share(self.within(scope), scope, instance)

    def _where_held(self, scope: ObjectScope, value: Node, condition: Node) -> Resolved:
        """Return an instance with a condition; it is absent if the condition does not hold."""
        within = self.within(scope)
        holds = within._compile(condition)
        return where(holds, within.knowing(condition).guarded(holds)._compile(value))

    def knowing(self, condition: Node) -> Self:
        """Return a copy for code that runs only if the condition holds."""
        return replace(self, assumed=(*self.assumed, *path_conditions_of(self.scope, condition)))

    def denying(self, condition: Node) -> Self:
        """Return a copy for code that runs only if the condition does not hold."""
        return replace(
            self,
            assumed=(*self.assumed, *(PathCondition(self.scope, each) for each in conjuncts_of_negation(condition))),
        )

    def guarded(self, holds: StackCode) -> Self:
        """Return a copy for code that is needed only if ``holds`` is true."""
        return self if self.needs is None else replace(self, guards=(*self.guards, holds))

    def _note_failures(self, scope: ObjectScope, name: str) -> None:
        if self.needs is not None:
            for each in scope.failures.get(name, ()):
                self.needs(StackCode((each,), each.interval), self.guards)

    def _may_read(self, scope: ObjectScope, instance: Instance) -> bool:
        """Return whether an instance can be read here: in a part of an expression that is evaluated conditionally, only
        if the instance depends on that condition. A column is computed from the instance if it could be read."""
        if self.of_row:
            return self.attempt is not None and not self.of_argument and self.items_of is None
        sure = not self.assumed
        if instance.condition is not None:
            sure |= set(path_conditions_of(scope, instance.condition)) <= set(self.assumed)
        return self.read is not None and sure and self.items_of is None

    def _kept(self, instance: Instance, found: Resolved) -> Resolved:
        """Return the register of an instance about a stream; it keeps the value of its first evaluation."""
        if isinstance(found, StackCode) and instance.value is not None and not uses_position(instance.value):
            # The size of a stream is the same everywhere.
            return found
        later = self.of_row and self.scope.encloses_rows
        if not isinstance(found, StackCode) or self.keep is None or later:
            raise NotForEngineError(f'an expression uses "{instance.id}" where the engine does not support it')
        kept = self.keep(found, self.scope, instance)
        kept.path_conditions = (*kept.path_conditions, *self.assumed)
        self.scope.members[instance.id] = kept
        return kept

    def within(self, scope: ObjectScope) -> Self:
        """Return a copy for expressions that are written in another object."""
        if self.nesting >= MAX_NESTING:
            raise NotForEngineError(f"an expression is nested more than {MAX_NESTING} levels deep")
        return replace(self, scope=scope, it=None, nesting=self.nesting + 1)

    def _resolve_or_compile(self, node: Node) -> Resolved:
        resolved = isinstance(node, Name | MemberAccess | Cast | Subscript)
        return self.resolve(node) if resolved else self._compile(node)


def _constants(name: str, table: TableLiteral) -> Resolved:
    entries = [(key, value) for key, value in table.entries if isinstance(key, int) and isinstance(value, int)]
    if len(entries) < len(table.entries):
        return Unavailable(f'the table "{name}" has keys or values that are not integers')
    return ConstantTable(name, tuple(sorted(entries)))


def _contained(scope: ObjectScope) -> NotForEngineError:
    return NotForEngineError(f"an expression uses items with {scope.struct.path[-1]}, which contains damage")
