"""The rows of a scan that match a filter, up to a limit."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from functools import cache
from typing import Any

import pyarrow as pa

from ..base.errors import UnsupportedError, WireloomError
from ..format.description import Format
from ..rows.selected_columns import Projection, selectable
from .pushed_filter import fields_of


def filter_columns(format: Format, expression: Any) -> tuple[str, ...]:
    """Return the names of the columns that a filter needs.

    Raises ``UnknownNameError`` with the nearest name for a column that the format does not have, and ``WireloomError``
    for a column that is given by its position and for a filter that does not fit the types of the columns or is not
    boolean.
    """
    named = fields_of(expression)
    if named:
        Projection.of(format, sorted(named))
    if named is None and _has_positions(expression):
        raise WireloomError(f"filter: name columns instead of giving their positions: {expression}")
    schema = Projection.of(format, selectable(format)).schema
    union = next((each.name for each in schema if each.name in (named or ()) and pa.types.is_union(each.type)), None)
    if union is not None and not unions_have_nulls():
        raise UnsupportedError(
            f"filter: pyarrow {pa.__version__} takes a null of the column {union}, a union, for a value: install a "
            "newer one, or filter the rows"
        )
    try:
        _check(schema, expression)
    except WireloomError as error:
        if isinstance(error.__cause__, pa.ArrowNotImplementedError) and named:
            # Arrow names the types only.
            types = ", ".join(f"{each.name} is {each.type!s:.60}" for each in schema if each.name in named)
            raise WireloomError(f"{error.message}: {types}") from error
        raise
    if named is not None:
        return tuple(name for name in schema.names if name in named)
    return tuple(name for name in schema.names if not _applies(_without(schema, name), expression))


@cache
def unions_have_nulls() -> bool:
    """Return whether filters of this version of pyarrow see that a value of a union is null. Nothing else can be
    asked about one."""
    import pyarrow.compute as pc

    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.nulls(1, pa.int8())])
    row = pa.record_batch([union, pa.array([1])], ["union", "number"])
    return bool(pa.Table.from_batches([row]).filter(pc.is_null(pc.field("union"))).num_rows)


def kept(batch: Any, expression: Any | None, columns: int | None) -> Any:
    """Return the rows of a batch for which a filter is true, and of its columns the first ``columns``. Raises
    ``WireloomError`` if Arrow cannot evaluate it for their values."""
    if expression is not None:
        batch = _apply(batch, expression)
    return batch if columns is None else batch.select(list(range(columns)))


def limited(batches: Generator[Any], limit: int) -> Generator[Any]:
    """Yield the first ``limit`` rows of ``batches``, and close ``batches``."""
    left = limit
    with closing(batches):
        while left > 0 and (batch := next(batches, None)) is not None:
            batch = batch.slice(0, left)
            left -= batch.num_rows
            yield batch


def _check(schema: pa.Schema, expression: Any) -> None:
    # Not the empty table of the schema, which Arrow cannot make for unions.
    _apply(pa.Table.from_batches([], schema), expression)


def _apply(rows: Any, expression: Any) -> Any:
    try:
        return _filtered(rows, expression)
    except (pa.ArrowException, KeyError) as error:
        raise WireloomError(f"filter: {str(error).splitlines()[0]}") from error


def _filtered(rows: Any, expression: Any) -> Any:
    try:
        return rows.filter(expression)
    except pa.ArrowNotImplementedError:
        # Arrow cannot make an empty batch with unions, but a table without batches.
        if not isinstance(rows, pa.RecordBatch) or pa.Table.from_batches([rows]).filter(expression).num_rows:
            raise
        return rows.slice(0, 0)


def _applies(schema: pa.Schema, expression: Any) -> bool:
    try:
        _check(schema, expression)
    except WireloomError:
        return False
    return True


def _has_positions(expression: Any) -> bool:
    """Return whether an expression refers to columns by position. Batches have other columns than the query."""
    try:
        expression.__reduce__()
    except pa.ArrowNotImplementedError as error:
        return "non-name field_ref" in str(error)
    return False


def _without(schema: pa.Schema, name: str) -> pa.Schema:
    return pa.schema([each for each in schema if each.name != name])


def without_first(rows: int, batches: Generator[Any, None, None]) -> Generator[Any, None, None]:
    """Yield batches without their first rows, and close ``batches``."""
    with closing(batches):
        for batch in batches:
            if rows < batch.num_rows:
                yield batch.slice(rows)
            rows = max(rows - batch.num_rows, 0)
