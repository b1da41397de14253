"""The field that contains the rows of a table, and their layout in the input."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.types import Path, UserType
from ..tree import Attribute, Rows, Spec, Struct, Way


def has_sums(spec: Spec, rows: Rows, way: Way, step: int) -> bool:
    """Return whether a checksum is verified in a unit outside its rows and the units inside it.

    ``step``: the index of the step of ``way`` that leads to the unit; -1 for the outermost one.
    """
    if step < 0:
        kind = rows.types[0] if rows.streaming else spec.top(rows).path
        step += rows.streaming
    else:
        kind = way[step][2]
    while True:
        type = spec.struct(kind)
        step += 1
        taken = way[step][1] if step < len(way) else None
        if _sums(spec, type, taken, set()):
            return True
        field = None if taken is None else type.attribute(taken)
        if field is None or step + 1 == len(way) or (field.repeat is not None and rows.is_unit(way, step)):
            return False
        kind = way[step][2]


def _sums(spec: Spec, type: Struct, taken: str | None, seen: set[Path]) -> bool:
    """Return whether an object of a type has checksums, itself or in objects inside it, except in the field
    ``taken``."""
    if type.verified:
        return True
    seen.add(type.path)
    kinds = (kind for each in type.attributes if each.id != taken for kind in _kinds(each))
    return any(_sums(spec, spec.struct(each.path), None, seen) for each in kinds if each.path not in seen)


def _kinds(field: Attribute) -> Iterator[UserType]:
    """Yield the types of objects that a field may contain."""
    switch = field.switch
    forms = (field,) if switch is None else (*(form for _, form in switch.branches), switch.otherwise)
    yield from (
        each.type for each in forms if each is not None and isinstance(each.type, UserType) and not each.type.opaque
    )
