"""The base class of the data sources of all services. Spark imports this module to discover sources, so importing it
does no work."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructField, StructType

from ..errors import HideTraceback

if TYPE_CHECKING:
    from ..read.schema import TargetColumn
    from .options import LiveBatchReader, LiveReadOptions
    from .stream import LiveStreamReader, StreamPlanning


class LiveSource(DataSource):
    """A data source for the streams of a service."""

    @abstractmethod
    def read_options(self) -> LiveReadOptions:
        """Return the checked options of a read. Raises ``UnknownNameError`` and ``WireloomError``."""

    @abstractmethod
    def columns(self) -> dict[str, StructField]:
        """Return all columns that can be read, by name. Raises ``UnknownNameError`` and ``WireloomError``."""

    def default_columns(self) -> Iterable[str]:
        """Return the names of the columns that are read by default."""
        return self.columns()

    def schema(self) -> StructType:
        """Return the columns of option ``columns``, or the default ones. Raises ``WireloomError``."""
        with HideTraceback():
            known, chosen = self.columns(), self.read_options().columns or self.default_columns()
            self._check(chosen)
            return StructType([known[name] for name in chosen])

    @abstractmethod
    def reader(self, schema: StructType) -> LiveBatchReader:
        """Return the reader of these columns. Raises ``WireloomError``."""

    @property
    @abstractmethod
    def planning(self) -> type[StreamPlanning]:
        """Return the class that plans the batches of a streaming query; it is constructed with the options."""

    def streamReader(self, schema: StructType) -> LiveStreamReader:  # noqa: N802
        """Return the streaming reader of these columns. Raises ``WireloomError``."""
        from ...base.errors import WireloomError
        from ..versions import check_streams

        with HideTraceback():
            check_streams()
            # The streaming interface of Spark is in a module that older versions lack.
            from .stream import LiveStreamReader

            reader = self.reader(schema)
            if reader.options.end is not None:
                raise WireloomError("option end applies only to batch reads: leave it out")
            return LiveStreamReader(reader, self.planning)

    def targets(self, schema: StructType, computed: Iterable[str] = ()) -> tuple[TargetColumn, ...]:
        """Return the source of each column of a read. Columns of ``computed`` are not taken from a record.

        Raises ``UnknownNameError`` for an unknown column.
        """
        from ..read.schema import targets

        self._check(schema.names, folded=True)
        return targets(schema, {name: each for name, each in self.columns().items() if name not in computed}, "")

    def _check(self, names: Iterable[str], *, folded: bool = False) -> None:
        from ...base.nearest import unknown

        known = self.columns()
        there = {each.lower() for each in known} if folded else set(known)
        for name in names:
            if (name.lower() if folded else name) not in there:
                raise unknown(f"column of {self.name()}", name, known)
