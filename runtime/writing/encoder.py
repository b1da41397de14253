"""Conversion of rows of a table to the encoded bytes of each row."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any

import pyarrow as pa

from .. import engine
from ..base.cached import cached_property
from ..base.errors import UnsupportedError, WireloomError
from ..format.description import Format
from ..format.stuffings import Stuffing
from ..objects import stuffing as portable
from ..objects.delimited_frames import is_unmistakable
from ..objects.streams import MemoryStream
from ..objects.variables import set_state, state_of
from .columns import ColumnEncoder, PlainEncoder, RefusedRowError
from .filled_fields import FilledField, column_array, fields_of, misfit, values_of
from .making import object_maker, value_at
from .refusals import NOT_IN_TABLE, REFUSALS, UNWRITTEN, explained, left_out, may_leave_out, untrue
from .row_batches import MANY, ROWS, batch_of_one, cut
from .solving import solve

PLAIN = (int, str, bytes)
"""Types of values of which the row says whether they fit."""


def framed(format: Format) -> Callable[[bytes], bytes]:
    """Return the function that stuffs a record of a delimited format and appends its delimiter."""
    delimiter = format.delimiter
    if format.stuffing == Stuffing.NONE:

        def bare(record: bytes) -> bytes:
            if not is_unmistakable(record, delimiter):
                raise WireloomError(
                    f"the record holds the delimiter {delimiter.hex()}, alone or together with those around it, or is "
                    "empty, and the format has no stuffing"
                )
            return record + delimiter

        return bare
    stuffing, packed = format.stuffing, format.stuffing.packed
    if stuffing.holds_empty and engine.available:
        return lambda record: engine.stuff(record, packed) + delimiter

    def stuffed(record: bytes) -> bytes:
        if not record and not stuffing.holds_empty:
            raise WireloomError("the record is empty, and readers pass over empty frames")
        return (engine.stuff(record, packed) if engine.available else portable.stuff(record, stuffing)) + delimiter

    return stuffed


class RowEncoder:
    """Encoder of the rows of one format.

    ``padding`` follows each row. ``max_record`` is the maximum size of an encoded row in bytes (for a delimited format:
    including stuffing, without the delimiter), since readers refuse larger rows. ``numbered``: whether messages
    identify a row by its number.
    """

    def __init__(
        self, format: Format, *, padding: bytes = b"", max_record: int | None = None, numbered: bool = True
    ) -> None:
        if format.read_only:
            raise UnsupportedError(format.read_only)
        self.format = format
        self.max_record = format.max_record if max_record is None else max_record
        self._padding = padding
        self._numbered = numbered
        self._framed = framed(format) if format.delimiter else None
        self._schema: pa.Schema | None = None
        self._fields: tuple[FilledField, ...] = ()
        self._by_names: dict[frozenset[str], tuple[FilledField, ...]] = {}

    @cached_property
    def plain(self) -> PlainEncoder | None:
        """Return the fast encoder, if the rows are plain."""
        return None if self.format.plain is None else PlainEncoder(self.format.plain)

    def fields(self, schema: pa.Schema) -> tuple[FilledField, ...]:
        """Return how a table with the given schema fills the rows.

        Raises ``WireloomError`` if it cannot.
        """
        if self._schema is None or not schema.equals(self._schema):
            self._fields, self._schema = fields_of(self.format, schema), schema
        return self._fields

    def encode(self, batch: pa.RecordBatch, first_row: int = 0) -> list[bytes]:
        """Return the bytes of each row of a batch, including delimiter and padding.

        ``first_row`` is the number of the batch's first row, for the messages. Raises ``WireloomError`` with the row
        and the column for what cannot be written.
        """
        filled = self.fields(batch.schema)
        values = {each.field: values_of(each, batch, first_row) for each in filled}
        return self._encoded(filled, values, batch.num_rows, first_row)

    def blocks(self, batch: pa.RecordBatch, first_row: int = 0) -> Iterator[bytes | memoryview]:
        """Yield the same bytes as ``encode``, joined to blocks of rows; encoded by the engine if possible."""
        columns = self._columns
        filled = self.fields(batch.schema)
        done = 0
        if columns is not None and self._is_plain(filled):
            try:
                yield from columns.blocks(self._arrays(filled, batch, first_row), batch.num_rows)
            except RefusedRowError as error:
                done = error.row
            else:
                return
        # Errors of a row are reported here.
        for part in cut(batch.slice(done), ROWS):
            yield b"".join(self.encode(part, first_row + done))
            done += part.num_rows

    @property
    def most_rows(self) -> int:
        """Return the maximum number of rows that a batch for ``blocks`` should have."""
        return MANY if self._columns is not None else ROWS

    @cached_property
    def _columns(self) -> ColumnEncoder | None:
        plain = self.format.plain
        if not engine.available or plain is None or any(self._padding):
            return None
        return ColumnEncoder(self.format, plain, padding=len(self._padding), max_record=self.max_record)

    def _arrays(self, filled: Sequence[FilledField], batch: pa.RecordBatch, first_row: int) -> dict[str, pa.Array]:
        if any(batch.column(each.name).null_count for each in filled if each.absent is None):
            raise RefusedRowError(0)
        return {each.field: column_array(each, batch.column(each.name), first_row) for each in filled}

    def encode_one(self, values: Mapping[str, Any]) -> bytes:
        """Return the bytes of one row, given as a mapping of column names to values.

        Raises ``WireloomError`` if it cannot be written.
        """
        names = frozenset(values)
        filled = self._by_names.get(names)
        if filled is None:
            filled = fields_of(self.format, pa.schema([(name, pa.null()) for name in values]))
            self._by_names[names] = filled
        ready = {}
        for each in filled:
            value = values[each.name]
            if value is None:
                if each.absent is not None and not each.optional:
                    value = each.absent
                elif not each.optional:
                    raise WireloomError(f"{each.name} is None, but the format has no null: give a value")
            elif each.labels or each.make is not None or pa.types.is_timestamp(each.type):
                value = values_of(each, batch_of_one(each.name, value, self.format.schema), 0)[0]
            elif isinstance(value, bytearray | memoryview):
                value = bytes(value)
            elif type(value) not in PLAIN and isinstance(value, Number) and (text := misfit(each, value)):
                # A ``bool`` would be accepted as a number, and a fraction as bits.
                raise WireloomError(f"the record cannot be written: {text}")
            ready[each.field] = [value]
        try:
            return self._encoded(filled, ready, 1)[0]
        except WireloomError as error:
            given = ((each, values[each.name]) for each in filled if not each.labels)
            text = next((text for each, value in given if value is not None and (text := misfit(each, value))), None)
            if text is None:
                raise
            raise WireloomError(f"the record cannot be written: {text}") from error

    def _is_plain(self, filled: Sequence[FilledField]) -> bool:
        """Return whether the values of the columns are those of plain rows, as they are."""
        stored = {each.field for each in filled if each.solved is None}
        return self.plain is not None and self.plain.fields == stored and len(stored) == len(filled)

    def _encoded(
        self, filled: Sequence[FilledField], values: Mapping[str, Sequence[Any]], count: int, first_row: int = 0
    ) -> list[bytes]:
        """Return the bytes of ``count`` rows. ``values``: by field, those of its column."""
        if self.plain is not None and self._is_plain(filled):
            try:
                rows = self.plain.encode(values, count)
            except (struct.error, TypeError, OverflowError, AttributeError, UnicodeEncodeError):
                # The row class reports the row and the reason more precisely.
                rows = self._by_class(filled, values, count, first_row)
        else:
            rows = self._by_class(filled, values, count, first_row)
        if self._framed is not None:
            rows = self._delimited(rows, first_row)
        longest = self.max_record + len(self.format.delimiter)
        if rows and max(map(len, rows)) > longest:
            row, size = next((index, len(row)) for index, row in enumerate(rows) if len(row) > longest)
            raise WireloomError(
                f"{self._called(first_row + row)} has {size - len(self.format.delimiter)} bytes when written, more "
                f"than max_record ({self.max_record}): raise it here and for the readers, or leave the row out",
                reason="limit",
            )
        return [row + self._padding for row in rows] if self._padding else rows

    def _delimited(self, rows: list[bytes], first_row: int) -> list[bytes]:
        assert self._framed is not None
        done: list[bytes] = []
        try:
            for row in rows:
                done.append(self._framed(row))
        except WireloomError as error:
            raise WireloomError(f"{self._called(first_row + len(done))}: {error.message}") from error
        return done

    def _by_class(
        self, filled: Sequence[FilledField], values: Mapping[str, Sequence[Any]], count: int, first_row: int
    ) -> list[bytes]:
        names, solved = tuple(values), [each for each in filled if each.solved is not None]
        shown = tuple({each.field: each.name for each in solved}.get(name, name) for name in names)
        verified = [each.field for each in filled if each.verified]
        done: list[bytes] = []
        for row_values in zip(*values.values(), strict=True) if values else iter([()] * count):
            fields = dict(zip(names, row_values, strict=True))
            sources = {name: fields.pop(name) for name in self._default_sources if name in fields}
            state = state_of(self._root, self.format.variables) if self._optional else ()
            try:
                row = self._row(fields, sources, solved)
                data = row.to_bytes()
                if stray := untrue(row, verified):
                    raise WireloomError(stray)
                if self._optional and (unwritten := self._unwritten(row, data, state)):
                    raise WireloomError(f"column {unwritten}: {UNWRITTEN}")
                if self.format.where and not getattr(row, self.format.where):
                    raise WireloomError(NOT_IN_TABLE)
                done.append(data)
            except UnsupportedError:
                # No row can be written.
                raise
            except REFUSALS as error:
                raise WireloomError(self._refusal(first_row + len(done), shown, row_values, error)) from error
        return done

    def _row(self, fields: dict[str, Any], sources: Mapping[str, Any], solved: Sequence[FilledField]) -> Any:
        """Return the object of a row; ``solved``: the fields whose values are those of their columns."""
        if not solved:
            return self._object(fields, sources)

        def made(_: FilledField, found: Sequence[int]) -> Any:
            return self._object(fields | dict(zip(names, found, strict=True)), sources)

        names = [each.field for each in solved]
        found = solve(solved, [fields[name] for name in names], made)
        return self._object(fields | dict(zip(names, found, strict=True)), sources)

    def _object(self, fields: Mapping[str, Any], sources: Mapping[str, Any]) -> Any:
        row = self._make(fields)
        row._parent = row._root = self._root
        if sources:
            row._given = sources
        return row

    @cached_property
    def _make(self) -> Callable[[Mapping[str, Any]], Any]:
        return object_maker(self.format, self.format.row_class)

    @cached_property
    def _root(self) -> Any:
        """Return the outermost object, whose tables and variables rows may use."""
        return self.format.root_class()

    @cached_property
    def _default_sources(self) -> tuple[str, ...]:
        """Return the value instances from which defaults of the row's fields are computed."""
        return tuple(
            each.default_source[0]
            for each in self.format.columns
            if each.default_source is not None and not each.default_source[1]
        )

    @cached_property
    def _optional(self) -> tuple[str, ...]:
        """Return the fields of the row that a condition may omit, entirely or in part."""
        columns = (each for each in self.format.columns if may_leave_out(self.format, each))
        return tuple(each.attribute or each.name for each in columns)

    def _unwritten(self, row: Any, data: bytes, state: tuple[Any, ...]) -> str:
        """Return a field whose value is not in the row's bytes as its condition is false; empty if there is none.
        ``state``: the variables before the row."""
        given = [name for name in self._optional if value_at(row, name) is not None]
        root = self.format.root_class() if state else self._root
        set_state(root, self.format.variables, state)
        written = self.format.row_class(MemoryStream(data), root, root) if given else None
        parts = ((name, left_out(value_at(row, name), value_at(written, name))) for name in given)
        return next((f"{name}{part}" for name, part in parts if part is not None), "")

    def _refusal(self, row: int, names: tuple[str, ...], values: tuple[Any, ...], error: Exception) -> str:
        return f"{self._called(row)} cannot be written: {explained(error, zip(names, values, strict=True))}"

    def _called(self, row: int) -> str:
        return f"row {row}" if self._numbered else "the record"
