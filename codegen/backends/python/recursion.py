"""Types whose objects may hold others of the same type: input can nest them deeper than Python's calls may go."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ...expression.types import Path, UserType
from ...model.model import Spec, Struct
from .api import Api
from .layout import attributes_of, structs
from .module import Module
from .scope import ClassScope
from .view import Line, Lines, block


def guarded(scope: ClassScope, lines: Lines) -> Lines:
    """The statements of ``_read``; where objects may stand inside each other without end, too many are an error of
    their own. That costs nothing until it happens."""
    if not lines or not is_recursive(scope.module, scope.struct):
        return lines
    # Where there is no room left for a call, an outer object raises the error.
    raised = Line(f"raise {scope.use('too_deep')}(error, self) from None")
    if scope.module.api is Api.WIRELOOM:
        # Objects inside each other are a repetition as well.
        lines = (Line(f"{scope.use('count_items')}(self._io, 1)"), *lines)
    return (block("try:", lines), block("except RecursionError as error:", [raised]))


def is_recursive(module: Module, struct: Struct) -> bool:
    """Whether objects of the type may hold, at any depth, another one."""
    if struct.path not in _endless(module):
        return False
    spec = module.spec
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


@lru_cache(maxsize=4)
def _endless(module: Module) -> frozenset[Path]:
    """The types that hold, at any depth, one that holds itself: those that are left where all others are taken away."""
    spec = module.spec
    everything = [each for one in (spec, *spec.imports) for each in structs(one.root)]
    held = {each.path: {inner.path for inner in _held(spec, each)} for each in everything}
    holders: dict[Path, list[Path]] = {}
    for path, inner in held.items():
        for each in inner:
            holders.setdefault(each, []).append(path)
    waiting = [path for path, inner in held.items() if not inner]
    while waiting:
        path = waiting.pop()
        del held[path]
        for each in holders.get(path, ()):
            held[each].discard(path)
            if not held[each]:
                waiting.append(each)
    return frozenset(held)


def _held(spec: Spec, struct: Struct) -> Iterator[Struct]:
    for attribute in attributes_of(struct):
        kinds = [attribute.type, *(case.type for case in (attribute.switch.cases if attribute.switch else ()))]
        for kind in kinds:
            if isinstance(kind, UserType) and not kind.opaque:
                yield spec.struct(kind.path)
