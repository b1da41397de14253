"""A data source as Spark uses it, without Spark: planned, pickled, read."""

from __future__ import annotations

import pickle
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import (
    BinaryType,
    DecimalType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
)
from wireloom.spark import sources
from wireloom.spark.source import FormatSource
from wireloom.spark.versions import to_arrow_schema

TYPES = {
    "BINARY": BinaryType(),
    "DECIMAL(12,0)": DecimalType(12, 0),
    "INT": IntegerType(),
    "LONG": LongType(),
    "STRING": StringType(),
    "TIMESTAMP_NTZ": TimestampNTZType(),
}


def schema_of(text: str) -> StructType:
    """Return a schema from ``name TYPE, …``; Spark's own parser needs a session."""
    fields = [each.split() for each in text.split(", ")]
    return StructType([StructField(name, TYPES[kind]) for name, kind in fields])


def sent(value: Any) -> Any:
    """Return a value as it arrives in another process."""
    return pickle.loads(cloudpickle.dumps(value))  # type: ignore[no-untyped-call]


def source(name: str, **options: Any) -> FormatSource:
    """Return the data source of a format with these options."""
    kind = next(each for each in sources() if each.name() == name)
    return kind(CaseInsensitiveDict({key.lower(): str(value) for key, value in options.items()}))


def planned(name: str, schema: StructType | str | None = None, **options: Any) -> tuple[Any, list[Any], StructType]:
    """Return reader and partitions as they arrive in the tasks, and the schema."""
    # As in an ingest.
    found = source(name, **options, **({"ingests": True} if "reportFolder" in options else {}))
    if schema is None:
        schema = found.schema()
    wanted = schema_of(schema) if isinstance(schema, str) else schema
    # Schema and partitions are requested in different processes.
    reader = sent(found).reader(schema=wanted)
    partitions = list(reader.partitions())
    reader, partitions = sent((reader, partitions))
    return reader, partitions, wanted


def read(name: str, schema: StructType | str | None = None, **options: Any) -> pa.Table:
    """Return all rows, partition by partition; every batch must be exactly in the form that Spark accepts."""
    reader, partitions, wanted = planned(name, schema, **options)
    expected = to_arrow_schema(wanted)
    batches = [batch for partition in partitions for batch in reader.read(partition)]
    assert all(isinstance(batch, pa.RecordBatch) and batch.schema.equals(expected) for batch in batches)
    return pa.Table.from_batches(batches, expected)
