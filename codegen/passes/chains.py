"""Checksums that continue those of previous items, and checksums on paths to rows."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import dataclass

from ..expression.types import Path, UserType
from ..tree import Attribute, RowPath, Rows, Spec, Struct


@dataclass(frozen=True)
class ChainHolder:
    """The types that contain the items, ``up`` levels above the object with the checksum."""

    up: int
    types: tuple[Path, ...]


def chain_holder(spec: Spec, struct: Struct) -> ChainHolder | None:
    """Return the types that contain the items which objects of a type are, or are part of; ``None`` if they are not
    always part of consecutive items of a list."""
    path, seen = struct.path, {struct.path}
    for up in range(1, 1 + sum(1 for _ in spec.structs)):
        types = spec.struct(path).parents
        fields = [each for parent in types for each in spec.struct(parent).attributes if _holds(each, path)]
        if not fields or any(each.parent is not None or each.framing is not None for each in fields):
            return None
        if all(each.repeat is not None for each in fields):
            return ChainHolder(up, types)
        if len(types) > 1 or any(each.repeat is not None for each in fields) or types[0] in seen:
            return None
        path = types[0]
        seen.add(path)
    return None


def chained_in(spec: Spec, path: Path) -> tuple[str, ...]:
    """Return the names of the checksums that continue each other in items that objects of a type contain."""
    found: dict[str, None] = {}
    for each in spec.structs:
        names = [cover.attribute.id for cover in each.checksums if cover.chained]
        holder = chain_holder(spec, each) if names else None
        if holder is not None and path in holder.types:
            found.update(dict.fromkeys(names))
    return tuple(found)


@dataclass(frozen=True)
class LostChain:
    """A checksum inside a field, by its name; ``up`` is the number of levels from the object with the field to the
    object that contains the items."""

    up: int
    name: str


def chains_inside(spec: Spec, struct: Struct, field: Attribute) -> Iterator[LostChain]:
    """Yield the checksums in a field that continue those of items of an enclosing object. Their values are unknown
    after the field if it is not read to its end.

    Args:
        spec: The spec.
        struct: The type of the field.
        field: The field.
    """
    for each in spec.structs:
        names = [cover.attribute.id for cover in each.checksums if cover.chained]
        holder = chain_holder(spec, each) if names else None
        path = each.path
        for up in range(1, 1 + holder.up if holder is not None else 0):
            assert holder is not None
            types = spec.struct(path).parents
            if struct.path in types and _holds(field, path):
                yield from (LostChain(holder.up - up, name) for name in names)
            path = types[0]


def _holds(field: Attribute, path: Path) -> bool:
    return any(each.path == path for each in field.object_types)


def has_sums(spec: Spec, rows: Rows, path: RowPath, step: int) -> bool:
    """Return whether a checksum is verified in a unit outside its rows and the units inside it.

    Args:
        spec: The spec.
        rows: The rows of a table.
        path: A path to the rows.
        step: The index of the step of ``path`` that leads to the unit; -1 for the outermost one.
    """
    if step < 0:
        kind = rows.types[0] if rows.streaming else spec.top(rows).path
        step += rows.streaming
    else:
        kind = path[step][2]
    while True:
        type = spec.struct(kind)
        step += 1
        excluded = path[step][1] if step < len(path) else None
        if _sums(spec, type, excluded, set()):
            return True
        field = None if excluded is None else type.attribute(excluded)
        if field is None or step + 1 == len(path) or (field.repeat is not None and rows.is_unit(path, step)):
            return False
        kind = path[step][2]


def _sums(spec: Spec, type: Struct, excluded: str | None, seen: set[Path]) -> bool:
    """Return whether an object of a type has checksums, itself or in objects inside it, except in the field
    ``excluded``."""
    if type.verified:
        return True
    seen.add(type.path)
    kinds = (kind for each in type.attributes if each.id != excluded for kind in _object_types(each))
    return any(_sums(spec, spec.struct(each.path), None, seen) for each in kinds if each.path not in seen)


def _object_types(field: Attribute) -> Iterator[UserType]:
    """Yield the types of objects that a field may contain."""
    switch = field.switch
    forms = (field,) if switch is None else (*(form for _, form in switch.branches), switch.otherwise)
    yield from (
        each.type for each in forms if each is not None and isinstance(each.type, UserType) and not each.type.opaque
    )
