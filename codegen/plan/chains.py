"""Checksums that continue those of the items before them: the objects that hold the items."""

from __future__ import annotations

from dataclasses import dataclass

from ..expression.types import Path
from .nodes import Field
from .types import Plan, TypePlan


@dataclass(frozen=True)
class ChainHolder:
    """The types that hold the items, ``up`` levels above the object with the checksum."""

    up: int
    types: tuple[Path, ...]


def chain_holder(plan: Plan, struct: TypePlan) -> ChainHolder | None:
    """Return what holds the items that objects of a type are, or are in; ``None`` where they are not always in items of
    a list that come one after another."""
    path, seen = struct.path, {struct.path}
    for up in range(1, 1 + sum(1 for _ in plan.types)):
        types = plan.type(path).parents
        fields = [each for parent in types for each in plan.type(parent).fields if _holds(each, path)]
        if not fields or any(each.parent is not None or each.framing is not None for each in fields):
            return None
        if all(each.repeat is not None for each in fields):
            return ChainHolder(up, types)
        if len(types) > 1 or any(each.repeat is not None for each in fields) or types[0] in seen:
            return None
        path = types[0]
        seen.add(path)
    return None


def chains_in(plan: Plan, path: Path) -> bool:
    """Return whether objects of a type hold items with checksums that continue each other."""
    chained = (each for each in plan.types if any(cover.chained for cover in each.covers))
    holders = (chain_holder(plan, each) for each in chained)
    return any(each is not None and path in each.types for each in holders)


def _holds(field: Field, path: Path) -> bool:
    return any(each.path == path for each in field.held)
