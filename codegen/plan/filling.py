"""What a writer fills in, in the order in which it can."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.nodes import Node
from ..model.model import Attribute, Struct
from .nodes import Cover, Fill


def fills_of(struct: Struct, covers: tuple[Cover, ...]) -> Iterator[Fill]:
    """Constants first, then lengths and counts, then checksums of what is known, at last those of what is written."""
    for attribute in struct.attributes:
        if attribute.repeat is not None:
            continue
        if attribute.contents is not None:
            yield Fill(attribute.id, "constant", contents=attribute.contents)
        elif (only := only_value(attribute)) is not None:
            yield Fill(attribute.id, "unless given", only)
    for derivation in struct.derivations:
        yield Fill(derivation.attribute, "solved", derivation.expression)
    late = [each for each in covers if each.value is None]
    yield from (Fill(each.field.id, "checksum before", cover=each) for each in covers if each.value is not None)
    yield from (Fill(each.field.id, "checksum after", cover=each) for each in _inside_out(struct, late))


def only_value(attribute: Attribute) -> Node | None:
    """The one value that ``valid`` allows an attribute that is always there once; ``None`` where there are others."""
    if attribute.repeat is not None or attribute.condition is not None or attribute.valid is None:
        return None
    return attribute.valid.equal


def _inside_out(struct: Struct, covers: list[Cover]) -> Iterator[Cover]:
    """Checksums, each after those that lie in its range; those that cover each other are last."""
    names = [each.id for each in struct.attributes]
    waiting = list(covers)
    while waiting:
        others = {each.field.id for each in waiting}
        ready = [each for each in waiting if not (_range(names, each) & others) - {each.field.id}]
        yield from ready or waiting
        waiting = [each for each in waiting if ready and each not in ready]


def _range(names: list[str], cover: Cover) -> set[str]:
    return set(names[names.index(cover.first) : names.index(cover.last) + 1])
