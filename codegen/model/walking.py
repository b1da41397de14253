"""Traversal of the types of a spec and their attributes."""

from __future__ import annotations

from collections.abc import Iterator

from ..tree import Attribute, Spec, Struct


def structs(struct: Struct) -> Iterator[Struct]:
    """Yield a type and all that are nested in it, outermost first."""
    yield struct
    for each in struct.structs:
        yield from structs(each)


def family(spec: Spec) -> Iterator[Struct]:
    """Yield all types of a spec and its imports."""
    for each in (spec, *spec.imports):
        yield from structs(each.root)


def attributes_of(struct: Struct) -> Iterator[Attribute]:
    """Yield the attributes of a type, and those that its instances read."""
    yield from struct.attributes
    yield from (each.attribute for each in struct.instances if each.attribute is not None)
