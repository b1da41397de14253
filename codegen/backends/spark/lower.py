"""The view that the templates render: the Spark type of each column, and the names of the data source."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wireloom.base.dataclass import dataclass

from ...tree import Spec
from ..columns.arrow import ArrowType
from ..columns.message_lower import default_kind
from ..columns.message_table import MessageColumn, message_columns
from ..columns.table import TableColumn, table_columns
from ..python.names import class_name
from ..shared_expressions import shared_expressions


@dataclass(frozen=True)
class SparkType:
    """A Spark type: the Python expression that constructs it, and its name in SQL."""

    constructor: str
    sql: str


SHORT, INTEGER = SparkType("ShortType()", "smallint"), SparkType("IntegerType()", "int")
LONG, STRING = SparkType("LongType()", "bigint"), SparkType("StringType()", "string")
SPARK_TYPES = {
    "uint8": SHORT,
    "uint16": INTEGER,
    "uint32": LONG,
    "uint64": SparkType("DecimalType(20, 0)", "decimal(20,0)"),
    "int8": SparkType("ByteType()", "tinyint"),
    "int16": SHORT,
    "int32": INTEGER,
    "int64": LONG,
    "float32": SparkType("FloatType()", "float"),
    "float64": SparkType("DoubleType()", "double"),
    "bool": SparkType("BooleanType()", "boolean"),
    "binary": SparkType("BinaryType()", "binary"),
    "utf8": STRING,
    "dictionary[utf8]": STRING,
    "timestamp": SparkType("TimestampNTZType()", "timestamp_ntz"),
    "timestamp with a zone": SparkType("TimestampType()", "timestamp"),
}
"""Spark types by Arrow type. Spark has no unsigned integers, so these become the next larger type that represents all
values."""


@dataclass(frozen=True)
class FieldView:
    """One column. ``type``: the Python expression of its Spark type."""

    name: str
    type: str


Fields = tuple[FieldView, ...]


@dataclass(frozen=True)
class View:
    """The view that the templates render. ``schema``: the Python expression of the default table's schema; ``fields``:
    the columns of the only table, or ``tables``: each table and its columns; ``shared``: types that several of these
    contain, by name; ``imports``: names imported from ``pyspark.sql.types``."""

    summary: str
    source_doc: str
    discovery_doc: str
    source: str
    schema: str
    fields: Fields
    tables: tuple[tuple[str, Fields], ...]
    shared: tuple[tuple[str, str], ...]
    imports: tuple[str, ...]


def lower(spec: Spec) -> View | None:
    """Return the view of a spec; ``None`` for one without rows. Raises ``SpecError`` if a column has no Arrow
    type."""
    if spec.units is not None:
        kinds = {each.name: _fields(message_columns(spec, each)) for each in spec.units.kinds}
        return _view(spec, kinds, default_kind(spec.units).name, named=bool(spec.units.option))
    if spec.rows is None:
        return None
    tables = {each.name: _fields(table_columns(spec, each)) for each in spec.tables or (spec.rows,)}
    return _view(spec, tables, spec.rows.name, named=bool(spec.rows.name))


def _fields(columns: Sequence[TableColumn | MessageColumn]) -> Fields:
    return tuple(FieldView(each.name, spark_type(each.type).constructor) for each in columns)


def _view(spec: Spec, tables: dict[str, Fields], default: str, *, named: bool) -> View:
    used = {name for fields in tables.values() for field in fields for name in re.findall(r"\w+(?=\()", field.type)}
    types = [f'"{field.name}", {field.type}' for fields in tables.values() for field in fields]
    shared, texts = shared_expressions(types if named else (), ["StructType"], ["TABLES", "FORMAT"])
    rest = iter(text.partition(", ")[2] for text in texts)
    if named:
        tables = {table: tuple(FieldView(each.name, next(rest)) for each in fields) for table, fields in tables.items()}
    return View(
        summary=f"{spec.title}: the Spark schema of {'each table' if named else 'its table'}, and its data source.",
        source_doc=f'The data source of ``spark.read.format("{spec.name}")``.',
        discovery_doc=f"Where Spark finds ``{spec.name}`` by itself: it looks for packages named ``pyspark_…``.",
        source=f"{class_name(spec.name)}Source",
        schema=f"TABLES[{default!r}]" if named else "SCHEMA",
        fields=() if named else tables[default],
        tables=tuple(tables.items()) if named else (),
        shared=shared,
        imports=tuple(sorted(used | {"StructField", "StructType"})),
    )


def spark_type(type: ArrowType) -> SparkType:
    """Return the Spark type of an Arrow type.

    >>> spark_type(ArrowType("list<uint8>", "pa.list_(pa.uint8())", item=ArrowType("uint8", "pa.uint8()")))
    SparkType(constructor='ArrayType(ShortType())', sql='array<smallint>')
    """
    if type.item is not None and type.pairs is not None:
        key, value = (spark_type(type.item.inside(path)) for path in (type.pairs.key, type.pairs.value))
        return SparkType(f"MapType({key.constructor}, {value.constructor})", f"map<{key.sql},{value.sql}>")
    if type.item is not None:
        item = spark_type(type.item)
        return SparkType(f"ArrayType({item.constructor})", f"array<{item.sql}>")
    if type.fields or type.name == "struct<>":
        fields = [(name, spark_type(each)) for name, each in type.fields]
        constructors = ", ".join(f"StructField({name!r}, {each.constructor})" for name, each in fields)
        return SparkType(
            f"StructType([{constructors}])", f"struct<{','.join(f'{n}:{each.sql}' for n, each in fields)}>"
        )
    if type.name.startswith("timestamp["):
        return SPARK_TYPES["timestamp with a zone" if ", " in type.name else "timestamp"]
    if type.name.startswith("decimal128("):
        digits, scale = type.name.removeprefix("decimal128(").removesuffix(")").split(", ")
        return SparkType(f"DecimalType({digits}, {scale})", f"decimal({digits},{scale})")
    return SPARK_TYPES[type.name]
