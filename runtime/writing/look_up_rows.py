"""Rows of other tables to which a table's rows refer: a writer writes them before the first row that needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from ..base.errors import WireloomError
from ..format.description import Format
from .unit_rows import key_of

Encoded = Callable[[Format, pa.RecordBatch], Iterable[bytes]]
"""Function that encodes rows of a table; the same one is used for a whole file."""


class Reference:
    """The rows of one other table. ``columns``: by column of that table, the column here whose values are looked up in
    it.
    """

    def __init__(self, table: str, key: str, match: str, columns: dict[str, str]) -> None:
        self.table = table
        self.key = key
        self.match = match
        self.columns = columns
        self.written: dict[Any, Any] = {}
        """The values of the last row with each key."""


def references_of(format: Format, given: Iterable[str]) -> list[Reference]:
    """Return the references to other tables from rows with the given columns.

    Raises ``WireloomError`` if a column is missing that is looked up by default.
    """
    names, found = set(given), dict[tuple[str, str, str], Reference]()
    for column in format.columns:
        look_up = column.looked_up
        if look_up is None:
            continue
        if column.name in names:
            place = look_up.table, look_up.key, look_up.match
            reference = found.setdefault(place, Reference(*place, {}))
            reference.columns[look_up.value] = column.name
        elif column.default and look_up.key in names:
            raise WireloomError(
                f"{format.name} cannot be written without the column {column.name}, from which rows of its "
                f"table {look_up.table} are created: the table has {', '.join(sorted(names))}"
            )
    return list(found.values())


class LookUpRows:
    """Encoder of the rows of other tables to which rows refer. ``encoded``: a function that encodes rows of another
    table.
    """

    def __init__(self, format: Format, references: list[Reference], encoded: Encoded) -> None:
        self._format = format
        self._references = references
        self._encoded = encoded

    def values(self, batch: pa.RecordBatch) -> list[tuple[Any, ...]]:
        """Return the references of each row: for each table the key and the values that are looked up."""
        if not self._references:
            return [()] * batch.num_rows
        tables = []
        for each in self._references:
            columns = [batch.column(name).to_pylist() for name in (each.key, *each.columns.values())]
            tables.append(list(zip(*columns, strict=True)))
        return list(zip(*tables, strict=True))

    def before(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[bytes]:
        """Yield the bytes of the rows to which these rows refer, unless they have already been written."""
        new: list[dict[Any, tuple[Any, ...]]] = [{} for _ in self._references]
        for row in rows:
            for place, (key, *values) in enumerate(row):
                reference = self._references[place]
                known = new[place].get(key, reference.written.get(key))
                found = tuple(map(_compared, values))
                if known is not None and known[0] == found:
                    continue
                # If no row was found when reading, there is nothing to refer to.
                if key is not None and any(each is not None for each in values):
                    if key in new[place]:
                        yield from self._written(new)
                    new[place][key] = (found, values)
        yield from self._written(new)

    def _written(self, new: list[dict[Any, tuple[Any, ...]]]) -> Iterator[bytes]:
        for reference, rows in zip(self._references, new, strict=True):
            if rows:
                table = self._format.of_table(reference.table)
                yield from self._encoded(table, _batch(table, reference, rows))
                reference.written.update(rows)
                rows.clear()


def _batch(table: Format, reference: Reference, rows: dict[Any, tuple[Any, ...]]) -> pa.RecordBatch:
    """Return rows of another table as a record batch."""
    columns: dict[str, list[Any]] = {reference.match: list(rows)}
    for number, name in enumerate(reference.columns):
        columns[name] = [values[number] for _, values in rows.values()]
    fields = [(name, _plain(table.schema.field(name).type)) for name in columns]
    return pa.RecordBatch.from_arrays(
        [pa.array(columns[name], kind) for name, kind in fields], names=[name for name, _ in fields]
    )


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of labels for a dictionary type; other types unchanged."""
    return pa.string() if pa.types.is_dictionary(kind) else kind


def _compared(value: Any) -> Any:
    return key_of(value)
