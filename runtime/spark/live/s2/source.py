"""The data source ``s2_stream``. Spark imports this module to discover sources, so importing it does no work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.types import StringType, StructField, StructType

from ...errors import HideTraceback
from ..source import LiveSource

if TYPE_CHECKING:
    from .options import S2ReadOptions
    from .reader import S2Reader
    from .writer import S2StreamWriter, S2Writer
from collections.abc import Mapping
from typing import Any

from ..stream import LiveStreamReader
from .options import S2ReadOptions
from .planning import S2Planning, limited
from .reader import S2Partition, S2Reader, partitions_of


class S2StreamPlanning(S2Planning):
    """Plans the batches of a streaming query. An offset is the sequence number of the next record of each stream."""

    def __init__(self, options: S2ReadOptions) -> None:
        super().__init__(options)
        self._is_fixed = False
        self._fixed: dict[str, int] | None = None
        self._tails: dict[str, int] = {}

    def initial(self) -> dict[str, Any]:
        """Return the first offset, see ``live.stream.StreamPlanning``."""
        return dict(sorted(self.begin(self.streams()).items()))

    def fix(self) -> None:
        """Restrict planning to existing records, see ``live.stream.StreamPlanning``."""
        self._is_fixed = True

    def latest(self, start: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
        """Return the end offset of the next batch, see ``live.stream.StreamPlanning``."""
        self._tails = self._fixed if self._fixed is not None else self.checked_tails(start)
        self._fixed = self._tails if self._is_fixed else None
        return limited(start, self._tails, limit)

    def progress(self) -> dict[str, Any]:
        """Return the ends of the streams."""
        return dict(sorted(self._tails.items()))

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[S2Partition]:
        """Return the partitions of a batch, see ``live.stream.StreamPlanning``."""
        return partitions_of(self.between(start, end))


class S2StreamReader(LiveStreamReader):
    """Reads the streams that options name."""

    reader: S2Reader

    def plan(self) -> S2StreamPlanning:
        """Create the planner of a streaming query."""
        return S2StreamPlanning(self.reader.options)


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

    def stream_reader(self, reader: S2Reader) -> S2StreamReader:
        """Return the streaming reader of the columns of a batch reader."""

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
