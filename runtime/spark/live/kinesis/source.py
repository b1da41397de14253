"""The data source ``kinesis_stream``. Importing it does no work: Spark does so to look for sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource
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

if TYPE_CHECKING:
    from .reader import KinesisReader
    from .stream import KinesisStreamReader
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
"""Of the columns that are no strings."""


class KinesisStreamSource(DataSource):
    """``spark.read``, ``readStream``, ``df.write`` and ``writeStream`` of streams of Kinesis; ``options.READ_OPTIONS``
    and ``options.WRITE_OPTIONS`` say what can be asked for."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the source."""
        return "kinesis_stream"

    def schema(self) -> StructType:
        """Return the columns of option ``columns``, or the default ones. Raises ``WireloomError``."""
        from ....kinesis import COLUMNS
        from .options import read_options

        with HideTraceback():
            known = _columns()
            return StructType([known[name] for name in read_options(self.options).columns or COLUMNS])

    def reader(self, schema: StructType) -> KinesisReader:
        """Return the reader of these columns. Raises ``WireloomError``."""
        from ....base.nearest import unknown
        from ...read.schema import targets
        from .options import read_options
        from .reader import KinesisReader

        with HideTraceback():
            known = _columns()
            chosen = targets(schema, known, "")
            for each in chosen:
                if each.field.name.lower() not in known:
                    raise unknown("column of kinesis_stream", each.field.name, known)
            return KinesisReader(read_options(self.options), chosen)

    def streamReader(self, schema: StructType) -> KinesisStreamReader:  # noqa: N802
        """Return the streaming reader of these columns. Raises ``WireloomError``."""
        from ....base.errors import WireloomError
        from .stream import KinesisStreamReader

        with HideTraceback():
            reader = self.reader(schema)
            if reader.options.end is not None:
                raise WireloomError("option end is of batch reads: a stream has none")
            return KinesisStreamReader(reader)

    def writer(self, schema: StructType, overwrite: bool) -> KinesisWriter:
        """Return the writer of rows. Raises ``WireloomError``."""
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


def _columns() -> dict[str, StructField]:
    from ....kinesis import ALL_COLUMNS

    return {name: StructField(name, TYPES.get(name, StringType())) for name in ALL_COLUMNS}
