"""Lowers messages in rows: a loop reads their fields into registers and spans, in the order in which they occur."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from wireloom.base.dataclass import replace
from wireloom.format.program import Code, Kind, Loop, Op
from wireloom.format.program_words import MOST_LOOPS

from ...expression.types import FloatType
from ...tree import Attribute
from .checksums import lower_message_sums
from .column_nodes import ColumnNode
from .field_arrow import field_of
from .instructions import Label, Refusal
from .interval import BOOLEAN, FLOAT, Interval
from .lowered_messages import BEGUN, Arm, LoweredMessage, MessageLowering
from .lowering_context import LoweringContext
from .refusal import NotForEngineError
from .stack_code import NULL, StackCode, constant, float_constant, joined
from .symbols import ObjectScope, Scalar, Span
from .tag_tables import TagField


def lower_message(context: LoweringContext, name: str, scope: ObjectScope) -> None:
    """Append the steps of the message whose fields belong to ``scope``; it extends to the end of its stream."""
    _Lowering(context, name, scope).message()


class _Lowering:
    def __init__(self, context: LoweringContext, name: str, scope: ObjectScope) -> None:
        rule = scope.struct.message
        assert rule is not None
        if not context.bounded:
            raise NotForEngineError(f'the message "{name}" reaches to the end of the input')
        self._context, self._name, self._scope, self._lost = context, name, scope, scope.lost
        self._assembler = context.assembler
        self._depth = rule.max_depth
        self._broken = Scalar(f"is {name} broken?", Interval(0, 1), needed=True)
        self._lacks = Scalar(f"does {name} lack a field?", Interval(0, 1))

    def message(self) -> None:
        context, assembler = self._context, self._assembler
        context.run.flush()
        assembler.compute(self._broken, constant(0), self._broken.name)
        assembler.compute(self._lacks, constant(0), self._lacks.name)
        lowering = MessageLowering(context, self._name, self._broken, self._depth)
        top = lowering.message(self._scope, (), context.fills.get(self._scope, {}), (), 0)
        self._begin(top, self._name)
        self._read(top, self._name)
        self._check(top)
        self._finish(top)
        lower_message_sums(context, self._scope, self._broken)

    # Steps
    # -------------------------------------------------------------------------------------------------------------

    def _begin(self, message: LoweredMessage, name: str) -> None:
        """Append the beginning of the message, at a position at which its columns can be written."""
        self._assembler.add(Op.BLANK, 0, message.number, comment=name)
        for each in message.all():
            for arm in each.arms:
                if arm.several and arm.node is not None:
                    self._list(arm, arm.node)

    def _list(self, arm: Arm, node: ColumnNode, *, has_item: bool = False) -> None:
        """Append the list of a field. ``has_item``: with the item that has just been read."""
        assert node.item is not None
        level, add = node.item.repetition_level, self._assembler.add
        add(Op.LIST, node.number, level, comment=arm.field.id)
        if has_item:
            add(Op.ITEM, 0, level, comment=f"item of {arm.field.id}")
            self._item(arm, node.item)
            add(Op.ITEM_END, 0, level)
        add(Op.LIST_END, node.number, level, comment=arm.field.id)

    def _read(self, message: LoweredMessage, name: str) -> None:
        assembler = self._assembler
        which = Scalar(f"which field of {name}", Interval(0, len(message.arms)))
        loop, first, after = assembler.loop(), Label(), Label()
        if assembler.loops > MOST_LOOPS:
            raise NotForEngineError(f"a row takes more than {MOST_LOOPS} loops")
        assembler.add(Op.LOOP, loop, Loop.END, after, comment=name)
        assembler.bind(first)
        assembler.add(Op.FIELDS, which, message.number, int(self._lost), comment=f"fields of {name}")
        for arm in message.arms:
            other = Label()
            assembler.add(Op.SKIP_UNLESS, which, 0, other, arm.number, comment=f"is it {arm.field.id}?")
            self._take(arm)
            assembler.bind(other)
        assembler.add(Op.AGAIN, loop, Loop.END, first, comment=f"next of {name}")
        assembler.bind(after)

    def _take(self, arm: Arm) -> None:
        """Append the steps of a field that has been found."""
        if arm.several and arm.node is not None:
            self._list(arm, arm.node, has_item=True)
        elif arm.several:
            self._item(arm, None)
        elif arm.inner is not None:
            assert arm.entry.present is not None
            goes_on = Label()
            comment = f"does {arm.field.id} begin?"
            self._assembler.add(Op.SKIP_UNLESS, arm.entry.present, 0, goes_on, BEGUN, comment=comment)
            for each in arm.inner.all():
                self._assembler.add(Op.BLANK, 0, each.number, comment=arm.field.id)
            self._assembler.bind(goes_on)
            self._enter(arm, arm.inner)

    def _enter(self, arm: Arm, inner: LoweredMessage) -> None:
        assert isinstance(arm.entry.value, Scalar)
        self._assembler.add(Op.LIMIT_REGISTER, arm.entry.value, 0, 0, comment=arm.field.id)
        self._read(inner, arm.field.id)
        self._assembler.add(Op.LIMIT_END, comment=arm.field.id)

    def _item(self, arm: Arm, node: ColumnNode | None) -> None:
        if arm.inner is None:
            if node is not None:
                self._store(node, arm.field, arm.entry.value)
            return
        if node is not None:
            self._assembler.add(Op.COLUMN_STRUCT, node.number, comment=arm.field.id)
        self._begin(arm.inner, arm.field.id)
        self._enter(arm, arm.inner)
        self._note_lacking(arm.inner)
        self._finish(arm.inner)

    # End of the message
    # ------------------------------------------------------------------------------------------------

    def _note_lacking(self, message: LoweredMessage) -> None:
        """Append the steps that determine whether required fields are missing in the message, or in one in it that is
        present."""
        for each in message.all():
            for rule, entry in ((one, two) for one, two in each.entries() if field_of(one).label == "required"):
                assert entry.present is not None
                missing = joined((StackCode((entry.present,), BOOLEAN),), Code.BOOLEAN_NOT, BOOLEAN)
                lacks = joined((_all(each.present), missing), Code.BOOLEAN_AND, BOOLEAN)
                known = StackCode((self._lacks,), BOOLEAN)
                self._assembler.compute(
                    self._lacks, joined((known, lacks), Code.BOOLEAN_OR, BOOLEAN), f"is {rule.id} missing?"
                )

    def _check(self, top: LoweredMessage) -> None:
        """Append the steps that refuse the message if a required field is missing; a refused message has no fields."""
        self._note_lacking(top)
        assembler, comment = self._assembler, f"are all required fields of {self._name} there?"
        lacks = StackCode((self._lacks,), BOOLEAN)
        if any(field_of(each).label == "required" for each in _fields(top)):
            whole = assembler.temporary(joined((lacks,), Code.BOOLEAN_NOT, BOOLEAN), comment)
            assembler.add(Op.CHECK_TRUE, whole, Refusal(self._lost, "message"), comment=comment)
        if self._lost:
            return
        broken = joined((StackCode((self._broken,), BOOLEAN), lacks), Code.BOOLEAN_OR, BOOLEAN)
        assembler.compute(self._broken, broken, self._broken.name)
        holds = Label()
        assembler.add(Op.SKIP_IF_ZERO, self._broken, 0, holds, comment=self._broken.name)
        for each in top.all():
            assembler.add(Op.BLANK, 0, each.number, comment=self._name)
        assembler.bind(holds)

    def _finish(self, message: LoweredMessage) -> None:
        """Append the end of the message: its values are final and are stored in their columns."""
        for each in message.all():
            for one, entry in each.singles:
                self._settle(each, one, entry)
        self._store_all(message)

    def _settle(self, message: LoweredMessage, each: Attribute, entry: TagField) -> None:
        """Compute the value that expressions use for a field that may be absent."""
        found, default = message.scope.members.get(each.id), field_of(each).default
        if isinstance(entry.value, Span) and entry.value.presence is not None:
            shown = message.present if entry.present is None else (*message.present, entry.present)
            self._assembler.compute(entry.value.presence, _all(shown), entry.value.presence.name)
        if found is entry.value or not isinstance(found, Scalar) or not isinstance(entry.value, Scalar):
            return
        value, there = StackCode((entry.value,), entry.value.interval), message.present
        kind = each.type
        if isinstance(kind, FloatType):
            value = joined((value,), Code.FLOAT_OF_SINGLE, FLOAT) if kind.size == 4 else replace(value, interval=FLOAT)
        if isinstance(default, int | float):
            assert entry.present is not None
            otherwise = float_constant(default) if isinstance(kind, FloatType) else constant(int(default))
            value = joined((_all((entry.present,)), value, otherwise), Code.SELECT, found.interval)
        elif entry.present is not None:
            there = (*there, entry.present)
        if found.nullable:
            value = joined((_all(there), value, NULL), Code.SELECT, found.interval)
        self._assembler.compute(found, value, f"{each.id}, if it is there")

    def _store_all(self, message: LoweredMessage) -> None:
        for each, entry in message.singles:
            node = message.nodes.get(each.id)
            if node is None:
                continue
            if entry.present is None or field_of(each).default is not None:
                self._store(node, each, self._or_default(message, each, entry))
                continue
            with self._where_present(entry.present, node):
                self._store(node, each, entry.value)
        for arm in message.parts:
            if arm.node is None:
                continue
            assert arm.inner is not None
            assert arm.entry.present is not None
            with self._where_present(arm.entry.present, arm.node):
                self._assembler.add(Op.COLUMN_STRUCT, arm.node.number, comment=arm.field.id)
                self._store_all(arm.inner)

    @contextmanager
    def _where_present(self, present: Scalar, node: ColumnNode) -> Iterator[None]:
        """Append the steps of the ``with`` block for rows in which a field is present; in others its column is null."""
        absent, after = Label(), Label()
        self._assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=present.name)
        yield
        self._assembler.add(Op.JUMP, 0, 0, after)
        self._assembler.bind(absent)
        node.null(self._assembler)
        self._assembler.bind(after)

    def _or_default(self, message: LoweredMessage, each: Attribute, entry: TagField) -> Scalar | Span:
        """Return the value of a field or, if it is absent, the default that the spec declares."""
        default, found = field_of(each).default, message.scope.members.get(each.id)
        if default is None or entry.present is None:
            return entry.value
        if isinstance(default, str | bytes) or isinstance(entry.value, Span):
            raise NotForEngineError(f'"{each.id}" is bytes or text with a default')
        if not isinstance(each.type, FloatType):
            assert isinstance(found, Scalar)
            return found
        (bits,) = struct.unpack(
            "<Q" if each.type.size == 8 else "<I", struct.pack(f"<{'d' if each.type.size == 8 else 'f'}", default)
        )
        there = StackCode((entry.value,), entry.value.interval)
        chosen = joined((_all((entry.present,)), there, constant(bits)), Code.SELECT, entry.value.interval)
        return self._assembler.temporary(chosen, f"{each.id}, or its default")

    def _store(self, node: ColumnNode, each: Attribute, value: Scalar | Span) -> None:
        if isinstance(value, Span):
            self._assembler.add(Op.COLUMN_BYTES, node.number, value, comment=each.id)
        elif isinstance(each.type, FloatType):
            bits = Kind[f"U{each.type.size}LE"]
            self._assembler.add(Op.COLUMN_REGISTER, node.number, value, bits, comment=each.id)
        else:
            node.column.store(self._assembler, node.number, value)


def _fields(message: LoweredMessage) -> Iterator[Attribute]:
    """Yield the fields of a message and all messages in it."""
    yield from message.type.attributes
    for each in message.arms:
        if each.inner is not None:
            yield from _fields(each.inner)


def _all(present: tuple[Scalar, ...]) -> StackCode:
    """Return code that is 1 if all registers are true, otherwise 0."""
    found = constant(1)
    for each in present:
        there = joined((StackCode((each,), each.interval), constant(0)), Code.NOT_EQUAL, BOOLEAN)
        found = joined((found, there), Code.BOOLEAN_AND, BOOLEAN)
    return found
