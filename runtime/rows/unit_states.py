"""The state that units of an input leave to the units after them: checksums that continue, and variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.dataclass import dataclass, field
from .engine_chains import PackedVariables

if TYPE_CHECKING:
    from ..objects.chains import Chain
    from ..objects.variables import Items

    Variables = tuple[int | Items, ...]


@dataclass(frozen=True)
class ReaderState:
    """The state of a row reader at the beginning of a unit, except for chained checksums.

    ``variables``: those of the root. ``tables``: for each table that is looked into, its last row by key.
    """

    variables: PackedVariables | Variables = ()
    tables: tuple[Mapping[Any, Any], ...] = ()

    def values(self) -> Variables:
        """Return the values of the variables."""
        packed = self.variables
        return packed.values() if isinstance(packed, PackedVariables) else packed


@dataclass
class UnitStates:
    """The states before the units of a fill, by offset. ``first``: the variables before the first of these units."""

    chains: dict[int, Chain] = field(default_factory=dict)
    variables: dict[int, Variables] = field(default_factory=dict)
    first: Variables = ()

    def give(self, root: Any, names: Sequence[str], offset: int, *, keeps: bool = True) -> None:
        """Set the chains and the variables ``names`` of the root to what they are before the unit at ``offset``.
        ``keeps``: as for ``Items.here``."""
        from ..objects.chains import UNKNOWN
        from ..objects.variables import set_state

        root._chain = dict(self.chains.get(offset, UNKNOWN))
        set_state(root, names, self.variables.get(offset, self.first), keeps=keeps)
