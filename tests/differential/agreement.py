"""The result of a reader for an input, in a form in which two readers can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import Format, engine
from wireloom.reading.request import of_table

from ..unit.reading.running import read

ROW_COLUMNS = ("_offset", "_error", "_corrupt_record")


@contextmanager
def objects_only() -> Iterator[None]:
    """Read with the object parser in this context."""
    before = engine.available
    engine.available = False
    try:
        yield
    finally:
        engine.available = before


def outcome(
    format: Format, data: bytes, *, columns: list[str] | None = None, window: int | None = None, **options: Any
) -> Any:
    """Return rows and report, or the error. ``window``: the data are a stream that is read in blocks of that many
    bytes."""
    if columns is None:
        found = of_table(format, dict(options))[0]
        # For other columns both readers are the object parser.
        names = [each.name for each in found.columns if not each.engine_refusal]
        columns = [*names, *ROW_COLUMNS]
    try:
        table, report = read(
            None,
            format,
            data,
            chunk=window,
            streamed=window is not None,
            columns=columns,
            **options,
        )
    except wireloom.WireloomError as error:
        return type(error).__name__, error.offset, error.reason
    rows, files = {name: plain(table.column(name)) for name in columns}, [report]
    if format.message is not None:
        # Inside a message one reader names the invalid value, the other its field: only the reason is the same.
        rows["_error"] = [each and each.partition(":")[0] for each in rows.get("_error", ())]
        files = [{**each, "error": each.get("error") is not None} for each in files]
    return rows, files


def plain(column: pa.ChunkedArray) -> list[Any]:
    """Return values that can be compared: without floats that differ from themselves, and times that Python cannot
    represent."""
    column = column.cast(timeless(column.type))
    return [repr(value) if isinstance(value, float | list | dict) else value for value in column.to_pylist()]


def timeless(type: pa.DataType) -> pa.DataType:
    """Return the type with integers in place of times, also inside lists and structs."""
    if pa.types.is_timestamp(type):
        return pa.int64()
    if pa.types.is_list(type):
        return pa.list_(type.value_field.with_type(timeless(type.value_type)))
    if pa.types.is_map(type):
        return pa.map_(type.key_type, type.item_field.with_type(timeless(type.item_type)))
    if pa.types.is_struct(type):
        return pa.struct([each.with_type(timeless(each.type)) for each in type])
    return type


def agreed(format: Format, data: bytes, **options: Any) -> Any:
    """Return the result of both readers. Raises ``AssertionError`` if they differ.

    Skips the test if the engine is not available: it would compare the object reader with itself.
    """
    if not engine.available:
        pytest.skip("both readers are compared if the engine is available")
    by_engine = outcome(format, data, **options)
    with objects_only():
        by_objects = outcome(format, data, **options)
    assert by_engine == by_objects, (
        f"{format.name}, {options}\ninput   {data.hex()}\nengine  {by_engine}\nobjects {by_objects}"
    )
    # Both agree about a wrong option of the test, but have read nothing.
    assert by_engine[0] != "UnknownNameError", options
    return by_engine


def read_rows(format: Format, data: bytes, columns: list[str]) -> list[dict[str, Any]]:
    """Return the rows of a valid log."""
    table, report = wireloom.read_with_report(format, data, columns=columns or None)
    assert report.clean, report
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
