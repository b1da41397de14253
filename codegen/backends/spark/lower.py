"""The view that the templates render: the Spark type of each column, and the names of the data source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...tree import Spec
from ..columns.arrow import ArrowType
from ..columns.message_lower import default_kind
from ..columns.message_table import MessageColumn, message_columns
from ..columns.table import TableColumn, table_columns
from ..python.names import class_name

SPARK_TYPES = {
    "uint8": "ShortType()",
    "uint16": "IntegerType()",
    "uint32": "LongType()",
    "uint64": "DecimalType(20, 0)",
    "int8": "ByteType()",
    "int16": "ShortType()",
    "int32": "IntegerType()",
    "int64": "LongType()",
    "float32": "FloatType()",
    "float64": "DoubleType()",
    "bool": "BooleanType()",
    "binary": "BinaryType()",
    "utf8": "StringType()",
    "dictionary[utf8]": "StringType()",
}
"""Spark types by Arrow type. Spark has no unsigned integers, so these become the next larger type that represents all
values."""


@dataclass(frozen=True)
class FieldView:
    """One column. ``type``: the Python expression of its Spark type."""

    name: str
    type: str


@dataclass(frozen=True)
class View:
    """The view that the templates render. ``imports``: names imported from ``pyspark.sql.types``."""

    summary: str
    source_doc: str
    discovery_doc: str
    source: str
    fields: tuple[FieldView, ...]
    imports: tuple[str, ...]
    parts: Mapping[str, View] = field(default_factory=dict)
    """The views of the other tables, by the names of their subpackages."""


def lower(spec: Spec) -> View | None:
    """Return the view of a spec; ``None`` for one without rows. Raises ``SpecError`` if a column has no Arrow
    type."""
    if spec.units is not None:
        default = default_kind(spec.units)
        others = {
            each.name: _view(spec, message_columns(spec, each)) for each in spec.units.kinds if each is not default
        }
        return replace(_view(spec, message_columns(spec, default)), parts=others)
    if spec.rows is None:
        return None
    others = {each.name: _view(spec, table_columns(spec, each)) for each in spec.tables[1:]}
    return replace(_view(spec, table_columns(spec, spec.rows)), parts=others)


def parts(view: View) -> Mapping[str, View]:
    """Return the views of all tables except the default one, by the names of their subpackages."""
    return view.parts


def _view(spec: Spec, columns: Sequence[TableColumn | MessageColumn]) -> View:
    fields = tuple(FieldView(each.name, spark_type(each.type)) for each in columns)
    used = {name for field in fields for name in re.findall(r"\w+(?=\()", field.type)}
    title = spec.title
    return View(
        summary=f"{title}: the Spark schema of its table, and its data source.",
        source_doc=f'The data source of ``spark.read.format("{spec.name}")``.',
        discovery_doc=f"Where Spark finds ``{spec.name}`` by itself: it looks for packages named ``pyspark_…``.",
        source=f"{class_name(spec.name)}Source",
        fields=fields,
        imports=tuple(sorted(used | {"StructField", "StructType"})),
    )


def spark_type(type: ArrowType) -> str:
    """Return the Spark type of an Arrow type.

    >>> spark_type(ArrowType("list<uint8>", "pa.list_(pa.uint8())", item=ArrowType("uint8", "pa.uint8()")))
    'ArrayType(ShortType())'
    """
    if type.item is not None and type.pairs is not None:
        key, value = (spark_type(type.item.inside(way)) for way in (type.pairs.key, type.pairs.value))
        return f"MapType({key}, {value})"
    if type.item is not None:
        return f"ArrayType({spark_type(type.item)})"
    if type.fields or type.name == "struct<>":
        return f"StructType([{', '.join(f'StructField({name!r}, {spark_type(each)})' for name, each in type.fields)}])"
    if type.name.startswith("timestamp["):
        return "TimestampType()" if ", " in type.name else "TimestampNTZType()"
    return SPARK_TYPES[type.name]
