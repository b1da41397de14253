"""Which types of a format can be read and not written: those with instances at positions of their own."""

from __future__ import annotations

from dataclasses import dataclass

from wireloom.objects import only_read

from ..spec.position import Position
from .model import Spec, Struct
from .walking import family


@dataclass(frozen=True)
class ReadOnly:
    """A type whose objects are only read, and the first ``instance`` that is why."""

    type: str
    instance: str
    position: Position | None

    @property
    def message(self) -> str:
        """A sentence for who writes the spec; who tries to write an object is told the same."""
        return only_read(self.type, self.instance).message


def read_only(struct: Struct) -> ReadOnly | None:
    """Why a type is only read; ``None`` for one that can be written, as far as it is up to its own fields."""
    placed = next((each for each in struct.instances if each.attribute is not None), None)
    return None if placed is None else ReadOnly(struct.path[-1], placed.id, placed.position)


def read_only_types(spec: Spec) -> tuple[ReadOnly, ...]:
    """All such types of a spec."""
    own = (each for each in family(spec) if each.path[0] == spec.root.path[0])
    return tuple(found for found in map(read_only, own) if found is not None)
