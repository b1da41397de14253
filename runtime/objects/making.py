"""Creation of objects from bytes in memory, without calling their constructors."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from .. import engine

Made = TypeVar("Made")
Make = Callable[[bytes, int, int], Made | None]
"""A function of bytes, a position and an end that makes an object from its first fields; it returns ``None`` if they
are not all before the end."""


def maker(made: type[Made], packer: struct.Struct, names: str, io: object, parent: object, root: object) -> Make[Made]:
    """Return the function that makes objects of class ``made``.

    ``packer`` unpacks their first fields; ``names`` are those of the attributes, separated by spaces.
    """
    if engine.available:
        return engine.Maker(made, packer.format, tuple(names.split()), io, parent, root).make
    return _plain_maker(made, packer, names, io, parent, root)


def _plain_maker(
    made: type[Made], packer: struct.Struct, names: str, io: object, parent: object, root: object
) -> Make[Made]:
    if made.__setattr__ is not object.__setattr__:
        return _quiet_maker(made, packer, tuple(names.split()), (io, parent, root))
    family = io, parent, root
    plain: Make[Made] = _factory(names)(made, made.__new__, packer.unpack_from, packer.size, *family)
    return plain


def _quiet_maker(
    made: type[Made], packer: struct.Struct, names: tuple[str, ...], family: tuple[object, object, object]
) -> Make[Made]:
    """Return a maker for classes that track assignments; its own assignments are not tracked."""
    put = object.__setattr__

    def make(data: bytes, position: int, end: int) -> Made | None:
        if position + packer.size > end:
            return None
        self = made.__new__(made)
        for name, value in zip(("_io", "_parent", "_root"), family, strict=True):
            put(self, name, value)
        for name, value in zip(names, packer.unpack_from(data, position), strict=True):
            put(self, name, value)
        return self

    return make


def unpacker(
    kind: type, packer: struct.Struct, names: tuple[str, ...], put: Callable[[Any, str, Any], None]
) -> Callable[[Any, bytes, int], None]:
    """Return a function that unpacks values with ``packer`` at a position and assigns them to attributes of an object
    of class ``kind``; ``put`` assigns one value."""
    setting: object = kind.__setattr__
    if setting is not object.__setattr__:

        def unpack(self: Any, data: bytes, position: int) -> None:
            for name, value in zip(names, packer.unpack_from(data, position), strict=True):
                put(self, name, value)

        return unpack
    scope: dict[str, Any] = {"unpack_from": packer.unpack_from}
    targets = ", ".join(f"self.{name}" for name in names)
    exec(f"def unpack(self, data, position):\n    ({targets},) = unpack_from(data, position)", scope)
    compiled: Callable[[Any, bytes, int], None] = scope["unpack"]
    return compiled


@cache
def _factory(names: str) -> Callable[..., Any]:
    """Return a factory of makers that assign these attributes. It is compiled once, since ``setattr`` is slow."""
    targets = ", ".join(f"self.{name}" for name in names.split())
    source = f"""
def factory(made, new, unpack_from, size, io, parent, root):
    def make(data, position, end):
        if position + size > end:
            return None
        self = new(made)
        self._io = io
        self._parent = parent
        self._root = root
        ({targets},) = unpack_from(data, position)
        return self
    return make
"""
    scope: dict[str, Any] = {}
    exec(source, scope)
    factory: Callable[..., Any] = scope["factory"]
    return factory
