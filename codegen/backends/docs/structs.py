"""Selects the types of a spec that a page shows, and their order."""

from __future__ import annotations

from ...expression.types import Path
from ...tree import Spec, Struct


def shown_structs(spec: Spec) -> list[Struct]:
    """Return the root, if it has bytes of its own, and every type that occurs in the input, outermost first."""
    shown: list[Path] = []
    _add(spec, shown, [spec.root.path])
    if spec.units is not None:
        _add(spec, shown, [each.message for each in spec.units.kinds])
    return [each for each in map(spec.struct, shown) if each.attributes]


def _add(spec: Spec, shown: list[Path], begin: list[Path]) -> None:
    """Add these types and all types inside them, breadth first."""
    while begin:
        new = [path for path in dict.fromkeys(begin) if path not in shown]
        shown += new
        begin = [inner for path in new for inner in _inside(spec.struct(path))]


def _inside(struct: Struct) -> list[Path]:
    return [each.path for field in struct.attributes for each in field.object_types if not each.opaque]
