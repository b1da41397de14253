"""SQL functions for formats of messages, registered by ``wireloom.spark.register(spark)``.

There is a pair of functions for each format whose blobs are single messages, and for each of its kinds:
``from_wire_NAME(blob)`` returns an array of structs, ``to_wire_NAME(array)`` a blob::

    SELECT events.id, row.*
    FROM events LATERAL VIEW OUTER inline(from_wire_kpl_aggregated_record(data)) row

There is also a table function, which has all options but is slower, since Spark passes it single rows::

    SELECT * FROM explode_wire(TABLE(events), 'data', 'kpl_aggregated_record', hash_range => '0-99')
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
from pyspark.sql.functions import udtf
from pyspark.sql.types import Row, StructType
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult

from ...base.dataclass import dataclass, field
from ...base.errors import WireloomError
from ...format.description import Format
from ...units.framing import is_blob
from ..errors import HideTraceback
from .columns import Decoding, check_blobs, decoder, encoder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.udtf import UserDefinedTableFunction

ROWS = 256
"""Number of rows that the table function decodes at a time."""


def register_functions(spark: SparkSession, formats: list[Format]) -> None:
    """Register the functions of all formats whose blobs are single messages."""
    for format in formats:
        if not is_blob(format):
            continue
        for table in format.tables or ("",):
            options: dict[str, Any] = {format.option: table} if table else {}
            ending = format.name if table == format.table else f"{format.name}_{table}"
            spark.udf.register(f"from_wire_{ending}", decoder(Decoding.of(format, **options)))
            spark.udf.register(f"to_wire_{ending}", encoder(format, options))
    # Without pandas, Spark would warn that it does not use Arrow.
    arrow = None if find_spec("pandas") else False
    spark.udtf.register("explode_wire", cast("UserDefinedTableFunction", udtf(ExplodeWire, useArrow=arrow)))


@dataclass
class Exploding(AnalyzeResult):
    """Parameters of the tasks. ``column``: the index of the blob in a row; ``keep``: the indexes of the columns that
    are kept; ``beside``: the indexes of the columns that options name, by option.
    """

    column: int = 0
    keep: tuple[int, ...] = ()
    beside: dict[str, int] = field(default_factory=dict)
    decoding: Decoding | None = field(default=None)


class ExplodeWire:
    """The table function ``explode_wire(TABLE(…), 'column', 'format', option => value …)``; see the module."""

    def __init__(self, analyzed: Exploding) -> None:
        assert analyzed.decoding is not None
        self._analyzed, self._decoding = analyzed, analyzed.decoding
        self._rows: list[Row] = []

    @staticmethod
    def analyze(
        table: AnalyzeArgument, column: AnalyzeArgument, format: AnalyzeArgument, **options: AnalyzeArgument
    ) -> Exploding:
        """Return the columns of the result: those of the table without the blobs, then those of the format."""
        with HideTraceback():
            if not isinstance(table.dataType, StructType):
                raise WireloomError("the first argument of explode_wire must be a table: TABLE(name)")
            names = table.dataType.names
            if column.value not in names:
                raise WireloomError(f"the table has no column {column.value!r}: it has {', '.join(names)}")
            given: dict[str, Any] = {name: each.value for name, each in options.items()}
            for name in given.keys() & {"columns", "allow_modules"}:
                given[name] = [each.strip() for each in str(given[name]).split(",")]
            decoding = Decoding.of(str(format.value), in_table=True, **given)
            exploder = decoding.exploder(str(column.value), None)
            exploder.schema_of(pa.schema([pa.field(name, pa.null()) for name in names]))
            index = names.index(column.value)
            check_blobs(table.dataType.fields[index].dataType)
            keep = tuple(names.index(each) for each in exploder.kept(names))
            beside = {option: names.index(name) for option, name in exploder.beside.items()}
        outer = [table.dataType.fields[each] for each in keep]
        schema = StructType([*outer, *decoding.schema.fields])
        return Exploding(schema, column=index, keep=keep, beside=beside, decoding=decoding)

    def eval(self, table: Row, column: str, format: str, **options: Any) -> Iterator[tuple[Any, ...]]:
        """Collect a row, and yield the decoded rows whenever ``ROWS`` rows have been collected."""
        self._rows.append(table)
        if len(self._rows) >= ROWS:
            yield from self._flushed()

    def terminate(self) -> Iterator[tuple[Any, ...]]:
        """Yield the decoded rows of the remaining input."""
        yield from self._flushed()

    def _flushed(self) -> Iterator[tuple[Any, ...]]:
        rows, self._rows = self._rows, []
        if not rows:
            return
        blobs = pa.array([row[self._analyzed.column] for row in rows], pa.binary())
        names = self._decoding.schema.names
        with HideTraceback():
            beside = {option: pa.array([row[index] for row in rows]) for option, index in self._analyzed.beside.items()}
            for lists in self._decoding.lists([blobs], beside):
                for row, each in zip(rows, lists.to_pylist(), strict=True):
                    outer = tuple(row[index] for index in self._analyzed.keep)
                    for inner in each or ():
                        yield (*outer, *(inner[name] for name in names))
