"""Resolution of names of types and enums by Kaitai's rules: from the inside out, then imported specs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..spec.kinds import BUILT_IN
from ..tree.leaves import Enum
from ..words import shown, suggestion
from .symbols import Symbol, World

ELSEWHERE = {
    **{f"uint{8 * size}": f"u{size}" for size in (1, 2, 4, 8)},
    **{f"int{8 * size}": f"s{size}" for size in (1, 2, 4, 8)},
    **{f"uint{8 * size}_t": f"u{size}" for size in (1, 2, 4, 8)},
    **{f"int{8 * size}_t": f"s{size}" for size in (1, 2, 4, 8)},
    "byte": "u1",
    "int": "s4",
    "float": "f4",
    "double": "f8",
    "string": "str",
    "cstring": "strz",
    "boolean": "b1",
}
"""Names of built-in types in other languages, for suggestions."""


def find_type(world: World, start: Symbol, name: str) -> Symbol | None:
    """Return the type that a name refers to.

    Args:
        world: All types of the compilation.
        start: The type in which the name is used.
        name: The name: ``a``, ``a::b`` or ``::a::b``.

    Returns:
        The type; ``None`` if there is none.
    """
    parts = name.split("::")
    if parts[0] == "":
        found = _descend(start.root, parts[1:])
        return found or _descend_from_top(world, start, parts[1:])
    level: Symbol | None = start
    while level is not None:
        found = _descend(level, parts)
        if found is None and level.path[-1] == parts[0]:
            found = _descend(level, parts[1:])
        if found is not None:
            return found
        level = level.outer
    return _descend_from_top(world, start, parts) or _visible_from(world, start, parts)


def find_enum(world: World, start: Symbol, name: str) -> Enum | None:
    """Return the enum that a name refers to.

    Args:
        world: All types of the compilation.
        start: The type in which the name is used.
        name: The name: ``a``, ``a::b`` or ``::a::b``.

    Returns:
        The enum; ``None`` if there is none.
    """
    *types, last = name.split("::")
    if not types or types == [""]:
        level: Symbol | None = start if not types else start.root
        while level is not None:
            if last in level.enums:
                return level.enums[last]
            level = level.outer
        return None
    holder = find_type(world, start, "::".join(types))
    while holder is not None:
        if last in holder.enums:
            return holder.enums[last]
        holder = holder.outer
    return None


def may_be_type(world: World, start: Symbol, name: str) -> bool:
    """Return whether a missing type may be due to an error already reported."""
    if start.file.unknown_types or any(each.unknown_types for each in start.outwards()):
        return True
    return any(each.unknown_types for each in _holders(world, start, name))


def may_be_enum(world: World, start: Symbol, name: str) -> bool:
    """Return whether a missing enum may be due to an error already reported."""
    enclosing = list(start.outwards())
    if start.file.unknown_enums or any(each.unknown_enums for each in enclosing):
        return True
    holders = list(_holders(world, start, name))
    if "::" in name and any(each.unknown_types for each in (*enclosing, *holders)):
        return True
    return any(each.unknown_enums for holder in holders for each in holder.outwards())


def _holders(world: World, start: Symbol, name: str) -> Iterator[Symbol]:
    """Yield the types that the name leads through, as far as it can be resolved."""
    parts = name.split("::")
    for size in range(1, len(parts)):
        found = find_type(world, start, "::".join(parts[:size])) if parts[:size] != [""] else start.root
        if found is not None:
            yield found


def unknown_type(world: World, start: Symbol, name: str, built_in: Iterable[str] = ()) -> str:
    """Return the message about a type that cannot be found, with the nearest name.

    Args:
        world: All types of the compilation.
        start: The type in which the name is used.
        name: The name.
        built_in: The names of built-in types that are possible there.
    """
    visible = {*built_in, *world.roots} - {start.root.path[0]}
    level: Symbol | None = start
    while level is not None:
        visible.update(level.types)
        level = level.outer
    visible.update("::".join(each.path[1:]) for each in start.root.all() if len(each.path) > 2)
    sentence = f"unable to find type {shown(name)}, searching from {start.name}"
    if name not in visible and name.lower() in BUILT_IN:
        return f"{sentence}; did you mean '{name.lower()}'?"
    if name in ELSEWHERE:
        return f"{sentence}; did you mean '{ELSEWHERE[name]}'?"
    if name == "varint" and name not in visible:
        return f"{sentence}; declare it in 'types', as in 'varint: {{-wireloom: {{varint: le}}}}'"
    if may_be_built_in(name):
        return f"{sentence}; integers have 1, 2, 4 or 8 bytes; use bits for other widths, such as b24"
    return f"{sentence}{suggestion(name, visible)}"


def may_be_built_in(name: str) -> bool:
    """Return whether that unknown name is probably meant to be a built-in type."""
    return name in ELSEWHERE or re.fullmatch(r"[us]\d+(?:le|be)?", name) is not None


LISTED = 10
"""Maximum number of names that an error lists."""


def unknown_enum(start: Symbol, name: str) -> str:
    """Return the message about an enum that cannot be found."""
    visible: set[str] = set()
    for each in start.root.all():
        prefix = "::".join(each.path[1:])
        visible.update(f"{prefix}::{enum}" if prefix and each is not start else enum for enum in each.enums)
    known = f"; there are {', '.join(sorted(visible)[:LISTED])}" if visible else "; no enum is declared under 'enums'"
    return f"unable to find enum {shown(name)}, searching from {start.name}{suggestion(name, visible) or known}"


def _visible_from(world: World, start: Symbol, parts: list[str]) -> Symbol | None:
    """Return the type of a path whose last part is not inside the type before it, but visible from there."""
    holder = find_type(world, start, "::".join(parts[:-1])) if len(parts) > 1 else None
    return find_type(world, holder, parts[-1]) if holder is not None else None


def _descend(start: Symbol, parts: list[str]) -> Symbol | None:
    found: Symbol | None = start
    for part in parts:
        found = found.types.get(part) if found is not None else None
    return found


def _descend_from_top(world: World, start: Symbol, parts: list[str]) -> Symbol | None:
    top = world.roots.get(parts[0]) if parts else None
    return _descend(top, parts[1:]) if top is not None else None
