"""How the lowering says that the engine cannot run a row type."""

from __future__ import annotations


class NotForEngineError(Exception):
    """The engine cannot run this row type; ``sentence`` says why, plainly. The object parser reads it instead."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
