"""The interface of decoders of units, implemented by the engine and by the generated classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from ...base.dataclass import dataclass, field


class UnitProblem(NamedTuple):
    """Why a unit has no rows, or only some.

    - ``unit``: its number in the call.
    - ``offset``: the position of the error in the unit.
    - ``reason``: one of ``wireloom.base.report.REASONS``: ``magic``, ``digest``, ``message`` (no such message, or a
      required field is missing), ``index``, ``value``, ``truncated``, ``length``, ``encoding``, ``limit``.
    - ``detail``: a sentence that names the field (``records.data``) and what was expected.
    - ``rows``: the number of its rows that remain valid: those before the one that is ``index`` or ``value``, otherwise
      0.
    - ``is_cut``: whether the unit ends too early: in its envelope, before a required field, or inside a field that is
      not in another one, so that more bytes may complete it.
    """

    unit: int
    offset: int
    reason: str
    detail: str
    rows: int
    is_cut: bool = False


@dataclass
class Decoded:
    """Rows of the first ``units`` units of a call.

    - ``arrays``: by number of the wanted column.
    - ``counts``: an int32 array with the number of rows of each unit, including null rows and whole units
      (``MessageProgram.whole``).
    - ``wholes``: the numbers of the invalid units that are a row of their own; their reasons are in ``problems`` too.
      Other units with a problem have no rows, or only those that remain valid; with ``null_rows``, one row of nulls
      follows these.
    - ``unit_arrays``: one per unit column of the program, with one value per unit.
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
        """Read units from ``first`` on: the bytes ``[begins[i], begins[i] + sizes[i])`` of ``source`` (any buffer; both
        arrays uint64 without nulls).

        Reading ends after the unit with which ``capacity`` rows or about 4 MiB of data are reached. At least one unit
        is read if there is one, since the rows of a unit stay together.
        """
        ...
