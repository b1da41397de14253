"""Types whose objects may hold others of the same type: input can nest them deeper than Python's calls may go."""

from __future__ import annotations

from .api import Api
from .scope import ClassScope
from .view import Line, Lines, block


def guarded(scope: ClassScope, lines: Lines) -> Lines:
    """The statements of ``_read``; where objects may stand inside each other without end, too many are an error of
    their own. That costs nothing until it happens."""
    if not lines or scope.struct.path not in scope.module.recursive:
        return lines
    # Where there is no room left for a call, an outer object raises the error.
    raised = Line(f"raise {scope.use('too_deep')}(error, self) from None")
    if scope.module.api is Api.WIRELOOM:
        # Objects inside each other are a repetition as well.
        lines = (Line(f"{scope.use('count_items')}(self._io, 1)"), *lines)
    return (block("try:", lines), block("except RecursionError as error:", [raised]))
