"""The errors by which the lowering reports that the engine cannot run a row type, and the limit on the size of all
expressions, since a few lines of a spec can expand to any amount of code."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass


class NotForEngineError(Exception):
    """The engine cannot run this row type, for the reason ``sentence``. The object parser reads it instead."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class ColumnRefusedError(NotForEngineError):
    """The engine cannot fill one column, but may read the rows without it. ``column``: its name."""

    def __init__(self, column: str, sentence: str) -> None:
        super().__init__(sentence)
        self.column = column


MAX_NODES = 20_000
"""Maximum number of nodes in all expressions of a table. Each node becomes code; a value instance that an expression
names contributes its own nodes."""


@dataclass(eq=False)
class Effort:
    """Counts the nodes that are compiled for a table."""

    nodes: int = 0

    def count(self) -> None:
        """Count a node. Raises ``NotForEngineError`` over the limit."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise NotForEngineError(
                f"its expressions, including the instances that they use, have more than {MAX_NODES} nodes"
            )
