"""Two versions of one field: its bytes, their position, and the values that are allowed, as far as they are known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from wireloom.base.dataclass import dataclass, replace
from wireloom.checksums import algorithm

from ..expression import nodes
from ..expression.nodes import Node
from ..expression.types import BitsType, EnumType, IntegerType, Path, StringType, Type, UserType, VarintType
from ..expression.unparsing import spec_text
from ..tree import Attribute, Checksum, Instance, Spec, Switch, Valid
from ..tree.leaves import Enum, Framing, Terminator
from .change import CHECKS, WIRE, Change, Severity
from .describe import (
    NONE,
    ORDERS,
    optional_text,
    path_text,
    process_text,
    repeat_text,
    size_text,
    switch_cases,
    terminator_text,
    type_text,
)
from .messages import field_changes

Facts = dict[str, str]


def facts(attribute: Attribute, root: str) -> Facts:
    """Return descriptions of everything that determines the position and the meaning of the field's bytes."""
    return {
        "type": "" if attribute.switch else type_text(attribute.type, root),
        "size": size_text(attribute.size),
        "arguments": ", ".join(spec_text(each) for each in attribute.arguments) or NONE,
        "terminator": terminator_text(attribute.terminator),
        "padding": NONE if attribute.pad_right is None else f"{attribute.pad_right:#04x}",
        "process": process_text(attribute.process),
        "repeated": repeat_text(attribute),
        "condition": optional_text(attribute.condition),
        "contents": NONE if attribute.contents is None else attribute.contents.hex(" "),
        "parent": optional_text(attribute.parent),
    }


class Fields:
    """Comparison of the fields of ``old`` and ``new``."""

    def __init__(self, old: Spec, new: Spec, enums: Mapping[Path, Path]) -> None:
        """``enums``: maps the enums of ``old`` to those of ``new``."""
        self.old = old
        self.new = new
        self._enums = enums

    def attributes(self, place: str, old: Attribute, new: Attribute) -> Iterator[Change]:
        """Yield the changes of an attribute."""
        yield from self._wire(place, old, new)
        yield from self._switch(place, old.switch, new.switch)
        yield from self._valid(place, old.valid, new.valid, old.type, new.type)
        yield from _checksum(place, old.checksum, new.checksum)
        yield from _measured(place, old.size_of, new.size_of)
        yield from _framing(place, old.framing, new.framing)
        yield from field_changes(place, old.message, new.message)
        yield from _written(place, old, new)

    def instances(self, place: str, old: Instance, new: Instance, area: str) -> Iterator[Change]:
        """Yield the changes of an instance. ``area``: the area of a computed value, which has no bytes of its own."""
        if old.attribute is None and new.attribute is None:
            one, other = (self._type_text(each.type) for each in (old, new))
            yield from _differing(place, "type", one, other, area)
            yield from _differing(place, "value", optional_text(old.value), optional_text(new.value), area)
            yield from _differing(place, "condition", optional_text(old.condition), optional_text(new.condition), area)
            return
        if old.attribute is None or new.attribute is None:
            became = "is now computed instead of read" if new.attribute is None else "is now read instead of computed"
            yield Change(Severity.BREAKING, WIRE, place, became)
            return
        yield from self.attributes(place, old.attribute, new.attribute)
        yield from _differing(place, "position", optional_text(old.pos), optional_text(new.pos))
        yield from _differing(place, "stream", optional_text(old.io), optional_text(new.io))

    def _type_text(self, type: Type) -> str:
        """Return the text of a type, which is the same in both specs if it was only renamed."""
        if isinstance(type, EnumType):
            return type_text(replace(type, path=self._enums.get(type.path, type.path)), self.new.name)
        return type_text(type, self.new.name)

    def _wire(self, place: str, old: Attribute, new: Attribute) -> Iterator[Change]:
        before, after = facts(old, self.old.name), facts(new, self.new.name)
        one, other = _wire_type(old.type), _wire_type(new.type)
        if not old.switch and not new.switch:
            before["type"], after["type"] = type_text(one, self.old.name), type_text(other, self.new.name)
            yield from self._enum(place, old.type, new.type)
        if isinstance(one, IntegerType) and isinstance(other, IntegerType):
            same = (one.size, one.signed) == (other.size, other.signed)
            if same and one.endian != other.endian and before["type"] != after["type"]:
                orders = (ORDERS.get(each.endian or "", NONE) for each in (one, other))
                yield from _differing(place, "byte order", *orders)
                before["type"] = after["type"]
        if isinstance(one, UserType) and isinstance(other, UserType) and not one.opaque and not other.opaque:
            # Changes of the type itself are reported there.
            before["type"] = after["type"]
        if old.message is not None and new.message is not None and old.message.kind != new.message.kind:
            # The type of such a field is derived from its protobuf kind, whose change is reported.
            before["type"] = after["type"]
        if isinstance(one, StringType) and isinstance(other, StringType) and _includes(other.encoding, one.encoding):
            text = f"type: {before['type']} → {after['type']}: the same text, and more values are accepted"
            yield Change(Severity.COMPATIBLE, WIRE, place, text)
            before["type"] = after["type"]
        if before["terminator"] != after["terminator"] and _but_missing(old.terminator) == _but_missing(new.terminator):
            accepted = old.terminator is not None and old.terminator.eos_error
            severity, what = (Severity.COMPATIBLE, "accepted") if accepted else (Severity.BREAKING, "rejected")
            yield Change(severity, CHECKS, place, f"a missing terminator at the end is now {what}")
            before["terminator"] = after["terminator"]
        for name, value in before.items():
            # The size of a number is part of its type, whose change is reported.
            if name == "size" and before["type"] != after["type"] and value.endswith("bytes"):
                continue
            yield from _differing(place, name, value, after[name])

    def _enum(self, place: str, old: Type, new: Type) -> Iterator[Change]:
        one, other = (each.path if isinstance(each, EnumType) else None for each in (old, new))
        if one is None and other is not None:
            text = f"its values now have names, those of {path_text(other, self.new.name)}"
            yield Change(Severity.COMPATIBLE, WIRE, place, text)
        elif one is not None and other is None:
            yield Change(Severity.BREAKING, WIRE, place, "its values no longer have names")
        elif one is not None and other is not None and self._enums.get(one) != other:
            text = (
                f"the enum of its values changed: {path_text(one, self.old.name)} → {path_text(other, self.new.name)}"
            )
            yield Change(Severity.BREAKING, WIRE, place, text)

    def _switch(self, place: str, old: Switch | None, new: Switch | None) -> Iterator[Change]:
        if old is None or new is None:
            if old is not new:
                became = "now depends on a value" if old is None else "no longer depends on a value"
                yield Change(Severity.BREAKING, WIRE, place, f"its type {became}")
            return
        yield from _differing(place, "switch-on", spec_text(old.on), spec_text(new.on))
        before, after = switch_cases(old, self.old.name), switch_cases(new, self.new.name)
        bare_before, bare_after = switch_cases(old, None), switch_cases(new, None)
        for match, what in before.items():
            if match not in after:
                yield Change(Severity.BREAKING, WIRE, place, f"the case {match} was removed")
            elif bare_before[match] != bare_after[match]:
                # If both are types of the spec, their changes are reported there.
                yield from _differing(place, f"case {match}", what, after[match])
        for match in after:
            if match not in before:
                severity = Severity.BREAKING if "_" in before else Severity.COMPATIBLE
                yield Change(severity, WIRE, place, f"the case {match} was added ({after[match].partition(',')[0]})")

    def _valid(
        self, place: str, old: Valid | None, new: Valid | None, old_type: Type, new_type: Type
    ) -> Iterator[Change]:
        before, after = _valid_text(old), _valid_text(new)
        old_allowed = allowed(old, _enum(self.old, old_type), _wire_type(old_type))
        new_allowed = allowed(new, _enum(self.new, new_type), _wire_type(old_type))
        if before == after and old_allowed == new_allowed:
            return
        shown = f"valid: {before} → {after}" if before != after else f"valid: {after}, of an enum that changed"
        looser, tighter = within(old_allowed, new_allowed), within(new_allowed, old_allowed)
        if looser and tighter:
            return
        if looser:
            yield Change(Severity.COMPATIBLE, CHECKS, place, f"{shown}: more values are accepted")
        elif tighter:
            yield Change(Severity.BREAKING, CHECKS, place, f"{shown}: previously valid values are rejected")
        else:
            yield Change(Severity.BREAKING, CHECKS, place, f"{shown}: previously valid values may be rejected")


def _wire_type(type: Type) -> Type:
    return type.on_wire


def _enum(spec: Spec, type: Type) -> Enum | None:
    return spec.enum(type.path) if isinstance(type, EnumType) else None


def _differing(place: str, what: str, old: str, new: str, area: str = WIRE) -> Iterator[Change]:
    if old != new:
        yield Change(Severity.BREAKING, area, place, f"{what}: {old} → {new}")


def _includes(outer: str | None, inner: str | None) -> bool:
    """Return whether all text in the encoding ``inner`` decodes to the same text in ``outer``."""
    supersets = ("UTF-8", "ISO-8859-", "windows-125", "IBM437", "IBM866")
    return inner == "ASCII" and outer is not None and outer.startswith(supersets)


def _but_missing(terminator: Terminator | None) -> Terminator | None:
    """Return a terminator without its setting for the case that it is missing."""
    return None if terminator is None else replace(terminator, eos_error=True)


def _valid_text(valid: Valid | None) -> str:
    if valid is None:
        return "anything"
    parts = [
        f"{word} {spec_text(node)}"
        for word, node in (
            ("only", valid.equal),
            ("from", valid.minimum),
            ("to", valid.maximum),
            ("where", valid.expression),
        )
        if node is not None
    ]
    if valid.any_of:
        parts.append(f"one of {', '.join(spec_text(each) for each in valid.any_of)}")
    if valid.in_enum:
        parts.append("in the enum")
    return " ".join(parts) or "anything"


def _checksum(place: str, old: Checksum | None, new: Checksum | None) -> Iterator[Change]:
    if old == new:
        return
    if new is None:
        yield Change(Severity.COMPATIBLE, CHECKS, place, "is no longer a checksum, and is not verified")
    elif old is None:
        yield Change(Severity.BREAKING, CHECKS, place, f"is now a checksum: {_checksum_text(new)}")
    else:
        text = f"checksum: {_checksum_text(old)} → {_checksum_text(new)}"
        yield Change(Severity.BREAKING, CHECKS, place, text)


def _measured(place: str, old: tuple[str, str] | None, new: tuple[str, str] | None) -> Iterator[Change]:
    if old is not None and new is None:
        yield Change(Severity.COMPATIBLE, CHECKS, place, "is no longer a size, and is not compared")
    elif new is not None and old != new:
        yield Change(Severity.BREAKING, CHECKS, place, f"is now the size of {new[0]}…{new[1]}, and is compared")


def _checksum_text(rule: Checksum) -> str:
    text = f"{rule.named} over {rule.first}…{rule.last}"
    if rule.algorithm and rule.made_by != algorithm(rule.algorithm):
        text += f", initial {rule.initial:#x}, final-xor {rule.final_xor:#x}"
    text += "" if rule.replace is None else f", replace {rule.replace:#04x}"
    text += f", {rule.endian}" if rule.endian else ""
    text += "" if rule.extra is None else f", extra {spec_text(rule.extra)}"
    text += "" if rule.stored is None else f", stored {spec_text(rule.stored)}"
    return text if rule.continues is None else f"{text}, continues {spec_text(rule.continues)}"


def _written(place: str, old: Attribute, new: Attribute) -> Iterator[Change]:
    """Yield the changes of what a writer writes if it is not given a value, and before and after the rows."""
    before, after = optional_text(old.default), optional_text(new.default)
    if before != after:
        yield Change(Severity.COMPATIBLE, WIRE, place, f"default: {before} → {after}: a writer writes other values")
    for key, one, other in (
        ("begins-with", old.begins_with, new.begins_with),
        ("ends-with", old.ends_with, new.ends_with),
    ):
        if optional_text(one) != optional_text(other):
            yield Change(Severity.COMPATIBLE, WIRE, place, f"{key} changed: a writer writes other items there")
    if old.indexer != new.indexer:
        yield Change(Severity.COMPATIBLE, WIRE, place, "indexer changed: a writer writes other items between these")


def _framing(place: str, old: Framing | None, new: Framing | None) -> Iterator[Change]:
    def text(framing: Framing | None) -> str:
        return "back to back" if framing is None else f"between {framing.delimiter.hex(' ')}, {framing.stuffing}"

    yield from _differing(place, "framing", text(old), text(new))


Value = int | float | str | bool | tuple[object, ...]


@dataclass(frozen=True)
class Range:
    """All numbers from ``low`` to ``high``, inclusive."""

    low: float | int = -math.inf
    high: float | int = math.inf


ALL = Range()
Allowed = Range | frozenset[Value] | None
"""A range, a set of values, or ``None`` if unknown."""


def allowed(valid: Valid | None, enum: Enum | None, type: Type) -> Allowed:
    """Return the allowed values. ``enum`` is the enum of the attribute, ``type`` the type of its values."""
    every = _every(type)
    if valid is None:
        return every
    if valid.equal is not None:
        value = _literal(valid.equal)
        return None if value is None else frozenset([value])
    if valid.any_of:
        values = [_literal(each) for each in valid.any_of]
        return None if None in values else frozenset(each for each in values if each is not None)
    if valid.in_enum and enum is not None:
        return frozenset(each.value for each in enum.labels)
    if valid.expression is not None or valid.in_enum:
        return None
    low = every.low if valid.minimum is None else _literal(valid.minimum)
    high = every.high if valid.maximum is None else _literal(valid.maximum)
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    return Range(max(low, every.low), min(high, every.high))


def _every(type: Type) -> Range:
    """Return all values of an integer type; ``ALL`` for other types."""
    if isinstance(type, IntegerType):
        bits = 8 * type.size
        return Range(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if type.signed else Range(0, 2**bits - 1)
    if isinstance(type, BitsType) and type.width > 1:
        return Range(0, 2**type.width - 1)
    if isinstance(type, VarintType):
        return Range(*type.limits)
    return ALL


def within(inner: Allowed, outer: Allowed) -> bool:
    """Return whether all values of ``inner`` are certainly in ``outer``.

    >>> within(frozenset([1, 2]), Range(0, 9)), within(Range(0, 9), Range(1, 9)), within(None, ALL)
    (True, False, True)
    """
    if outer == ALL:
        return True
    if inner is None or outer is None:
        return False
    if isinstance(inner, frozenset):
        if isinstance(outer, frozenset):
            return inner <= outer
        return all(isinstance(each, int | float) and outer.low <= each <= outer.high for each in inner)
    return isinstance(outer, Range) and outer.low <= inner.low and inner.high <= outer.high


def _literal(node: Node) -> Value | None:
    match node:
        case nodes.IntegerLiteral(value) | nodes.FloatLiteral(value) | nodes.BooleanLiteral(value):
            return value
        case nodes.StringLiteral(value):
            return value
        case nodes.Unary("-", operand):
            inner = _literal(operand)
            return -inner if isinstance(inner, int | float) else None
        case nodes.ListLiteral(items):
            values = tuple(_literal(each) for each in items)
            return None if None in values else values
        case nodes.EnumMember(path, label):
            return "::".join([*path, label])
    return None
