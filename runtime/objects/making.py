"""Objects made from bytes in memory without their constructors, by functions that are compiled for their class."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeVar

Made = TypeVar("Made")
Make = Callable[[bytes, int, int], Made | None]
"""A function of bytes, a position and an end that makes an object from its first fields; it returns ``None`` if they
are not all before the end."""

FAMILY = ("_io", "_parent", "_root")


def maker(made: type[Made], packer: struct.Struct, names: tuple[str, ...], *family: object) -> Make[Made]:
    """Return the function that makes objects of class ``made``.

    ``packer`` unpacks their first fields; ``names`` are those of the attributes; ``family`` are the stream, the parent
    and the root.
    """
    kind: Any = made
    make: Make[Made] = _factory(kind, packer, names)(*family)
    return make


def unpacker(
    kind: type, packer: struct.Struct, names: tuple[str, ...], *, is_noted: bool
) -> Callable[[Any, bytes, int], None]:
    """Return a function that unpacks values with ``packer`` at a position and assigns them to attributes of an object
    of class ``kind``. ``is_noted``: whether a class that notes assignments notes these."""
    lines, scope = _assignments(kind, names, "unpack_from(data, position)", is_noted=is_noted)
    scope["unpack_from"] = packer.unpack_from
    unpack: Callable[[Any, bytes, int], None] = _compiled(["def made(self, data, position):", *lines], scope)
    return unpack


@cache
def _factory(made: type, packer: struct.Struct, names: tuple[str, ...]) -> Callable[..., Any]:
    """Return the function that returns a maker for a family. It is compiled once for each class: ``setattr`` is slow,
    and so is code that sets attributes of objects of several classes."""
    setting: object = made.__setattr__
    is_noted = setting is object.__setattr__
    lines, scope = _assignments(made, names, "unpack_from(data, position)", is_noted=is_noted)
    family, puts = _assignments(made, FAMILY, "family", is_noted=is_noted)
    scope |= {**puts, "kind": made, "new": made.__new__, "unpack_from": packer.unpack_from, "size": packer.size}
    source = [
        "def made(*family):",
        "    def make(data, position, end):",
        "        if position + size > end:",
        "            return None",
        "        self = new(kind)",
        *(f"    {each}" for each in (*family, *lines)),
        "        return self",
        "    return make",
    ]
    return _compiled(source, scope)


def _assignments(
    kind: type, names: tuple[str, ...], values: str, *, is_noted: bool
) -> tuple[list[str], dict[str, Any]]:
    """Return the statements that assign values, a text of Python, to attributes of ``self``, and the functions that
    these use."""
    if is_noted:
        return [f"    ({''.join(f'self.{each}, ' for each in names)}) = {values}"], {}
    lines = [
        f"    ({''.join(f'value_{each}, ' for each in names)}) = {values}",
        *(f"    put_{each}(self, value_{each})" for each in names),
    ]
    # The setter of a slot takes half the time of the general function.
    return lines, {f"put_{each}": getattr(getattr(kind, each, None), "__set__", partial(_put, each)) for each in names}


def _put(name: str, holder: Any, value: Any) -> None:
    object.__setattr__(holder, name, value)


def _compiled(lines: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    """Return the function ``made`` that the lines define."""
    exec("\n".join(lines), scope)
    found: Callable[..., Any] = scope["made"]
    return found
