"""The data source ``s2_stream``. Importing it does no work: Spark does so to look for sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StringType, StructField, StructType

from ...errors import HideTraceback

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .options import ReadOptions
    from .reader import S2Reader
    from .stream import S2StreamReader
    from .writer import S2StreamWriter, S2Writer


class S2StreamSource(DataSource):
    """``spark.read``, ``readStream``, ``df.write`` and ``writeStream`` of streams of S2; ``options.READ_OPTIONS`` and
    ``options.WRITE_OPTIONS`` say what can be asked for."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the source."""
        return "s2_stream"

    def schema(self) -> StructType:
        """Return the columns of option ``columns``, by default all. Raises ``WireloomError``."""
        from ....base.nearest import unknown
        from .options import read_options

        with HideTraceback():
            options = read_options(self.options)
            known = _columns(options)
            for name in options.columns or ():
                if name not in known:
                    raise unknown("column of s2_stream", name, known)
            return StructType([known[name] for name in options.columns or known])

    def reader(self, schema: StructType) -> S2Reader:
        """Return the reader of these columns. Raises ``WireloomError``."""
        return self._reader(schema, self.options)

    def streamReader(self, schema: StructType) -> S2StreamReader:  # noqa: N802
        """Return the streaming reader of these columns. Raises ``WireloomError``."""
        from ....base.errors import WireloomError
        from .stream import S2StreamReader

        with HideTraceback():
            reader = self._reader(schema, self.options)
            if reader.options.end is not None:
                raise WireloomError("option end is of batch reads: a stream has none")
            return S2StreamReader(reader)

    def writer(self, schema: StructType, overwrite: bool) -> S2Writer:
        """Return the writer of a data frame. Raises ``WireloomError``."""
        from .options import write_options
        from .writer import S2Writer

        with HideTraceback():
            return S2Writer(write_options(self.options), schema, overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> S2StreamWriter:  # noqa: N802
        """Return the writer of the batches of a stream. Raises ``WireloomError``."""
        from .options import write_options
        from .writer import S2StreamWriter

        with HideTraceback():
            return S2StreamWriter(write_options(self.options), schema, overwrite)

    def _reader(self, schema: StructType, given: Mapping[str, str]) -> S2Reader:
        from ...read.schema import targets
        from .options import read_options
        from .reader import STREAM, S2Reader

        with HideTraceback():
            options = read_options(given)
            known = {name: each for name, each in _columns(options).items() if name != STREAM}
            return S2Reader(options, targets(schema, known, ""))


def _columns(options: ReadOptions) -> dict[str, StructField]:
    """Return every column by name: those of a record, and which stream it is of."""
    from ....format.registry import get
    from ...read.schema import narrowed, wire_schema
    from .reader import STREAM

    wire = wire_schema(get("s2_session"))
    fields = [StructField(each.name, narrowed(each.dataType) if options.narrow else each.dataType) for each in wire]
    return {each.name: each for each in (*fields, StructField(STREAM, StringType()))}
