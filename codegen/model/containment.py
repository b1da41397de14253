"""The containment of types: the nesting depth, which bounds the recursion of everything that traverses types, and the
types that contain each type, which give the type of ``_parent``."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.nodes import BooleanLiteral
from ..expression.typer import type_of
from ..expression.types import UserType
from ..spec.diagnostics import Diagnostics
from .fields import Field
from .scope import Typing
from .sizes import MAX_TYPE_DEPTH
from .symbols import Symbol, World

MAX_ROUNDS = 20
"""Maximum number of rounds for ``parent`` expressions that depend on each other."""


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
    waiting = [(symbol, _inner_types(world, symbol))]
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
            waiting.append((following, _inner_types(world, following)))
            open_depths[id(following)] = 1
            continue
        if waiting:
            holder = id(waiting[-1][0])
            open_depths[holder] = max(open_depths[holder], found + 1)
    return depths.get(id(symbol), MAX_TYPE_DEPTH + 1)


def _inner_types(world: World, symbol: Symbol) -> Iterator[Symbol]:
    """Yield the types of a layout's members. Messages are excluded: they are read by one loop, and their columns have
    limits of their own."""
    if symbol.is_message:
        return
    for member in symbol.members.values():
        field = member.field
        for kind in () if field is None else field.object_types:
            found = world.at(kind.path) if not kind.opaque else None
            if found is not None:
                yield found


def find_parents(world: World, typing: Typing) -> None:
    """Fill in ``Symbol.parents``. As in Kaitai's language, a use in another spec does not add a parent."""
    explicit: list[tuple[Symbol, Field]] = []
    for symbol in world.all():
        symbol.file.unknown_holders |= symbol.unknown_members
        for member in symbol.members.values():
            if member.field is None:
                symbol.file.unknown_holders |= member.failed and "value" not in member.section.keys
                continue
            if "parent" in member.section:
                explicit.append((symbol, member.field))
            else:
                for path in member.field.object_types:
                    _add(world, symbol, path)
    # The type of a parent expression may depend on parents from other such expressions: repeat until no
    # expression adds one. Errors are reported when the field itself is built.
    for _ in range(min(len(explicit), MAX_ROUNDS)):
        added = sum(_explicit(world, typing, symbol, field) for symbol, field in explicit)
        if not added:
            break
    if explicit:
        _forget_instances(world)


def _forget_instances(world: World) -> None:
    """Forget the types of value instances, which may depend on parents that were incomplete."""
    for symbol in world.all():
        for member in symbol.members.values():
            if member.value is not None and "enum" not in member.section:
                member.type = None
            if "value" in member.section:
                member.value = None
                member.failed = member.section.faulty or (member.type is None and "enum" in member.section)


def _explicit(world: World, typing: Typing, symbol: Symbol, field: Field) -> int:
    """Add the parents that the field's expression names. Return how many were new."""
    expression = field.section.expression("parent")
    if expression is None or isinstance(expression.node, BooleanLiteral):
        return 0
    quiet = typing.quiet()
    node = quiet.expression(symbol, expression)
    holder = type_of(node) if node is not None else None
    found = world.at(holder.path) if isinstance(holder, UserType) else None
    if found is None:
        return 0
    return sum(_add(world, found, contained) for contained in field.object_types)


def _add(world: World, parent: Symbol, contained: UserType) -> bool:
    child = world.at(contained.path)
    if child is None or child.file is not parent.file or parent in child.parents:
        return False
    child.parents.append(parent)
    return True
