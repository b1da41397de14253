"""Descriptors of message classes: tables from tags to the steps that read them."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from enum import IntEnum
from threading import RLock
from typing import Any, NamedTuple

from ...format.message_rules import FieldKind, FieldRule, Label, MessageRule, WireType
from .encoding import Encode
from .kinds import INTEGERS, LENGTH_DELIMITED, fixed_code, wire_type, zero
from .wire import signed_32

VARINT, FIXED, BYTES, TEXT, MESSAGE, PACKED_VARINTS, PACKED_FIXED = range(7)
"""Kinds of content after a tag; those from ``BYTES`` on have a length."""

SET, APPEND, CHOOSE = range(3)
"""What is done with a value: set the field, append to it, or set it and clear the other members of its oneof."""


class DecodeStep(NamedTuple):
    """The action for the content after one tag. A tuple, since it is unpacked fastest.

    ``more``: VARINT, PACKED_VARINTS: the conversion or ``None``; that of a closed enum returns ``None`` for unknown
    numbers; TEXT: the error handler for bytes that are not UTF-8; FIXED, PACKED_FIXED: the ``struct``; MESSAGE: the
    ``Descriptor``. ``others``: CHOOSE: the other members of the oneof.
    """

    action: int
    name: str
    store: int
    more: Any
    others: tuple[str, ...] = ()


SCALAR, CHOSEN, SEVERAL = range(3)
"""The shape of a field: a scalar, a scalar of a oneof, or anything else: messages and repeated fields."""


class FieldWriter(NamedTuple):
    """How one field is written. A tuple, since it is unpacked fastest.

    ``encode``: for scalars. ``prefixed``: whether a length precedes each value.
    ``descriptor``: that of the type of a message, or of a map's values. ``key``: how a map's keys are written.
    """

    name: str
    shape: int
    tag: bytes
    encode: Encode
    prefixed: bool
    rule: FieldRule
    descriptor: Descriptor | None = None
    key: Encode | None = None


class Entry:
    """An entry of a map while it is read: a message of a key and a value."""

    __slots__ = ("_io", "_parent", "_root", "key", "value")


class Descriptor:
    """How objects of one class are created and read. ``steps``: by tag. ``names``: by number.

    ``singles``, ``lists``, ``maps``: the fields of an empty message, singular ones with their values. ``required``:
    names. ``children``: the fields that are messages, and maps. ``enums``: members by field and number. ``entry``: for
    the entries of a map, its rule. ``module``: that of the spec; types of other modules are roots of their own.
    ``writers``: made when first needed.
    """

    def __init__(self, message_class: type[Any], rule: MessageRule, module: str) -> None:
        self.message_class = message_class
        self.module = module
        self.rule = rule
        self.strict = rule.strict
        self.steps: dict[int, DecodeStep] = {}
        self.names: Mapping[int, str] = {each.number: each.name for each in rule.fields}
        self.singles: tuple[tuple[str, Any], ...] = ()
        self.lists = tuple(each.name for each in rule.fields if _is_list(each))
        self.maps = tuple(each.name for each in rule.fields if each.key is not None)
        self.required = tuple(each.name for each in rule.fields if each.label is Label.REQUIRED)
        self.children: tuple[tuple[FieldRule, Descriptor], ...] = ()
        self.enums: Mapping[str, Mapping[int, IntEnum]] = {}
        self.entry: FieldRule | None = None
        self.writers: tuple[FieldWriter, ...] = ()

    def blank(self, message: Any) -> None:
        """Set all fields to the values of an empty message."""
        for name, value in self.singles:
            setattr(message, name, value)
        for name in self.lists:
            setattr(message, name, [])
        for name in self.maps:
            setattr(message, name, {})

    def default(self, rule: FieldRule) -> Any:
        """Return the value of an absent field: its declared default, or zero."""
        value = zero(rule) if rule.default is None else rule.default
        return self.enums[rule.name].get(value, value) if isinstance(value, int) and rule.name in self.enums else value


def _is_list(rule: FieldRule) -> bool:
    return rule.label is Label.REPEATED and rule.key is None


_lock = RLock()
_making: dict[type[Any], Descriptor] = {}
"""Descriptors of mutually dependent types that are being made; they are published together when all are complete."""


def _begin_anew() -> None:
    """Make a new lock in a forked process, in which the thread that may hold the old one does not exist."""
    global _lock
    _lock = RLock()
    _making.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def descriptor_of(message_class: type[Any]) -> Descriptor:
    """Return the descriptor of a class, which is made on first use."""
    descriptor: Descriptor | None = message_class.__dict__.get("_descriptor")
    return descriptor if descriptor is not None else _make(message_class)


def _make(message_class: type[Any]) -> Descriptor:
    with _lock:
        known = message_class.__dict__.get("_descriptor") or _making.get(message_class)
        if known is not None:
            return known
        outermost = not _making
        descriptor = _making[message_class] = Descriptor(message_class, message_class._rule, _module_of(message_class))
        try:
            _fill(descriptor, message_class._types())
            if outermost:
                for each, made in _making.items():
                    each._descriptor = made
        finally:
            if outermost:
                _making.clear()
    return descriptor


def _module_of(message_class: type[Any]) -> str:
    """Return the module of the generated class, also for a subclass of it."""
    return next(each for each in reversed(message_class.__mro__) if "_rule" in vars(each)).__module__


def _fill(descriptor: Descriptor, types: Mapping[str, type[Any]]) -> None:
    fields = descriptor.rule.fields
    descriptor.enums = {
        each.name: {member.value: member for member in types[each.name]}
        for each in fields
        if each.kind is FieldKind.ENUM and each.name in types
    }
    descriptor.singles = tuple(
        (
            each.name,
            descriptor.default(each) if each.label is Label.IMPLICIT and each.kind is not FieldKind.MESSAGE else None,
        )
        for each in fields
        if each.label is not Label.REPEATED
    )
    children = []
    for rule in fields:
        if rule.key is not None:
            child = _entry_descriptor(descriptor, rule, types.get(rule.name))
        elif rule.kind is FieldKind.MESSAGE:
            child = _make(types[rule.name])
        else:
            descriptor.steps.update(_scalar_steps(descriptor, rule))
            continue
        children.append((rule, child))
        tag = rule.number << 3 | WireType.LENGTH_DELIMITED
        descriptor.steps[tag] = DecodeStep(MESSAGE, rule.name, _store(rule), child, _others(descriptor.rule, rule))
    descriptor.children = tuple(children)


def _entry_descriptor(owner: Descriptor, rule: FieldRule, value_type: type[Any] | None) -> Descriptor:
    """Return the descriptor of a map's entries: repeated messages of a key and a value (fields 1 and 2)."""
    assert rule.key is not None
    key = FieldRule("key", 1, rule.key, Label.OPTIONAL)
    value = FieldRule("value", 2, rule.kind, Label.OPTIONAL, values=rule.values, json=rule.json)
    shape = MessageRule(f"{owner.rule.name}.{rule.name}", (key, value), owner.strict, owner.rule.check_text)
    descriptor = Descriptor(Entry, shape, owner.module)
    descriptor.entry = rule
    _fill(descriptor, {"value": value_type} if value_type is not None else {})
    return descriptor


def _others(message: MessageRule, rule: FieldRule) -> tuple[str, ...]:
    if not rule.oneof:
        return ()
    return tuple(each.name for each in message.fields if each.oneof == rule.oneof and each is not rule)


def _store(rule: FieldRule) -> int:
    if rule.label is Label.REPEATED:
        return APPEND
    return CHOOSE if rule.oneof else SET


def _scalar_steps(descriptor: Descriptor, rule: FieldRule) -> dict[int, DecodeStep]:
    """Return the steps of a scalar field. Repeated fields are accepted packed and unpacked, regardless of the spec."""
    action, more = _action(descriptor, rule)
    step = DecodeStep(action, rule.name, _store(rule), more, _others(descriptor.rule, rule))
    steps = {rule.number << 3 | wire_type(rule.kind): step}
    if rule.label is Label.REPEATED and rule.kind not in LENGTH_DELIMITED:
        packed = PACKED_FIXED if action == FIXED else PACKED_VARINTS
        steps[rule.number << 3 | WireType.LENGTH_DELIMITED] = DecodeStep(packed, rule.name, APPEND, more)
    return steps


def _action(descriptor: Descriptor, rule: FieldRule) -> tuple[int, Any]:
    code = fixed_code(rule.kind)
    if code:
        return FIXED, struct.Struct(f"<{code}")
    match rule.kind:
        case FieldKind.BYTES:
            return BYTES, None
        case FieldKind.STRING:
            return TEXT, "strict" if descriptor.rule.check_text else "surrogateescape"
        case FieldKind.BOOL:
            return VARINT, bool
        case FieldKind.ENUM:
            return VARINT, _member_of(rule, descriptor.enums.get(rule.name, {}))
    return VARINT, INTEGERS[rule.kind].read


def _member_of(rule: FieldRule, members: Mapping[int, IntEnum]) -> Callable[[int], int | None]:
    """Return the function that converts a varint to a value of an enum; it returns ``None`` for a number that a closed
    enum does not have."""
    if rule.values is None:
        return lambda value: members.get(number := signed_32(value), number)
    known: dict[int, int] = {each: members.get(each, each) for each in rule.values}
    return lambda value: known.get(signed_32(value))
