"""Checksums that continue those of previous items."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import dataclass

from ..expression.types import Path
from ..tree import Attribute, Spec, Struct


@dataclass(frozen=True)
class RunningChecksumHolder:
    """The types that contain the items, ``up`` levels above the object with the checksum."""

    up: int
    types: tuple[Path, ...]


def running_checksum_holder(spec: Spec, struct: Struct) -> RunningChecksumHolder | None:
    """Return the objects that contain the items to which the checksums of a type belong: an item's checksum continues
    that of the item before it in the same object.

    Args:
        spec: The spec.
        struct: The type with the checksums, that of an item or of an object in it.

    Returns:
        The types of these objects; ``None`` if objects of the type are not always in items of one list.
    """
    path, seen = struct.path, {struct.path}
    for up in range(1, 1 + sum(1 for _ in spec.structs)):
        types = spec.struct(path).parents
        fields = [each for parent in types for each in spec.struct(parent).attributes if _holds(each, path)]
        if not fields or any(each.parent is not None or each.framing is not None for each in fields):
            return None
        if all(each.repeat is not None for each in fields):
            return RunningChecksumHolder(up, types)
        if len(types) > 1 or any(each.repeat is not None for each in fields) or types[0] in seen:
            return None
        path = types[0]
        seen.add(path)
    return None


def running_checksums_in(spec: Spec, path: Path) -> tuple[str, ...]:
    """Return the names of the checksums that continue each other from item to item within an object.

    Args:
        spec: The spec.
        path: The type of the object that contains the items.
    """
    found: dict[str, None] = {}
    for each in spec.structs:
        names = [cover.attribute.id for cover in each.checksums if cover.is_running]
        holder = running_checksum_holder(spec, each) if names else None
        if holder is not None and path in holder.types:
            found.update(dict.fromkeys(names))
    return tuple(found)


@dataclass(frozen=True)
class LostChecksum:
    """A checksum inside a field, by its name; ``up`` is the number of levels from the object with the field to the
    object that contains the items."""

    up: int
    name: str


def running_checksums_inside(spec: Spec, struct: Struct, field: Attribute) -> Iterator[LostChecksum]:
    """Yield the checksums in a field that continue those of items of an enclosing object. Their values are unknown
    after the field if it is not read to its end.

    Args:
        spec: The spec.
        struct: The type of the field.
        field: The field.
    """
    for each in spec.structs:
        names = [cover.attribute.id for cover in each.checksums if cover.is_running]
        holder = running_checksum_holder(spec, each) if names else None
        path = each.path
        for up in range(1, 1 + holder.up if holder is not None else 0):
            assert holder is not None
            types = spec.struct(path).parents
            if struct.path in types and _holds(field, path):
                yield from (LostChecksum(holder.up - up, name) for name in names)
            path = types[0]


def _holds(field: Attribute, path: Path) -> bool:
    return any(each.path == path for each in field.object_types)
