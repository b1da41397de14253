"""Runs a user's function on Arrow batches in the tasks, next to the engine; Spark receives only its result.

Spark copies every row that a source in Python returns to it. A function that counts, sums or searches in Arrow avoids
these copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, InputPartition
from pyspark.sql.types import StructType

from ..base.arguments import check_callable
from ..base.errors import UnsupportedError, WireloomError
from .errors import HideTraceback
from .read.reader import FormatReader
from .registration import registered_source

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from .source import FormatSource

    Function = Callable[[Iterator[pa.RecordBatch]], Iterable[pa.RecordBatch | pa.Table]]

PASSED = ("Project", "SubqueryAlias", "View")
"""Plan nodes that are allowed between a frame and its source: selections and renamings of columns."""


def map_batches(df: DataFrame, function: Function, schema: StructType | str | None = None) -> DataFrame:
    """Return the data frame that a function computes from the rows of a format, task by task.

    ``df``: a frame as returned by ``spark.read.format(…).load(…)``, optionally with a ``select`` of columns; the engine
    builds only these. ``function`` is called once in each task, with an iterator of ``pyarrow.RecordBatch`` of these
    columns, and returns or yields record batches or tables. ``schema``: that of the result, in any form that Spark
    accepts; if it is omitted, the function is called here with one empty batch, and its first result determines the
    columns.

    Raises ``UnsupportedError`` if the frame has another source, or if its rows are filtered or computed.
    """
    check_callable("function", function, "a function of an iterator of record batches")
    name, options = _read_of(df)
    columns = df.schema
    result = _schema(schema, function, columns)
    source = _mapping_source(registered_source(name), f"wireloom_map_{name}", columns, result, function)
    df.sparkSession.dataSource.register(source)
    return df.sparkSession.read.format(source.name()).options(**options).load()


def _read_of(df: DataFrame) -> tuple[str, dict[str, str]]:
    """Return the name and the options of the source that a frame reads."""
    plan: Any = getattr(df, "_jdf", None)
    if plan is None:
        raise UnsupportedError("map_batches needs a session in this process, not one of Spark Connect: use mapInArrow")
    plan = plan.queryExecution().analyzed()
    while (kind := plan.getClass().getSimpleName()) in PASSED and _only_chooses(plan):
        plan = plan.children().apply(0)
    if kind != "DataSourceV2Relation" or not plan.table().getClass().getSimpleName() == "PythonTable":
        raise UnsupportedError(
            f"map_batches requires a DataFrame as returned by spark.read.format(…).load(…), except for a selection "
            f"of columns, and found {kind}: filter and compute in the function"
        )
    return str(plan.table().name()), dict(plan.options().asCaseSensitiveMap())


def _only_chooses(plan: Any) -> bool:
    """Return whether a plan node passes columns on unchanged."""
    if plan.getClass().getSimpleName() != "Project":
        return True
    chosen = plan.projectList()
    kinds = {chosen.apply(each).getClass().getSimpleName() for each in range(chosen.size())}
    return kinds == {"AttributeReference"}


def _schema(schema: StructType | str | None, function: Function, columns: StructType) -> StructType:
    from .versions import from_arrow_schema

    if schema is None:
        empty = _arrow(columns).empty_table().to_batches() or [_empty(columns)]
        first = next(iter(function(iter(empty))), None)
        if first is None:
            raise WireloomError("the function returns nothing for an empty batch: pass the schema")
        found: StructType = from_arrow_schema(first.schema)
        return found
    if isinstance(schema, str):
        parsed: Any = StructType.fromDDL(schema)
        return parsed  # type: ignore[no-any-return]
    return schema


def _arrow(columns: StructType) -> pa.Schema:
    from .versions import to_arrow_schema

    return to_arrow_schema(columns)


def _empty(columns: StructType) -> pa.RecordBatch:
    import pyarrow as pa

    schema = _arrow(columns)
    return pa.RecordBatch.from_arrays([pa.array([], each.type) for each in schema], schema=schema)


class MappingReader(FormatReader):
    """Reads a format and applies a function to its batches."""

    def __init__(self, reader: FormatReader, result: StructType, function: Function) -> None:
        vars(self).update(vars(reader))
        self._result = result
        self._function = function

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches that the function returns for one partition, cast to the types of the result."""
        schema = _arrow(self._result)
        for each in self._function(super().read(partition)):
            if each.schema.names != schema.names:
                with HideTraceback():
                    raise WireloomError(
                        f"the function of map_batches returns columns {', '.join(each.schema.names)}, not "
                        f"{', '.join(schema.names)}"
                    )
            import pyarrow as pa

            table = each if isinstance(each, pa.Table) else pa.Table.from_batches([each])
            yield from table.cast(schema).to_batches()


def _mapping_source(
    base: type[FormatSource], name: str, columns: StructType, result: StructType, function: Function
) -> type[DataSource]:
    called = name

    class MappingSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return called

        def schema(self) -> StructType:
            return result

        def reader(self, schema: StructType) -> MappingReader:
            return MappingReader(base(self.options).reader(columns), result, function)

    return MappingSource
