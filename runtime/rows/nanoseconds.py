"""Times in nanoseconds as times in microseconds or as integers. Spark has no finer times than microseconds, and refuses
Parquet files that contain finer ones."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .maps_and_unions import without_union_types, without_unions

NANOS, MICROS = "nanos", "micros"
"""The forms of such times that are no integers."""


def has_nanoseconds(kind: Any) -> bool:
    """Return whether there are times in nanoseconds in a type."""
    if pa.types.is_timestamp(kind):
        return bool(kind.unit == "ns")
    return kind.num_fields > 0 and any(has_nanoseconds(kind.field(number).type) for number in range(kind.num_fields))


def without_nanoseconds(kind: Any, form: str) -> Any:
    """Return a type with times in microseconds (``micros``) or integers (``long``) in place of times in nanoseconds,
    and structs in place of unions that contain such times."""
    if not has_nanoseconds(kind):
        return kind
    kind = without_union_types(kind)
    if pa.types.is_map(kind):
        return pa.map_(*(each.with_type(without_nanoseconds(each.type, form)) for each in _entry(kind)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(without_nanoseconds(kind.value_type, form)))
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(without_nanoseconds(each.type, form)) for each in kind])
    return pa.timestamp("us", kind.tz) if form == MICROS else pa.int64()


def changed_schema(schema: pa.Schema, form: str) -> pa.Schema:
    """Return a schema with times in nanoseconds in one of the forms of ``wireloom.reading.options.NANOSECONDS``."""
    if form == NANOS:
        return schema
    return pa.schema([each.with_type(without_nanoseconds(each.type, form)) for each in schema])


class Rounding:
    """Casts times in nanoseconds. ``rounded``: the number of times so far that are not whole microseconds, and were
    rounded down."""

    def __init__(self) -> None:
        self.rounded = 0

    def batch(self, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        """Return a batch whose schema may differ from ``schema`` in such times, in that schema."""
        if batch.schema == schema:
            return batch
        arrays = [self.cast(each, field.type) for each, field in zip(batch.columns, schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def cast(self, array: pa.Array, target: Any) -> pa.Array:
        """Return an array with its times in nanoseconds, at any depth, cast to the times in microseconds or the
        integers of ``target``. Everything else is unchanged, and so are times for which ``target`` has neither."""
        kind = array.type
        if not has_nanoseconds(kind):
            return array
        array = without_unions(array)
        kind = array.type
        if pa.types.is_timestamp(kind):
            return self._times(array, target)
        if pa.types.is_struct(kind):
            names = {each.name: each.type for each in target} if pa.types.is_struct(target) else {}
            fields = [
                self.cast(each, names.get(field.name, field.type))
                for field, each in zip(kind, array.flatten(), strict=True)
            ]
            made = [field.with_type(each.type) for field, each in zip(kind, fields, strict=True)]
            return pa.StructArray.from_arrays(fields, fields=made, mask=array.is_null() if array.null_count else None)
        # A slice of lists has the values of all of them, which would be counted; two arrays are copied.
        array = pa.concat_arrays([array, array.slice(0, 0)])
        if pa.types.is_map(kind):
            inside = self.cast(array.values, pa.struct(_entry(target if pa.types.is_map(target) else kind)))
            made = pa.map_(*inside.type)
        else:
            inside = self.cast(array.values, target.value_type if pa.types.is_list(target) else kind.value_type)
            made = pa.list_(kind.value_field.with_type(inside.type))
        return pa.Array.from_buffers(
            made, len(array), array.buffers()[:2], array.null_count, array.offset, children=[inside]
        )

    def _times(self, array: pa.Array, target: Any) -> pa.Array:
        if pa.types.is_int64(target):
            return array.cast(target)
        if not pa.types.is_timestamp(target) or target.unit == "ns":
            return array
        micros = pa.timestamp("us", array.type.tz)
        # Arrow truncates towards 1970, and its floor_temporal overflows for the earliest times.
        truncated = array.cast(micros, safe=False)
        back = truncated.cast(array.type)
        self.rounded += pc.not_equal(back, array).true_count
        return pc.subtract(truncated.cast(pa.int64()), pc.greater(back, array).cast(pa.int64())).cast(micros)


def _entry(kind: Any) -> list[pa.Field]:
    return [kind.key_field, kind.item_field]
