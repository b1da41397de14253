"""The containment of types: the nesting depth, which bounds the recursion of everything that traverses types, types
whose objects never end, and the types that contain each type, which give the type of ``_parent``."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.nodes import BooleanLiteral
from ..expression.typer import type_of
from ..expression.types import UserType
from ..spec.diagnostics import Diagnostics
from ..words import shown
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


def check_endless(world: World, diagnostics: Diagnostics) -> None:
    """Report attributes because of which no object of a type can be read: they contain, always, another one. Without
    rows that is a warning, since Kaitai's compiler accepts such types."""
    finished: set[int] = set()
    for symbol in world.all():
        path: list[tuple[Symbol, str]] = []
        waiting = [] if id(symbol) in finished else [(symbol, _certain(world, symbol))]
        while waiting:
            current, inner = waiting[-1]
            name, following = next(inner, ("", None))
            if following is None:
                waiting.pop()
                finished.add(id(current))
                del path[-1:]
                continue
            holders = [*(each for each, _ in path), current]
            if following in holders:
                around = [*path[holders.index(following) :], (current, name)]
                trace = ".".join((following.path[-1], *(each for _, each in around)))
                message = f"every {shown(following.path[-1])} contains another one ({trace}), so none can be read"
                report = diagnostics.error if _has_rows(current) else diagnostics.warning
                report(
                    current.members[name].section.position_of("type"),
                    f"{message}: an attribute on the way needs the key 'if' or 'repeat', or a type that depends on a "
                    "value ('switch-on')",
                )
            elif id(following) not in finished:
                path.append((current, name))
                waiting.append((following, _certain(world, following)))


def _has_rows(symbol: Symbol) -> bool:
    meta = symbol.file.section.section("meta")
    keys = None if meta is None else meta.extensions
    return keys is not None and not {"rows", "tables"}.isdisjoint(keys.keys)


def _certain(world: World, symbol: Symbol) -> Iterator[tuple[str, Symbol]]:
    """Yield the attributes of a layout that always contain an object, and its type."""
    for member in () if symbol.is_message else symbol.of_kind("attribute"):
        field = member.field
        if field is None or "if" in member.section or not isinstance(field.type, UserType) or field.type.opaque:
            continue
        inner = world.at(field.type.path)
        if field.switch is None and inner is not None and member.section.word("repeat", "until") == "until":
            yield member.id, inner


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
