"""Messages of rows in a program: the registers and spans of their fields, and what expressions find."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import dataclass, field
from wireloom.format.message_rules import FieldKind
from wireloom.format.program import MessageField, Storage

from ...expression.nodes import Name
from ...expression.types import EnumType, FloatType, Path, StringType, UserType
from ...tree import Attribute, Struct
from .arrow import integer_interval
from .column_nodes import ColumnNode
from .field_arrow import field_of
from .interval import BOOLEAN, FLOAT, Interval
from .lowering_context import LoweringContext
from .refusal import NotForEngineError
from .symbols import ObjectScope, PathCondition, Scalar, Span, Unavailable
from .tag_tables import TagField, TagTable

BEGUN = 2
"""The value of the register of a message that has just begun."""


@dataclass
class Arm:
    """A field with steps of its own: a message, or an item of a list. ``inner``: the message."""

    number: int
    field: Attribute
    entry: TagField
    several: bool
    node: ColumnNode | None
    inner: LoweredMessage | None = None


@dataclass
class LoweredMessage:
    """One message of a row. ``present``: the registers that are all true if it is present; ``nodes``: the columns of
    its fields."""

    type: Struct
    scope: ObjectScope
    table: TagTable
    number: int
    present: tuple[Scalar, ...]
    nodes: dict[str, ColumnNode]
    arms: list[Arm] = field(default_factory=list)
    singles: list[tuple[Attribute, TagField]] = field(default_factory=list)

    def entries(self) -> Iterator[tuple[Attribute, TagField]]:
        """Yield its fields except items of lists."""
        yield from self.singles
        yield from ((each.field, each.entry) for each in self.parts)

    @property
    def parts(self) -> Iterator[Arm]:
        """Return its message fields that are not repeated."""
        return (each for each in self.arms if not each.several)

    def all(self) -> Iterator[LoweredMessage]:
        """Yield the message and all messages in it that are not items of lists."""
        yield self
        for each in self.parts:
            assert each.inner is not None
            yield from each.inner.all()


@dataclass
class MessageLowering:
    """Lowers the message ``name`` and all messages in it. ``broken``: the register that says whether
    it is invalid; ``most``: the maximum depth of messages in it."""

    context: LoweringContext
    name: str
    broken: Scalar
    most: int

    def message(
        self,
        scope: ObjectScope,
        present: tuple[Scalar, ...],
        nodes: dict[str, ColumnNode],
        within: tuple[Path, ...],
        depth: int,
    ) -> LoweredMessage:
        """Return the message whose fields belong to ``scope``. ``present`` and ``nodes`` are
        as in ``LoweredMessage``; ``within``: the types of the enclosing messages, ``depth`` of them."""
        type = scope.struct
        assert type.message is not None
        if type.path in within:
            raise NotForEngineError(f'the message "{self.name}" contains messages of its own type')
        if depth > self.most:
            raise NotForEngineError(f'messages in "{self.name}" are nested deeper than "max-depth" allows')
        left = Scalar(f"rest of a packed field of {type.path[-1]}", Interval(0, 0), needed=True)
        table = TagTable(left, self.broken, type.message.strict, self.most - depth)
        message = LoweredMessage(type, scope, table, self.context.assembler.message(table), present, nodes)
        groups = list(
            dict.fromkeys(each.message.oneof for each in type.attributes if each.message and each.message.oneof)
        )
        for each in sorted(type.attributes, key=lambda each: field_of(each).number):
            self.context.count()
            self._add(message, each, groups, (*within, type.path), depth)
        return message

    def _add(
        self, message: LoweredMessage, each: Attribute, groups: list[str], within: tuple[Path, ...], depth: int
    ) -> None:
        rule, type, scope = field_of(each), message.type, message.scope
        assert type.message is not None
        if rule.key is not None:
            raise NotForEngineError(f'"{each.id}" is a map of a message')
        kind, several = FieldKind[rule.kind.upper()], rule.label == "repeated"
        is_proto2 = type.message.syntax == "proto2"
        node = message.nodes.get(each.id)
        if is_proto2 and node is not None and isinstance(each.type, StringType):
            raise NotForEngineError(f'"{each.id}" is text of proto2, which need not be UTF-8')
        has_arm = several or kind is FieldKind.MESSAGE
        closed = None
        if is_proto2 and isinstance(each.type, EnumType):
            closed = tuple(dict.fromkeys(one.value for one in scope.spec.enum(each.type.path).labels))
        tag = MessageField(
            rule.number,
            kind,
            arm=len(message.arms) + 1 if has_arm else 0,
            group=groups.index(rule.oneof) + 1 if rule.oneof else 0,
            several=several,
            text=kind is FieldKind.STRING and not is_proto2,
            closed=closed,
        )
        shows_absence = rule.label in ("optional", "required")
        present = Scalar(f"is {each.id} there?", Interval(0, BEGUN)) if shows_absence else None
        entry = TagField(tag, self._value(scope, each, kind, always=not (shows_absence or message.present)), present)
        message.table.fields.append(entry)
        if not has_arm:
            self._name_value(message, each, entry)
            message.singles.append((each, entry))
            return
        arm = Arm(tag.arm, each, entry, several, node)
        message.arms.append(arm)
        scope.members[each.id] = Unavailable(f'an expression uses the repeated "{each.id}"')
        if kind is not FieldKind.MESSAGE:
            return
        assert isinstance(each.type, UserType)
        inner = ObjectScope(scope.spec, scope.spec.struct(each.type.path), scope)
        shown = node.item if several and node is not None else node
        if shown is not None and shown.storage is not Storage.STRUCT:
            raise NotForEngineError(f'"{each.id}" is a message as JSON text')
        fields = {} if shown is None else shown.fields
        if several:
            arm.inner = self.message(inner, (), fields, within, depth + 1)
            return
        assert present is not None
        scope.members[each.id] = inner
        arm.inner = self.message(inner, (*message.present, present), fields, within, depth + 1)
        if tag.group and any(one.several and one.node is not None for part in arm.inner.all() for one in part.arms):
            raise NotForEngineError(f'"{each.id}" is a message of a oneof, and has lists that are columns')

    def _value(self, scope: ObjectScope, each: Attribute, kind: FieldKind, *, always: bool) -> Scalar | Span:
        """Return the register or the span of a field. ``always``: it is never absent."""
        conditions = self.context.path_conditions
        if kind in (FieldKind.BYTES, FieldKind.STRING):
            span = Span(each.id, conditions, text=kind is FieldKind.STRING)
            if not always:
                # No condition of the spec says whether it is present.
                span.path_conditions = (*conditions, PathCondition(scope, Name(f"{each.id} is there")))
                span.presence = Scalar(f"is {each.id} there?", BOOLEAN)
            self.context.created.append(span)
            return span
        if kind is FieldKind.MESSAGE:
            return Scalar(f"size of {each.id}", Interval(0, (1 << 31) - 1))
        return Scalar(each.id, integer_interval(each.type) or Interval(0, (1 << 64) - 1), conditions)

    def _name_value(self, message: LoweredMessage, each: Attribute, entry: TagField) -> None:
        """Set what expressions find by the name of a single value."""
        members, value, rule = message.scope.members, entry.value, field_of(each)
        if isinstance(value, Span):
            proto2_text = value.text and not entry.rule.text
            sentence = f'an expression uses the text "{each.id}" of proto2, which need not be UTF-8'
            defaults = f'an expression uses "{each.id}", which has a default'
            members[each.id] = (
                Unavailable(sentence) if proto2_text else Unavailable(defaults) if rule.default is not None else value
            )
        else:
            is_float, has_default = isinstance(each.type, FloatType), isinstance(rule.default, int | float)
            interval = FLOAT if is_float else value.interval
            if isinstance(rule.default, int) and not is_float:
                interval = interval.union(Interval(int(rule.default), int(rule.default)))
            nullable = bool(message.present) or (entry.present is not None and not has_default)
            chosen = Scalar(each.id, interval, self.context.path_conditions, may_fail=nullable, nullable=nullable)
            members[each.id] = chosen if nullable or has_default or is_float else value
        found = members[each.id]
        if isinstance(found, Scalar):
            self.context.created.append(found)
