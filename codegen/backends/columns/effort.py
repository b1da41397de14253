"""How much a table's expressions may come to, since a few lines of a spec can stand for any amount of code."""

from __future__ import annotations

from dataclasses import dataclass

from .refusal import NotForEngineError

MAX_NODES = 20_000
"""Nodes of all expressions of a table. Each becomes code, where an expression names a value instance that one's too."""


@dataclass(eq=False)
class Effort:
    """Counts the nodes that are compiled for a table."""

    nodes: int = 0

    def count(self) -> None:
        """Count a node. Raises ``NotForEngineError`` if there are too many."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise NotForEngineError(f"its expressions, with the instances in them, have over {MAX_NODES} parts")
