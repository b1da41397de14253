"""Events of decoded units, in files and in columns of blobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..rows.reader import RowDamage
from ..units.decoded_units import DecodedUnits, row_starts
from .events import DamagedRange, Rows, UnitRows


def unit_rows(
    part: DecodedUnits,
    begins: Any,
    sizes: Any,
    content: memoryview,
    base: int,
    *,
    null_rows: bool,
    number: int = 0,
    between: Sequence[tuple[int, DamagedRange]] = (),
) -> Rows:
    """Return the rows of some units, including the rows of nulls with which its damaged units end unless hooks have
    dropped them. ``begins``, ``sizes``: the bytes of each unit, lists of int or arrays, as offsets like ``base``, which
    is that of ``content``. ``number``, ``between``: as in ``UnitRows``."""
    decoded = part.decoded
    nulls: list[RowDamage] = []
    errors: dict[int, str] = {}
    starts: Any = row_starts(decoded.counts) if null_rows and decoded.problems else None
    for problem in part.problems if starts is not None else ():
        first, last = starts[problem.unit].as_py(), starts[problem.unit + 1].as_py() - 1
        if first > last:
            continue
        begin, size = (_integer(values[problem.unit]) for values in (begins, sizes))
        nulls.append(RowDamage(begin, begin + size, last, problem.reason))
        if problem.detail:
            errors[last] = f"{problem.reason}: {problem.detail}"
    end = _integer(begins[-1]) + _integer(sizes[-1])
    return Rows(
        decoded.rows,
        decoded.arrays,
        None,
        nulls,
        content,
        base,
        end,
        0,
        decoded.rows,
        errors=errors,
        units=UnitRows(part, number, between),
    )


def _integer(value: Any) -> int:
    return int(value.as_py() if hasattr(value, "as_py") else value)
