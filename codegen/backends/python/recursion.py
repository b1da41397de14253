"""Types whose objects may hold others of the same type: input can nest them deeper than Python's calls may go."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.model import Spec, Struct
from ...model.types import Path, UserType
from .layout import attributes_of
from .scope import ClassScope
from .view import Line, Lines, block


def guarded(scope: ClassScope, lines: Lines) -> Lines:
    """The statements of ``_read``; where objects may stand inside each other without end, too many are an error of
    their own. That costs nothing until it happens."""
    if not lines or not is_recursive(scope.spec, scope.struct):
        return lines
    # Where there is no room left for a call, an outer object raises the error.
    raised = Line(f"raise {scope.use('too_deep')}(error, self) from None")
    return (block("try:", lines), block("except RecursionError as error:", [raised]))


def is_recursive(spec: Spec, struct: Struct) -> bool:
    """Whether objects of the type may hold, at any depth, another one."""
    waiting = list(_held(spec, struct))
    seen: set[Path] = set()
    while waiting:
        current = waiting.pop()
        if current.path == struct.path:
            return True
        if current.path not in seen:
            seen.add(current.path)
            waiting.extend(_held(spec, current))
    return False


def _held(spec: Spec, struct: Struct) -> Iterator[Struct]:
    for attribute in attributes_of(struct):
        kinds = [attribute.type, *(case.type for case in (attribute.switch.cases if attribute.switch else ()))]
        for kind in kinds:
            if isinstance(kind, UserType) and not kind.opaque:
                yield spec.struct(kind.path)
