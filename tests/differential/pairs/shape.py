"""The parts of a spec to which constructs add: what is before the rows, a row, its instances, the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from ..pieces import Parts, Piece, Values, Writer
from ..scalars import ENUM
from ..specs import Made

Place = Literal["layout", "field", "end", "enclosing", "table"]
"""What a construct is: where the rows are; a part of a row; what a row ends with; something before the rows or in their
unit; a key of the table. A spec has one layout and at most one end."""


@dataclass
class Shape:
    """A spec while constructs add to it. A row begins with ``n``, a small number."""

    random: Random
    file_order: str = "le"
    before: list[Piece] = field(default_factory=list)
    """Attributes of the outermost type before everything else."""
    in_unit: list[Piece] = field(default_factory=list)
    """Attributes of the object that contains the rows, before these."""
    row: list[Piece] = field(default_factory=list)
    end: Piece | None = None
    instances: dict[str, Any] = field(default_factory=dict)
    """Instances of a row."""
    root_instances: dict[str, Any] = field(default_factory=dict)
    types: dict[str, Any] = field(default_factory=dict)
    extension: dict[str, Any] = field(default_factory=dict)
    """Keys of the table."""
    meta_extension: dict[str, Any] = field(default_factory=dict)
    """Keys of all tables."""
    meta: dict[str, Any] = field(default_factory=dict)
    other: dict[str, Any] | None = None
    """A second table, without its path."""
    limited: bool = False
    """Whether every read has a ``max_record``."""
    layout: Callable[[Shape], Made] | None = None

    def attributes(self, pieces: list[Piece]) -> list[dict[str, Any]]:
        return [each for piece in pieces for each in piece.attributes]

    @property
    def pieces(self) -> list[Piece]:
        """Return all of a row."""
        return [*self.row, *([self.end] if self.end else [])]

    def add_type(self, name: str, seq: list[dict[str, Any]], **more: Any) -> None:
        self.types[name] = {"seq": seq, **more}

    def write(self, pieces: list[Piece], values: Values) -> Parts:
        return tuple(part for piece in pieces for part in piece.write(self.random, values))

    def spec(self, root: dict[str, Any], path: str | list[str]) -> dict[str, Any]:
        """Return the spec with that root, and rows on that path."""
        table = {"rows": path, **self.extension}
        if self.other is not None:
            own = table | {"look-ups": self.extension["look-ups"]} if "look-ups" in self.extension else table
            table = {"tables": {"main": own, "other": self.other | {"rows": path}}}
        row = {"seq": self.attributes(self.pieces)}
        if self.instances:
            row["instances"] = self.instances
        meta = {"id": "sample", "endian": self.file_order, "bit-endian": "be", **self.meta}
        meta["-wireloom"] = table | self.meta_extension
        root = {**root, "instances": {**root.get("instances", {}), **self.root_instances}}
        return {
            "meta": meta,
            **{key: value for key, value in root.items() if value},
            "types": {"row": row, **self.types},
            "enums": {"kind": ENUM},
        }


@dataclass(frozen=True)
class Construct:
    """Something of the dialect that may meet everything else."""

    name: str
    place: Place
    add: Callable[[Shape], None]


def fixed(attribute: dict[str, Any], *values: bytes) -> Piece:
    """Return an attribute with one of some contents."""
    return Piece([attribute], lambda random, _: (random.choice(values),))


def run(attributes: list[dict[str, Any]], write: Writer) -> Piece:
    return Piece(attributes, write)


def number(name: str, most: int = 12) -> Piece:
    """Return a number of one byte, whose value other attributes use."""

    def write(random: Random, values: Values) -> Parts:
        values[name] = random.randint(0, most)
        return (bytes([values[name]]),)

    return Piece([{"id": name, "type": "u1"}], write)
