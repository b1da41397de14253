"""The base of the streaming readers of all services: Spark's interface over each service's own planning."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from ..errors import HideTraceback
from .options import LiveReadOptions

if TYPE_CHECKING:
    import pyarrow as pa


class LiveReader(DataSourceReader):
    """Reads a service in batch. It is pickled on its way to the tasks; no credentials are in it."""

    options: LiveReadOptions


class StreamPlanning(Protocol):
    """Plans the batches of one streaming query, on the driver. Offsets are what Spark keeps as JSON.

    Each method raises ``WireloomError``, for data that was lost too where that is to fail.
    """

    def initial(self) -> dict[str, Any]:
        """Return the offset at which reading begins."""
        ...

    def fix(self) -> None:
        """From now on, plan only what is there at this moment."""
        ...

    def latest(self, start: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
        """Return the end offset of the next batch, of at most ``limit`` records; ``None``: of any number."""
        ...

    def progress(self) -> dict[str, Any]:
        """Return what Spark shows as ``latestOffset`` of the source in the progress of a query."""
        ...

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> Sequence[InputPartition]:
        """Return what the tasks of the batch between two offsets read, which depends on nothing else."""
        ...


class LiveStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a service as a stream. It is pickled on its way to the tasks, without what only the driver needs.

    ``reader``: the batch reader of the same columns, which reads the partitions that are planned here.
    """

    def __init__(self, reader: LiveReader) -> None:
        self.reader = reader
        self._planning: StreamPlanning | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_planning": None}

    @abstractmethod
    def plan(self) -> StreamPlanning:
        """Return the planning of a query that has just begun or is continued."""

    # On the driver -------------------------------------------------------------------------------------------------

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the offset at which reading begins. Raises ``WireloomError``."""
        with HideTraceback():
            return self._planned().initial()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return ``maxRecordsPerTrigger``."""
        most = self.reader.options.max_records
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Return the end offset of the next batch. Raises ``WireloomError`` where data was lost, if that is to fail."""
        with HideTraceback():
            return self._planned().latest(start, limit.max_rows if isinstance(limit, ReadMaxRows) else None)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """From now on, read only what is there at this moment."""
        with HideTraceback():
            self._planned().fix()

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return what Spark shows as ``latestOffset`` of the source in the progress of a query."""
        return self._planned().progress()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the partitions between two offsets. Raises ``WireloomError``."""
        with HideTraceback():
            return self._planned().partitions(start, end)

    def _planned(self) -> StreamPlanning:
        if self._planning is None:
            self._planning = self.plan()
        return self._planning

    # In the tasks ----------------------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition, as the batch reader. Raises ``WireloomError``."""
        return self.reader.read(partition)
