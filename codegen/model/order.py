"""Order of evaluation: members precede the expressions that use them, byte orders numbers, bytes ``within``."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.nodes import CoveredChecksum, MemberAccess, Name, Node
from ..expression.typer import type_of
from ..expression.types import FloatType, IntegerType, Type, UserType, comparable
from ..expression.walk import walk
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Expression
from ..tree import Attribute
from ..tree.leaves import ComputedEndian, ExpressionSize, InheritedEndian, RepeatCount, WithinSize
from ..words import shown
from .scope import Typing
from .symbols import Member, Symbol, World

INSTANCE_KEYS = ("value", "if", "pos", "size", "repeat-expr")
"""The keys of an instance whose expressions are evaluated whenever its value is used."""


def refuse_later_names(symbol: Symbol, member: Member, attribute: Attribute, diagnostics: Diagnostics) -> None:
    """Report expressions that are evaluated before ``attribute`` is read and depend on it or on a later attribute."""
    if member.kind != "attribute":
        return
    for key, node in _expressions_before_reading(attribute):
        for name, through in _needed(symbol, node):
            other = symbol.members[name.id]
            if other.kind == "attribute" and other.index >= member.index:
                when = "itself" if other is member else "an attribute that is read later"
                message = f"'{key}' depends on {when}: {shown(other.id)}{_through(through)}"
                process = attribute.process if key == "codec" else None
                place = process.position if process is not None else None
                if key == "within" and member.section.extensions is not None:
                    place = member.section.extensions.position_of("within")
                diagnostics.error(place or member.section.position_of(key), message)


def refuse_names_before_byte_order(symbol: Symbol, expression: Expression, diagnostics: Diagnostics) -> None:
    """Report attributes in the expression of a type's byte order, which is decided before its first attribute is
    read."""
    for name, through in _needed(symbol, expression.node):
        other = symbol.members[name.id]
        first = through[0] if through else name
        place = expression.place(first.start, first.end)
        if other.kind == "attribute":
            message = f"the byte order depends on {shown(other.id)}, which is read later"
            diagnostics.error(place, f"{message}{_through(through)}")
        elif other.kind == "instance" and other.field is not None and _has_computed_order(symbol, other.field.type):
            message = f"the byte order depends on {shown(other.id)}, which is read in that byte order"
            diagnostics.error(place, f"{message}{_through(through)}")


def _has_computed_order(symbol: Symbol, type: Type) -> bool:
    """Return whether values of ``type`` in the type of ``symbol`` have the byte order that is computed there."""
    base = type.on_wire
    if isinstance(base, UserType):
        target = symbol.types.get(base.path[-1])
        return target is not None and target.inherits_endian
    return isinstance(base, IntegerType | FloatType) and base.endian == "computed"


def _through(through: tuple[Name, ...]) -> str:
    return f", through {', '.join(shown(each.id) for each in through)}" if through else ""


def _needed(symbol: Symbol, node: Node) -> Iterator[tuple[Name, tuple[Name, ...]]]:
    """Yield the members of the type that an expression depends on, each once, with the instances that lead to them."""
    seen: set[str] = set()
    waiting: list[tuple[Node, tuple[Name, ...]]] = [(node, ())]
    while waiting:
        expression, through = waiting.pop(0)
        for name in _names(expression):
            member = symbol.members.get(name.id)
            if member is None or name.id in seen:
                continue
            seen.add(name.id)
            yield name, through
            if isinstance(member.value, CoveredChecksum):
                waiting += [(Name(last), (*through, name)) for _, last in member.value.runs]
            if member.kind == "instance":
                found = [member.section.get(key) for key in INSTANCE_KEYS]
                waiting += [(each.node, (*through, name)) for each in found if isinstance(each, Expression)]


def _expressions_before_reading(attribute: Attribute) -> list[tuple[str, Node]]:
    """Return the expressions that are evaluated before the attribute is read."""
    found: list[tuple[str, Node]] = []
    if attribute.condition is not None:
        found.append(("if", attribute.condition))
    if isinstance(attribute.size, ExpressionSize) and attribute.repeat is None:
        found.append(("size", attribute.size.expression))
    if isinstance(attribute.size, WithinSize):
        found.append(("within", attribute.size.expression))
    if isinstance(attribute.repeat, RepeatCount):
        found.append(("repeat-expr", attribute.repeat.expression))
    if attribute.switch is not None and attribute.repeat is None:
        found.append(("type", attribute.switch.on))
    if attribute.process is not None and attribute.process.codecs and attribute.repeat is None:
        found += [("codec", each) for each in attribute.process.arguments]
    return found


def _names(node: Node) -> list[Name]:
    return [each for each in walk(node) if isinstance(each, Name)]


def computed_endian(
    symbol: Symbol, typing: Typing, diagnostics: Diagnostics
) -> ComputedEndian | InheritedEndian | None:
    """Return the byte order of a type that is determined when an object is read.

    Args:
        symbol: The type.
        typing: Types the expression of the byte order.
        diagnostics: Receives the errors.

    Returns:
        The byte order; ``None`` if it is fixed, or on errors.
    """
    if symbol.inherits_endian:
        return InheritedEndian()
    meta = symbol.section.section("meta")
    switch = meta.section("endian") if meta is not None else None
    on_expression = switch.expression("switch-on") if switch is not None else None
    if switch is None or on_expression is None:
        return None
    on = typing.expression(symbol, on_expression)
    cases: list[tuple[Node | None, str]] = []
    for entry in switch.entries("cases"):
        if not isinstance(entry.key, Expression) or on is None:
            continue
        order = getattr(entry.value, "value", "")
        if isinstance(entry.key.node, Name) and entry.key.node.id == "_":
            cases.append((None, order))
            continue
        match = typing.expression(symbol, entry.key)
        reason = comparable(type_of(on), type_of(match), "==") if match is not None else None
        if reason:
            diagnostics.error(entry.key.position, f"this case can never match: {reason}")
        cases.append((match, order))
    refuse_names_before_byte_order(symbol, on_expression, diagnostics)
    return ComputedEndian(on, tuple(cases)) if on is not None else None


OTHERS = ("size", "size-eos", "terminator", "pad-right", "contents", "process", "repeat", "parent")
EXTENSIONS = ("codec", "framing", "checksum")


def refuse_within(world: World, symbol: Symbol, member: Member, attribute: Attribute, diagnostics: Diagnostics) -> None:
    """Report keys that cannot be combined with ``within``, and bytes that are not an attribute that is read once."""
    size, extensions = attribute.size, member.section.extensions
    if not isinstance(size, WithinSize) or extensions is None:
        return
    for section, keys in ((member.section, OTHERS), (extensions, EXTENSIONS)):
        for key in keys:
            if key in section:
                why = "the attribute consists of all of these bytes"
                diagnostics.error(section.keys[key], f"{shown(key)} and 'within' cannot be used together: {why}")
    if not _is_own(world, symbol, size.expression):
        message = "'within' must name bytes: an attribute of the same type, or of a message or type that it contains"
        diagnostics.error(extensions.position_of("within"), message)


def _is_own(world: World, symbol: Symbol, node: Node) -> bool:
    """Return whether an expression is a path of attributes that begins with one of the type. Other expressions may
    refer to attributes that are read several times."""
    if isinstance(node, Name):
        member = symbol.members.get(node.id)
    elif isinstance(node, MemberAccess) and isinstance(node.value.type, UserType):
        holder = world.at(node.value.type.path)
        member = holder.members.get(node.name) if holder is not None else None
        if not _is_own(world, symbol, node.value):
            return False
    else:
        return False
    return member is not None and member.kind == "attribute"
