"""Consecutive attributes of fixed sizes, which are read and written together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, groupby

from wireloom.base.dataclass import dataclass

from ..expression.types import FloatType, IntegerType
from .members import Attribute


@dataclass(frozen=True)
class Piece:
    """Consecutive attributes of a run that share a byte order (``le``, ``be``, or ``None`` if it makes no difference).
    ``offset``: of the first attribute, from the start of the run."""

    attributes: tuple[Attribute, ...]
    endian: str | None
    offset: int
    size: int


@dataclass(frozen=True)
class Run:
    """Consecutive attributes of fixed sizes; ``offsets``: the start of each, followed by the end of the run."""

    attributes: tuple[Attribute, ...]
    offsets: tuple[int, ...]
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Return the total size in bytes."""
        return self.offsets[-1]

    @property
    def parts(self) -> tuple[tuple[Attribute, ...], ...]:
        """Return the run split after each attribute that frames the layout, since it is checked first."""
        parts: list[tuple[Attribute, ...]] = [()]
        for each in self.attributes:
            parts[-1] += (each,)
            if each.frames_layout and each.checks:
                parts.append(())
        return tuple(each for each in parts if each)


Step = Run | Attribute


def steps_of(attributes: tuple[Attribute, ...]) -> Iterator[Step]:
    """Yield the attributes in order as steps: consecutive ones of fixed sizes as a run, all others on their own."""
    for is_run, group in groupby(attributes, key=lambda each: each.fixed_size is not None):
        together = tuple(group)
        yield from (run_of(together),) if is_run else together


def run_of(attributes: tuple[Attribute, ...]) -> Run:
    """Return consecutive attributes of fixed sizes as a run."""
    offsets = tuple(accumulate((each.fixed_size or 0 for each in attributes), initial=0))
    return Run(attributes, offsets, tuple(_pieces(attributes, offsets)))


def _pieces(attributes: tuple[Attribute, ...], offsets: tuple[int, ...]) -> Iterator[Piece]:
    """Yield the pieces of a run, each of a single byte order; single bytes fit any."""
    begin, endian = 0, None
    for number, each in enumerate(attributes):
        base = each.type.on_wire
        wanted = base.endian if isinstance(base, IntegerType | FloatType) and base.size > 1 else None
        if wanted and endian and wanted != endian:
            yield Piece(attributes[begin:number], endian, offsets[begin], offsets[number] - offsets[begin])
            begin, endian = number, None
        endian = wanted or endian
    yield Piece(attributes[begin:], endian, offsets[begin], offsets[-1] - offsets[begin])
