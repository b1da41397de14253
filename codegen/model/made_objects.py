"""Lists of objects as a default: mappings from attribute names to values, from which a writer creates objects."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ..expression.fold import misfit
from ..expression.nodes import ForEach, ListLiteral, Name, Node, ObjectLiteral
from ..expression.typer import type_of
from ..expression.types import ListType, Type, UserType, assignable, is_boolean, is_integer, type_name
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Entries, Entry, Expression, Items, Section, Text, Value
from ..spec.tables import FOR_EACH
from ..words import shown, suggestion
from .fields import Field, PendingSwitch
from .scope import NOTHING, Bindings, Typing
from .symbols import Member, Symbol


class ObjectReader:
    """Reads lists of objects, and reports errors. Their expressions are in the scope of ``symbol``, with the names of
    ``bindings``; ``for-each`` requires that these include what has been written."""

    def __init__(self, symbol: Symbol, typing: Typing, diagnostics: Diagnostics, bindings: Bindings = NOTHING) -> None:
        self._symbol = symbol
        self._typing = typing
        self._diagnostics = diagnostics
        self._bindings = bindings

    def list(self, value: Items, item: Type) -> ListLiteral | None:
        """Return the list; ``item``: the type of its items."""
        made = [self._item(each, item) for each in value.items]
        if value.incomplete or any(each is None for each in made):
            return None
        return ListLiteral(tuple(each for each in made if each is not None), type=ListType(item))

    def _item(self, value: Value, wanted: Type) -> Node | None:
        """Return an item of a list, or the items that ``for-each`` describes."""
        if isinstance(value, Section) and _functions(value) == ["item"]:
            return self._for_each(value, "item", wanted)
        return self._value(value, wanted)

    def _for_each(self, section: Section, function: str, wanted: Type) -> Node | None:
        """Return what ``for-each`` describes; ``function``: its key besides the condition."""
        condition, value = section.expression(FOR_EACH), section.get(function)
        if section.faulty or condition is None or value is None:
            return None
        if self._bindings.written is None or self._bindings.item is not None:
            self._refused(section, "'for-each' is only available in 'ends-with', and not in itself")
            return None
        bindings = self._bindings
        self._bindings = replace(bindings, item=bindings.written)
        chosen = self._typing.expression(self._symbol, condition, self._bindings)
        found = self._value(value, wanted)
        self._bindings = bindings
        if chosen is not None and not is_boolean(type_of(chosen)):
            self._refused(condition, f"'for-each' must be a boolean, found {type_name(type_of(chosen))}")
            return None
        other = section.get("otherwise")
        if other is not None and function not in ("largest", "smallest"):
            self._refused(other, "'otherwise' requires 'largest' or 'smallest'")
            return None
        otherwise = None if other is None else self._value(other, wanted)
        if chosen is None or found is None or (other is not None and otherwise is None):
            return None
        return ForEach(function, chosen, found, otherwise, type=wanted)

    def _value(self, value: Value, wanted: Type) -> Node | None:
        """Return a value of a type."""
        if isinstance(value, Section):
            functions = _functions(value)
            if len(functions) == 1 and functions != ["item"]:
                return self._for_each(value, functions[0], wanted)
            message = "'for-each' requires 'item' in a list, otherwise exactly one of 'total', 'largest' and 'smallest'"
            self._refused(value, message)
            return None
        if isinstance(value, Entries):
            return self._object(value, wanted)
        if isinstance(value, Items):
            self._refused(value, f"expected {type_name(wanted)}, found a list")
            return None
        node = self._typing.expression(self._symbol, value, self._bindings) if isinstance(value, Expression) else None
        if node is None or not isinstance(value, Expression):
            return None
        found = type_of(node)
        if (reason := misfit(node, wanted)) is not None:
            self._refused(value, f"the value does not fit: {reason}")
            return None
        if assignable(found, wanted) or (is_integer(found) and self._may_be_varint(wanted)):
            return node
        self._refused(value, f"expected {type_name(wanted)}, found {type_name(found)}")
        return None

    def _may_be_varint(self, wanted: Type) -> bool:
        """Return whether a type of the spec may turn out to be a varint: whether it has one attribute."""
        target = self._typing.world.at(wanted.path) if isinstance(wanted, UserType) and not wanted.opaque else None
        return target is not None and len(target.of_kind("attribute")) == 1

    def _object(self, value: Entries, wanted: Type) -> ObjectLiteral | None:
        target = self._typing.world.at(wanted.path) if isinstance(wanted, UserType) and not wanted.opaque else None
        if target is None or target.is_message or not isinstance(wanted, UserType):
            self._refused(value, f"expected {type_name(wanted)}, found an object")
            return None
        names: list[str] = []
        values: list[Node] = []
        for entry in value.entries:
            member = self._member(target, entry)
            made = None if member is None else self._attribute(member, entry.value, value)
            if member is None or made is None:
                return None
            names.append(member.id)
            values.append(made)
        return None if value.incomplete else ObjectLiteral(tuple(names), tuple(values), type=wanted)

    def _member(self, target: Symbol, entry: Entry) -> Member | None:
        if not isinstance(entry.key, Text):
            return None
        known = {each.id: each for each in target.members.values() if each.kind in ("attribute", "parameter")}
        found = known.get(entry.key.value)
        if found is None and not target.unknown_members:
            message = f"{target.name} has no attribute {shown(entry.key.value)}{suggestion(entry.key.value, known)}"
            self._diagnostics.error(entry.key.position, message)
        return found

    def _attribute(self, member: Member, value: Value, fields: Entries) -> Node | None:
        """Return the value of an attribute or parameter of the object that ``fields`` describes."""
        field = member.field
        if field is None:
            return None if member.type is None else self._value(value, member.type)
        if field.repeats:
            if isinstance(value, Items):
                return self.list(value, field.type)
            self._refused(value, f"expected a list of {type_name(field.type)}")
            return None
        return self._value(value, self._kind(field, fields))

    def _kind(self, field: Field, fields: Entries) -> Type:
        """Return the type of an attribute, which may depend on another value in the object."""
        if field.switch is None:
            return field.type
        chosen = _chosen(field.switch, fields)
        cases = sorted(field.switch.cases, key=lambda each: each.match is None)
        return next((each.type for each in cases if each.match is None or each.match.node == chosen), field.type)

    def _refused(self, value: Value, message: str) -> None:
        self._diagnostics.error(value.position, message)


def _functions(section: Section) -> list[str]:
    """Return the keys that say what ``for-each`` describes."""
    return [each for each in ("item", "total", "largest", "smallest") if each in section]


def _chosen(switch: PendingSwitch, fields: Entries) -> Node | None:
    """Return the value in an object that a switch depends on."""
    if not isinstance(switch.on.node, Name):
        return None
    name = switch.on.node.id
    values = {each.key.value: each.value for each in fields.entries if isinstance(each.key, Text)}
    value = values.get(name)
    return value.node if isinstance(value, Expression) else None
