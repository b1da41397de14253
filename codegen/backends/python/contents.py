"""The content of compressed fields whose size or checksum is filled in: created before anything is written."""

from __future__ import annotations

from collections.abc import Mapping

from ...expression.nodes import MemberAccess, Name, Node
from ...expression.types import UserType
from ...expression.walk import walk
from ...tree import Attribute
from .encoding import adopted
from .names import field_name
from .scope import ClassScope, member
from .view import Lines

Contents = Mapping[str, str]
"""By field, the text of its content before compression: a local variable, or the value itself."""


def contents_of(scope: ClassScope) -> Contents:
    """Return the fields whose content is required for values that are filled in."""
    asked = {each.last for each in scope.struct.checksums if each.of_object}
    for fill in scope.struct.fills:
        if fill.how == "solved" and fill.value is not None:
            asked |= contents_in(fill.value)
    return {each.id: _text(each) for each in scope.struct.attributes if each.id in asked}


def contents_in(expression: Node) -> set[str]:
    """Return the ids of the fields from whose content a solved value is computed."""
    members = (each for each in walk(expression) if isinstance(each, MemberAccess) and each.name == "content")
    return {each.value.id for each in members if isinstance(each.value, Name)}


def content_lines(scope: ClassScope, contents: Contents) -> Lines:
    """Return the statements that create the content of objects."""
    return tuple(
        f"{contents[each.id]} = {scope.call('enclosed', adopted(scope, each, member(each.id)))}"
        for each in scope.struct.attributes
        if each.id in contents and isinstance(each.type, UserType)
    )


def _text(field: Attribute) -> str:
    return f"content_{field_name(field.id)}" if isinstance(field.type, UserType) else member(field.id)
