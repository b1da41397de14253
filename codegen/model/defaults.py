"""Defaults of attributes: what a writer writes if it is not given a value."""

from __future__ import annotations

from ..expression.nodes import Node
from ..expression.typer import type_of
from ..expression.typerules import assignable, is_integer, type_name
from ..expression.types import UserType
from ..spec.diagnostics import Diagnostics
from ..words import shown
from .model import Attribute, Struct
from .scope import Typing
from .symbols import Member, Symbol


def default_of(
    symbol: Symbol, member: Member, attribute: Attribute, typing: Typing, diagnostics: Diagnostics
) -> Node | None:
    """Return the expression of the key ``default`` of an attribute; ``None`` where there is none, or an error."""
    section = member.section.extensions
    expression = section.expression("default") if section is not None and member.kind == "attribute" else None
    if section is None or expression is None:
        return None
    position = section.position_of("default")
    if attribute.repeat is not None or attribute.switch is not None or attribute.condition is not None:
        diagnostics.error(position, "'default' is for attributes that are always there, once, and of one type")
        return None
    if attribute.checksum is not None or attribute.contents is not None:
        diagnostics.error(position, "'default' goes without 'checksum' and 'contents', which writers fill in")
        return None
    node = typing.expression(symbol, expression)
    if node is None:
        return None
    wanted, found = attribute.type, type_of(node)
    # A type of the spec may be a varint, which is known later.
    if (isinstance(wanted, UserType) and is_integer(found)) or assignable(found, wanted):
        return node
    place = expression.place(node.start, node.end)
    diagnostics.error(place, f"'default' must be {type_name(wanted)}, found {type_name(found)}")
    return None


def check_defaults(struct: Struct, diagnostics: Diagnostics) -> None:
    """Report integers as the defaults of objects: only varints take them, which are integers by now."""
    for each in struct.attributes:
        if each.default is not None and isinstance(each.type, UserType) and each.position is not None:
            message = f"'default' is for single values: {shown(each.id)} is an object of {shown(each.type.path[-1])}"
            diagnostics.error(each.position, message)
