"""Which members of a row type can be columns, and which are by default."""

from __future__ import annotations

from ..expression.types import AnyStructType, ListType, StreamType, Type, UnionType, UserType
from ..tree import Attribute, Instance, Struct


def own_columns(row: Struct) -> tuple[str, ...]:
    """Return the default columns of a row type: all single values."""
    return tuple(each.id for each in members_of(row) if is_scalar(each))


def flat_columns(row: Struct) -> tuple[str, ...]:
    """Return the default columns of a row type with a column for each field of a struct."""
    scalars = {*own_columns(row)}
    return tuple(each.id for each in members_of(row) if each.id in scalars or _is_struct(each))


def _is_struct(member: Attribute | Instance) -> bool:
    return isinstance(member, Attribute) and isinstance(member.type, UserType) and member.repeat is None


def members_of(struct: Struct) -> list[Attribute | Instance]:
    """Return the attributes and the instances of a type."""
    return [*struct.attributes, *struct.instances]


def is_scalar(member: Attribute | Instance) -> bool:
    """Return whether the member is a single value that can be a column by itself."""
    if isinstance(member, Attribute):
        if member.repeat is not None or member.anonymous or member.contents is not None:
            return False
    elif member.attribute is not None:
        return False
    type: Type = member.type
    return not isinstance(type, (UserType, ListType, StreamType, UnionType, AnyStructType))
