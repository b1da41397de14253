"""Two versions of one field: what its bytes are, where they lie, which values are refused."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.model import Attribute, Checksum, Enum, Framing, Instance, Spec, Switch, Valid
from ..model.types import EnumType, IntegerType, Type, UserType
from .allowed import allowed, within
from .change import CHECKS, WIRE, Change, Level
from .describe import (
    NONE,
    ORDERS,
    expression_text,
    optional_text,
    process_text,
    repeat_text,
    size_text,
    switch_cases,
    terminator_text,
    type_text,
)

Facts = dict[str, str]


def facts(attribute: Attribute, root: str) -> Facts:
    """All that decides where the field's bytes lie and what they mean, in words."""
    return {
        "type": "" if attribute.switch else type_text(attribute.type, root),
        "size": size_text(attribute.size),
        "arguments": ", ".join(expression_text(each) for each in attribute.arguments) or NONE,
        "terminator": terminator_text(attribute.terminator),
        "padding": NONE if attribute.pad_right is None else f"{attribute.pad_right:#04x}",
        "process": process_text(attribute.process),
        "repeated": repeat_text(attribute),
        "condition": optional_text(attribute.condition),
        "contents": NONE if attribute.contents is None else attribute.contents.hex(" "),
        "parent": optional_text(attribute.parent),
    }


class Fields:
    """Compares fields of ``old`` and ``new``."""

    def __init__(self, old: Spec, new: Spec) -> None:
        self.old = old
        self.new = new

    def attributes(self, place: str, old: Attribute, new: Attribute) -> Iterator[Change]:
        """What became of an attribute."""
        yield from self._wire(place, old, new)
        yield from self._switch(place, old.switch, new.switch)
        yield from self._valid(place, old.valid, new.valid, old.type, new.type)
        yield from _checksum(place, old.checksum, new.checksum)
        yield from _framing(place, old.framing, new.framing)

    def instances(self, place: str, old: Instance, new: Instance) -> Iterator[Change]:
        """What became of an instance."""
        if old.attribute is not None and new.attribute is not None:
            yield from self.attributes(place, old.attribute, new.attribute)
        else:
            yield from _differing(place, "type", type_text(old.type, self.old.name), type_text(new.type, self.new.name))
        yield from _differing(place, "value", optional_text(old.value), optional_text(new.value))
        yield from _differing(place, "position", optional_text(old.pos), optional_text(new.pos))
        yield from _differing(place, "stream", optional_text(old.io), optional_text(new.io))
        yield from _differing(place, "condition", optional_text(old.condition), optional_text(new.condition))
        if old.attribute is None or new.attribute is None:
            yield from self._valid(place, old.valid, new.valid, old.type, new.type)

    def _wire(self, place: str, old: Attribute, new: Attribute) -> Iterator[Change]:
        before, after = facts(old, self.old.name), facts(new, self.new.name)
        one, other = _wire_type(old.type), _wire_type(new.type)
        if isinstance(one, IntegerType) and isinstance(other, IntegerType):
            same = (one.size, one.signed) == (other.size, other.signed)
            if same and one.endian != other.endian and before["type"] != after["type"]:
                orders = (ORDERS.get(each.endian or "", NONE) for each in (one, other))
                yield from _differing(place, "byte order", *orders)
                before["type"] = after["type"]
        if isinstance(one, UserType) and isinstance(other, UserType) and not one.opaque and not other.opaque:
            # What became of the type is said there.
            before["type"] = after["type"]
        for name, value in before.items():
            # The size of a number follows from its type, which says it already.
            if name == "size" and before["type"] != after["type"] and value.endswith("bytes"):
                continue
            yield from _differing(place, name, value, after[name])

    def _switch(self, place: str, old: Switch | None, new: Switch | None) -> Iterator[Change]:
        if old is None or new is None:
            if old is not new:
                became = "depends on a value now" if old is None else "depends on no value any more"
                yield Change(Level.BREAKING, WIRE, place, f"its type {became}")
            return
        yield from _differing(place, "switch-on", expression_text(old.on), expression_text(new.on))
        before, after = switch_cases(old, self.old.name), switch_cases(new, self.new.name)
        for match, what in before.items():
            if match not in after:
                yield Change(Level.BREAKING, WIRE, place, f"the case {match} was removed")
            else:
                yield from _differing(place, f"case {match}", what, after[match])
        for match in after:
            if match not in before:
                level = Level.BREAKING if "_" in before else Level.COMPATIBLE
                yield Change(level, WIRE, place, f"the case {match} was added ({after[match].partition(',')[0]})")

    def _valid(
        self, place: str, old: Valid | None, new: Valid | None, old_type: Type, new_type: Type
    ) -> Iterator[Change]:
        before, after = _valid_text(old), _valid_text(new)
        old_allowed = allowed(old, _enum(self.old, old_type))
        new_allowed = allowed(new, _enum(self.new, new_type))
        if before == after and old_allowed == new_allowed:
            return
        shown = f"valid: {before} → {after}" if before != after else f"valid: {after}, of an enum that was changed"
        looser, tighter = within(old_allowed, new_allowed), within(new_allowed, old_allowed)
        if looser and tighter:
            return
        if looser:
            yield Change(Level.COMPATIBLE, CHECKS, place, f"{shown}: more values are accepted")
        elif tighter:
            yield Change(Level.BREAKING, CHECKS, place, f"{shown}: values that were good are refused")
        else:
            yield Change(Level.BREAKING, CHECKS, place, f"{shown}: values that were good may be refused")


def _wire_type(type: Type) -> Type:
    return type.base if isinstance(type, EnumType) else type


def _enum(spec: Spec, type: Type) -> Enum | None:
    return spec.enum(type.path) if isinstance(type, EnumType) else None


def _differing(place: str, what: str, old: str, new: str) -> Iterator[Change]:
    if old != new:
        yield Change(Level.BREAKING, WIRE, place, f"{what}: {old} → {new}")


def _valid_text(valid: Valid | None) -> str:
    if valid is None:
        return "anything"
    parts = [
        f"{word} {expression_text(node)}"
        for word, node in (
            ("only", valid.equal),
            ("from", valid.minimum),
            ("to", valid.maximum),
            ("where", valid.expression),
        )
        if node is not None
    ]
    if valid.any_of:
        parts.append(f"one of {', '.join(expression_text(each) for each in valid.any_of)}")
    if valid.in_enum:
        parts.append("in the enum")
    return " ".join(parts) or "anything"


def _checksum(place: str, old: Checksum | None, new: Checksum | None) -> Iterator[Change]:
    if old == new:
        return
    if new is None:
        yield Change(Level.COMPATIBLE, CHECKS, place, "is no checksum any more: nothing is verified")
    elif old is None:
        yield Change(Level.BREAKING, CHECKS, place, f"is a checksum now: {_checksum_text(new)}")
    else:
        text = f"checksum: {_checksum_text(old)} → {_checksum_text(new)}"
        yield Change(Level.BREAKING, CHECKS, place, text)


def _checksum_text(rule: Checksum) -> str:
    text = f"{rule.algorithm} over {rule.first}…{rule.last}"
    if (rule.initial, rule.final_xor) != (0xFFFFFFFF, 0xFFFFFFFF):
        text += f", initial {rule.initial:#x}, final-xor {rule.final_xor:#x}"
    return text if rule.replace is None else f"{text}, replace {rule.replace:#04x}"


def _framing(place: str, old: Framing | None, new: Framing | None) -> Iterator[Change]:
    def text(framing: Framing | None) -> str:
        return "back to back" if framing is None else f"between {framing.delimiter.hex(' ')}, {framing.stuffing}"

    yield from _differing(place, "framing", text(old), text(new))
