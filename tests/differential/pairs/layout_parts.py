"""The bytes of the parts of which layouts consist."""

from __future__ import annotations

from typing import Any

from ..pieces import settled
from .shape import Shape

ROWS = {"id": "rows", "type": "row"}


def rows_of(shape: Shape, count: int) -> list[bytes]:
    return [settled(shape.write(shape.pieces, {"-row": place})) for place in range(count)]


def head_of(shape: Shape) -> bytes:
    return settled(shape.write(shape.before, {}))


def unit_of(shape: Shape) -> bytes:
    return settled(shape.write(shape.in_unit, {}))


def some(shape: Shape, most: int = 5) -> int:
    return shape.random.choice([0, 1, most, *range(1, most)])


def holder_of(shape: Shape) -> dict[str, Any]:
    """Return the object with rows up to the end of its stream."""
    return {"seq": [*shape.attributes(shape.in_unit), ROWS | {"repeat": "eos"}]}


def holder_bytes(shape: Shape, most: int = 4) -> bytes:
    return unit_of(shape) + b"".join(rows_of(shape, some(shape, most)))


def order_of(shape: Shape) -> Any:
    return "little" if shape.file_order == "le" else "big"
