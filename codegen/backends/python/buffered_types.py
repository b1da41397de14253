"""The types whose classes have methods for objects that are read out of a buffer."""

from __future__ import annotations

from functools import lru_cache

from ...expression.types import Path, UserType
from ...model.model import Attribute
from ...plan.sizes import attributes_of, structs
from .module import Module


@lru_cache(maxsize=4)
def series_types(module: Module) -> frozenset[Path]:
    """The types whose items are read by their ``_series`` anywhere in the spec."""
    return frozenset(
        each.type.path
        for holder in structs(module.spec.root)
        for each in attributes_of(holder)
        if has_series(module, each) and isinstance(each.type, UserType)
    )


@lru_cache(maxsize=4)
def part_types(module: Module) -> frozenset[Path]:
    """The types of the objects inside such items, at any depth."""
    found: set[Path] = set()
    waiting = list(series_types(module))
    while waiting:
        for each in module.spec.struct(waiting.pop()).attributes:
            if isinstance(each.type, UserType) and each.type.path not in found:
                found.add(each.type.path)
                waiting.append(each.type.path)
    return frozenset(found)


def has_series(module: Module, attribute: Attribute) -> bool:
    """Whether the items of a repeated attribute are of such a type."""
    return not module.debug and module.buffered.items(attribute)
