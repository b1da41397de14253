"""The data source ``kinesis_stream``. Spark imports this module to discover sources, so importing it does no work."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

from ...errors import HideTraceback
from ..source import LiveSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .options import KinesisReadOptions
    from .planning import KinesisPlanning
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
    """The data source of streams of Kinesis, for ``spark.read``, ``readStream``, ``df.write`` and ``writeStream``. The
    options are ``options.READ_OPTIONS`` and ``options.WRITE_OPTIONS``."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the source."""
        return "kinesis_stream"

    def read_options(self) -> KinesisReadOptions:
        """Return the checked options of a read. Raises ``WireloomError``."""
        from .options import read_options

        return read_options(self.options)

    def columns(self) -> dict[str, StructField]:
        """Return all columns that can be read, by name."""
        from ....kinesis import ALL_COLUMNS

        return {name: StructField(name, TYPES.get(name, StringType())) for name in ALL_COLUMNS}

    def default_columns(self) -> Iterable[str]:
        """Return the names of the columns that are read by default."""
        from ....kinesis import COLUMNS

        names: Iterable[str] = COLUMNS
        return names

    def reader(self, schema: StructType) -> KinesisReader:
        """Return the reader of these columns. Raises ``WireloomError``."""
        from .reader import KinesisReader

        with HideTraceback():
            return KinesisReader(self.read_options(), self.targets(schema))

    @property
    def planning(self) -> type[KinesisPlanning]:
        """Implement ``LiveSource.planning``."""
        from .planning import KinesisPlanning

        return KinesisPlanning

    def writer(self, schema: StructType, overwrite: bool) -> KinesisWriter:
        """Return the writer of a data frame. Raises ``WireloomError``."""
        from .options import write_options
        from .writer import KinesisWriter

        with HideTraceback():
            return KinesisWriter(write_options(self.options), schema, overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> KinesisStreamWriter:  # noqa: N802
        """Return the writer of the batches of a stream. Raises ``WireloomError``."""
        from .options import write_options
        from .writer import KinesisStreamWriter

        with HideTraceback():
            return KinesisStreamWriter(write_options(self.options), schema, overwrite)
