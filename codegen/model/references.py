"""The members that an expression depends on."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.nodes import MemberAccess, Name, Node
from ..expression.types import Path, UserType
from ..expression.walk import walk

Reference = tuple[Path, str]
"""The type that declares a member, and the member's id."""


def references(node: Node, owner: Path) -> Iterator[Reference]:
    """Yield all members that a typed tree inside the type ``owner`` names, its own and those of other objects."""
    for each in walk(node):
        if isinstance(each, Name) and not each.id.startswith("_"):
            yield owner, each.id
        elif isinstance(each, MemberAccess) and isinstance(each.value.type, UserType):
            yield each.value.type.path, each.name
