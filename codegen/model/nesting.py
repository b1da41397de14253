"""Nesting depth of types, which bounds the recursion of everything that traverses them."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.types import Type, UserType
from ..spec.diagnostics import Diagnostics
from .symbols import Symbol, World

MAX_TYPE_DEPTH = 100
"""Maximum nesting depth of types; a type that contains itself counts once."""


def check_nesting(world: World, diagnostics: Diagnostics) -> bool:
    """Return whether no type is nested more than ``MAX_TYPE_DEPTH`` deep; report the first that is."""
    depths: dict[int, int] = {}
    for symbol in world.all():
        if _depth(world, symbol, depths) > MAX_TYPE_DEPTH:
            message = f"types are nested more than {MAX_TYPE_DEPTH} levels deep, starting with this one"
            diagnostics.error(symbol.section.position, message)
            return False
    return True


def _depth(world: World, symbol: Symbol, depths: dict[int, int]) -> int:
    """Return the nesting depth from ``symbol`` on; ``depths``: known ones. Uses a stack instead of recursion."""
    waiting = [(symbol, _contained(world, symbol))]
    open_depths = {id(symbol): 1}
    while waiting and len(waiting) <= MAX_TYPE_DEPTH:
        current, inner = waiting[-1]
        following = next((each for each in inner if id(each) not in open_depths), None)
        if following is None:
            waiting.pop()
            found = depths[id(current)] = open_depths.pop(id(current))
        elif id(following) in depths:
            found = depths[id(following)]
            current = following
        else:
            waiting.append((following, _contained(world, following)))
            open_depths[id(following)] = 1
            continue
        if waiting:
            holder = id(waiting[-1][0])
            open_depths[holder] = max(open_depths[holder], found + 1)
    return depths.get(id(symbol), MAX_TYPE_DEPTH + 1)


def _contained(world: World, symbol: Symbol) -> Iterator[Symbol]:
    """Yield the types of a layout's members. Messages are excluded: they are read by one loop, and their columns have
    limits of their own."""
    if symbol.is_message:
        return
    for member in symbol.members.values():
        field = member.field
        if field is None:
            continue
        kinds: list[Type] = [field.type, *(case.type for case in (field.switch.cases if field.switch else ()))]
        for kind in kinds:
            found = world.at(kind.path) if isinstance(kind, UserType) and not kind.opaque else None
            if found is not None:
                yield found
