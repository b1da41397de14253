"""Determines the Spark columns of a read, and the format's column that each of them shows."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DecimalType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from ...base.dataclass import dataclass
from ...base.errors import WireloomError
from ...base.text import unknown
from ...format.columns import CORRUPT_RECORD, READER_COLUMNS
from ...format.decoded import DecodedFormat
from ...format.description import Format
from ...rows.maps_and_unions import without_union_types
from ...rows.nanoseconds import MICROS
from ..options import ColumnTypes
from ..versions import from_arrow_schema

SQL_TYPES: dict[str, DataType] = {"bigint": LongType(), "string": StringType(), "binary": BinaryType()}
EXTRA_TYPES = {each.name: SQL_TYPES[each.sql] for each in READER_COLUMNS}
"""The types of columns that readers add to every table."""

UNSIGNED64 = DecimalType(20, 0)
UNSIGNED = {8: pa.int16(), 16: pa.int32(), 32: pa.int64(), 64: pa.decimal128(20, 0)}
"""The type for unsigned integers of a number of bits."""
ROUNDED = "times of nanoseconds, rounded down to microseconds; option nanoseconds=long reads them as integers"


@dataclass(frozen=True)
class TargetColumn:
    """One column of the result: its Spark field, and the format's column that it shows; ``None`` for a partition
    column.
    """

    field: StructField
    source: str | None


def wire_schema(format: Format) -> StructType:
    """Return the Spark schema of all columns of a format. Raises ``WireloomError`` if it has none."""
    if isinstance(format, DecodedFormat):
        kinds = [each.with_type(_for_spark(without_union_types(each.type))) for each in format.schema]
        decoded = from_arrow_schema(pa.schema(kinds))
        if format.is_flat:
            return decoded
        fields = wire_schema(format.wire).fields
        return StructType([decoded[each.name] if each.name == format.data else each for each in fields])
    try:
        module = importlib.import_module(f"{format.package}.spark")
        schema: StructType = module.TABLES[format.table] if format.tables else module.SCHEMA
    except (ModuleNotFoundError, AttributeError, KeyError) as error:
        raise WireloomError(f"{format.name} has no schema for Spark: generate it with this wireloom") from error
    return schema


def _for_spark(kind: pa.DataType) -> pa.DataType:
    """Return a type with one that Spark has in place of each that it lacks."""
    types = pa.types
    if types.is_struct(kind):
        return pa.struct([each.with_type(_for_spark(each.type)) for each in kind])
    if types.is_map(kind):
        return pa.map_(kind.key_type, _for_spark(kind.item_type))
    if types.is_list(kind):
        return pa.list_(_for_spark(kind.value_type))
    if types.is_unsigned_integer(kind):
        return UNSIGNED[kind.bit_width]
    if types.is_fixed_size_binary(kind):
        return pa.binary()
    if types.is_decimal256(kind) or types.is_null(kind):
        return pa.utf8()
    if types.is_time(kind):
        return pa.int32() if kind.bit_width == 32 else pa.int64()
    return kind


def known_columns(format: Format, wire: StructType, corrupt_record: str, types: ColumnTypes) -> dict[str, StructField]:
    """Return all columns that can be read, by name, in order: those of the format, the path, then the extra ones.

    ``wire``: the generated schema. Raises ``WireloomError`` if another column is named ``corrupt_record``.
    """
    fields = []
    for each in wire.fields:
        kind = narrowed(each.dataType) if types.unsigned64 == "long" else each.dataType
        whole = _counting_nanoseconds(kind, without_union_types(format.schema.field(each.name).type))
        lossy = whole != kind and types.nanoseconds == MICROS
        fields.append(
            StructField(each.name, kind if lossy else whole, metadata={"comment": ROUNDED} if lossy else None)
        )
    fields += [StructField(name, StringType()) for name in format.path_columns]
    fields += [StructField(name, kind) for name, kind in EXTRA_TYPES.items() if name != CORRUPT_RECORD]
    if not corrupt_record or corrupt_record.lower() in (each.name.lower() for each in fields):
        raise WireloomError(
            f"option columnNameOfCorruptRecord is {corrupt_record!r}: expected a name that no other column of "
            f"{format.name} has"
        )
    fields.append(StructField(corrupt_record, EXTRA_TYPES[CORRUPT_RECORD]))
    return {each.name: each for each in fields}


def _counting_nanoseconds(kind: DataType, arrow: pa.DataType) -> DataType:
    """Return the type with ``long`` for every time that is in nanoseconds. ``arrow``: the format's own type."""
    if isinstance(kind, ArrayType):
        return ArrayType(_counting_nanoseconds(kind.elementType, arrow.value_type), kind.containsNull)
    if isinstance(kind, MapType):
        values = _counting_nanoseconds(kind.valueType, arrow.item_type)
        return MapType(_counting_nanoseconds(kind.keyType, arrow.key_type), values, kind.valueContainsNull)
    if isinstance(kind, StructType):
        parts = [_counting_nanoseconds(each.dataType, arrow.field(each.name).type) for each in kind.fields]
        return StructType(
            [StructField(each.name, part, each.nullable) for each, part in zip(kind.fields, parts, strict=True)]
        )
    return LongType() if pa.types.is_timestamp(arrow) and arrow.unit == "ns" else kind


def narrowed(kind: DataType) -> DataType:
    """Return the type with every ``decimal(20,0)`` replaced by ``long``."""
    if isinstance(kind, ArrayType):
        return ArrayType(narrowed(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        return MapType(narrowed(kind.keyType), narrowed(kind.valueType), kind.valueContainsNull)
    if isinstance(kind, StructType):
        return StructType([StructField(each.name, narrowed(each.dataType), each.nullable) for each in kind.fields])
    return LongType() if kind == UNSIGNED64 else kind


def chosen_schema(
    format: Format,
    known: dict[str, StructField],
    columns: Sequence[str] | None,
    partitions: Callable[[], list[StructField]] = list,
) -> StructType:
    """Return the schema of a read for which the user gives none: ``columns`` by name, or the default and partition
    columns. ``partitions`` is called only if partition columns may be needed. Raises ``UnknownNameError``.
    """
    names = list(format.default_columns if columns is None else columns)
    if columns is None or any(name not in known for name in columns):
        more = {each.name: each for each in partitions()}
        known = {**known, **more}
        names += [] if columns is not None else more
    for name in names:
        if name not in known:
            raise unknown(f"column of {format.name}", name, known)
    return StructType([known[name] for name in names])


def targets(schema: StructType, known: dict[str, StructField], corrupt_record: str) -> tuple[TargetColumn, ...]:
    """Return the source of each column of ``schema``. As in Spark, names are not case-sensitive; columns that the
    format does not have may be partition columns.

    Raises ``WireloomError`` for an empty schema and for duplicate columns, and ``UnknownNameError`` for a struct field
    that the column does not have.
    """
    if not schema.fields:
        raise WireloomError("there are no columns to read: name at least one, such as _offset")
    names = [each.lower() for each in schema.names]
    twice = next((each for index, each in enumerate(schema.names) if each.lower() in names[:index]), None)
    if twice is not None:
        raise WireloomError(f"column {twice!r} is requested twice: name it once")
    folded = {name.lower(): name for name in known}
    found = []
    for each in schema.fields:
        name = each.name if each.name in known else folded.get(each.name.lower())
        if name is not None:
            _check_parts(each.name, each.dataType, known[name].dataType)
        found.append(TargetColumn(each, CORRUPT_RECORD if name == corrupt_record else name))
    return tuple(found)


def _check_parts(name: str, wanted: DataType, there: DataType) -> None:
    """Raise ``UnknownNameError`` if a requested struct, also inside of lists and maps, has a field that does not exist.
    Incompatible types are reported by the cast. ``name``: the path of the struct.
    """
    if isinstance(wanted, StructType) and isinstance(there, StructType):
        parts = {each.name.lower(): each for each in there.fields}
        for each in wanted.fields:
            part = parts.get(each.name.lower())
            if part is None:
                raise unknown(f"part of column {name}", each.name, (known.name for known in there.fields))
            _check_parts(f"{name}.{each.name}", each.dataType, part.dataType)
    elif isinstance(wanted, ArrayType) and isinstance(there, ArrayType):
        _check_parts(name, wanted.elementType, there.elementType)
    elif isinstance(wanted, MapType) and isinstance(there, MapType):
        _check_parts(name, wanted.keyType, there.keyType)
        _check_parts(name, wanted.valueType, there.valueType)
