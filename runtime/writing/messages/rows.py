"""Rows of tables as mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ...base.errors import WireloomError
from ...base.nearest import unknown
from ...format.description import Column, Format
from ..batches import batches_of
from ..casting import check_text, python_values
from ..fields import READER_COLUMNS, FilledField, column_values


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
            if name in READER_COLUMNS or name in format.path_columns:
                continue
            raise unknown(f"column of {format.name}", name, known)
        marks = format.message is not None and name == format.message.mark
        if column.derived and not column.same_as and not marks:
            continue
        stored = column.same_as or name
        # If both forms exist, the raw one is used.
        if stored == name or stored not in found:
            found[stored] = (name, column)
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
