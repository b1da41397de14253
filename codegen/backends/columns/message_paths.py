"""Resolves names in the expressions of message types: fields of the row, and of the messages above it."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass, field
from wireloom.format.message_program import FieldSource

from ...expression.nodes import Cast, MemberAccess, Name, Node
from ...expression.types import Path, UserType
from ...tree import Attribute, Instance, Spec, Struct
from ...tree.leaves import UnitKind
from .field_arrow import field_of
from .node_budget import NodeBudget
from .refusal import NotForEngineError


def enclosing_messages(spec: Spec, kind: UnitKind) -> tuple[Path, ...]:
    """Return the types of the row and of the messages above it, from the row up to the unit."""
    found = [kind.message]
    for name in kind.rows:
        attribute = spec.struct(found[-1]).attribute(name)
        if attribute is None or not isinstance(attribute.type, UserType):
            raise KeyError(name)
        found.append(attribute.type.path)
    return tuple(reversed(found))


def row_numbers(spec: Spec, kind: UnitKind) -> tuple[int, ...]:
    """Return the numbers of the fields that lead from the unit to its rows."""
    return tuple(
        field_of(attribute).number
        for path, name in zip(reversed(enclosing_messages(spec, kind)), kind.rows, strict=False)
        if (attribute := spec.struct(path).attribute(name)) is not None
    )


@dataclass(frozen=True)
class MessagePath:
    """The message in which a name is resolved: ``up`` levels above the row, then through the singular fields
    ``steps``."""

    up: int
    steps: tuple[Attribute, ...]
    struct: Struct


@dataclass(frozen=True)
class FieldPath:
    """The attribute that a path of names refers to; only the last of ``steps`` may be repeated."""

    up: int
    steps: tuple[Attribute, ...]
    owner: Struct
    """The message type that contains the last step."""

    @property
    def attribute(self) -> Attribute:
        """Return the last step."""
        return self.steps[-1]

    @property
    def source(self) -> FieldSource:
        """Return the column of this field."""
        return FieldSource(tuple(field_of(each).number for each in self.steps), self.up)


@dataclass(frozen=True)
class InstancePath:
    """A value instance of a message."""

    message: MessagePath
    instance: Instance


Resolved = FieldPath | InstancePath | MessagePath


@dataclass(frozen=True)
class MessageNames:
    """Resolves names. ``types``: those of the row and of the messages above it; ``rows``: the fields that lead from
    the unit to its rows; ``budget`` counts what is compiled for the table."""

    spec: Spec
    types: tuple[Path, ...]
    rows: tuple[str, ...] = ()
    budget: NodeBudget = field(default_factory=NodeBudget)

    def why_no_input(self, found: FieldPath) -> str:
        """Return why an expression cannot be computed from columns if ``found`` is not among them, and what to do about
        it."""
        first = found.steps[0]
        sentence = f'an expression uses "{found.attribute.id}", which is not a column'
        structs = [self.spec.struct(each) for each in self.types[: found.up]]
        if any(each.attribute(first.id) or each.instance(first.id) for each in structs):
            return f'{sentence} and cannot be one: a message nearer to the row has a member "{first.id}"'
        if found.up and self.rows[-found.up] == first.id:
            return f"{sentence} and cannot be one: it leads to the rows"
        if first.logical is not None:
            return f'an expression uses "{first.id}", whose column shows its values as something else'
        if isinstance(first.type, UserType) and not self.spec.struct(first.type.path).fits_column:
            return f'{sentence} and cannot be one: "{first.id}" is too large a message'
        return f'{sentence}: add "{first.id}" to "selectable"'

    def enclosing(self, up: int) -> MessagePath:
        """Return the message ``up`` levels above the row. Raises ``NotForEngineError`` above the unit."""
        if up >= len(self.types):
            raise NotForEngineError("an expression uses the parent of the unit's message")
        return MessagePath(up, (), self.spec.struct(self.types[up]))

    def find(self, node: Node, message: MessagePath) -> Resolved:
        """Return what ``node``, written in the type ``message``, refers to. Raises ``NotForEngineError``."""
        match node:
            case Cast(value):
                return self.find(value, message)
            case Name(id):
                return self._member(message, id)
            case MemberAccess(value, name):
                return self._member(self._inside(self.find(value, message), name), name)
        raise NotForEngineError("an expression is more than a path of names")

    def _inside(self, found: Resolved, name: str) -> MessagePath:
        if isinstance(found, MessagePath):
            return found
        if isinstance(found, FieldPath):
            attribute = found.attribute
            if isinstance(attribute.type, UserType) and field_of(attribute).label != "repeated":
                return MessagePath(found.up, found.steps, self.spec.struct(attribute.type.path))
        raise NotForEngineError(f'an expression uses ".{name}"')

    def _member(self, message: MessagePath, name: str) -> Resolved:
        if name == "_parent" and not message.steps:
            return self.enclosing(message.up + 1)
        attribute, instance = message.struct.attribute(name), message.struct.instance(name)
        if attribute is not None:
            return FieldPath(message.up, (*message.steps, attribute), message.struct)
        if instance is not None and instance.value is not None:
            return InstancePath(message, instance)
        raise NotForEngineError(f'an expression uses "{name}", which the engine does not support')
