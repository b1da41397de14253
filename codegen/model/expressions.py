"""The expressions that stand in parts of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from ..expression.nodes import Node
from ..expression.types import Type
from ..spec.position import Position


def expressions_in(part: object) -> Iterator[Node]:
    """All expressions of a part of the model; a switch whose cases have the size of the whole says it once."""
    if isinstance(part, Node):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from expressions_in(each)
    elif is_dataclass(part) and not isinstance(part, (type, Type, Position)):
        for field in fields(part):
            yield from expressions_in(getattr(part, field.name))
