"""Decoding of units in pieces, and the mapping between units and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ..format.description import Format
from ..rows.messages.decoding import Decoded, UnitDecoder, UnitProblem
from .framing import Framing, Units
from .hooks import Hooks


class Piece(NamedTuple):
    """The units of one call of a decoder, and their rows. ``first``: the number of its first unit."""

    first: int
    units: Units
    decoded: Decoded

    @property
    def problems(self) -> Iterator[UnitProblem]:
        """Why units are damaged. A unit that is a row by itself is none of them."""
        wholes = set(self.decoded.wholes)
        return (each for each in self.decoded.problems if each.unit not in wholes)


def pieces(
    decoder: UnitDecoder, units: Units, capacity: int, framing: Framing | None = None, hooks: Hooks | None = None
) -> Iterator[Piece]:
    """Decode all the units. ``capacity``: about how many rows a piece has; ``framing`` and ``hooks`` are told."""
    begins, sizes = _array(units.begins), _array(units.sizes)
    first, count = 0, len(begins)
    while first < count:
        decoded = decoder.decode(units.source, begins, sizes, first, capacity=capacity)
        part = units.part(first, decoded.units)
        if framing is not None:
            framing.decoded(part, decoded)
        if hooks is not None:
            decoded = hooks.decoded(part, decoded)
        yield Piece(first, part, decoded)
        first += decoded.units


def _array(values: Any) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, pa.uint64())


def row_starts(counts: pa.Array) -> pa.Array:
    """Per unit the number of its first row, and after the last one the number of all rows: int64, one more than units.

    >>> row_starts(pa.array([2, 0, 1], pa.int32())).to_pylist()
    [0, 2, 2, 3]
    """
    return pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(counts.cast(pa.int64()))])


def units_of_rows(counts: pa.Array, rows: int) -> pa.Array:
    """Per row the number of its unit, int64.

    >>> units_of_rows(pa.array([2, 0, 1], pa.int32()), 3).to_pylist()
    [0, 0, 2]
    """
    return pc.list_parent_indices(pa.LargeListArray.from_arrays(row_starts(counts), pa.nulls(rows)))


def wanted_columns(format: Format, wanted: Sequence[int], hooks: Hooks | None) -> tuple[int, ...]:
    """Numbers of the columns to be decoded: those that are wanted, and those that the hooks look at."""
    needs: Any = getattr(hooks, "needs", ())
    return tuple(sorted({*wanted, *(number for number, each in enumerate(format.columns) if each.name in needs)}))
