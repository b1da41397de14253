"""The data source ``s2_stream``. Spark imports this module to discover sources, so importing it does no work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import StringType, StructField, StructType

from ...errors import HideTraceback
from ..source import LiveSource

if TYPE_CHECKING:
    from .options import S2ReadOptions
    from .reader import S2Reader, S2StreamPlanning
    from .writer import S2StreamWriter, S2Writer


class S2StreamSource(LiveSource):
    """The data source of streams of S2, for ``spark.read``, ``readStream``, ``df.write`` and ``writeStream``. The
    options are ``options.READ_OPTIONS`` and ``options.WRITE_OPTIONS``."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the source."""
        return "s2_stream"

    def read_options(self) -> S2ReadOptions:
        """Return the checked options of a read. Raises ``WireloomError``."""
        from .options import read_options

        return read_options(self.options)

    def columns(self) -> dict[str, StructField]:
        """Return all columns by name: those of a record, and the name of its stream."""
        from ....format.registry import get
        from ...read.schema import narrowed, wire_schema
        from .reader import STREAM

        kinds = {each.name: each.dataType for each in wire_schema(get("s2_session"))}
        if self.read_options().narrow:
            kinds = {name: narrowed(kind) for name, kind in kinds.items()}
        return {name: StructField(name, kind) for name, kind in {**kinds, STREAM: StringType()}.items()}

    def reader(self, schema: StructType) -> S2Reader:
        """Return the reader of these columns. Raises ``WireloomError``."""
        from .reader import STREAM, S2Reader

        with HideTraceback():
            return S2Reader(self.read_options(), self.targets(schema, computed=(STREAM,)))

    @property
    def planning(self) -> type[S2StreamPlanning]:
        """Implement ``LiveSource.planning``."""
        from .reader import S2StreamPlanning

        return S2StreamPlanning

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
