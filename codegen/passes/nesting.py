"""Types whose objects may contain objects of the same type: input can nest them deeper than calls may go."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.types import Path
from ..tree import Spec, Struct


def recursive_types(spec: Spec) -> frozenset[Path]:
    """Return the types whose objects may contain, at any depth, an object of the same type."""
    endless = _endless(spec)
    found = (each for each in spec.root.whole if each.path in endless)
    return frozenset(
        each.path
        for each in found
        if each.path in spec.reached((inner.path for inner in _contained(spec, each)), instances=True)
    )


def _endless(spec: Spec) -> frozenset[Path]:
    """Return the types that contain, at any depth, a type that contains itself."""
    left = {each.path: {inner.path for inner in _contained(spec, each)} for each in spec.family}
    holders: dict[Path, list[Path]] = {}
    for path, inner in left.items():
        for each in inner:
            holders.setdefault(each, []).append(path)
    waiting = [path for path, inner in left.items() if not inner]
    while waiting:
        path = waiting.pop()
        del left[path]
        for each in holders.get(path, ()):
            left[each].discard(path)
            if not left[each]:
                waiting.append(each)
    return frozenset(left)


def _contained(spec: Spec, struct: Struct) -> Iterator[Struct]:
    kinds = (kind for each in struct.read for kind in each.object_types)
    return (spec.struct(each.path) for each in kinds if not each.opaque)
