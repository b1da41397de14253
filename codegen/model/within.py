"""The key ``within``: an attribute inside bytes that have been read before."""

from __future__ import annotations

from ..expression.nodes import MemberAccess, Name, Node
from ..expression.types import UserType
from ..spec.diagnostics import Diagnostics
from ..tree import Attribute
from ..wire import WithinSize
from ..words import shown
from .symbols import Member, Symbol, World

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
