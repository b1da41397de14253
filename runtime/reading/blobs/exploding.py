"""Flat rows of a table's column of blobs, with the table's other columns, or lists of rows without
them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...base.arguments import names, shown
from ...base.errors import WireloomError
from ...base.options import documented
from ...base.text import unknown
from ...format.description import Format
from ...rows.numbers import value_array
from ...units.decoded_units import units_of_rows
from ..options import BATCH_ROWS, ScanOptions
from .reader import SHOWN_OPTIONS, BlobReader, BlobReport, RowCaster, not_bytes


def explode(
    table: Any,
    column: str,
    format: str | Path | Format,
    *,
    keep: Sequence[str] | None = None,
    **options: Any,
) -> pa.Table:
    """Decode a table's column of blobs to flat rows, with the other columns repeated.

    - ``table``: a ``pyarrow.Table`` or ``RecordBatch``, or a data frame of another library.
    - ``column``: the name of the column of blobs.
    - ``columns``: the columns of the format to return.
    - ``keep``: the columns of the table to return before them, by default all but the blobs.
    - ``options``: those of ``from_wire``. Some formats also use other columns of the table, which an option names:
      ``hash_range`` and ``partition_key`` of ``kpl_aggregated_record``. Such a column is not kept by default if the
      format has a column of the same name.

    A blob that is null, damaged or empty has no rows. If ``_error`` or ``_corrupt_record`` is among the columns, and
    ``mode`` is ``permissive``, a damaged blob becomes a row of nulls with the reason or the bytes.

    Raises ``WireloomError`` if a column of the table and one of the format have the same name.
    """
    if not isinstance(table, pa.Table | pa.RecordBatch):
        try:
            table = pa.table(table)
        except (TypeError, ValueError, pa.ArrowException) as error:
            raise WireloomError(f"expected a table with a column of blobs, found {type(table).__name__}") from error
    exploder = Exploder(format, column, options, keep=keep)
    schema = exploder.schema_of(table.schema)
    batches = [table] if isinstance(table, pa.RecordBatch) else table.to_batches()
    return pa.Table.from_batches([made for batch in batches for made in exploder.batches(batch)], schema)


documented(explode, ScanOptions, SHOWN_OPTIONS)


class Exploder:
    """Turns batches with a column of blobs into batches of flat rows; see ``explode``. ``options``: those of
    ``BlobReader``; ``caster``: converts the format's columns to other types."""

    def __init__(
        self,
        format: str | Path | Format,
        column: str,
        options: Mapping[str, Any],
        *,
        keep: Sequence[str] | None = None,
        caster: RowCaster | None = None,
    ) -> None:
        if not isinstance(column, str):
            raise WireloomError(f"column must be the name of the column of blobs, not {shown(column)}")
        self._caster = caster
        self._keep = None if keep is None else list(names("keep", keep))
        self._reader = BlobReader(format, options, in_table=True)
        self._column = column
        self._done = 0

    def schema_of(self, outer: pa.Schema) -> pa.Schema:
        """Return the schema of the result for batches of that schema. Raises ``WireloomError``."""
        names = self.kept(outer.names)
        for name in (self._column, *names, *self.beside.values()):
            if name not in outer.names:
                raise unknown("column", name, outer.names)
        inner = self._inner
        both = [name for name in names if name in inner.names]
        if both:
            raise WireloomError(
                f"the table and the format both have a column {both[0]!r}: rename the table's, or select columns"
                " with keep and columns"
            )
        return pa.schema([*(outer.field(name) for name in names), *inner])

    @property
    def beside(self) -> Mapping[str, str]:
        """Return the columns of the table that options name, by option."""
        return self._reader.beside

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the facts that the format reports in addition to rows, of all batches so far."""
        return self._reader.report.facts

    @property
    def _inner(self) -> pa.Schema:
        return self._reader.schema if self._caster is None else self._caster.schema

    def kept(self, outer: Sequence[str]) -> list[str]:
        """Return the names of the table's columns that are kept."""
        if self._keep is not None:
            return self._keep
        replaced = [name for name in self.beside.values() if name in self._inner.names]
        return [name for name in outer if name != self._column and name not in replaced]

    def batches(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield the flat rows of a batch, in batches of about ``wireloom.reading.options.BATCH_ROWS`` rows or 4 MiB."""
        schema = self.schema_of(batch.schema)
        outer = batch.select(self.kept(batch.schema.names))
        beside = {option: batch.column(name) for option, name in self.beside.items()}
        for part in self._reader.parts(batch.column(self._column), self._done, beside):
            blobs = pc.subtract(part.blobs, self._done).take(units_of_rows(part.counts, part.rows.num_rows))
            rows = part.rows if self._caster is None else self._caster.cast(part.rows)
            # Not all at once, since repeated values may be large.
            for begin in range(0, rows.num_rows, BATCH_ROWS):
                repeated = [_taken(each, blobs.slice(begin, BATCH_ROWS)) for each in outer.columns]
                inner = rows.slice(begin, BATCH_ROWS).columns
                yield pa.RecordBatch.from_arrays([*repeated, *inner], schema=schema)
        self._done += batch.num_rows


def _taken(array: pa.Array, numbers: pa.Array) -> pa.Array:
    try:
        return array.take(numbers)
    except pa.ArrowInvalid as error:
        raise WireloomError(
            f"a column of the table is too large to repeat for each row ({error}): leave it out of keep",
            reason="limit",
        ) from error


def from_wire(array: Any, format: str | Path | Format, **options: Any) -> Any:
    """Decode a column of blobs to a column of lists of structs (``list<struct>``), the rows of each blob.

    - ``array``: a ``pyarrow.Array`` or ``ChunkedArray``, or a series of another library, of type ``binary``,
      ``large_binary``, ``fixed_size_binary`` or ``binary_view``. The result has the same length, and null for a null. A
      chunked array needs less memory; its result may have more chunks.
    - ``format``: a format whose input is one message, such as ``kpl_aggregated_record``.
    - ``mode``: with ``permissive`` and ``dropmalformed``, a damaged blob becomes null, or the rows before the damage if
      these are valid. If ``_error`` or ``_corrupt_record`` is among the ``columns``, ``permissive`` adds a struct of
      nulls with the reason or the bytes. ``failfast`` raises an error.
    - ``columns``, ``verify``, ``allow_modules``, ``max_record``, ``batch_rows`` and the options of the format: as in
      ``wireloom.scan``.

    Raises ``DamagedInputError`` with the number of the blob, ``UnknownNameError``, and ``UnsupportedError`` for a
    format whose input is not a single message.
    """
    made, _ = from_wire_with_report(array, format, **options)
    return made


def from_wire_with_report(array: Any, format: str | Path | Format, **options: Any) -> tuple[Any, BlobReport]:
    """Decode a column of blobs like ``from_wire``; return the result and a report of the damaged blobs."""
    reader = BlobReader(format, options)
    if hasattr(array, "__arrow_c_stream__") and not isinstance(array, pa.ChunkedArray):
        array = pa.chunked_array(array)
    if isinstance(array, pa.ChunkedArray):
        chunks: list[pa.Array] = []
        first = 0
        for chunk in array.chunks:
            chunks += reader.chunks(chunk, first)
            first += len(chunk)
        return pa.chunked_array(chunks, pa.list_(pa.struct(reader.schema))), reader.report
    return reader.lists(_array(array)), reader.report


documented(from_wire, ScanOptions, SHOWN_OPTIONS)
documented(from_wire_with_report, ScanOptions, SHOWN_OPTIONS)


def _array(array: Any) -> pa.Array:
    if isinstance(array, pa.Array):
        return array
    if hasattr(array, "__arrow_c_array__"):
        return pa.array(array)
    if isinstance(array, Sequence) and not isinstance(array, str | bytes):
        if any(isinstance(each, str) for each in array):
            # Arrow would treat the characters as bytes.
            raise not_bytes("str", is_text=True)
        try:
            return value_array(array, pa.binary())
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise WireloomError(f"blobs must be a list of bytes or None: {error}") from error
    raise WireloomError(f"blobs must be an Arrow array of bytes, found {type(array).__name__}")
