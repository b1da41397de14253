"""Spark sources that only return data: the cost of a Python source itself. Spark's workers import them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

SCHEMA = "fmt short, tenant long, ts timestamp, payload binary"
"""The columns of an EdgeMQ segment as Spark sees them."""


@cache
def prebuilt(path: str) -> tuple[pa.RecordBatch, ...]:
    """Return the batches of an Arrow file, in memory; a worker that is reused already has them."""
    with pa.ipc.open_file(path) as file:
        return tuple(file.get_batch(each) for each in range(file.num_record_batches))


class PrebuiltReader(DataSourceReader):
    """Yields the same batches ``times`` times, in one partition."""

    def __init__(self, path: str, times: int) -> None:
        self.path = path
        self.times = times

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        for _ in range(self.times):
            yield from prebuilt(self.path)


class PrebuiltSource(DataSource):
    """``format("prebuilt")``. Options: ``path``, an Arrow file of batches in the types that Spark requires;
    ``times``."""

    @classmethod
    def name(cls) -> str:
        return "prebuilt"

    def schema(self) -> str:
        return SCHEMA

    def reader(self, schema: StructType) -> PrebuiltReader:
        return PrebuiltReader(self.options["path"], int(self.options["times"]))


class EmptyReader(DataSourceReader):
    """A reader without rows."""

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return iter(())


class EmptySource(DataSource):
    """``format("empty")``: the same columns without rows."""

    @classmethod
    def name(cls) -> str:
        return "empty"

    def schema(self) -> str:
        return SCHEMA

    def reader(self, schema: StructType) -> EmptyReader:
        return EmptyReader()
