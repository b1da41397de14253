"""The interface of decoders of units, implemented by the engine and by the generated classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import pyarrow as pa


class UnitProblem(NamedTuple):
    """Why a unit has no rows, or only some.

    ``unit``: its number in the call. ``offset``: position of the error in the unit. ``reason``: a word of
    ``wireloom.base.report.REASONS``: ``magic``, ``digest``, ``message`` (no such message, a required field is missing),
    ``index``, ``value``, ``truncated``, ``length``, ``encoding``, ``limit``. ``detail``: a sentence that names the
    field (``records.data``) and what was expected. ``rows``: how many of its rows stand all the same (those before the
    one that is ``index`` or ``value``; 0 for all else).
    """

    unit: int
    offset: int
    reason: str
    detail: str
    rows: int


@dataclass
class Decoded:
    """Rows of the first ``units`` units of a call.

    ``arrays``: by number of the wanted column. ``counts``: int32 array, rows of each unit, null rows and whole units
    (``MessageProgram.whole``) included. ``wholes``: numbers of the units that are a row by themselves because they do
    not hold; their reasons are in ``problems`` too. Units with a problem and without a whole row have no row, or those
    that stand; where ``null_rows`` was asked for, one row of nulls comes (after those that stand). ``unit_arrays``:
    one per unit column of the program, one value per unit.
    """

    units: int
    rows: int
    arrays: Mapping[int, pa.Array]
    counts: pa.Array
    problems: list[UnitProblem] = field(default_factory=list)
    wholes: list[int] = field(default_factory=list)
    unit_arrays: tuple[pa.Array, ...] = ()


class UnitDecoder(Protocol):
    """Turns units into rows. Created once per format, columns and settings; keeps no input between calls."""

    def decode(self, source: Any, begins: pa.Array, sizes: pa.Array, first: int = 0, *, capacity: int) -> Decoded:
        """Read the units ``first`` … one after another: the bytes ``[begins[i], begins[i] + sizes[i])`` of ``source``
        (any buffer; both arrays uint64 without nulls). Ends after the unit with which ``capacity`` rows or about 4 MiB
        of data are reached or passed, and reads at least one unit where there is one: a unit's rows stay together."""
        ...
