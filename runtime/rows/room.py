"""The memory that is allocated for a fill of the engine, and its growth."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from ..base.dataclass import dataclass, replace
from ..format.program import ColumnProgram, Op

MOST = 0x7FFFFFFF
"""Maximum number of items of a list, and of bytes of a column: offsets are int32."""
FEW_BYTES = 64
MOST_GUESSED = 1 << 18
"""Size in bytes of a short row, and maximum number of such rows that a whole input is expected to have."""
FIXED = {Op.NEED, Op.COLUMN_FIXED, Op.REGISTER_FIXED, Op.COLUMN_TIMESTAMP, Op.COLUMN_REGISTER, Op.CHECK_RANGE, Op.MARK}
"""Steps that are executed for every row, as long as only such steps precede them."""


def least_size(program: ColumnProgram) -> int:
    """Return the minimum size in bytes of a row, for rows in the window."""
    if program.delimiter:
        return 1
    steps = takewhile(lambda step: step.op in FIXED, program.steps)
    return max(1, sum(step.a for step in steps if step.op is Op.NEED))


def expected_rows(density: float, size: int, capacity: int) -> int:
    """Return the number of rows for which to allocate memory if a whole input of ``size`` bytes is one batch; all of it
    is read again if it has more. ``density``: the largest number of rows per byte of earlier inputs, or 0."""
    return max(capacity, int(size * density * 1.125) if density else min(size // FEW_BYTES, MOST_GUESSED))


@dataclass(frozen=True)
class Room:
    """The allocated room of a fill: rows, damages, items by level, and data bytes by variable-size column."""

    rows: int
    damages: int
    items: tuple[int, ...]
    data: dict[int, int]

    def grown(self, what: int, column: int, needed: int, most: int) -> Room:
        """Return more room: of data for ``column`` if ``what`` is negative, otherwise of rows, damages, or items of a
        level."""
        if what < 0:
            # At least doubled, so that little of a unit is read twice.
            least = min(MOST, max(needed, 2 * self.data[column]))
            sizes = {number: max(size, most, least if number == column else 0) for number, size in self.data.items()}
            return replace(self, data=sizes)
        if what == 0:
            return replace(self, rows=needed)
        if what == 1:
            return replace(self, damages=needed)
        items = (needed if level == what - 2 else each for level, each in enumerate(self.items))
        return replace(self, items=tuple(items))


def trim(buffer: Any, used: int) -> None:
    """Release the unused end of a data buffer, unless it is small."""
    if used < buffer.size - buffer.size // 8:
        buffer.resize(used, shrink_to_fit=True)
