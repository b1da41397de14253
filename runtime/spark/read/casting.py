"""Casts batches of the reader to the exact schema that Spark expects, and adds the column ``_metadata``: the file of a
row, with the fields of Spark's own file sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from operator import attrgetter
from typing import Any

import pyarrow as pa
from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

from ...base.addresses import path_text
from ...base.errors import WireloomError
from ...rows.maps_and_unions import without_unions
from ...rows.nanoseconds import Rounding, has_nanoseconds
from ..versions import to_arrow_schema
from .schema import TargetColumn
from .split_planning import Slice

METADATA = "_metadata"
METADATA_TYPE = StructType(
    [
        StructField("file_path", StringType()),
        StructField("file_name", StringType()),
        StructField("file_size", LongType()),
        StructField("file_block_start", LongType()),
        StructField("file_block_length", LongType()),
        StructField("file_modification_time", TimestampType()),
    ]
)
"""``file_block_start`` and ``file_block_length`` are the part of the file that was assigned to the task, in stored
bytes.
"""


class FileMetadata:
    """Builds the column for the rows of slices of different files."""

    def __init__(self, slices: Iterable[Slice]) -> None:
        self._values = {path_text(each.input.path or ""): _value(each) for each in slices}

    def column(self, paths: pa.Array) -> pa.Array:
        """Return the column for rows with the given values of ``_path``."""
        found = paths.dictionary_encode()
        values = [self._values.get(each) for each in found.dictionary.to_pylist()]
        kind = pa.struct(list(to_arrow_schema(METADATA_TYPE)))
        return pa.array(values, kind).take(found.indices)


def _value(piece: Slice) -> dict[str, Any]:
    source = piece.input
    end = source.size if piece.end is None or source.size is None else min(piece.end, source.size)
    modified: datetime | None = source.modified
    return {
        "file_path": path_text(source.path or ""),
        "file_name": source.name,
        "file_size": source.size,
        "file_block_start": piece.begin,
        "file_block_length": None if end is None else max(0, end - piece.begin),
        "file_modification_time": modified,
    }


NONE: Mapping[str, str | None] = {}


class Caster:
    """Casts batches to the Arrow schema that Spark derives from its own: order, types and names have to
    be identical."""

    def __init__(self, targets: Sequence[TargetColumn]) -> None:
        self.targets = tuple(targets)
        self.schema: pa.Schema = to_arrow_schema(StructType(list(map(attrgetter("field"), targets))))

    def cast(
        self,
        batch: pa.RecordBatch,
        constants: Mapping[str, str | None] = NONE,
        files: FileMetadata | None = None,
    ) -> pa.RecordBatch:
        """Return the batch in Spark's schema. ``constants``: values of partition columns by their names in lower case;
        missing values are null. ``files``: the files of the rows, if ``_metadata`` may be read. Raises
        ``WireloomError`` if a value does not fit its type.
        """
        arrays = []
        for target, field in zip(self.targets, self.schema, strict=True):
            if target.source is None:
                constant = constants.get(target.field.name.lower())
                arrays.append(_constant(constant, batch.num_rows, field.type, target))
            elif target.source == METADATA and files is not None:
                arrays.append(_cast(files.column(batch.column("_path")), field.type, target))
            else:
                arrays.append(_cast(batch.column(target.source), field.type, target))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _constant(value: str | None, rows: int, wanted: pa.DataType, target: TargetColumn) -> pa.Array:
    if value is None:
        return pa.nulls(rows, wanted)
    text = pa.array([value], pa.utf8())
    if pa.types.is_timestamp(wanted) and wanted.tz is not None:
        # A time without a time zone is in UTC.
        with suppress(pa.ArrowInvalid):
            text = text.cast(pa.timestamp(wanted.unit))
    return pa.repeat(_cast(text, wanted, target)[0], rows)


def _cast(array: pa.Array, wanted: pa.DataType, target: TargetColumn) -> pa.Array:
    if array.type == wanted:
        return array
    try:
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        spelled = wanted
        if pa.types.is_nested(array.type):
            array = without_unions(array)
            spelled = _spelled_alike(array.type, wanted)
        if has_nanoseconds(array.type):
            array = Rounding().cast(array, spelled)
        cast = array if array.type == spelled else array.cast(spelled)
        return cast if cast.type == wanted else cast.view(wanted)
    except pa.ArrowException as error:
        kind = target.field.dataType.simpleString()
        reason = str(error).split("\n", 1)[0]
        raise WireloomError(f"column {target.field.name!r} cannot be read as {kind}: {reason}") from None


def _spelled_alike(have: pa.DataType, wanted: pa.DataType) -> pa.DataType:
    """Return the wanted type with its fields spelled as in ``have``, since Spark's names are not case-sensitive."""
    types = pa.types
    if types.is_list(have) and types.is_list(wanted):
        item = wanted.value_field
        return pa.list_(item.with_type(_spelled_alike(have.value_type, item.type)))
    if not (types.is_struct(have) and types.is_struct(wanted)):
        return wanted
    parts = {each.name.lower(): each for each in have} | {each.name: each for each in have}
    fields = []
    for each in wanted:
        part = parts.get(each.name, parts.get(each.name.lower()))
        fields.append(each if part is None else pa.field(part.name, _spelled_alike(part.type, each.type)))
    return pa.struct(fields)
