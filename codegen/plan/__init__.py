"""The plan of a spec as plain data: what is read in which order and checked where, and what a writer fills in.

``plan_of(spec)`` derives it once from the model; every backend renders it, and ``printed(plan)`` returns it as text.
"""

from .build import plan_of
from .nodes import Cover, Fill, Piece, Run, Step
from .printed import printed
from .rows import has_sums
from .types import Plan, TypePlan
from .unsolved import read_only_types
from .unsolved import unsolved as unsolved_of

__all__ = [
    "Cover",
    "Fill",
    "Piece",
    "Plan",
    "Run",
    "Step",
    "TypePlan",
    "has_sums",
    "plan_of",
    "printed",
    "read_only_types",
    "unsolved_of",
]
