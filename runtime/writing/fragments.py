"""Records in pieces: blocks of a fixed size, and records that continue in the next block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from ..base.errors import WireloomError
from ..format.description import Format
from ..rows.numbers import bytes_array, number_array
from .encoder import RowEncoder
from .fields import column_array


class FragmentEncoder:
    """Encoder of the records of a format in pieces. ``max_record``: the maximum size of a record in bytes.

    A block without space for the header of another piece is filled with zeros. A piece may have no data.
    """

    def __init__(self, format: Format, *, max_record: int) -> None:
        self._rows = RowEncoder(format, max_record=max_record)
        assert format.fragments is not None
        self._fragments = format.fragments
        self._kind = format.schema.field(format.fragments.kind).type
        self._max_record = max_record
        self._header = 0
        """Size of a piece without data, in bytes."""
        self._left = format.fragments.block
        """Number of bytes left in the block."""

    def pieces(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[bytes, int]]:
        """Yield the bytes of a file piece by piece, each with the number of its rows.

        Raises ``WireloomError`` with the row, counted from 0, for a value that cannot be written.
        """
        first = 0
        for batch in batches:
            yield self._encoded(batch, first), batch.num_rows
            first += batch.num_rows

    def _encoded(self, batch: pa.RecordBatch, first: int) -> bytes:
        name = self._fragments.data
        whole = self._with(batch, [self._kinds(True, True)] * batch.num_rows)
        data = next(each for each in self._rows.fields(whole.schema) if each.name == name)
        if not batch.num_rows:
            return b""
        if not self._header:
            one = self._with(batch.slice(0, 1), [self._kinds(True, True)], [b""])
            self._header = len(self._rows.encode(one, first)[0])
        content = column_array(data, batch.column(name), first).to_pylist()
        rows: list[int] = []
        kinds: list[int] = []
        parts: list[bytes | None] = []
        zeros: list[int] = []
        for row, record in enumerate(content):
            size = 0 if record is None else len(record)
            if size > self._max_record:
                raise WireloomError(
                    f"row {first + row} has {size} bytes, more than max_record ({self._max_record}): raise it here and "
                    "for the readers, or leave the row out",
                    reason="limit",
                )
            done, begins = 0, True
            while begins or done < size:
                zeros.append(self._left if self._left < self._header else 0)
                self._left = self._fragments.block if zeros[-1] or not self._left else self._left
                end = min(size, done + self._left - self._header)
                rows.append(row)
                kinds.append(self._kinds(begins, end == size))
                parts.append(None if record is None else record[done:end])
                self._left -= self._header + end - done
                done, begins = end, False
        # Without the data column, since each piece has a part of the data.
        others = batch.drop_columns([name]).append_column(name, pa.nulls(batch.num_rows))
        made = self._rows.encode(self._with(others.take(number_array(rows, pa.int64())), kinds, parts), first)
        return b"".join(bytes(count) + piece for count, piece in zip(zeros, made, strict=True))

    def _kinds(self, begins: bool, ends: bool) -> int:
        fragments = self._fragments
        if begins and ends and fragments.full:
            return fragments.full[0]
        return (fragments.first if begins else fragments.last if ends else fragments.middle)[0]

    def _with(self, batch: pa.RecordBatch, kinds: list[int], data: list[bytes | None] | None = None) -> pa.RecordBatch:
        """Return the batch with columns for the kinds of pieces, and their data."""
        columns = {name: batch.column(name) for name in batch.schema.names}
        columns[self._fragments.kind] = number_array(kinds, self._kind)
        if data is not None:
            columns[self._fragments.data] = bytes_array(data, pa.binary())
        return pa.RecordBatch.from_pydict(columns)
