"""Two versions of messages: their fields, and their tables."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import fields, replace

from ..backends.columns.message_table import MessageColumn, message_columns
from ..tree import Spec
from ..tree.leaves import Message, MessageField, UnitKind, Units
from .change import CHECKS, COLUMNS, SETTINGS, WIRE, Change, Severity


def unit_changes(old: Spec, new: Spec) -> Iterator[Change]:
    """Yield the changes of the tables of messages."""
    if old.units is None or new.units is None:
        if old.units is not new.units:
            became = "now a table of messages" if old.units is None else "no longer a table of messages"
            yield Change(Severity.BREAKING, COLUMNS, "message", f"the format is {became}")
        return
    before, after = ({each.name: each for each in spec.kinds} for spec in (old.units, new.units))
    for name, kind in before.items():
        if name in after:
            yield from _kind(old, new, kind, after[name])
        else:
            yield Change(Severity.BREAKING, SETTINGS, f"option {old.units.option}", f"the value {name} was removed")
    for name in after:
        if name not in before:
            yield Change(Severity.COMPATIBLE, SETTINGS, f"option {new.units.option}", f"the value {name} was added")
    yield from _units(old.units, new.units)


def _units(old: Units, new: Units) -> Iterator[Change]:
    for each in fields(Units):
        one, other = getattr(old, each.name), getattr(new, each.name)
        if each.name == "kinds" or not each.compare or one == other:
            continue
        # Readers notice neither how a writer groups rows nor the path to a message.
        severity = Severity.COMPATIBLE if each.name in ("packing", "at") else Severity.BREAKING
        yield Change(severity, WIRE, "message", f"{each.name}: {_shown(one)} → {_shown(other)}")


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex(" ") or "none"
    return ".".join(value) if isinstance(value, tuple) else str(value) or "none"


def _kind(old: Spec, new: Spec, one: UnitKind, other: UnitKind) -> Iterator[Change]:
    def place(name: str) -> str:
        return f"{one.name}.{name}" if one.name else name

    if one.rows != other.rows:
        text = f"the path of the rows changed: {_shown(one.rows)} → {_shown(other.rows)}"
        yield Change(Severity.BREAKING, COLUMNS, place("rows"), text)
    before = {each.name: each for each in message_columns(old, one)}
    after = {each.name: each for each in message_columns(new, other)}
    for name, column in before.items():
        if name in after:
            yield from _column(place(name), column, after[name])
        else:
            yield Change(Severity.BREAKING, COLUMNS, place(name), f"this column was removed ({column.type.name})")
    for name, column in after.items():
        if name not in before:
            how = "" if column.default else ", only if selected"
            yield Change(Severity.COMPATIBLE, COLUMNS, place(name), f"this column was added ({column.type.name}{how})")


def _column(place: str, old: MessageColumn, new: MessageColumn) -> Iterator[Change]:
    if old.type.name != new.type.name:
        yield Change(Severity.BREAKING, COLUMNS, place, f"this column's type: {old.type.name} → {new.type.name}")
    if old.default and not new.default:
        yield Change(Severity.BREAKING, COLUMNS, place, "this column is no longer returned by default")
    if new.default and not old.default:
        yield Change(Severity.COMPATIBLE, COLUMNS, place, "this column is now returned by default")
    if old.up != new.up:
        yield Change(Severity.BREAKING, COLUMNS, place, "this column now comes from another message")


WIDER = {("uint32", "uint64"), ("int32", "int64"), ("sint32", "sint64"), ("string", "bytes")}
"""Pairs of kinds of which the second reads all values written as the first, unchanged; see "Updating A Message Type" in
protobuf's language guide.
"""


def field_changes(place: str, old: MessageField | None, new: MessageField | None) -> Iterator[Change]:
    """Yield the changes of a field of a message."""
    if old is None or new is None:
        if old is not new:
            yield Change(
                Severity.BREAKING, WIRE, place, "is a field of a message " + ("now" if old is None else "no more")
            )
        return
    if old != new and replace(old, packed=new.packed) == new:
        text = "is now written packed" if new.packed else "is no longer written packed"
        yield Change(Severity.COMPATIBLE, WIRE, place, f"{text}; both are read")
        return
    wider = (old.kind, new.kind) in WIDER
    if wider:
        text = f"kind: {old.kind} → {new.kind}: the same bytes, and more values are accepted"
        yield Change(Severity.COMPATIBLE, WIRE, place, text)
    for each in fields(MessageField):
        one, other = getattr(old, each.name), getattr(new, each.name)
        # The JSON form of a field is reported with the columns of the table.
        if one != other and each.name not in ("packed", "json") and not (wider and each.name == "kind"):
            yield Change(Severity.BREAKING, WIRE, place, f"{each.name}: {_shown(one)} → {_shown(other)}")


def rule_changes(place: str, old: Message | None, new: Message | None) -> Iterator[Change]:
    """Yield the changes of the rules for reading a message."""
    if old is None or new is None:
        if old is not new:
            yield Change(Severity.BREAKING, WIRE, place, "is a message " + ("now" if old is None else "no more"))
        return
    if old.syntax != new.syntax:
        yield Change(Severity.BREAKING, WIRE, place, f"syntax: {old.syntax} → {new.syntax}")
    if old.strict != new.strict:
        severity = Severity.BREAKING if new.strict else Severity.COMPATIBLE
        text = (
            "fields with a wrong wire type are now errors"
            if new.strict
            else "fields with a wrong wire type are now skipped"
        )
        yield Change(severity, CHECKS, place, text)
    if old.max_depth != new.max_depth:
        severity = Severity.BREAKING if new.max_depth < old.max_depth else Severity.COMPATIBLE
        yield Change(severity, CHECKS, place, f"max-depth: {old.max_depth} → {new.max_depth}")
