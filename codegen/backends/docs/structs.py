"""Which types of a spec a page shows, and in which order."""

from __future__ import annotations

from ...expression.types import Path
from ...model.model import Spec, Struct
from ...model.walking import held


def shown_structs(spec: Spec) -> list[Struct]:
    """The root, where it has bytes of its own, and every type that the input is made of, outermost first."""
    shown: list[Path] = []
    _add(spec, shown, [spec.root.path])
    if spec.units is not None:
        _add(spec, shown, [each.message for each in spec.units.kinds])
    return [each for each in map(spec.struct, shown) if each.attributes]


def _add(spec: Spec, shown: list[Path], begin: list[Path]) -> None:
    """Add these types and all inside them, those of one depth after the other."""
    while begin:
        new = [path for path in dict.fromkeys(begin) if path not in shown]
        shown += new
        begin = [inner for path in new for inner in _inside(spec.struct(path))]


def _inside(struct: Struct) -> list[Path]:
    return [
        path for attribute in struct.attributes for path in (each.path for each in held(attribute) if not each.opaque)
    ]
