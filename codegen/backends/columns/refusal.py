"""The errors by which the lowering reports that the engine cannot run a row type."""

from __future__ import annotations


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
