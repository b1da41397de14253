"""Expressions that depend on positions in streams."""

from __future__ import annotations

from ...expression.nodes import MemberAccess, Node
from ...expression.types import StreamType
from ...expression.walk import walk


def asks_position(node: Node) -> bool:
    """Return whether an expression uses the position of a stream."""
    asked = (each for each in walk(node) if isinstance(each, MemberAccess) and each.name in ("pos", "eof"))
    return any(isinstance(each.value.type, StreamType) for each in asked)
