"""Names that expressions mention, anywhere in them."""

from __future__ import annotations

from collections.abc import Callable

from ...expression.nodes import Name, Node
from ...expression.types import AnyStructType
from ...expression.walk import walk


def mentions(node: Node, test: Callable[[Node], bool]) -> bool:
    """Return whether any node of a tree passes the test."""
    return any(test(each) for each in walk(node))


def mentions_name(node: Node | None, name: str) -> bool:
    """Return whether a tree mentions a bare name."""
    return node is not None and mentions(node, lambda each: isinstance(each, Name) and each.id == name)


def is_untyped(node: Node) -> bool:
    """Return whether the text of a tree has the type ``Any`` for a type checker, because a part of it has."""
    return mentions(node, lambda each: isinstance(each.type, AnyStructType))
