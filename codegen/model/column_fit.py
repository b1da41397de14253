"""Limits of the size of a message type that a column can hold."""

from __future__ import annotations

from collections.abc import Callable

from ..expression.types import ListType, Path, Type, UserType
from ..tree import Attribute, Instance, Struct

MAX_LEVELS = 32
MAX_FIELDS = 4096
"""Limits of messages in a column: their nesting depth, and the total number of their fields."""
TOO_LARGE = (
    f"its message type is recursive, nested more than {MAX_LEVELS} levels deep, or has more than {MAX_FIELDS} fields: "
    "add 'json: true' to the field, or to the nested field that causes this"
)


def is_text(member: Attribute | Instance) -> bool:
    """Return whether columns represent the messages of a field as JSON text."""
    return isinstance(member, Attribute) and member.message is not None and member.message.json


class ColumnFit:
    """Decides whether columns can contain values of a type. ``find`` returns the type of a path, ``None`` if it has an
    error."""

    def __init__(self, find: Callable[[Path], Struct | None]) -> None:
        self.find = find
        self.sizes: dict[tuple[Path, int], int] = {}

    def holds(self, member: Attribute | Instance) -> bool:
        """Return whether a column can contain the values of a field or an instance."""
        return is_text(member) or self.fits(member.type)

    def fits(self, type: Type) -> bool:
        """Return whether a column can contain the type: no message type in it contains itself, and there are not too
        many."""
        inner = type.item if isinstance(type, ListType) else type
        return not isinstance(inner, UserType) or self._fields(inner.path, MAX_LEVELS) <= MAX_FIELDS

    def _fields(self, path: Path, levels: int) -> int:
        """Return the number of fields of a message, including nested ones; more than ``MAX_FIELDS`` if messages are
        nested more than ``levels`` deep."""
        struct = self.find(path)
        if levels == 0 or struct is None:
            return MAX_FIELDS + 1
        known = self.sizes.get((path, levels))
        if known is not None:
            return known
        total = len(struct.attributes)
        for each in struct.attributes:
            if isinstance(each.type, UserType) and not is_text(each) and total <= MAX_FIELDS:
                total += self._fields(each.type.path, levels - 1)
        self.sizes[path, levels] = total
        return total
