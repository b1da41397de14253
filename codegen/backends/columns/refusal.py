"""The errors by which the lowering reports that the engine cannot run a row type, and where the reason is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wireloom.base.dataclass import dataclass

from ...expression.nodes import Node
from ...spec.position import Position
from ...spec.syntax import source_of


@dataclass(frozen=True)
class Refusal:
    """Why the engine cannot run rows or fill a column. ``position``: that of the attribute or of the part of an
    expression; ``expression``: the expression as written, '' for other reasons."""

    sentence: str
    position: Position | None = None
    expression: str = ""


class NotForEngineError(Exception):
    """The engine cannot run this row type, for the reason ``sentence``. The object parser reads it instead."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.position: Position | None = None
        self.expression = ""
        self.node: Node | None = None
        """The innermost part of an expression with the reason."""

    @classmethod
    def of(cls, refusal: Refusal) -> NotForEngineError:
        """Return the error with a reason that is known."""
        error = NotForEngineError(refusal.sentence)
        error.position, error.expression = refusal.position, refusal.expression
        return error

    @property
    def refusal(self) -> Refusal:
        """Return the reason without the state of the lowering."""
        return Refusal(self.sentence, self.position, self.expression)


class ColumnRefusedError(NotForEngineError):
    """The engine cannot fill one column, but may read the rows without it. ``column``: its name."""

    def __init__(self, column: str, refused: NotForEngineError) -> None:
        super().__init__(refused.sentence)
        self.column = column
        self.position, self.expression = refused.position, refused.expression


@contextmanager
def placed(position: Position | None) -> Iterator[None]:
    """Give errors that are raised inside of it the position of an attribute, unless they have a more precise one."""
    try:
        yield
    except NotForEngineError as error:
        error.position = error.position or position
        raise


def blame(error: NotForEngineError, node: Node) -> None:
    """Give an error that is raised for ``node`` its position, if that is the innermost part that is known to have one.
    An expression is known only at its outermost node."""
    if error.position is not None:
        return
    error.node = error.node or node
    source = source_of(node)
    if source is not None:
        inner = error.node
        error.position, error.expression = source.place(inner.start, inner.end), source.text
