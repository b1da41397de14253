"""Converts rows to the records that are appended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    ByteType,
    DataType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampType,
)

from ....base.errors import WireloomError
from ....base.nearest import unknown
from ....s2.messages import AppendRecord, Header

COLUMNS = ("body", "headers", "timestamp")
TEXT = (BinaryType, StringType)
NUMBERS = (ByteType, ShortType, IntegerType, LongType, TimestampType)


def check_columns(schema: StructType) -> None:
    """Raise ``WireloomError`` for columns that cannot be appended."""
    for each in schema.fields:
        if each.name not in COLUMNS:
            raise unknown("column that s2_stream can write", each.name, COLUMNS)
        if not _fits(each.name, each.dataType):
            raise WireloomError(
                f"column {each.name} is {each.dataType.simpleString()}: body is binary or string, headers an array of "
                "structs of name and value, both binary or string, timestamp a whole number or a timestamp"
            )
    if "body" not in schema.names:
        raise WireloomError("missing column body")


def _fits(name: str, kind: DataType) -> bool:
    if name == "body":
        return isinstance(kind, TEXT)
    if name == "timestamp":
        return isinstance(kind, NUMBERS) or (isinstance(kind, DecimalType) and not kind.scale)
    item = kind.elementType if isinstance(kind, ArrayType) else None
    if not isinstance(item, StructType) or item.names != ["name", "value"]:
        return False
    return all(isinstance(each.dataType, TEXT) for each in item.fields)


def records_of(rows: Iterable[pa.RecordBatch]) -> Iterator[AppendRecord]:
    """Yield the rows as records; a null body becomes an empty one. Raises ``WireloomError`` for a null header."""
    for batch in rows:
        columns = {field.name: _plain(batch.column(place)) for place, field in enumerate(batch.schema)}
        bodies = columns["body"]
        headers = columns.get("headers") or [None] * len(bodies)
        stamps = columns.get("timestamp") or [None] * len(bodies)
        for body, several, stamp in zip(bodies, headers, stamps, strict=True):
            yield AppendRecord(
                timestamp=int(stamp) if isinstance(stamp, Decimal) else stamp,
                headers=[_header(each) for each in several or ()],
                body=_bytes(body),
            )


def _plain(array: pa.Array) -> list[Any]:
    if pa.types.is_timestamp(array.type):
        array = array.cast(pa.timestamp("ms", array.type.tz), safe=False).cast(pa.int64())
    values: list[Any] = array.to_pylist()
    return values


def _header(found: dict[str, Any] | None) -> Header:
    if found is None or found["name"] is None:
        raise WireloomError("a header without a name")
    return Header(name=_bytes(found["name"]), value=_bytes(found["value"]))


def _bytes(value: str | bytes | None) -> bytes:
    return value.encode() if isinstance(value, str) else value or b""
