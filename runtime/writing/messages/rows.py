"""Rows of tables as mappings, and mappings as messages: the way into writing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ...base.errors import WireloomError
from ...base.nearest import unknown
from ...format.description import Column, Format
from ...format.message_rules import FieldKind, FieldRule, Label
from ...objects.messages.errors import MessageError
from ...objects.messages.objects import Message
from ..batches import batches_of
from ..fields import READER_COLUMNS, Filled, column_values


def rows_of(format: Format, batch: pa.RecordBatch, first_row: int = 0) -> Iterator[dict[str, Any]]:
    """The rows of a batch: the format's columns by name, as Python's values, in the types of the format's table.

    A column that shows another in another form (a time of a count) comes under the other's name, derived ones and those
    that a reader adds are left out. ``first_row`` is the number of the first row, for the messages. Raises
    ``UnknownNameError`` for a column that the format does not have, and ``WireloomError`` with the row and the column
    for a value that is none of its type.
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
    """Like ``rows_of``, of mappings. What is nested in them stays as it is: Arrow would leave out what it does not
    know."""
    stray = next((each for each in rows if not isinstance(each, Mapping)), None)
    if stray is not None:
        raise WireloomError(f"rows are mappings of columns to values, and one of them is {type(stray).__name__}")
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
    """The columns of a table of that schema that are written. Raises ``UnknownNameError`` for one that the format does
    not have, and ``WireloomError`` for one that is there twice."""
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
        # Where both forms are there, the raw one counts.
        if stored == name or stored not in found:
            found[stored] = (name, column)
    return list(found.values())


def _values(format: Format, name: str, column: Column, batch: pa.RecordBatch, first_row: int) -> Sequence[Any]:
    kind = format.schema.field(name).type
    array = batch.column(name)
    if pa.types.is_nested(kind) or pa.types.is_null(array.type):
        # Each value is checked against the rule of its field when it is written.
        values: list[Any] = array.to_pylist()
        return values
    stored = format.schema.field(column.same_as).type if column.same_as in format.schema.names else kind
    return column_values(Filled(name, name, kind, stored, labels=column.labels), array, first_row)


def made(kind: type[Message], values: Mapping[str, Any], path: str = "") -> Message:
    """A message of that class. Nested messages are mappings, repeated fields lists, maps mappings or lists of pairs or
    of mappings of ``key`` and ``value``; ``None`` is an absent field. Raises ``MessageError`` with the field's path."""
    rules = {each.name: each for each in kind._rule.fields}
    types = kind._types()
    fields = {}
    for name, value in values.items():
        # In classes a name that Python has for itself has an underscore after it.
        rule = rules.get(name) or rules.get(f"{name}_")
        place = f"{path}.{name}" if path else name
        if rule is None:
            raise MessageError(f"there is no such field in {kind.__qualname__}: it has {', '.join(rules)}", field=place)
        if value is not None:
            fields[rule.name] = _field(rule, types.get(rule.name), value, place)
    return kind(**fields)


def _field(rule: FieldRule, kind: type[Any] | None, value: Any, place: str) -> Any:
    if rule.key is not None:
        return {key: _value(rule, kind, each, f"{place}[{key!r}]") for key, each in _pairs(value, place)}
    if rule.label is not Label.REPEATED:
        return _value(rule, kind, value, place)
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray | memoryview):
        raise MessageError(f"{value!r:.60} is not a list", field=place)
    return [_value(rule, kind, each, f"{place}[{number}]") for number, each in enumerate(value)]


def _value(rule: FieldRule, kind: type[Any] | None, value: Any, place: str) -> Any:
    if value is None:
        raise MessageError("null, and a list or map holds no nulls", field=place)
    if rule.kind is FieldKind.MESSAGE:
        assert kind is not None
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise MessageError(f"{value!r:.60} is no {kind.__qualname__}: give a mapping of its fields", field=place)
        return made(kind, value, place)
    if isinstance(value, Decimal) and value == value.to_integral_value():
        # What Spark has for unsigned integers of 64 bits.
        return int(value)
    return value


def _pairs(value: Any, place: str) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
        return
    for number, each in enumerate(value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [0]):
        if isinstance(each, Mapping) and "key" in each:
            yield each["key"], each.get("value")
        elif isinstance(each, Sequence) and not isinstance(each, str | bytes) and len(each) == 2:
            yield each[0], each[1]
        else:
            raise MessageError(f"{value!r:.60} is neither a mapping nor a list of pairs", field=f"{place}[{number}]")
