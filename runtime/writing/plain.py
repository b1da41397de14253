"""Plain rows written by Python, a whole column at a time: all sizes, then all checksums, then all numbers.

The row's class takes the same steps for one row at a time; it writes all other rows. Tests compare the two.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import repeat
from operator import add
from typing import Any

from ..checksums import Function, algorithm, function
from ..format.columns import PlainRow, RowChecksum


class PlainEncoder:
    """Encoder of the plain rows of a format."""

    def __init__(self, row: PlainRow) -> None:
        self._row = row
        self._head = struct.Struct(row.head)
        self._checksum = None if row.checksum is None else checksum_function(row.checksum)
        self.fields = {each for each in (*row.fields, row.content) if isinstance(each, str) and each}
        """The fields of the row object whose values are required."""

    def encode(self, values: Mapping[str, Sequence[Any]], count: int) -> list[bytes]:
        """Return the encoded bytes of ``count`` rows.

        Raises ``struct.error``, ``TypeError``, ``AttributeError`` or ``UnicodeEncodeError`` for a value that does not
        fit.
        """
        row, none = self._row, [b""] * count
        contents: Sequence[bytes] = values[row.content] if row.content else none
        if row.is_text:
            contents = [text.encode() for text in values[row.content]]
        columns: list[Any] = [self._column(each, values, contents) for each in row.fields]
        if row.checksum is not None and self._checksum is not None:
            place = row.fields.index(None)
            columns[place] = repeat(self._stand_in(place, row.checksum))
            columns[place] = self._checksums(row.checksum, self._checksum, columns, contents)
        heads = map(self._head.pack, *columns) if columns else iter(none)
        return list(map(add, heads, contents)) if row.content else list(heads)

    @staticmethod
    def _column(field: str | int | None, values: Mapping[str, Sequence[Any]], contents: Sequence[bytes]) -> Any:
        return [len(each) + field for each in contents] if isinstance(field, int) else values.get(field or "")

    def _stand_in(self, place: int, checksum: RowChecksum) -> int:
        """Return the value of the checksum's field while the checksum is computed."""
        size = struct.calcsize(self._row.letters[place])
        return int.from_bytes(bytes([checksum.replace]) * size, "little")

    def _checksums(
        self, checksum: RowChecksum, compute: Function, columns: list[Any], contents: Sequence[bytes]
    ) -> list[int]:
        start, end = checksum.start, checksum.end
        if start >= self._head.size:
            return list(map(compute, contents))
        heads = (head[start:end] for head in map(self._head.pack, *columns))
        sums = map(compute, heads)
        return list(map(compute, contents, sums) if end is None else sums)


def checksum_function(checksum: RowChecksum) -> Function:
    """Return the function that computes the checksum of a row."""
    return function(algorithm(checksum.algorithm, checksum.initial, checksum.final_xor))
