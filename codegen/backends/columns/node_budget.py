"""The limit on the size of all expressions of a table, since a few lines of a spec can expand to any amount of code."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass

from .refusal import NotForEngineError

MAX_NODES = 20_000
"""Maximum number of nodes in all expressions of a table. Each node becomes code; a value instance that an expression
names contributes its own nodes."""


@dataclass(eq=False)
class NodeBudget:
    """The number of nodes that have been compiled for a table."""

    nodes: int = 0

    def count(self) -> None:
        """Count a node. Raises ``NotForEngineError`` over the limit."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise NotForEngineError(
                f"its expressions, including the instances that they use, have more than {MAX_NODES} nodes"
            )
