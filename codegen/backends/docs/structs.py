"""Which types of a spec a page shows, and in which order."""

from __future__ import annotations

from ...expression.types import Path
from ...plan import Plan, TypePlan


def shown_structs(plan: Plan) -> list[TypePlan]:
    """Return the root, where it has bytes of its own, and every type that the input is made of, outermost first."""
    shown: list[Path] = []
    _add(plan, shown, [plan.root.path])
    if plan.units is not None:
        _add(plan, shown, [each.message for each in plan.units.kinds])
    return [each for each in map(plan.type, shown) if each.fields]


def _add(plan: Plan, shown: list[Path], begin: list[Path]) -> None:
    """Add these types and all inside them, those of one depth after the other."""
    while begin:
        new = [path for path in dict.fromkeys(begin) if path not in shown]
        shown += new
        begin = [inner for path in new for inner in _inside(plan.type(path))]


def _inside(struct: TypePlan) -> list[Path]:
    return [each.path for field in struct.fields for each in field.held if not each.opaque]
