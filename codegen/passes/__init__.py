"""Passes over the tree of a spec: each derives facts, such as sizes, what is recursive, what a writer fills in.

``with_facts(spec)`` runs them all once; every backend renders the result, and ``printed(spec)`` returns it as text.
"""

from .facts import with_facts
from .printed import printed
from .unit_sums import has_sums
from .unsolved import read_only_types
from .unsolved import unsolved as unsolved_of

__all__ = [
    "has_sums",
    "printed",
    "read_only_types",
    "unsolved_of",
    "with_facts",
]
