"""A scan as a lazy frame of Polars: columns, conditions and limits of a query are passed to the reader.

Polars exposes a condition only as JSON, in a form that may change: what is not recognised is not translated, and Polars
evaluates every condition itself as well. So a translation may accept more rows than the condition, never fewer.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ..base.extras import require
from .batching import ENOUGH_ROWS, coalesced

if TYPE_CHECKING:
    import polars
    import pyarrow as pa

COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Gt": operator.gt,
    "GtEq": operator.ge,
    "Lt": operator.lt,
    "LtEq": operator.le,
}
TURNED = {"Gt": "Lt", "GtEq": "LtEq", "Lt": "Gt", "LtEq": "GtEq"}
"""For each comparison operator, the one for exchanged operands."""
UNITS = {"Milliseconds": "ms", "Microseconds": "us", "Nanoseconds": "ns"}


def translated(predicate: Any, schema: pa.Schema) -> Any | None:
    """Return an expression that is true wherever a condition of Polars is; ``None`` if that could only be a constant
    true.

    Translated are comparisons of integers, bytes, text, times and booleans with constants, tests for nulls, and their
    combinations. Comparisons of floating-point numbers are not: Polars orders NaN, and Arrow does not.
    """
    try:
        return _translated(json.loads(predicate.meta.serialize(format="json")), schema)
    except Exception:
        # Whatever changes in Polars, it evaluates the condition itself.
        return None


def _translated(node: Any, schema: pa.Schema) -> Any | None:
    kind, inside = _only(node)
    if kind == "BinaryExpr":
        word, left, right = inside["op"], inside["left"], inside["right"]
        if word in ("And", "Or", "LogicalAnd", "LogicalOr"):
            sides = [_translated(left, schema), _translated(right, schema)]
            known = [each for each in sides if each is not None]
            if word.endswith("Or"):
                return known[0] | known[1] if len(known) == 2 else None
            return known[0] & known[1] if len(known) == 2 else next(iter(known), None)
        if "Column" in right:
            word, left, right = TURNED.get(word, word), right, left
        if word in COMPARISONS and "Column" in left and "Literal" in right:
            name = left["Column"]
            value = _constant(right["Literal"], schema.field(name).type)
            return None if value is None else COMPARISONS[word](pc.field(name), value)
    if kind == "Function" and "Column" in inside["input"][0] and len(inside["input"]) == 1:
        column, test = pc.field(inside["input"][0]["Column"]), inside["function"].get("Boolean")
        return {"IsNull": column.is_null(), "IsNotNull": column.is_valid()}.get(test)
    return None


def _only(node: Any) -> tuple[str, Any]:
    [(kind, inside)] = node.items()
    return str(kind), inside


def _constant(literal: Any, target: pa.DataType) -> pa.Scalar | None:
    """Return a constant of a column's type; ``None`` if the type has no such value, or the literal is not
    recognised."""
    kind, value = _only(_only(literal)[1])
    if pa.types.is_integer(target) and isinstance(value, int) and kind.lower().startswith(("int", "uint")):
        return pa.scalar(value, target)
    if pa.types.is_boolean(target) and isinstance(value, bool):
        return pa.scalar(value, target)
    if pa.types.is_string(target) and isinstance(value, str):
        return pa.scalar(value, target)
    if pa.types.is_binary(target) and kind == "Binary":
        return pa.scalar(bytes(value), target)
    if pa.types.is_timestamp(target) and kind == "Datetime":
        count, unit, zone = value
        if (zone is None) == (target.tz is None):
            return pa.scalar(count, pa.timestamp(UNITS[unit], target.tz)).cast(target)
    return None


def lazy_frame(schema: pa.Schema, batches: Callable[[list[str], int | None, Any], Any]) -> polars.LazyFrame:
    """Return the rows of a scan as a ``polars.LazyFrame``. ``batches``: starts a new scan for some of the columns, a
    number of rows and a filter, as a context manager that iterates record batches.

    A query reads only the columns that it needs, and a limit ends the scan early. Conditions that can be translated
    filter the batches before Polars converts them. Raises ``MissingExtraError`` if Polars is not installed.
    """
    require("polars", "polars", "a lazy frame")
    # Imported here: only users of Polars need it.
    import polars
    from polars.io.plugins import register_io_source

    def source(
        columns: list[str] | None, predicate: polars.Expr | None, rows: int | None, batch_size: int | None
    ) -> Iterator[polars.DataFrame]:
        names = schema.names if columns is None else columns
        # A query that only counts rows needs no column, and receives the first one.
        # The limit counts the rows before the condition, as in frame.head(10).filter(…).
        filter = None if predicate is None or rows is not None else translated(predicate, schema)
        with batches(names or schema.names[:1], rows, filter) as scanner:
            for batch in coalesced(scanner, ENOUGH_ROWS, eager=True):
                frame = polars.DataFrame(batch)
                yield frame if predicate is None else frame.filter(predicate)

    empty = polars.DataFrame(schema.empty_table())
    return register_io_source(source, schema=empty.schema)
