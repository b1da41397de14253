"""Writing messages: rows to units, units to the bytes of a file or to a column of blobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...base.errors import UnsupportedError, WireloomError
from ...base.text import unknown
from ...format import registry
from ...format.columns import READER_NAMES
from ...format.description import Column, Format
from ...reading.request import of_table
from ...rows.numbers import value_array
from ...units.framing import framing_class, options_of, units_of
from ...units.packing import Packed, Row
from ...units.without_lengths import SeveralUnitsError
from ..casting import check_text, python_values
from ..filled_fields import FilledField, column_values
from ..output import limit_of
from ..row_batches import ROWS, batches_of, rows_of_columns, stray_item
from .row_packing import packing_class, why_several


def rows_of(format: Format, batch: pa.RecordBatch, first_row: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch: the format's columns by name, as Python values, in the types of the format's table.

    A column with another form of a field (a time instead of a count) is returned under the field's own name; derived
    columns and those of readers are omitted. ``first_row`` is the number of the first row, for error messages. Raises
    ``UnknownNameError`` for a column that the format does not have, and ``WireloomError`` with the row and the column
    for a value that does not fit its type.
    """
    columns = columns_of(format, batch.schema)
    values = [_values(format, name, column, batch, first_row) for name, column in columns]
    names = [column.same_as or column.name for _, column in columns]
    if not columns:
        yield from ({} for _ in range(batch.num_rows))
        return
    for row in zip(*values, strict=True):
        yield dict(zip(names, row, strict=True))


def mapped_rows(format: Format, rows: Sequence[Any], first_row: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the rows of mappings like ``rows_of``. Nested values are unchanged, since Arrow would ignore unknown
    fields.
    """
    stray = next((each for each in rows if not isinstance(each, Mapping)), None)
    if stray is not None:
        raise WireloomError(f"rows must be mappings of columns to values, and one of them is {type(stray).__name__}")
    nested = {each.name for each in format.schema if pa.types.is_nested(each.type)}
    flat = [{name: value for name, value in row.items() if name not in nested} for row in rows]
    if not any(flat):
        made: Iterator[dict[str, Any]] = iter([{} for _ in rows])
    else:
        made = _flat(format, flat, first_row)
    for row, ready in zip(rows, made, strict=True):
        yield ready | {name: row[name] for name in nested if name in row}


def _flat(format: Format, rows: list[dict[str, Any]], first_row: int) -> Iterator[dict[str, Any]]:
    for batch in batches_of(rows, format.schema):
        yield from rows_of(format, batch, first_row)
        first_row += batch.num_rows


def columns_of(format: Format, schema: pa.Schema) -> list[tuple[str, Column]]:
    """Return the columns of a table with the given schema that are written.

    Raises ``UnknownNameError`` for a column that the format does not have, and ``WireloomError`` for one that exists
    twice.
    """
    known = {each.name: each for each in format.columns}
    found: dict[str, tuple[str, Column]] = {}
    for name in schema.names:
        if schema.names.count(name) > 1:
            raise WireloomError(f"the table has more than one column {name}")
        column = known.get(name)
        if column is None:
            if name in READER_NAMES or name in format.path_columns:
                continue
            raise unknown(f"column of {format.name}", name, known)
        marks = format.message is not None and name == format.message.mark
        if column.derived and not column.same_as and not marks:
            continue
        stored = column.same_as or name
        # If both forms exist, the raw one is used.
        if stored == name or stored not in found:
            found[stored] = (name, column)
    computed = [name for name in schema.names if name in known]
    if computed and not found:
        names = ", ".join(computed)
        raise WireloomError(
            f"nothing can be written from {names}, which readers compute: give what it is computed from"
        )
    return list(found.values())


def _values(format: Format, name: str, column: Column, batch: pa.RecordBatch, first_row: int) -> Sequence[Any]:
    kind = format.schema.field(name).type
    array = batch.column(name)
    check_text(f"column {name}", array, first_row)
    if pa.types.is_nested(kind) or pa.types.is_null(array.type):
        # Each value is checked against the rule of its field when it is written.
        return python_values(f"column {name}", array)
    stored = format.schema.field(column.same_as).type if column.same_as in format.schema.names else kind
    return column_values(FilledField(name, name, kind, stored, labels=column.labels), array, first_row)


def written_options(format: Format) -> tuple[str, ...]:
    """Return the names of the options of the writer of a format of messages, except the one that selects the table."""
    if format.message is None:
        return ()
    return (*options_of(packing_class(format)), *options_of(framing_class(format)))


class UnitWriter:
    """Writer of rows of one format to units.

    ``options``: those of its packing and its framing, ``max_record``, and the one that selects the table. Raises
    ``UnknownNameError`` for other options and ``WireloomError`` for invalid values.
    """

    def __init__(self, format: Format, options: dict[str, Any]) -> None:
        self.format, given = of_table(format, options)
        self.given: set[str] = set()
        """The columns of all rows so far."""
        self.max_record = limit_of(given.pop("max_record", self.format.max_record))
        packing, framing = packing_class(self.format), framing_class(self.format)
        known = written_options(self.format)
        for name in given:
            if name not in known:
                table = [self.format.option] if self.format.option else []
                raise unknown(f"option of {self.format.name}", name, [*known, *table, "max_record"])
        self._packing_options = {name: given[name] for name in options_of(packing) if name in given}
        self._framing_options = {name: given[name] for name in options_of(framing) if name in given}

    def units(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """Yield the units of the rows, without framing."""
        packing = packing_class(self.format)(self.format, max_record=self.max_record, **self._packing_options)
        return packing.pack(rows)

    @property
    def absent(self) -> tuple[str, ...]:
        """Return the columns with fields of messages that no row has had so far. Empty for a format with its own
        packing, which determines the content of messages.
        """
        if units_of(self.format).packing or not self.given:
            return ()
        columns = [each for each in self.format.columns if not each.derived or each.same_as]
        held = {each.same_as or each.attribute or each.name for each in columns if each.name in self.given}
        fields = {each.name: each.attribute or each.name for each in columns if not each.same_as}
        return tuple(name for name, field in fields.items() if field not in held)

    def pieces(self, rows: Iterable[Row]) -> Iterator[tuple[bytes, int]]:
        """Yield the bytes of a file, unit by unit, each with the number of its rows."""
        framing = framing_class(self.format)(self.format, max_record=self.max_record, **self._framing_options)
        for packed in self.units(rows):
            try:
                framed = framing.framed(packed.unit)
            except SeveralUnitsError as error:
                raise WireloomError(f"{error.message}: {why_several(self.format)}") from error
            yield framed, packed.rows
        yield framing.finish(), 0

    def rows(self, rows: Any) -> Iterator[dict[str, Any]]:
        """Yield rows in any form that ``wireloom.write`` accepts, as mappings."""
        first = 0
        for block in _blocks(rows):
            if isinstance(block, list):
                self.given.update(*(each for each in block if isinstance(each, Mapping)))
                yield from mapped_rows(self.format, block, first)
                first += len(block)
                continue
            for batch in batches_of(block):
                self.given.update(batch.schema.names)
                yield from rows_of(self.format, batch, first)
                first += batch.num_rows


def _blocks(rows: Any) -> Iterator[Any]:
    """Yield lists of mappings, and objects with Arrow data."""
    if isinstance(rows, Mapping):
        rows = rows_of_columns(rows)
    held = hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__")
    if held or not isinstance(rows, Iterable) or isinstance(rows, str | bytes | bytearray | memoryview):
        yield rows
        return
    items = iter(rows)
    for item in items:
        if isinstance(item, Mapping):
            yield [item, *islice(items, ROWS - 1)]
        else:
            held = hasattr(item, "__arrow_c_stream__") or hasattr(item, "__arrow_c_array__")
            if not held:
                raise stray_item(item)
            yield item


def to_wire(rows: Any, format: str | Path | Format, *, allow_modules: Sequence[str] = (), **options: Any) -> pa.Array:
    """Encode rows as a column of blobs (``binary``), each a complete message of ``format`` with its envelope.

    - ``rows``: a table, record batches or mappings, which the format's packing divides into messages (one message if
      it has no packing); or an array of lists of structs, as ``from_wire`` returns: one message per list, null for a
      null. Lengths, tables and digests are computed.
    - ``allow_modules``: modules whose classes a spec may name, see ``wireloom.load_spec``.
    - ``options``: those of the format's packing, ``max_record``, and the one that selects the kind of message.

    Raises ``WireloomError`` with the row (from 0) and the column for a value that cannot be written, and for a list
    that does not fit into a single message.
    """
    found = registry.get(format, allow_modules)
    if found.message is None:
        raise UnsupportedError(f"{found.name} is not a format of messages: write it with wireloom.write")
    writer = UnitWriter(found, options)
    if isinstance(rows, pa.ChunkedArray) and _is_lists(rows.type):
        return pa.chunked_array([_blobs(writer, each) for each in rows.chunks], pa.binary())
    if isinstance(rows, pa.Array) and _is_lists(rows.type):
        return _blobs(writer, rows)
    if isinstance(rows, pa.StructArray):
        rows = _batch(rows)
    return value_array([each.unit for each in writer.units(writer.rows(rows))], pa.binary())


def _is_lists(kind: pa.DataType) -> bool:
    return bool((pa.types.is_list(kind) or pa.types.is_large_list(kind)) and pa.types.is_struct(kind.value_type))


def _batch(structs: pa.StructArray) -> pa.RecordBatch:
    # RecordBatch.from_struct_array of pyarrow 19 includes all later rows for a slice that begins at 0.
    return pa.RecordBatch.from_arrays(structs.flatten(), schema=pa.schema(list(structs.type)))


def _blobs(writer: UnitWriter, lists: pa.Array) -> pa.Array:
    blobs: list[bytes | None] = []
    for number in range(len(lists)):
        each = lists[number]
        if not each.is_valid:
            blobs.append(None)
            continue
        try:
            made = list(writer.units(writer.rows(_batch(each.values))))
        except WireloomError as error:
            raise WireloomError(f"list {number}: {error.message}", reason=error.reason) from error
        if len(made) != 1:
            what = "it has no rows"
            if made:
                what = f"its {len(each.values)} rows make {len(made)} messages: {why_several(writer.format)}"
            raise WireloomError(f"list {number} is not a single message of {writer.format.name}: {what}")
        blobs.append(made[0].unit)
    return value_array(blobs, pa.binary())
