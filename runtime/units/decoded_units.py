"""Decoding of units, hooks that process them before their rows are returned, and the mapping between units
and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, cast

import pyarrow as pa
import pyarrow.compute as pc

from ..format.description import Format
from ..format.routines import load
from ..rows.messages.decoding import Decoded, UnitDecoder, UnitProblem
from ..rows.numbers import number_array
from .framing import Framing, chosen, options_of, units_of
from .units import Units


class Hooks(Protocol):
    """Processes decoded units. ``OPTIONS``: names of the constructor's keyword arguments, which are options of the
    format's reader. One object is created for each input, or column of blobs.

    ``needs``, optional: names of columns that must be decoded even if they are not requested. ``TABLE_OPTIONS``,
    optional: options that only readers of a table's column of blobs have. ``beside``, optional: columns of that table
    that the hooks use, by the option that names them; they are passed as ``Units.beside``. ``RESUMABLE``, optional:
    true if the rows of a unit do not depend on the units before it.
    """

    OPTIONS: ClassVar[tuple[str, ...]]

    def __init__(self, **options: Any) -> None: ...

    def decoded(self, units: Units, decoded: Decoded) -> Decoded:
        """Return the rows to be output, for the same number of units. A unit whose rows are dropped has the count 0."""
        ...

    def facts(self) -> Mapping[str, Any]:
        """Return information for the report, as JSON values; optional."""
        ...


def beside(hooks: Hooks | None) -> Mapping[str, str]:
    """Return the other columns of the table that the hooks use: option → name."""
    found: Mapping[str, str] = getattr(hooks, "beside", {})
    return found


def facts_of(hooks: Hooks) -> Mapping[str, Any]:
    """Return the information of hooks for the report; empty if they have none."""
    facts: Mapping[str, Any] = hooks.facts() if hasattr(hooks, "facts") else {}
    return facts


def table_options(format: Format) -> tuple[str, ...]:
    """Return the names of the options that only readers of a table's column of blobs have."""
    return options_of(hooks_class(format), "TABLE_OPTIONS")


def hooks_class(format: Format) -> type[Hooks] | None:
    """Return the class of the format's hooks, if it has any. Raises ``WireloomError`` if it cannot be loaded."""
    name = units_of(format).hooks
    return cast("type[Hooks]", load(name)) if name else None


def hooks_for(format: Format, options: Mapping[str, Any]) -> Hooks | None:
    """Return the hooks of one input or column of blobs, with those of the reader's ``options`` that they declare;
    ``None`` if the format has none. Raises as ``framing_for``."""
    kind = hooks_class(format)
    if kind is None:
        return None
    return kind(**chosen(options, (*options_of(kind), *table_options(format))))


class DecodedUnits(NamedTuple):
    """The units of one call of a decoder, and their rows. ``first``: the number of the first unit."""

    first: int
    units: Units
    decoded: Decoded

    @property
    def problems(self) -> Iterator[UnitProblem]:
        """Yield why units are damaged. Units that are rows themselves are not included."""
        wholes = set(self.decoded.wholes)
        return (each for each in self.decoded.problems if each.unit not in wholes)


def decoded_units(
    decoder: UnitDecoder, units: Units, capacity: int, framing: Framing | None = None, hooks: Hooks | None = None
) -> Iterator[DecodedUnits]:
    """Decode all units, about as many at once as have ``capacity`` rows. ``framing`` and ``hooks`` are notified."""
    begins, sizes = unit_array(units.begins), unit_array(units.sizes)
    first, count = 0, len(begins)
    while first < count:
        decoded = decoder.decode(units.source, begins, sizes, first, capacity=capacity)
        if units.is_open:
            decoded.problems = [
                each._replace(reason="truncated") if each.is_truncated else each for each in decoded.problems
            ]
        part = units.part(first, decoded.units)
        if framing is not None:
            framing.decoded(part, decoded)
        if hooks is not None:
            decoded = hooks.decoded(part, decoded)
        yield DecodedUnits(first, part, decoded)
        first += decoded.units


def unit_array(values: Any) -> pa.Array:
    """Return the begins, sizes, offsets or spans of units as an array."""
    return values if isinstance(values, pa.Array) else number_array(values, pa.uint64())


def row_starts(counts: pa.Array) -> pa.Array:
    """Return the number of each unit's first row, and finally the total number of rows: int64, one more than there are
    units.

    >>> row_starts(pa.array([2, 0, 1], pa.int32())).to_pylist()
    [0, 2, 2, 3]
    """
    return pa.concat_arrays([number_array((0,), pa.int64()), pc.cumulative_sum(counts.cast(pa.int64()))])


def units_of_rows(counts: pa.Array, rows: int) -> pa.Array:
    """Return the number of each row's unit, as int64.

    >>> units_of_rows(pa.array([2, 0, 1], pa.int32()), 3).to_pylist()
    [0, 0, 2]
    """
    return pc.list_parent_indices(pa.LargeListArray.from_arrays(row_starts(counts), pa.nulls(rows)))


def columns_to_decode(format: Format, projected: Sequence[int], hooks: Hooks | None) -> tuple[int, ...]:
    """Return the numbers of the columns to be decoded: those that are requested, and those that the hooks use."""
    needs: Any = getattr(hooks, "needs", ())
    return tuple(sorted({*projected, *(number for number, each in enumerate(format.columns) if each.name in needs)}))
