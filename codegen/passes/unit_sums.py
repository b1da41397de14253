"""Checksums of units on the paths to rows."""

from __future__ import annotations

from ..expression.types import Path
from ..tree import RowPath, Rows, Spec, Struct


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
    kinds = (kind for each in type.attributes if each.id != excluded for kind in each.object_types)
    types = (spec.struct(each.path) for each in kinds if not each.opaque and each.path not in seen)
    return any(_sums(spec, each, None, seen) for each in types)
