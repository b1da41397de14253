"""The data source ``kinesis_stream``. Spark imports this module to discover sources, so importing it does no work."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    IntegerType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from ..source import LiveSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .options import KinesisReadOptions, KinesisWriteOptions
    from .reader import KinesisReader
    from .writer import KinesisStreamWriter, KinesisWriter

TAG = StructType([StructField("key", StringType()), StructField("value", StringType())])
TYPES = {
    "sub_sequence_number": IntegerType(),
    "approximate_arrival_timestamp": TimestampType(),
    "data": BinaryType(),
    "aggregated": BooleanType(),
    "tags": ArrayType(TAG),
    "_corrupt_record": BinaryType(),
}
"""Types of the columns that are not strings."""


class KinesisStreamSource(LiveSource):
    """The data source of streams of Kinesis. The options are ``options.READ_OPTIONS`` and ``options.WRITE_OPTIONS``."""

    other_names: ClassVar[Mapping[str, str]] = {"path": "stream"}

    @classmethod
    def name(cls) -> str:
        """Return the name of the source."""
        return "kinesis_stream"

    def option_classes(self) -> tuple[type[KinesisReadOptions], type[KinesisWriteOptions]]:
        """Return the classes of the options."""
        from .options import KinesisReadOptions, KinesisWriteOptions

        return KinesisReadOptions, KinesisWriteOptions

    def columns(self) -> dict[str, StructField]:
        """Return all columns that can be read, by name."""
        from ....kinesis import ALL_COLUMNS

        return {name: StructField(name, TYPES.get(name, StringType())) for name in ALL_COLUMNS}

    def default_columns(self) -> Iterable[str]:
        """Return the names of the columns that are read by default."""
        from ....kinesis import COLUMNS

        names: Iterable[str] = COLUMNS
        return names

    def reader_class(self) -> type[KinesisReader]:
        """Return the class of the batch reader."""
        from .reader import KinesisReader

        return KinesisReader

    def writer_classes(self) -> tuple[type[KinesisWriter], type[KinesisStreamWriter]]:
        """Return the classes of the writers."""
        from .writer import KinesisStreamWriter, KinesisWriter

        return KinesisWriter, KinesisStreamWriter
