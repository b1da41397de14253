"""A scan as a lazy frame of Polars: columns, conditions and limits of a query are passed to the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..base.extras import require
from .coalescing import ENOUGH_ROWS, coalesced

if TYPE_CHECKING:
    import polars
    import pyarrow as pa


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

    from .polars_predicates import translated

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
