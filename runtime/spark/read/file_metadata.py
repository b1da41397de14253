"""The column ``_metadata``: the file of a row, with the fields of Spark's own file sources."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pyarrow as pa
from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

from ...base.addresses import path_text
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
_ARROW = pa.struct(
    [
        pa.field("file_path", pa.string()),
        pa.field("file_name", pa.string()),
        pa.field("file_size", pa.int64()),
        pa.field("file_block_start", pa.int64()),
        pa.field("file_block_length", pa.int64()),
        pa.field("file_modification_time", pa.timestamp("us", "UTC")),
    ]
)


class FileMetadata:
    """Builds the column for the rows of slices of different files."""

    def __init__(self, slices: Iterable[Slice]) -> None:
        self._values = {path_text(each.input.path or ""): _value(each) for each in slices}

    def column(self, paths: pa.Array) -> pa.Array:
        """Return the column for rows with the given values of ``_path``."""
        found = paths.dictionary_encode()
        values = [self._values.get(each) for each in found.dictionary.to_pylist()]
        return pa.array(values, _ARROW).take(found.indices)


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
