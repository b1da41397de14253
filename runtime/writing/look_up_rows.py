"""Rows of other tables to which a table's rows refer: a writer writes them before the first row that needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa

from ..base.errors import UnsupportedError, WireloomError
from ..format.description import Format
from ..rows.numbers import value_array
from .filled_fields import FilledField, fields_of
from .refusals import RowError
from .remaining_rows import key_of


class ReferredRowError(RowError):
    """An error of a row of another table. Its message has the number and the columns of the row that refers to it."""


class Needed(NamedTuple):
    """A row of another table. ``compared``: keys for comparing its ``values``, those of the columns of the reference.
    ``number``: that of the first row that refers to it.
    """

    compared: tuple[Any, ...]
    values: list[Any]
    number: int


class Reference:
    """The rows of one other table. ``columns``: by column of that table, the column of the given table whose values are
    looked up in it.
    """

    def __init__(self, table: str, key: str, match: str, columns: dict[str, str]) -> None:
        self.table = table
        self.key = key
        self.match = match
        self.columns = columns
        self.written: dict[Any, Needed] = {}
        """The last row with each key."""

    @property
    def names(self) -> dict[str, str]:
        """Return, by column of the other table, the column of the given table with its values."""
        return {self.match: self.key} | self.columns

    def found_anyway(self, number: int, key: Any, known: Needed) -> RowError:
        """Return the error for a row without values of a referred row, for which readers would find an earlier one."""
        columns = " and ".join(self.columns.values())
        return RowError(
            f"row {number}, column {columns}: null cannot be written, since readers find the row of table "
            f"{self.table} with {self.key} {key!r:.40} before it, from row {known.number}: give the row its values, or "
            f"another {self.key}"
        )


Encoded = Callable[[Reference, pa.RecordBatch, int], Iterable[bytes]]
"""Function that encodes rows of the table of a reference, which have the names of the given table's columns, and for
messages the number of the first one; the same function is used for a whole file."""


def given_fields(format: Format, schema: pa.Schema, names: Mapping[str, str]) -> tuple[FilledField, ...]:
    """Return how the columns of a table fill the fields of a row, as ``fields_of`` does; ``names``: by column of the
    format, its name in the table if that is another one."""
    own = {name: column for column, name in names.items()}
    fields = fields_of(format, pa.schema([each.with_name(own.get(each.name, each.name)) for each in schema]))
    return tuple(replace(each, name=names.get(each.name, each.name)) for each in fields)


def references_of(format: Format, given: Iterable[str], called: Mapping[str, str]) -> list[Reference]:
    """Return the references to other tables from rows with the given columns; ``called``: as in ``given_fields``.

    Raises ``WireloomError`` if a column is missing that is looked up by default, or the key of another one.
    """
    own = {name: column for column, name in called.items()}
    names, found = {own.get(name, name) for name in given}, dict[tuple[str, str, str], Reference]()
    for column in format.columns:
        look_up = column.looked_up
        if look_up is None:
            continue
        if column.name in names:
            if look_up.key not in names:
                raise WireloomError(
                    f"{format.name} cannot be written without the column {look_up.key}, by which rows of its table "
                    f"{look_up.table} with {column.name} are found: the table has {', '.join(sorted(names))}"
                )
            place = look_up.table, called.get(look_up.key, look_up.key), look_up.match
            reference = found.setdefault(place, Reference(*place, {}))
            reference.columns[look_up.value] = called.get(column.name, column.name)
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

    def before(self, rows: Iterable[tuple[Any, ...]], first: int) -> Iterator[bytes]:
        """Yield the bytes of the rows to which these rows refer, unless they have already been written. ``first``: the
        number of the first of these rows.

        Raises ``ReferredRowError`` for a row that cannot be written.
        """
        new: list[dict[Any, Needed]] = [{} for _ in self._references]
        for number, row in enumerate(rows, first):
            for place, (key, *values) in enumerate(row):
                reference = self._references[place]
                known = new[place].get(key, reference.written.get(key))
                found = tuple(map(_compared, values))
                if key is None or (known is not None and known.compared == found):
                    continue
                # If no row was found when reading, there is nothing to refer to.
                if any(each is not None for each in values):
                    new[place][key] = Needed(found, values, number)
                elif known is not None:
                    raise reference.found_anyway(number, key, known)
        for reference, needed in zip(self._references, new, strict=True):
            if needed:
                yield from self._written(reference, needed)
                reference.written.update(needed)

    def _written(self, reference: Reference, rows: dict[Any, Needed]) -> Iterator[bytes]:
        key, row = next(iter(rows.items()))
        try:
            yield from self._encoded(reference, self._batch(reference, rows), row.number)
        except UnsupportedError:
            raise
        except WireloomError as error:
            if len(rows) > 1:
                # The one with the error has it by itself, too; then its number is known.
                for key, row in rows.items():
                    yield from self._written(reference, {key: row})
            if len(rows) > 1 or isinstance(error, ReferredRowError):
                raise
            what = f"of the row in table {reference.table} to which {reference.key} {key!r:.40} refers"
            raise ReferredRowError(f"{error.message} ({what})", reason=error.reason) from error

    def _batch(self, reference: Reference, rows: dict[Any, Needed]) -> pa.RecordBatch:
        """Return rows of another table as a record batch, with the names of the given columns."""
        columns: dict[str, list[Any]] = {reference.match: list(rows)}
        for place, name in enumerate(reference.columns):
            columns[name] = [each.values[place] for each in rows.values()]
        schema = self._format.of_table(reference.table).schema
        arrays = [value_array(values, _plain(schema.field(name).type)) for name, values in columns.items()]
        return pa.RecordBatch.from_arrays(arrays, names=[reference.names[name] for name in columns])


class Changes:
    """Finds rows that refer to different values by the same key; the rows are given in order."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, Any], tuple[tuple[Any, ...], int, int]] = {}

    def differs(self, refers: tuple[Any, ...], number: int) -> int:
        """Return the number of the last row before row ``number`` with a key of ``refers`` and other values, or -1."""
        last = -1
        for place, (key, *values) in enumerate(refers):
            if key is None:
                continue
            found = tuple(map(_compared, values))
            before, differs, same = self._last.get((place, key), (found, -1, -1))
            if before != found:
                differs = same
            self._last[place, key] = (found, differs, number)
            last = max(last, differs)
        return last


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of labels for a dictionary type; other types unchanged."""
    return pa.string() if pa.types.is_dictionary(kind) else kind


def _compared(value: Any) -> Any:
    return key_of(value)
